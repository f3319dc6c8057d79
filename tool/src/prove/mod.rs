// SPDX-License-Identifier: MIT

//! `ntv prove`: decides whether the SPIR-V of each shader means what its NIR means, for all inputs.

#[cfg(feature = "vulkan")]
mod device;
mod fewer;
mod modules;
mod witness;

#[cfg(not(feature = "vulkan"))]
mod device {
    //! Without Vulkan, there is no device.

    use crate::absent;
    use anyhow::Result;
    use ntv::{Shader, Target};
    use ntv_prove::witness::Witness;

    pub(super) enum Judge {}

    pub(super) struct Shown {
        pub(super) witness: Option<Box<Witness>>,
        pub(super) side: Option<&'static str>,
    }

    impl Judge {
        pub(super) fn open(_: &str, _: bool) -> Result<Judge> {
            Err(absent("vulkan", "prove"))
        }

        pub(super) fn ask(&self, _: (&Shader, &Target), _: &[u32], _: &Witness) -> Result<Shown, String> {
            match *self {}
        }
    }
}

use crate::args::ProveArgs;
use crate::diagnostics::{count, problems, Problem, Reporter};
use crate::shaders::{each, load, require_blocks, Job, Loaded};
use crate::{destination, inputs, AllFine};
use anyhow::{ensure, Result};
use device::Judge;
use ntv::capture::BackEnd;
use ntv::{check, EmitOptions, Options, Place, Translator};
use ntv_prove::compare::{Prover, Verdict};
use ntv_prove::flow::Unsupported;
use ntv_prove::passes::prove_passes;
use ntv_prove::smt::Budget;
use ntv_prove::witness::Witness;
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use witness::Case;

/// The bytes of the stack of a thread: a proof descends into terms, which may be deep. Memory is used only if it does.
const STACK: usize = 1 << 28;

pub(crate) fn run(args: &ProveArgs, reporter: &Reporter) -> Result<AllFine> {
    let options = options(args)?;
    let (dumps, module) = modules::split(args)?;
    let provers = Provers::new(args)?;
    let loaded = load(inputs::collect(dumps)?, reporter);
    require_blocks(&loaded, &options)?;
    let modules = modules::files(args, module, &loaded)?;
    let witnesses = args.witness.as_ref().map(|out| destination::plan(&loaded, out, "json")).transpose()?;
    if let (Some(files), Some(modules)) = (&witnesses, &modules) {
        destination::decide(
            modules.iter().map(PathBuf::as_path),
            files.iter().map(|file| ("--witness", file.as_path())),
        )?;
    }
    let titles = Title::of_all(&loaded);
    let device = args.device.as_ref().map(|name| Judge::open(name, args.validate)).transpose()?;
    let work =
        Work { options: &options, passes: args.passes, provers, modules, witnesses, device, rows: Mutex::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).stack_size(STACK).build()?;
    let done = pool.install(|| each(loaded, &options, reporter, |translator, job| work.decide(translator, job)));
    let rows = work.rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    let lines = (0..).zip(&titles).map(|(index, title)| title.line(rows.get(&index), reporter.is_json()));
    destination::print(lines.collect::<String>().as_bytes())?;
    let proved = done.iter().flatten().count();
    reporter.say(&format!("proved {proved} of {}", count(done.len(), "shader")));
    Ok(proved == done.len())
}

/// The options of the translator. The placement of blocks and captures by stores are no part of what NIR means, so a proof knows
/// neither.
fn options(args: &ProveArgs) -> Result<Options> {
    let options = args.target.options()?;
    ensure!(
        options.placements.is_empty(),
        "--place: ntv prove takes no placements; a uniform block is in a uniform buffer"
    );
    ensure!(options.captures == BackEnd::Extension, "--captures: ntv prove takes only the extension");
    Ok(options)
}

/// Provers that no thread uses now: a solver is a process, so each is kept for the next shader.
struct Provers {
    /// The limit of the solver; `None` without one.
    limit: Option<Budget>,
    trials: u64,
    idle: Mutex<Vec<Prover>>,
}

impl Provers {
    /// Starts the first one. It is an error if there is no solver.
    fn new(args: &ProveArgs) -> Result<Provers> {
        let limit = (!args.no_solver).then_some(Budget::Time(Duration::from_millis(args.limit)));
        let provers = Provers { limit, trials: args.trials, idle: Mutex::default() };
        let first = provers.start().map_err(|error| error.context("ntv prove without --no-solver"))?;
        provers.give_back(first);
        Ok(provers)
    }

    fn start(&self) -> Result<Prover> {
        Prover::new(self.limit, self.trials)
    }

    fn take(&self) -> Result<Prover> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.start(), Ok)
    }

    fn give_back(&self, prover: Prover) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(prover);
    }
}

/// A verdict, and what belongs to it.
struct Row {
    verdict: &'static str,
    details: Value,
}

/// What all threads share.
struct Work<'a> {
    options: &'a Options,
    /// Whether to prove each pass, too.
    passes: bool,
    provers: Provers,
    /// The file of the module of each shader.
    modules: Option<Vec<PathBuf>>,
    /// The file for the inputs of each shader.
    witnesses: Option<Vec<PathBuf>>,
    /// Runs what differs.
    device: Option<Judge>,
    /// The verdicts, by the index of the shader.
    rows: Mutex<BTreeMap<usize, Row>>,
}

impl Work<'_> {
    /// Decides about a shader. What is not proved is a problem.
    fn decide(&self, translator: &mut Translator, job: Job<'_>) -> Result<(), Vec<Problem>> {
        check::validate(&job.shader).map_err(problems)?;
        let words = self.words(translator, &job)?;
        let mut prover = self.provers.take().map_err(|error| vec![Problem::new("io", format!("{error:#}"))])?;
        let verdict = prover.prove(&job.shader, &self.options.target, &words);
        let is_sought = self.passes && !matches!(verdict, Verdict::Proved);
        let steps = is_sought.then(|| prove_passes(&mut prover, &job.shader, self.options)).transpose();
        self.provers.give_back(prover);
        let (mut row, mut problems) = match verdict {
            Verdict::Proved => (Row { verdict: "proved", details: json!({}) }, Vec::new()),
            Verdict::Undecided(reason) => {
                let details = json!({ "reason": reason.reason, "place": reason.place });
                (Row { verdict: "undecided", details }, vec![undecided(&reason)])
            }
            Verdict::Different(witness) => self.different(&job, &words, &witness),
        };
        if let (Some(steps), Some(first)) = (steps.map_err(crate::diagnostics::problems)?, problems.first_mut()) {
            let left: Vec<&str> = steps
                .iter()
                .filter(|proof| !matches!(proof.verdict, Verdict::Proved))
                .map(|proof| proof.step)
                .collect();
            first.message += &match left.is_empty() {
                true => "; each step alone is proved".to_owned(),
                false => format!("; steps that are not proved: {}", left.join(", ")),
            };
            row.details["steps"] = json!(left);
        }
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).insert(job.index, row);
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    }

    /// The words to compare with the shader.
    fn words(&self, translator: &mut Translator, job: &Job<'_>) -> Result<Vec<u32>, Vec<Problem>> {
        match &self.modules {
            Some(files) => modules::read(&files[job.index], job.shader.stage()).map_err(|problem| vec![problem]),
            None => {
                let module = translator.translate(&mut job.shader.clone(), &EmitOptions::default());
                Ok(module.map_err(problems)?.words)
            }
        }
    }

    /// Reports a difference. Writes its inputs, and asks the device, if that is requested.
    fn different(&self, job: &Job<'_>, words: &[u32], witness: &Witness) -> (Row, Vec<Problem>) {
        let shown = self.device.as_ref().map(|device| device.ask((&job.shader, &self.options.target), words, witness));
        // Inputs that a draw can have take the place of others.
        let of_draw = shown.as_ref().and_then(|shown| shown.as_ref().ok()?.witness.as_deref());
        let inputs = of_draw.map_or_else(|| witness.inputs(), |_| "inputs that a draw has".to_owned());
        let Witness { seed, stimulus, what, expected, found, confirmed, .. } = of_draw.unwrap_or(witness);
        let confirms = if *confirmed { "as the interpreter does" } else { "which the interpreter does not confirm" };
        let mut message =
            format!("{what} differs for {inputs}: the NIR gives {expected}, {confirms}, and the module gives {found}");
        let side = shown.as_ref().map(|shown| shown.as_ref().map(|shown| shown.side));
        match &side {
            None => {}
            Some(Ok(None)) => message += "; the device gives neither",
            Some(Ok(Some(side))) => message += &format!("; the device gives what {side} gives"),
            Some(Err(reason)) => message += &format!("; the device does not run it: {reason}"),
        }
        let (mut written, mut others) = (None, Vec::new());
        let text = || Case::new(&job.shader, stimulus)?.text();
        match self.witnesses.as_ref().map(|files| (&files[job.index], text())) {
            None => {}
            Some((_, Err(reason))) => message += &format!("; no inputs are written: {reason}"),
            Some((file, Ok(text))) => match destination::write(file, text.as_bytes()) {
                Ok(()) => {
                    message += &format!("; {} has the inputs", file.display());
                    written = Some(file.display().to_string());
                }
                Err(error) => others.push(Problem::new("io", error.to_string())),
            },
        }
        let details = json!({
            "what": what, "expected": expected, "found": found, "seed": seed, "confirmed": confirmed, "inputs": written,
            "device": side.and_then(Result::ok).map(|side| side.unwrap_or("neither")),
        });
        others.insert(0, Problem::new("different", message));
        (Row { verdict: "different", details }, others)
    }
}

/// The problem that something is not decided, at its line of the dump if it has one.
fn undecided(Unsupported { reason, place }: &Unsupported) -> Problem {
    let numbered = place.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
    let numbered = numbered.and_then(|(line, what)| Some((line.parse::<u32>().ok()?, what)));
    let (place, line) = numbered.map_or((place.as_str(), 0), |(line, what)| (what, line));
    let at = if place.is_empty() { String::new() } else { format!("{place}: ") };
    Problem::at(Place::line(line), "undecided", format!("not decided: {at}{reason}"))
}

/// The names of a shader in the table of verdicts.
struct Title {
    file: String,
    number: Option<usize>,
    line: u32,
}

impl Title {
    fn of_all(loaded: &Loaded) -> Vec<Title> {
        let title = |unit: &crate::shaders::Unit| Title {
            file: loaded.sources[unit.source].input.name.clone(),
            number: unit.number,
            line: unit.line,
        };
        loaded.units.iter().map(title).collect()
    }

    /// The line of a shader in the table. A shader without a row has errors.
    fn line(&self, row: Option<&Row>, is_json: bool) -> String {
        let verdict = row.map_or("failed", |row| row.verdict);
        if !is_json {
            let line = self.number.map_or(String::new(), |_| format!(":{}", self.line));
            return format!("{verdict:9} {}{line}\n", self.file);
        }
        let mut object = Map::new();
        object.extend([("file".into(), json!(self.file)), ("shader".into(), json!(self.number))]);
        object.insert("verdict".into(), verdict.into());
        object.extend(row.and_then(|row| row.details.as_object().cloned()).unwrap_or_default());
        format!("{}\n", Value::Object(object))
    }
}
