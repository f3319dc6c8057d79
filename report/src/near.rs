// SPDX-License-Identifier: MIT

//! Names that are similar to a wrong one.

/// The most names that are suggested.
const MOST: usize = 3;

/// The least similarity of a suggested name: 1 means equal, 0 no common letter.
const NEAR: f64 = 0.6;

/// The `names` that are similar to `given`, the most similar first: they contain it, or differ in few letters.
pub fn nearest<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let given = given.to_lowercase();
    let near = |name: &'a str| {
        let lower = name.to_lowercase();
        let part = if given.len() > 2 && lower.contains(&given) { NEAR } else { 0.0 };
        (strsim::normalized_damerau_levenshtein(&given, &lower).max(part), name)
    };
    let mut near: Vec<(f64, &str)> = names.map(near).filter(|(score, _)| *score >= NEAR).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().map(|(_, name)| name).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_comes_first() {
        let names = ["shaderFloat64", "shaderFloat16", "shaderInt64", "dce"];
        let near = |given: &str| nearest(given, names.into_iter());
        assert_eq!(near("shaderFlaot16"), ["shaderFloat16", "shaderFloat64"]);
        assert_eq!(near("FLOAT64"), ["shaderFloat64"]);
        assert_eq!(near("dec"), ["dce"]);
        assert!(near("mesh").is_empty() && near("").is_empty());
    }
}
