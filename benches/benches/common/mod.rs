// SPDX-License-Identifier: MIT

//! The common code of the benches.

use criterion::Criterion;
use ntv_benches::{sets, Set};
use std::time::Duration;

/// Criterion with this number of samples of each measurement; `benches/results/` has the plots.
pub(crate) fn criterion(samples: usize) -> Criterion {
    Criterion::default()
        .sample_size(samples)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .without_plots()
}

/// Measures each set of real shaders.
#[allow(dead_code, reason = "some benches measure other sets")]
pub(crate) fn real(c: &mut Criterion, measure: fn(&mut Criterion, &Set)) {
    let sets = sets::real().unwrap_or_else(|error| panic!("{error:#}"));
    sets.iter().for_each(|set| measure(c, set));
}
