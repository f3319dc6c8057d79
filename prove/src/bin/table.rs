// SPDX-License-Identifier: MIT

//! Compares each row of the ALU table with Mesa's constant folding, in the program that `cargo xtask prove --table` builds.

// It is a command, and prints its result.
#![allow(clippy::print_stdout)]

use anyhow::{ensure, Context, Result};
use clap::Parser;
use indicatif::ProgressBar;
use ntv_prove::inputs::cases;
use ntv_prove::mesa::{compare, Difference, Mesa};
use ntv_prove::reasons::{self, Verdict};
use ntv_prove::rows::Row;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Compares each row of the ALU table with Mesa's constant folding
#[derive(Parser)]
struct Arguments {
    /// The program that folds with Mesa
    program: PathBuf,
    /// The number of random inputs of rows whose inputs are too many
    #[arg(long, default_value_t = 100_000)]
    random: usize,
    /// Only the rows with this text in their name
    #[arg(long, default_value = "")]
    filter: String,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut mesa = Mesa::start(&arguments.program)?;
    let rows: Vec<Row> = Row::all().into_iter().filter(|row| row.name().contains(&arguments.filter)).collect();
    ensure!(!rows.is_empty(), "no row has `{}` in its name", arguments.filter);
    let bar = ProgressBar::new(rows.len() as u64);
    let (mut equal, mut inputs, mut absent, mut unexplained) = (0, 0, Vec::new(), Vec::new());
    // The rows with differences for each reason, and one of these.
    let mut explained: BTreeMap<&str, (Verdict, Vec<String>, String)> = BTreeMap::new();
    for row in &rows {
        let cases = cases(*row, arguments.random);
        inputs += cases.len();
        match compare(&mut mesa, *row, cases).with_context(|| row.name())? {
            None => absent.push(row.name()),
            Some(differences) => {
                equal += usize::from(differences.is_empty());
                for difference in &differences {
                    let Some(reason) = reasons::of(*row, difference) else {
                        unexplained.push((*row, difference.clone()));
                        break;
                    };
                    let example = || (reason.verdict, Vec::new(), format!("{} {}", row.name(), text(difference)));
                    let entry = explained.entry(reason.why).or_insert_with(example);
                    if entry.1.last() != Some(&row.name()) {
                        entry.1.push(row.name());
                    }
                }
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    println!("{equal} of {} rows give what Mesa gives, of {inputs} inputs", rows.len());
    if !absent.is_empty() {
        println!("{} rows that Mesa does not have: {}", absent.len(), absent.join(", "));
    }
    for (why, (verdict, rows, example)) in &explained {
        let whose = if *verdict == Verdict::Open { "open" } else { "a fault of Mesa" };
        println!("{whose}: {why}: {}\n    {example}", rows.join(", "));
    }
    for (row, difference) in &unexplained {
        println!("{} differs: {}", row.name(), text(difference));
    }
    ensure!(unexplained.is_empty(), "{} rows differ without a known reason", unexplained.len());
    Ok(())
}

fn text(difference: &Difference) -> String {
    let numbers = |list: &[u64]| list.iter().map(|number| format!("{number:#x}")).collect::<Vec<_>>().join(", ");
    let Difference { inputs, ours, mesas } = difference;
    format!("({}): ours {}, Mesa's {}", numbers(inputs), numbers(ours), numbers(mesas))
}
