// SPDX-License-Identifier: MIT

//! The corpus: every file in `tests/corpus` has an input, commands, and their expected output.
//!
//! ```text
//! ; The purpose of this file.
//! ; test: compile
//! ; test: pass copy_prop
//! shader: MESA_SHADER_VERTEX
//! ...
//! ; expect: compile
//! ; ...
//! ; expect: pass copy_prop
//! ; ...
//! ```
//!
//! Commands: `print`, `check`, `raise`, `pass NAME`, `lower` and `compile`, followed by options: `target=T`, `enable=F`, `disable=F`,
//! `access=lane`, `uniform-ranges=vec4s`, `workaround=W`, `place=PLACEMENT`, `captures=BACK_END`, `attribute=ROW`,
//! `instance-location=L`, `stop-after=PASS`, `names` and `lines`. `BLESS=1 cargo test -p ntv-tool --test corpus` writes the expected output;
//! `spirv-val` validates every module in any case.
//!
//! With `; test: run` the tool runs the shaders of the file on the interpreter. Lines `; inputs: ...` are its inputs, as
//! `docs/formats.md` describes them. `tool/tests/lavapipe.rs` runs them on a Vulkan driver, and `tests/faults` breaks these shaders
//! on purpose. A file may have several commands. A file in `tests/corpus/zink` that does not run has the reason: `; not run: REASON`.
//! A file that lavapipe refuses names the feature: `; lavapipe lacks: FEATURE`.
//!
//! `NTV_FILTER=pass/cse` runs only the files with this in their path.

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "support/tool.rs"]
mod tool;

use ntv::capture::{Attribute, AttributeFormat, BackEnd};
use ntv::pass::{self, Context};
use ntv::plan::BlockPlacement;
use ntv::{
    check, raise, text, BufferAccess, EmitOptions, Errors, Feature, Options, Shader, Target, Translator, Workaround,
};
use rspirv::binary::Disassemble as _;
use rspirv::dr::{self, Operand};
use spirv::Op;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn corpus() {
    let folder = support::root().join("tests/corpus");
    let filter = std::env::var("NTV_FILTER").unwrap_or_default();
    let files = filtered(support::files(&folder, &["nir"]), &filter);
    let bless = std::env::var_os("BLESS").is_some();
    let failures: Vec<String> = support::in_parallel(files, |file| {
        let name = file.strip_prefix(support::root()).unwrap_or(&file).display().to_string();
        support::caught(|| run(&file, bless)).err().map(|problem| format!("{name}: {problem}"))
    })
    .into_iter()
    .flatten()
    .collect();
    assert!(
        failures.is_empty(),
        "{} files fail; BLESS=1 accepts differences\n\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// The files whose path in the repository contains `filter`.
///
/// # Panics
/// If there are none: a test without files has failed.
fn filtered(mut files: Vec<PathBuf>, filter: &str) -> Vec<PathBuf> {
    let name = |file: &Path| file.strip_prefix(support::root()).unwrap_or(file).to_string_lossy().replace('\\', "/");
    files.retain(|file| name(file).contains(filter));
    assert!(!files.is_empty(), "no file of the corpus has `{filter}` in its path");
    files
}

#[test]
fn a_filter_chooses_files_by_their_path() {
    let files = ["tests/corpus/pass/cse.nir", "tests/corpus/run/bits.nir"].map(|name| support::root().join(name));
    assert_eq!(filtered(files.to_vec(), ""), files);
    assert_eq!(filtered(files.to_vec(), "pass/cse"), files[..1]);
    let nothing = support::caught(|| Ok(filtered(files.to_vec(), "no/such"))).expect_err("a panic");
    assert!(nothing.contains("no file of the corpus has `no/such` in its path"), "{nothing}");
}

/// Runs the commands of `file` and compares their output, or rewrites it.
fn run(file: &Path, bless: bool) -> Result<(), String> {
    let old = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let (given, _) = old.split_at(old.find("\n; expect: ").map_or(old.len(), |at| at + 1));
    let commands: Vec<&str> = tool::header(given, "; test: ").collect();
    if commands.is_empty() {
        return Err("no line `; test: COMMAND` at the start".to_string());
    }
    let mut new = given.to_string();
    for command in commands {
        new += &format!("; expect: {command}\n");
        let out = match command {
            "run" => tool::run(file, given, &[])?,
            _ => Command::parse(command)?.run(&input(given))?,
        };
        out.lines().for_each(|line| new += &format!("{}\n", format!("; {line}").trim_end()));
    }
    if new == old {
        Ok(())
    } else if bless {
        fs::write(file, new).map_err(|error| error.to_string())
    } else {
        let diff = similar::TextDiff::from_lines(&old, &new);
        Err(format!("differs\n{}", diff.unified_diff().context_radius(3).header("expected", "actual")))
    }
}

/// The input of a file: the lines at the start are replaced by empty ones, so that line numbers stay the same.
fn input(given: &str) -> String {
    let head = given.lines().take_while(|line| line.starts_with(';')).count();
    let line = |(number, line)| if number < head { "" } else { line };
    given.lines().enumerate().map(|at| format!("{}\n", line(at))).collect()
}

/// A line `; test: ...`.
struct Command<'a> {
    verb: &'a str,
    pass: Option<&'a str>,
    options: Options,
    names: bool,
    lines: bool,
}

/// An attribute in the form `LOCATION:FORMAT:BINDING+OFFSET/STRIDE`, followed by `/DIVISOR` if it has one.
fn attribute(row: &str) -> Option<Attribute> {
    let mut parts = row.split([':', '+', '/']);
    let location = parts.next()?.parse().ok()?;
    let format = AttributeFormat::from_name(parts.next()?)?;
    let mut number = || parts.next()?.parse().ok();
    let (binding, offset, stride) = (number()?, number()?, number()?);
    Some(Attribute { location, format, binding, offset, stride, divisor: number() })
}

impl<'a> Command<'a> {
    fn parse(line: &'a str) -> Result<Command<'a>, String> {
        let mut words = line.split(' ');
        let verb = words.next().unwrap_or_default();
        let mut command = Command { verb, pass: None, options: Options::default(), names: false, lines: false };
        if verb == "pass" {
            command.pass = words.next();
        }
        words.try_for_each(|word| command.option(word))?;
        Ok(command)
    }

    fn option(&mut self, word: &'a str) -> Result<(), String> {
        let wrong = || format!("no such option: {word}");
        let feature = |name| Feature::from_name(name).ok_or_else(wrong);
        match word.split_once('=').unwrap_or((word, "")) {
            ("target", name) => self.options.target = Target::preset(name).ok_or_else(wrong)?,
            ("enable", name) => self.options.target.set(feature(name)?, true),
            ("disable", name) => self.options.target.set(feature(name)?, false),
            ("workaround", name) => {
                self.options.target.work_around(Workaround::from_name(name).ok_or_else(wrong)?, true);
            }
            ("access", "lane") => self.options.buffer_access = BufferAccess::Lane,
            ("uniform-ranges", "vec4s") => self.options.target.uniform_ranges_in_vec4s = true,
            ("place", place) => {
                let place: BlockPlacement = place.parse()?;
                self.options.placements.set(place.block, place.placement);
            }
            ("captures", "storage") => self.options.captures = BackEnd::Storage,
            ("captures", "compute") => self.options.captures = BackEnd::Compute,
            ("instance-location", location) => {
                self.options.instance_location = Some(location.parse().map_err(|_| wrong())?);
            }
            ("attribute", row) => self.options.attributes.push(attribute(row).ok_or_else(wrong)?),
            ("stop-after", pass) => self.pass = Some(pass),
            ("names", "") => self.names = true,
            ("lines", "") => self.lines = true,
            _ => return Err(wrong()),
        }
        Ok(())
    }

    /// The output of the command for every shader of `input`, including errors of the input.
    fn run(&self, input: &str) -> Result<String, String> {
        let found = text::find(input);
        if found.len() == 0 {
            return Err("no shader found".to_string());
        }
        let several = found.len() > 1;
        let mut out = String::new();
        for (number, found) in found.enumerate() {
            if several {
                out += &format!("shader {number}, line {}\n", found.line);
            }
            let result = match found.shader {
                Ok(shader) => self.run_one(shader, input)?,
                Err(errors) => Err(errors),
            };
            out += &result.unwrap_or_else(|errors| errors.to_string());
            if !out.ends_with('\n') {
                out.push('\n');
            }
        }
        Ok(out)
    }

    fn run_one(&self, mut shader: Shader, input: &str) -> Result<Result<String, Errors>, String> {
        let target = self.options.target.clone();
        let mut translator = Translator::new(self.options.clone());
        let printed = |shader: &Shader| Ok(Ok(text::print(shader)));
        match self.verb {
            "print" => printed(&shader),
            "check" => {
                let both = check::validate(&shader).and_then(|()| check::supported(&shader, &target));
                Ok(both.map(|()| "fine\n".to_string()))
            }
            "raise" => match raise::raise(&mut shader, &target.descriptors) {
                Ok(()) => {
                    check::validate(&shader).map_err(|errors| format!("it is not valid now:\n{errors}"))?;
                    printed(&shader)
                }
                Err(errors) => Ok(Err(errors)),
            },
            "pass" => {
                let pass = self.pass.and_then(pass::named).ok_or("no such pass")?;
                pass.apply(&mut shader, &Context::from(self.options.clone()));
                check::validate(&shader).map_err(|errors| format!("the pass leaves an invalid shader:\n{errors}"))?;
                printed(&shader)
            }
            "lower" => match translator.lower(&mut shader, self.pass) {
                Ok(()) => printed(&shader),
                Err(errors) => Ok(Err(errors)),
            },
            "compile" => {
                let lines = self.lines.then_some(("dump.nir", input));
                let options = EmitOptions::default().names(self.names).lines(lines);
                match translator.translate(&mut shader, &options) {
                    Ok(module) => judged(&module.words, &target).map(Ok),
                    Err(errors) => Ok(Err(errors)),
                }
            }
            verb => Err(format!("no such command: {verb}")),
        }
    }
}

/// The disassembly of a module that is valid.
fn judged(words: &[u32], target: &Target) -> Result<String, String> {
    support::spirv_val(words, target)?;
    let mut module = dr::load_words(words).map_err(|error| format!("rspirv: {error}"))?;
    if let Some(header) = &mut module.header {
        // rspirv sets itself as the generator.
        header.generator = words[2];
    }
    Ok(with_exact_floats(&module))
}

/// The disassembly. 16-bit floats and NaNs are printed as bits, which a number would not show.
fn with_exact_floats(module: &dr::Module) -> String {
    let floats: BTreeMap<_, _> = module
        .types_global_values
        .iter()
        .filter_map(|inst| match (inst.class.opcode, &inst.operands[..]) {
            (Op::TypeFloat, [Operand::LiteralBit32(width)]) => Some((inst.result_id?, *width)),
            _ => None,
        })
        .collect();
    let mut asm = module.disassemble();
    for inst in module.types_global_values.iter().filter(|inst| inst.class.opcode == Op::Constant) {
        let (Some(id), Some(ty)) = (inst.result_id, inst.result_type) else { continue };
        let bits = match (floats.get(&ty), &inst.operands[..]) {
            (Some(16), [Operand::LiteralBit32(bits)]) => format!("0x{bits:04x}"),
            (Some(32), [Operand::LiteralBit32(bits)]) if f32::from_bits(*bits).is_nan() => format!("0x{bits:08x}"),
            (Some(64), [Operand::LiteralBit64(bits)]) if f64::from_bits(*bits).is_nan() => format!("0x{bits:016x}"),
            _ => continue,
        };
        let start = format!("\n%{id} = OpConstant  %{ty}  ");
        let (before, after) = asm.split_once(&start).expect("a line for the constant");
        let rest = after.find('\n').map_or("", |at| &after[at..]);
        asm = format!("{before}{start}{bits}{rest}");
    }
    asm
}

/// The tables name a test for each of their rows, or the reason why there is none.
#[test]
fn every_row_of_a_table_has_its_test() {
    let corpus = support::root().join("tests/corpus");
    let tables =
        [("tests/corpus/zink/README.md", "| place", "zink", 35), ("nir/src/text/mod.rs", "| lost", "directives", 12)];
    for (file, head, folder, least) in tables {
        let table = fs::read_to_string(support::root().join(file)).expect("a readable table");
        let lines = table.lines().map(|line| line.trim_start_matches("//! "));
        let rows: Vec<&str> = lines.filter(|line| line.starts_with("| ") && !line.starts_with(head)).collect();
        assert!(rows.len() >= least, "{file} has {} rows", rows.len());
        for row in rows {
            let cell = row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or("");
            assert!(!cell.is_empty(), "{row}");
            for name in cell.split('`').filter(|name| name.ends_with(".nir")) {
                assert!(corpus.join(folder).join(name).is_file(), "no file {name}: {row}");
            }
        }
    }
}

/// Each file of `tests/corpus/zink` has the commands to compile the shader, and to run it unless it has a reason.
#[test]
fn files_about_faults_of_zink_run_or_have_a_reason() {
    let files = support::files(&support::root().join("tests/corpus/zink"), &["nir"]);
    assert!(files.len() >= 29, "only {} files", files.len());
    let problems: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let text = fs::read_to_string(file).expect("a readable file");
            Some(format!("{}: {}", file.display(), unrun(&text)?))
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The missing command of a file that must compile and run.
fn unrun(text: &str) -> Option<&'static str> {
    let runs = tool::header(text, "; test: ").any(|command| command == "run");
    let reason = tool::header(text, "; not run: ").next();
    match (runs, reason) {
        _ if !tool::header(text, "; test: ").any(|command| command.starts_with("compile")) => {
            Some("no line `; test: compile`")
        }
        (false, None) => Some("neither `; test: run` nor `; not run: REASON`"),
        (true, Some(_)) => Some("both `; test: run` and `; not run: REASON`"),
        (false, Some(reason)) => reason.trim().is_empty().then_some("no reason"),
        // These files do not run on the driver, see `tool/tests/lavapipe.rs`.
        (true, None) => text.contains("\n; line ").then_some("the run has no meaning"),
    }
}
