// SPDX-License-Identifier: MIT

//! Invalid code does not compile, for the right reason: each case is `rules/table.rs`, which compiles, with one edit.
//!
//! The module is compiled by rustc alone, which also shows that it has no dependencies.

use std::path::{Path, PathBuf};
use std::process::Command;

const TABLE: &str = include_str!("table.rs");

/// An edit of the table and the expected compiler message.
struct Case {
    name: &'static str,
    replace: &'static str,
    with: &'static str,
    /// The code of the only error.
    code: &'static str,
    /// A part of the message.
    says: &'static str,
}

/// The code of a constant that panics.
const CONSTANT: &str = "E0080";
/// The code of mismatched types.
const TYPES: &str = "E0308";

const CASES: &[Case] = &[
    Case {
        name: "after",
        replace: "after: [Barriers]",
        with: "after: [Viewport]",
        code: CONSTANT,
        says: "Dirty: rule `after`: Framebuffer must be after Viewport",
    },
    Case {
        name: "after_itself",
        replace: "after: [Barriers]",
        with: "after: [Framebuffer]",
        code: CONSTANT,
        says: "Dirty: rule `after`: Framebuffer must be after Framebuffer",
    },
    Case {
        name: "invalidates",
        replace: "invalidates: [Viewport]",
        with: "invalidates: [Barriers]",
        code: CONSTANT,
        says: "Dirty: rule `invalidates`: Framebuffer must be before Barriers, which it invalidates",
    },
    Case {
        name: "phase",
        replace: "phase: BeforeRendering, handler: barriers",
        with: "phase: Rendering, handler: barriers",
        code: CONSTANT,
        says: "Dirty: rule `phase`: Framebuffer has phase BeforeRendering, and Barriers in the row above has a later one, Rendering",
    },
    Case {
        name: "commands",
        replace: "not_for: [Clear],",
        with: "",
        code: CONSTANT,
        says: "Dirty: rule `commands`: Clear handles Framebuffer, which invalidates Viewport; so Viewport must name Clear in \
               `commands` or `not_for`",
    },
    Case {
        name: "not_for",
        replace: "not_for: [Clear],",
        with: "not_for: [Clear, Draw],",
        code: CONSTANT,
        says: "Dirty: rule `not_for`: Viewport has Draw in `commands` and in `not_for`",
    },
    Case {
        name: "uses",
        replace: "from: [Framebuffer], uses: []",
        with: "from: [Framebuffer], uses: [CanDraw]",
        code: CONSTANT,
        says: "Cached: rule `uses`: IsComplete must be after CanDraw",
    },
    Case {
        name: "set_of_another_enum",
        replace: "dirty.insert(Dirty::Viewport);",
        with: "dirty.insert(Command::Clear);",
        code: TYPES,
        says: "expected `Dirty`, found `Command`",
    },
    Case {
        name: "union_with_another_enum",
        replace: "dirty |= BitSet::of(&[Dirty::Framebuffer]);",
        with: "dirty |= BitSet::of(&[Command::Clear]);",
        code: TYPES,
        says: "expected `Dirty`, found `Command`",
    },
    Case {
        name: "observer_of_another_enum",
        replace: "subject.observe(&inbox, Dirty::Framebuffer);",
        with: "subject.observe(&inbox, Command::Draw);",
        code: TYPES,
        says: "expected `Dirty`, found `Command`",
    },
    Case {
        name: "too_many_bits",
        replace: "words_for(4096)",
        with: "words_for(4097)",
        code: CONSTANT,
        says: "a BitSet has at most 4096 bits",
    },
];

#[test]
fn broken_rules_do_not_compile() {
    let compiler = Compiler::new();
    let (compiles, messages) = compiler.compile("table", TABLE);
    assert!(compiles && messages.is_empty(), "the table without an edit:\n{messages}");
    for case in CASES {
        assert_eq!(TABLE.matches(case.replace).count(), 1, "{}: `{}` must occur once", case.name, case.replace);
        let (compiles, messages) = compiler.compile(case.name, &TABLE.replace(case.replace, case.with));
        assert!(!compiles, "{} compiles", case.name);
        assert_eq!(codes(&messages), [case.code], "{}:\n{messages}", case.name);
        assert!(messages.contains(case.says), "{} does not say \"{}\":\n{messages}", case.name, case.says);
    }
}

/// The codes of the errors in the compiler's messages.
fn codes(messages: &str) -> Vec<&str> {
    let codes = messages.lines().filter_map(|line| line.strip_prefix("error["));
    codes.filter_map(|line| line.split(']').next()).collect()
}

/// The compiler, and the module as a library.
struct Compiler {
    folder: PathBuf,
}

impl Compiler {
    fn new() -> Compiler {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("state_rules");
        std::fs::create_dir_all(&folder).expect("a folder for compiled files");
        let compiler = Compiler { folder };
        let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
        let (compiles, messages) = compiler.run("ntv_driver", &library, &[]);
        assert!(compiles, "the driver without features:\n{messages}");
        compiler
    }

    /// Compiles a program; returns whether it is valid, and the compiler's messages.
    fn compile(&self, name: &str, program: &str) -> (bool, String) {
        let file = self.folder.join(name).with_extension("rs");
        std::fs::write(&file, program).expect("a file is written");
        self.run(name, &file, &["--extern", "ntv_driver"])
    }

    fn run(&self, name: &str, file: &Path, arguments: &[&str]) -> (bool, String) {
        let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
            .args(["--edition", "2021", "--crate-type", "lib", "--emit", "metadata", "--crate-name", name])
            .arg("-L")
            .arg(&self.folder)
            .arg("--out-dir")
            .arg(&self.folder)
            .args(arguments)
            .arg(file)
            .output()
            .expect("rustc, which has compiled this test");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
