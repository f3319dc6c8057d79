// SPDX-License-Identifier: MIT

//! How much a solver may do for a query.

use std::time::Duration;

/// The time after which a solver that counts steps is taken as one that hangs.
const HANGS: Duration = Duration::from_secs(900);

/// A solver that does not keep to its limit of time gets this much more.
const GRACE: Duration = Duration::from_secs(1);

/// What a solver may spend on a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// This time. A machine that is busy decides less.
    Time(Duration),
    /// As many steps as z3 counts (`rlimit`), some three million in a second. Each machine decides the same.
    Steps(u32),
}

impl Budget {
    /// A budget of some `numerator / denominator` of this one.
    pub(super) fn scaled(self, numerator: u32, denominator: u32) -> Budget {
        match self {
            Budget::Time(time) => Budget::Time(time * numerator / denominator),
            Budget::Steps(steps) => Budget::Steps(steps / denominator * numerator),
        }
    }

    /// The command that tells z3.
    pub(super) fn command(self) -> String {
        match self {
            Budget::Time(time) => format!("(set-option :timeout {})\n", time.as_millis()),
            Budget::Steps(steps) => format!("(set-option :rlimit {steps})\n"),
        }
    }

    /// The time after which the solver is ended.
    pub(super) fn most_time(self) -> Duration {
        match self {
            Budget::Time(time) => time + GRACE,
            Budget::Steps(_) => HANGS,
        }
    }
}
