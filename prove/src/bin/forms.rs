// SPDX-License-Identifier: MIT

//! Proves the translation of each form for each target: rows of the ALU table at each width, accesses to memory of each alignment,
//! identities and folds.

#![allow(clippy::print_stdout)] // the results are its output

use anyhow::{ensure, Result};
use clap::Parser;
use indicatif::ProgressBar;
use ntv::target::Version;
use ntv::{text, EmitOptions, Feature, Options, Target, Translator};
use ntv_prove::compare::{Prover, Verdict};
use ntv_prove::forms::{self, Class, Form};
use ntv_prove::reasons::{form_is_open, form_may_differ};
use ntv_prove::rows::Row;
use ntv_prove::smt::Budget;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// Proves the translation of each opcode and of each access to memory, for targets with all features and with none.
#[derive(Parser)]
struct Args {
    /// Only forms with this in their names.
    #[arg(long, default_value = "")]
    filter: String,

    /// Only forms of a kind with this in its name: `integers`, `floats`, `doubles`, `accesses`, `identities`, `folds`.
    #[arg(long, default_value = "")]
    class: String,

    /// The time for a query of the solver, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 2000)]
    limit: u64,

    /// The number of steps for a query of the solver, instead of a time: each machine proves the same.
    #[arg(long, value_name = "N", conflicts_with = "limit")]
    steps: Option<u32>,

    /// The number of inputs that are tried where equality is not proved.
    #[arg(long, value_name = "N", default_value_t = 4)]
    trials: u64,

    /// Do not ask a solver.
    #[arg(long)]
    no_solver: bool,

    /// Prints the forms that the target refuses.
    #[arg(long)]
    refused: bool,

    /// Only targets with this in their names.
    #[arg(long, default_value = "")]
    target: String,

    /// Prints why a form is not decided.
    #[arg(long)]
    reasons: bool,
}

/// What was found of a form.
enum Found {
    Proved,
    Refused(String),
    /// It is known that it can't be proved.
    Open(&'static str),
    /// The words give something else.
    Differs(String),
    Undecided(String),
}

fn main() -> Result<()> {
    let args = Args::parse();
    let rows = Row::all();
    let of_rows = rows.iter().flat_map(|row| [1, 2, 3, 4].into_iter().filter_map(|count| forms::of_row(*row, count)));
    let is_asked = |form: &Form| form.name.contains(&args.filter) && form.class.name().contains(&args.class);
    let of_passes = forms::of_algebraic().into_iter().chain(forms::of_constants());
    let forms: Vec<Form> = of_rows.chain(forms::of_memory()).chain(of_passes).filter(is_asked).collect();
    let budget = args.steps.map_or(Budget::Time(Duration::from_millis(args.limit)), Budget::Steps);
    let mut failed = 0;
    for (name, target) in targets().into_iter().filter(|(name, _)| name.contains(&args.target)) {
        // These passes do not know the target.
        let forms: Vec<&Form> = forms.iter().filter(|form| form.pass.is_none() || name == ALL_FEATURES).collect();
        if forms.is_empty() {
            continue;
        }
        let bar = ProgressBar::new(forms.len() as u64).with_message(name);
        let found: Vec<(&Form, Found)> = forms
            .par_iter()
            .map_init(
                || Prover::new((!args.no_solver).then_some(budget), args.trials),
                |prover, form: &&Form| {
                    let found = match prover {
                        Ok(prover) => prove(prover, form, &target),
                        Err(error) => Found::Differs(error.to_string()),
                    };
                    bar.inc(1);
                    (*form, found)
                },
            )
            .collect();
        bar.finish_and_clear();
        failed += report(name, &found, &args);
    }
    ensure!(failed == 0, "{failed} forms differ");
    Ok(())
}

const ALL_FEATURES: &str = "all features";

/// A target with all features, and one with none.
fn targets() -> [(&'static str, Target); 2] {
    let mut rich = Target::new(Version(1, 3));
    Feature::ALL.iter().for_each(|feature| rich.set(*feature, true));
    [(ALL_FEATURES, rich), ("no features", forms::poor_target())]
}

fn prove(prover: &mut Prover, form: &Form, target: &Target) -> Found {
    let shader = match text::parse(&form.text) {
        Ok(shader) => shader,
        Err(errors) => return Found::Differs(errors.to_string()),
    };
    let mut changed = shader.clone();
    if let Some(pass) = form.pass {
        forms::run(pass, &mut changed);
    }
    let options = Options::default().target(target.clone());
    let module = match Translator::new(options).translate(&mut changed.clone(), &EmitOptions::default()) {
        Ok(module) => module,
        Err(errors) => return Found::Refused(errors.to_string()),
    };
    let verdict = match form.pass {
        None => prover.prove(&shader, target, &module.words),
        Some(_) => prover.prove_lowered(&shader, target, (&changed, &module.words)),
    };
    let (found, is_open) = match verdict {
        Verdict::Proved => return Found::Proved,
        Verdict::Different(it) => {
            let why = format!("{}: {}, not {} ({})", it.what, it.found, it.expected, it.inputs());
            (Found::Differs(why), form_may_differ(&form.name))
        }
        Verdict::Undecided(why) => {
            (Found::Undecided(format!("{}: {}", why.place, why.reason)), form_is_open(&form.name))
        }
    };
    is_open.map_or(found, Found::Open)
}

/// Prints what was found for a target; returns the number of forms that differ.
fn report(target: &str, found: &[(&Form, Found)], args: &Args) -> usize {
    let count = |is: fn(&Found) -> bool| found.iter().filter(|it| is(&it.1)).count();
    let proved = count(|it| matches!(it, Found::Proved));
    let refusals = count(|it| matches!(it, Found::Refused(_)));
    println!("{target}: proved {proved} of {} forms; the target refuses {refusals} others", found.len() - refusals);
    for class in Class::ALL {
        let forms: Vec<&Found> = found.iter().filter(|it| it.0.class == class).map(|it| &it.1).collect();
        let count = |is: fn(&Found) -> bool| forms.iter().filter(|it| is(it)).count();
        let proved = count(|it| matches!(it, Found::Proved));
        let open = count(|it| matches!(it, Found::Open(_)));
        let all = forms.len() - count(|it| matches!(it, Found::Refused(_)));
        if all > 0 {
            println!("  {}: proved {proved} of {all}; {open} are open in NIR or SPIR-V", class.name());
        }
    }
    let mut open: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut undecided: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (form, found) in found {
        match found {
            Found::Open(reason) => open.entry(reason).or_default().push(&form.name),
            Found::Differs(why) => println!("  differs: {}: {why}", form.name),
            // Forms that differ in the number of components only are listed once.
            Found::Undecided(why) => {
                undecided.entry(form.kind()).or_default().push(&form.name);
                if args.reasons {
                    println!("  not decided: {}: {why}", form.name);
                }
            }
            Found::Refused(why) if args.refused => println!("  refused: {}: {why}", form.name),
            Found::Proved | Found::Refused(_) => {}
        }
    }
    let names: Vec<String> = undecided.iter().map(|(kind, forms)| format!("{kind} ({})", forms.len())).collect();
    if !names.is_empty() {
        println!("  not decided, {} forms: {}", count(|it| matches!(it, Found::Undecided(_))), names.join(", "));
    }
    for (reason, names) in open {
        println!("  {reason}: {}", names.join(", "));
    }
    count(|it| matches!(it, Found::Differs(_)))
}
