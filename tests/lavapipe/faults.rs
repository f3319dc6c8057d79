// SPDX-License-Identifier: MIT

//! Faults of drivers: each fault that the oracle excuses is seen on the drivers that have it, and on no other.

use ntv::text;
use ntv_gen::oracle::{Oracle, Verdict, FAULTS};
use ntv_gen::{stimulus_of_seed, Purpose};
use ntv_interp::Floats;

#[test]
fn faults_of_the_driver_show() {
    let mut oracle = Oracle::open("llvmpipe").expect("lavapipe, which `cargo xtask test` installs");
    for fault in FAULTS {
        let shader = text::parse(fault.example).expect(fault.what);
        let mut stimulus = stimulus_of_seed(&shader, 0, Purpose::Driver);
        // The examples have no undefined results.
        stimulus.inputs.floats = Floats::Nir;
        // They all write the same bytes, which is a race of several workgroups.
        stimulus.inputs.workgroups = [1; 3];
        let verdict = oracle.compare(&[shader], &stimulus);
        let driver = oracle.driver();
        match (verdict, fault.is_of(driver)) {
            (Verdict::Excused(what), true) => assert_eq!(what, fault.what),
            (Verdict::Same(_), false) => {}
            (verdict, true) => panic!("{driver} has not, or not only, the fault `{}`: {verdict:?}", fault.what),
            (verdict, false) => panic!("{driver} has the fault `{}`: {verdict:?}", fault.what),
        }
    }
}
