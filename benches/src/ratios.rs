// SPDX-License-Identifier: MIT

//! Compares two ways of doing the same, case by case.

/// The ratios of two figures, for many cases.
pub struct Ratios {
    /// The ratios in ascending order.
    each: Vec<f64>,
    totals: [f64; 2],
}

impl Ratios {
    /// The ratios of pairs of ntv and the other, all above zero; at least one.
    pub fn new(pairs: impl IntoIterator<Item = [f64; 2]>) -> Option<Ratios> {
        let pairs: Vec<[f64; 2]> = pairs.into_iter().collect();
        let mut each: Vec<f64> = pairs.iter().map(|[ours, theirs]| ours / theirs).collect();
        each.sort_by(f64::total_cmp);
        let totals = [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).sum());
        (!each.is_empty()).then_some(Ratios { each, totals })
    }

    /// The geometric mean, in which all cases have the same weight.
    pub fn geometric_mean(&self) -> f64 {
        (self.each.iter().map(|ratio| ratio.ln()).sum::<f64>() / self.each.len() as f64).exp()
    }

    /// The ratio of the sums: large cases weigh more.
    pub fn total(&self) -> f64 {
        self.totals[0] / self.totals[1]
    }

    /// The ratio that `percent` percent of the cases do not exceed.
    pub fn percentile(&self, percent: f64) -> f64 {
        let rank = (percent / 100.0 * self.each.len() as f64).ceil() as usize;
        self.each[rank.clamp(1, self.each.len()) - 1]
    }

    /// The number of cases in which ntv's is larger.
    pub fn above_one(&self) -> usize {
        self.each.iter().filter(|ratio| **ratio > 1.0).count()
    }

    /// A row of a Markdown table below [`Ratios::HEAD`].
    pub fn row(&self, name: &str) -> String {
        let figures = [
            self.geometric_mean(),
            self.total(),
            self.percentile(50.0),
            self.percentile(90.0),
            self.percentile(99.0),
            self.percentile(100.0),
        ];
        let figures = figures.map(|figure| format!("{figure:.3}")).join(" | ");
        format!("| {name} | {figures} | {} of {} |\n", self.above_one(), self.each.len())
    }

    /// The head of such a table, after its first cell.
    pub const HEAD: &'static str = " | geometric mean | total | p50 | p90 | p99 | worst | above 1 |\n\
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_known_pairs() {
        let ratios = Ratios::new([[1.0, 2.0], [4.0, 2.0], [1.0, 4.0], [3.0, 3.0]]).unwrap();
        assert!((ratios.geometric_mean() - 0.25f64.powf(0.25)).abs() < 1e-12);
        assert_eq!(ratios.total(), 9.0 / 11.0);
        assert_eq!([1.0, 25.0, 50.0, 51.0, 100.0].map(|p| ratios.percentile(p)), [0.25, 0.25, 0.5, 1.0, 2.0]);
        assert_eq!(ratios.above_one(), 1);
        assert!(Ratios::new([]).is_none());
    }
}
