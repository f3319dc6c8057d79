// SPDX-License-Identifier: MIT

//! Values that are set and set back cost nothing.

use ntv_driver::state::Tracked;

#[test]
fn a_value_differs_until_the_consumer_has_it() {
    let mut value = Tracked::new(1);
    assert!(value.differs() && value.set(1), "the consumer has no value yet");
    value.synced();
    assert!(!value.differs() && !value.set(1));
    assert!(value.set(2) && value.set(3));
    assert_eq!(*value.get(), 3);
    assert!(!value.set(1), "set back to the consumer's value");
    assert!(value.set(2));
    value.synced();
    assert!(!value.set(2));
    assert!(value.set(1), "the consumer has 2 now");
}

#[test]
fn every_value_differs_after_forget() {
    let mut value = Tracked::new("a".to_string());
    value.synced();
    assert!(value.set("b".to_string()));
    value.forget();
    assert!(value.set("a".to_string()) && value.set("b".to_string()));
    value.synced();
    assert!(!value.set("b".to_string()));
}

#[test]
fn random_sequences_agree_with_the_consumer() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut value = Tracked::new(0);
    let mut consumer = None;
    for _ in 0..100_000 {
        match random.u32(..8) {
            0 => {
                value.synced();
                consumer = Some(*value.get());
            }
            1 => {
                value.forget();
                consumer = None;
            }
            _ => {
                let new = random.u32(..4);
                let differs = value.set(new);
                assert_eq!((*value.get(), differs), (new, consumer != Some(new)));
            }
        }
        assert_eq!(value.differs(), consumer != Some(*value.get()));
    }
}
