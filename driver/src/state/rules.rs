// SPDX-License-Identifier: MIT

//! The rules of a table of dirty bits, which are checked at compile time: a table that breaks one does not compile.
//!
//! [`dirty_bits!`](crate::dirty_bits) evaluates [`check`] as a constant. It works on indices, since a constant can neither call
//! trait methods nor format. Each message names the table, the rule and the rows.

/// A row as the rules need it. Rows, commands and phases are given by their index in their enum.
#[derive(Debug)]
pub struct RuleRow {
    /// The name of the bit.
    pub name: &'static str,
    /// The commands whose mask has the bit.
    pub commands: &'static [usize],
    /// The commands that do not use the bit.
    pub not_for: &'static [usize],
    /// The phase of the handler.
    pub phase: usize,
    /// The name of the phase.
    pub phase_name: &'static str,
    /// The bits whose handlers must run before this one.
    pub after: &'static [usize],
    /// The bits that the handler may set.
    pub invalidates: &'static [usize],
}

/// Checks all rules for the table of the enum `table`. `commands` has the names of the commands.
///
/// # Panics
///
/// Panics at the first broken rule. This is a compile error, because the function runs in a constant.
pub const fn check(table: &str, commands: &[&str], rows: &[RuleRow]) {
    let mut at = 0;
    while at < rows.len() {
        phases(table, rows, at);
        after(table, rows, at);
        invalidates(table, rows, at);
        not_for(table, commands, &rows[at]);
        let mut list = 0;
        while list < rows[at].invalidates.len() {
            masks(table, commands, &rows[at], &rows[rows[at].invalidates[list]]);
            list += 1;
        }
        at += 1;
    }
}

/// Phases do not decrease along the table, so that handlers that may end a render pass are before those that record into it.
const fn phases(table: &str, rows: &[RuleRow], at: usize) {
    if at == 0 || rows[at - 1].phase <= rows[at].phase {
        return;
    }
    let (before, row) = (&rows[at - 1], &rows[at]);
    fail(&[
        table,
        ": rule `phase`: ",
        row.name,
        " has phase ",
        row.phase_name,
        ", and ",
        before.name,
        " in the row above has a later one, ",
        before.phase_name,
    ]);
}

/// A bit is after the bits that it names.
const fn after(table: &str, rows: &[RuleRow], at: usize) {
    let row = &rows[at];
    let mut list = 0;
    while list < row.after.len() {
        if row.after[list] >= at {
            fail(&[table, ": rule `after`: ", row.name, " must be after ", rows[row.after[list]].name]);
        }
        list += 1;
    }
}

/// A bit is before the bits that its handler may set, so that the same walk handles them.
const fn invalidates(table: &str, rows: &[RuleRow], at: usize) {
    let row = &rows[at];
    let mut list = 0;
    while list < row.invalidates.len() {
        if row.invalidates[list] <= at {
            fail(&[
                table,
                ": rule `invalidates`: ",
                row.name,
                " must be before ",
                rows[row.invalidates[list]].name,
                ", which it invalidates",
            ]);
        }
        list += 1;
    }
}

/// A bit that a command does not use is not in its mask.
const fn not_for(table: &str, commands: &[&str], row: &RuleRow) {
    let mut list = 0;
    while list < row.not_for.len() {
        if has(row.commands, row.not_for[list]) {
            let command = commands[row.not_for[list]];
            fail(&[table, ": rule `not_for`: ", row.name, " has ", command, " in `commands` and in `not_for`"]);
        }
        list += 1;
    }
}

/// A command that handles a bit also handles the bits that this bit invalidates, or is in their `not_for`.
const fn masks(table: &str, commands: &[&str], row: &RuleRow, invalid: &RuleRow) {
    let mut list = 0;
    while list < row.commands.len() {
        let command = row.commands[list];
        if !has(invalid.commands, command) && !has(invalid.not_for, command) {
            fail(&[
                table,
                ": rule `commands`: ",
                commands[command],
                " handles ",
                row.name,
                ", which invalidates ",
                invalid.name,
                "; so ",
                invalid.name,
                " must name ",
                commands[command],
                " in `commands` or `not_for`",
            ]);
        }
        list += 1;
    }
}

const fn has(list: &[usize], wanted: usize) -> bool {
    let mut at = 0;
    while at < list.len() {
        if list[at] == wanted {
            return true;
        }
        at += 1;
    }
    false
}

/// Panics with all of `parts` in one message.
const fn fail(parts: &[&str]) -> ! {
    let mut bytes = [0; 1024];
    let (mut len, mut part) = (0, 0);
    while part < parts.len() {
        let from = parts[part].as_bytes();
        let mut at = 0;
        while at < from.len() && len < bytes.len() {
            bytes[len] = from[at];
            (len, at) = (len + 1, at + 1);
        }
        part += 1;
    }
    match std::str::from_utf8(bytes.split_at(len).0) {
        Ok(message) => panic!("{}", message),
        Err(_) => panic!("a rule is broken"),
    }
}
