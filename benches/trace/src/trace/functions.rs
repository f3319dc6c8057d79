// SPDX-License-Identifier: MIT

//! A table of lines by function and by source file, over all translations of all runs.

use super::touched::lines;
use super::translation::{Translation, Translator};
use anyhow::{Context, Result};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

/// The key by which instructions are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum By {
    /// The function in the table of symbols.
    Symbol,
    /// The source file of the innermost function that was inlined.
    File,
    /// The innermost source file that is ntv's own.
    OwnFile,
    /// The function and that file.
    SymbolAndFile,
}

const ALL: [By; 4] = [By::Symbol, By::File, By::OwnFile, By::SymbolAndFile];

impl By {
    fn name(self) -> &'static str {
        match self {
            By::Symbol => "symbol",
            By::File => "file",
            By::OwnFile => "own_file",
            By::SymbolAndFile => "symbol_file",
        }
    }
}

/// Translators, groups and names.
type Key = (Translator, By, Rc<str>);

/// The counts of a group, of all translations together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    /// The number of translations that executed an instruction of it.
    translations: u64,
    /// Distinct lines of code in each.
    lines: u64,
    /// Distinct bytes of code in each.
    bytes: u64,
    /// Executed instructions.
    instructions: u64,
}

/// The table. Its file has sums, and the means per translation.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    sums: HashMap<Key, Sums>,
    translations: BTreeMap<Translator, u64>,
}

const HEAD: &str = "translator\tby\tname\tlines_each\tbytes_each\tinstructions_each\tof_translations\ttranslations\tlines\tbytes\tinstructions\n";

impl Functions {
    /// Adds a translation.
    pub(crate) fn add(&mut self, translator: Translator, translation: &Translation) {
        *self.translations.entry(translator).or_default() += 1;
        let mut seen: HashMap<Key, (FxHashSet<u64>, Sums)> = HashMap::new();
        for (address, (instruction, count)) in &translation.executed {
            let place = &instruction.place;
            let both = Rc::from(format!("{} | {}", place.symbol, place.own));
            let names = [place.symbol.clone(), place.file.clone(), place.own.clone(), both];
            for (by, name) in ALL.into_iter().zip(names) {
                let (set, sums) = seen.entry((translator, by, name)).or_default();
                set.extend(lines(*address, instruction.decoded.len));
                sums.bytes += instruction.decoded.len;
                sums.instructions += count;
            }
        }
        for (key, (set, sums)) in seen {
            let own = Sums { translations: 1, lines: set.len() as u64, ..sums };
            self.sums.entry(key).or_default().add(own);
        }
    }

    /// Adds the counts of a file.
    pub(crate) fn merge(&mut self, text: &str) -> Result<()> {
        for line in text.lines().skip(1) {
            self.merge_line(line).with_context(|| format!("not a line of a table of functions: {line}"))?;
        }
        Ok(())
    }

    fn merge_line(&mut self, line: &str) -> Option<()> {
        let cells: Vec<&str> = line.split('\t').collect();
        let [translator, by, name, _, _, _, of, numbers @ ..] = &cells[..] else { return None };
        let translator = [Translator::C, Translator::Ntv].into_iter().find(|known| known.name() == *translator)?;
        let numbers: Vec<u64> = numbers.iter().map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let [translations, lines, bytes, instructions] = numbers[..] else { return None };
        if *by == "all" {
            *self.translations.entry(translator).or_default() += of.parse::<u64>().ok()?;
            return Some(());
        }
        let by = ALL.into_iter().find(|known| known.name() == *by)?;
        let sums = Sums { translations, lines, bytes, instructions };
        self.sums.entry((translator, by, Rc::from(*name))).or_default().add(sums);
        Some(())
    }

    /// The table: sorted by translators, groups, and the number of lines, the largest first.
    pub(crate) fn table(&self) -> String {
        let mut rows: Vec<(&Key, &Sums)> = self.sums.iter().collect();
        rows.sort_by(|(a, x), (b, y)| (a.0, a.1, y.lines, &a.2).cmp(&(b.0, b.1, x.lines, &b.2)));
        let mut out = HEAD.to_owned();
        for (translator, of) in &self.translations {
            let mine = || rows.iter().filter(|((by, ..), _)| by == translator);
            let mut whole = Sums::default();
            mine().filter(|((_, by, _), _)| *by == By::Symbol).for_each(|(_, sums)| whole.add(**sums));
            row(
                &mut out,
                [translator.name(), "all", "sum over the functions"],
                *of,
                Sums { translations: *of, ..whole },
            );
            for ((_, by, name), sums) in mine() {
                row(&mut out, [translator.name(), by.name(), name], *of, **sums);
            }
        }
        out
    }

    /// Adds all to the table in `file`, which need not exist.
    pub(crate) fn save(mut self, file: &Path) -> Result<()> {
        let at = || file.display().to_string();
        if file.exists() {
            self.merge(&std::fs::read_to_string(file).with_context(at)?).with_context(at)?;
        }
        std::fs::write(file, self.table()).with_context(at)
    }
}

impl Sums {
    fn add(&mut self, other: Sums) {
        self.translations += other.translations;
        self.lines += other.lines;
        self.bytes += other.bytes;
        self.instructions += other.instructions;
    }
}

fn row(out: &mut String, names: [&str; 3], of: u64, sums: Sums) {
    let Sums { translations, lines, bytes, instructions } = sums;
    let each = [lines, bytes, instructions].map(|sum| format!("{:.2}", sum as f64 / of.max(1) as f64)).join("\t");
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}\t{each}\t{of}\t{translations}\t{lines}\t{bytes}\t{instructions}", names.join("\t"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::decode::Decoded;
    use crate::trace::image::Origin;
    use crate::trace::translation::{Instruction, PARTS};

    fn translation(instructions: &[(u64, &str, &str)]) -> Translation {
        let mut translation = Translation::new(PARTS[3]);
        for (address, symbol, own) in instructions {
            let place = Origin { phase: None, symbol: (*symbol).into(), file: "vec.rs".into(), own: (*own).into() };
            let decoded = Decoded::new(&[0x48, 0x89, 0xd8], 0).unwrap();
            translation.execute(*address, &Rc::new(Instruction { decoded, place }), &[]);
        }
        translation
    }

    fn line(table: &str, start: &str) -> String {
        table.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned()
    }

    #[test]
    fn lines_are_counted_for_each_translation() {
        let mut functions = Functions::default();
        functions.add(
            Translator::Ntv,
            &translation(&[(0, "f", "a.rs"), (0, "f", "a.rs"), (63, "f", "b.rs"), (70, "g", "a.rs")]),
        );
        functions.add(Translator::Ntv, &translation(&[(0, "f", "a.rs")]));
        let table = functions.table();
        assert_eq!(line(&table, "ntv\tsymbol\tf\t"), "ntv\tsymbol\tf\t1.50\t4.50\t2.00\t2\t2\t3\t9\t4");
        assert_eq!(line(&table, "ntv\tsymbol\tg\t"), "ntv\tsymbol\tg\t0.50\t1.50\t0.50\t2\t1\t1\t3\t1");
        assert_eq!(line(&table, "ntv\tfile\tvec.rs\t"), "ntv\tfile\tvec.rs\t1.50\t6.00\t2.50\t2\t2\t3\t12\t5");
        assert_eq!(line(&table, "ntv\town_file\ta.rs\t"), "ntv\town_file\ta.rs\t1.50\t4.50\t2.00\t2\t2\t3\t9\t4");
        assert_eq!(
            line(&table, "ntv\tsymbol_file\tf | b.rs\t"),
            "ntv\tsymbol_file\tf | b.rs\t1.00\t1.50\t0.50\t2\t1\t2\t3\t1"
        );
    }

    #[test]
    fn tables_add_up() {
        let mut functions = Functions::default();
        functions.add(Translator::Ntv, &translation(&[(0, "f", "a.rs"), (70, "g", "a.rs")]));
        functions.add(Translator::C, &translation(&[(0, "f", "a.rs")]));
        let once = functions.table();
        let mut again = Functions::default();
        again.merge(&once).unwrap();
        assert_eq!(again.table(), once);
        again.merge(&once).unwrap();
        assert_eq!(line(&again.table(), "ntv\tsymbol\tf\t"), "ntv\tsymbol\tf\t1.00\t3.00\t1.00\t2\t2\t2\t6\t2");
        assert!(again.merge("head\nnonsense\n").is_err());
    }
}
