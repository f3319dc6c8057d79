// SPDX-License-Identifier: MIT

//! Compares the corpus with the modules that C made of the same shaders: ntv translates each shader, its module is valid by the
//! strictest rules and smaller, has few bitcasts, and no needless declarations and branches. Shaders that need only Vulkan 1.1
//! can be translated for Vulkan 1.1.
//!
//! The corpus is too large for the repository; the test prints if it is missing.

// The figures are a result of this test.
#![allow(clippy::print_stdout)]

#[path = "support/references.rs"]
mod references;
mod support;

use ntv::{text, EmitOptions, Errors, Feature, Options, Target, Translator};
use references::Pair;
use spirv::Op;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Limits in percent: of ntv's words, of those of the references, and of OpBitcast among the instructions of bodies.
#[derive(Clone, Copy)]
struct Limits {
    words: f64,
    bitcasts: f64,
}

/// For the shaders of Mesa 25.0.
const OF_25: Limits = Limits { words: 65.0, bitcasts: 2.0 };

/// For the shaders of Mesa 26.2, many of which test conversions.
const OF_26: Limits = Limits { words: 58.5, bitcasts: 2.5 };

/// The levels of NIR with complete input.
const LEVELS: &[&str] = &["gallium", "ssa", "reg"];

#[test]
fn modules_beat_the_references() {
    let Some(corpus) = support::shared_corpus() else { return };
    check(&corpus, references::of_dumps(&corpus), OF_25);
    check(&corpus, references::of_logs(&corpus), OF_26);
}

/// Compares all pairs, whose figures together have these limits.
fn check(corpus: &Path, pairs: Vec<Pair>, limits: Limits) {
    let (results, failures) =
        for_each(corpus, pairs.into_iter().map(|pair| (pair.file.clone(), pair)).collect(), compare);
    let sum = |which: usize| results.iter().fold(Figures::default(), |sum, pair| sum.plus(pair[which]));
    let (ours, theirs) = (sum(0), sum(1));
    println!("{} modules, {:.1} % of the words", results.len(), percent(ours.words, theirs.words));
    for (name, Figures { words, body, bitcasts }) in [("ours", ours), ("references", theirs)] {
        let share = percent(bitcasts, body);
        println!("{name}: {words} words, {bitcasts} of {body} instructions are bitcasts, {share:.2} %");
    }
    assert!(failures.is_empty(), "{} shaders fail\n{}", failures.len(), failures.join("\n"));
    assert!(!results.is_empty(), "{} has no references", corpus.display());
    assert!(percent(ours.words, theirs.words) <= limits.words, "too many words");
    assert!(percent(ours.bitcasts, ours.body) <= limits.bitcasts, "too many bitcasts");
}

#[test]
fn dumps_compile_for_vulkan_1_1() {
    let Some(corpus) = support::shared_corpus() else { return };
    let mut files = support::files(&corpus, &["nir"]);
    files.retain(|file| LEVELS.iter().any(|level| is_in(file, level)));
    let files = files.into_iter().map(|file| (file.clone(), file)).collect();
    let (results, failures) = for_each(&corpus, files, |file: PathBuf| compile_for_1_1(&file));
    let later: HashSet<&String> = results.iter().flatten().flatten().collect();
    let shaders = results.iter().flatten();
    let checked = shaders.clone().count();
    println!("{checked} shaders, {} of them need more", shaders.filter(|it| it.is_some()).count());
    println!("what they need: {later:?}");
    assert!(failures.is_empty(), "{} shaders fail\n{}", failures.len(), failures.join("\n"));
    assert!(checked > 0, "{} has no dumps", corpus.display());
}

fn is_in(file: &Path, folder: &str) -> bool {
    file.parent().is_some_and(|parent| parent.ends_with(folder))
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The results of `work` on items, each of a file, and the errors of the others.
fn for_each<T: Send, R: Send>(
    corpus: &Path,
    items: Vec<(PathBuf, T)>,
    work: impl Fn(T) -> Result<R, String> + Sync,
) -> (Vec<R>, Vec<String>) {
    let results = support::in_parallel(items, |(file, item)| {
        let name = file.strip_prefix(corpus).unwrap_or(&file).display().to_string();
        support::caught(|| work(item)).map_err(|problem| format!("{name}: {problem}"))
    });
    let (good, bad): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    (good.into_iter().flatten().collect(), bad.into_iter().filter_map(Result::err).collect())
}

/// The counts of modules.
#[derive(Clone, Copy, Default)]
struct Figures {
    words: usize,
    /// Instructions of functions, except those that do nothing at run time.
    body: usize,
    bitcasts: usize,
}

impl Figures {
    fn plus(self, other: Figures) -> Figures {
        Figures {
            words: self.words + other.words,
            body: self.body + other.body,
            bitcasts: self.bitcasts + other.bitcasts,
        }
    }
}

/// The figures of ntv's module for a shader, and those of the reference.
fn compare(pair: Pair) -> Result<[Figures; 2], String> {
    let dump = fs::read_to_string(&pair.file).map_err(|error| error.to_string())?;
    let target = Target::default();
    let found = text::find(&dump).nth(pair.number).ok_or("no shader")?;
    let mut shader = found.shader.map_err(|errors| errors.to_string())?;
    let mut translator = Translator::new(Options::default().target(target.clone()));
    let module = translator.translate(&mut shader, &EmitOptions::default()).map_err(|errors| errors.to_string())?;
    support::spirv_val(&module.words, &target)?;
    let ours = Module::new(&module.words);
    ours.no_unused_variable()?;
    ours.no_needless_block()?;
    let words = pair.words().map_err(|error| error.to_string())?;
    Ok([ours.figures(), Module::new(&words).figures()])
}

/// For each shader of `file`, the feature that it needs and Vulkan 1.1 lacks, if any; otherwise its module is valid.
fn compile_for_1_1(file: &Path) -> Result<Vec<Option<String>>, String> {
    let dump = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let target = Target::preset("vulkan1.1").expect("a preset");
    let mut translator = Translator::new(Options::default().target(target.clone()));
    let mut results = Vec::new();
    for found in text::find(&dump) {
        let mut shader = found.shader.map_err(|errors| errors.to_string())?;
        results.push(match translator.translate(&mut shader, &EmitOptions::default()) {
            Ok(module) => support::spirv_val(&module.words, &target).map(|()| None)?,
            Err(errors) => Some(later_feature(&errors, &target).ok_or_else(|| errors.to_string())?),
        });
    }
    Ok(results)
}

/// The missing feature, if it is the only one and later versions of Vulkan have it.
fn later_feature(errors: &Errors, target: &Target) -> Option<String> {
    let [error] = errors.0.as_slice() else { return None };
    let name = error.message.split("needs feature ").nth(1)?.strip_suffix(", which the target lacks")?;
    let feature = Feature::from_name(name)?;
    (!target.has(feature) && Target::default().has(feature)).then(|| name.to_string())
}

/// A parsed module.
struct Module<'a> {
    words: usize,
    /// Opcode and operands of each instruction.
    insts: Vec<(Op, &'a [u32])>,
}

impl<'a> Module<'a> {
    fn new(words: &'a [u32]) -> Module<'a> {
        let mut insts = Vec::new();
        let mut rest = &words[5..];
        while let Some(first) = rest.first() {
            let (inst, more) = rest.split_at((first >> 16) as usize);
            insts.push((Op::from_u32(first & 0xffff).expect("an opcode"), &inst[1..]));
            rest = more;
        }
        Module { words: words.len(), insts }
    }

    fn figures(&self) -> Figures {
        let functions = self.insts.iter().position(|(op, _)| *op == Op::Function).unwrap_or(self.insts.len());
        let idle =
            [Op::Function, Op::FunctionEnd, Op::FunctionParameter, Op::Label, Op::Variable, Op::Line, Op::NoLine];
        let body = self.insts[functions..].iter().filter(|(op, _)| !idle.contains(op));
        let bitcasts = body.clone().filter(|(op, _)| *op == Op::Bitcast).count();
        Figures { words: self.words, body: body.count(), bitcasts }
    }

    /// A variable that only the entry point and decorations use is unused.
    fn no_unused_variable(&self) -> Result<(), String> {
        let says_nothing = [Op::EntryPoint, Op::Name, Op::Decorate, Op::MemberDecorate, Op::Variable];
        let users = self.insts.iter().filter(|(op, _)| !says_nothing.contains(op));
        // Literals count as uses too, so an unused variable may be missed, but none is reported wrongly.
        let used: HashSet<u32> = users.flat_map(|(_, operands)| *operands).copied().collect();
        let variables = self.insts.iter().filter(|(op, _)| *op == Op::Variable).map(|(_, operands)| operands[1]);
        let unused: Vec<u32> = variables.filter(|id| !used.contains(id)).collect();
        unused.is_empty().then_some(()).ok_or_else(|| format!("unused variables {unused:?}"))
    }

    /// A block that only branches is the first of the function, or one that structured control flow names, or the second edge
    /// from a block to a block whose phis must distinguish the two.
    fn no_needless_block(&self) -> Result<(), String> {
        let mut named: HashSet<u32> = HashSet::new();
        let mut ways: HashMap<u32, &[u32]> = HashMap::new();
        let (mut idle, mut label) = (Vec::new(), 0);
        for pair in self.insts.windows(2) {
            match pair {
                [(Op::Function, _), (Op::Label, operands)] => named.extend(*operands),
                [(Op::LoopMerge, operands), _] => named.extend(&operands[..2]),
                [(Op::SelectionMerge, operands), _] => named.extend(&operands[..1]),
                [(Op::Label, operands), (Op::Branch, target)] => idle.push((operands[0], target[0])),
                _ => {}
            }
            match pair[0] {
                (Op::Label, operands) => label = operands[0],
                (Op::BranchConditional, operands) => drop(ways.insert(label, &operands[1..3])),
                _ => {}
            }
        }
        let forks = |block, target| ways.values().any(|ways| ways.contains(&block) && ways.contains(&target));
        match idle.into_iter().find(|(block, target)| !named.contains(block) && !forks(*block, *target)) {
            Some((block, _)) => Err(format!("block %{block} only branches")),
            None => Ok(()),
        }
    }
}
