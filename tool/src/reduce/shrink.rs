// SPDX-License-Identifier: MIT

//! The search for a smaller shader that still fails: removes parts and keeps each smaller shader that fails, until no removal
//! succeeds.
//!
//! Large parts come first: ifs and loops, then runs of instructions, in halves down to single ones, then parts of single
//! instructions. Every step makes the shader smaller by [`Size`], so the search ends.

use super::mend::{Edit, Fill};
use anyhow::Result;
use ntv::entity::{Arena, Id as _};
use ntv::ir::info::{FieldMut, FIELDS};
use ntv::ir::{Cf, DerefKind, Inst, InstKind, Var};
use ntv::op::intrinsic::Components;
use ntv::{check, text, Shader};
use std::collections::HashSet;

/// The size of a shader: control flow counts more than instructions, these more than variables, these more than letters.
type Size = (usize, usize, usize, usize, usize);

/// A shader and its text.
#[derive(Clone)]
struct Candidate {
    shader: Shader,
    text: String,
    size: Size,
}

impl Candidate {
    fn new(shader: Shader) -> Candidate {
        let text = text::print(&shader);
        let digits = text.bytes().filter(|byte| (b'1'..=b'9').contains(byte)).count();
        let size = (shader.cf.len(), shader.order.len(), shader.vars.len(), text.len(), digits);
        Candidate { shader, text, size }
    }
}

/// The search.
pub(super) struct Shrinker<F> {
    best: Candidate,
    /// Whether a text still fails.
    fails: F,
    /// The candidates that did not fail.
    tried: HashSet<String>,
}

impl<F: FnMut(&str, usize) -> Result<bool>> Shrinker<F> {
    /// Starts from `shader`, which fails. `fails` gets a text and the number of instructions of the best shader so far.
    pub(super) fn new(shader: Shader, fails: F) -> Shrinker<F> {
        Shrinker { best: Candidate::new(shader), fails, tried: HashSet::new() }
    }

    /// The text of the smallest shader so far.
    pub(super) fn text(&self) -> &str {
        &self.best.text
    }

    /// The number of its instructions.
    pub(super) fn num_insts(&self) -> usize {
        self.best.shader.order.len()
    }

    /// Tries every kind of removal once. Returns false if none succeeded.
    pub(super) fn round(&mut self) -> Result<bool> {
        let before = self.best.size;
        for fill in [Fill::Zero, Fill::Undef] {
            self.regions(fill)?;
            self.instructions(fill)?;
        }
        self.operands()?;
        self.components()?;
        self.variables()?;
        self.header()?;
        Ok(self.best.size < before)
    }

    /// Makes `shader` the best if it is valid, smaller and still fails.
    fn accept(&mut self, shader: Shader) -> Result<bool> {
        if check::validate(&shader).is_err() {
            return Ok(false);
        }
        let candidate = Candidate::new(shader);
        if candidate.size >= self.best.size || !self.tried.insert(candidate.text.clone()) {
            return Ok(false);
        }
        // The parser must read the printed text as the same shader; otherwise the candidate has lost more than intended.
        let read = text::parse(&candidate.text).ok();
        let fails = read.is_some_and(|read| check::validate(&read).is_ok())
            && (self.fails)(&candidate.text, self.best.shader.order.len())?;
        if fails {
            self.best = candidate;
        }
        Ok(fails)
    }

    /// Removes ifs and loops, or replaces them by one of their bodies.
    fn regions(&mut self, fill: Fill) -> Result<()> {
        let mut at = 0;
        while at < self.best.shader.cf.len() {
            let kept = bodies(&self.best.shader.cf, at);
            let mut smaller = false;
            for (end, body) in kept {
                let mut edit = Edit::new(&self.best.shader, fill);
                let body = edit.shader.cf[body].to_vec();
                edit.shader.cf.splice(at..end, body);
                smaller = self.accept(edit.mend())?;
                if smaller {
                    break;
                }
            }
            at += usize::from(!smaller);
        }
        Ok(())
    }

    /// Removes runs of instructions, first half of all, at last one.
    fn instructions(&mut self, fill: Fill) -> Result<()> {
        let mut len = self.best.shader.order.len();
        while len > 0 {
            // From the end: users are removed before the values that they use.
            let mut end = self.best.shader.order.len();
            while end > 0 {
                end = end.min(self.best.shader.order.len());
                let start = end.saturating_sub(len);
                let mut edit = Edit::new(&self.best.shader, fill);
                self.best.shader.order[start..end].iter().for_each(|inst| edit.remove(*inst));
                self.accept(edit.mend())?;
                end = start;
            }
            len /= 2;
        }
        Ok(())
    }

    /// Replaces each value by one of its operands.
    fn operands(&mut self) -> Result<()> {
        self.each_inst(|shader, inst| {
            let mut edits = Vec::new();
            shader.for_each_src(inst, |src| {
                if shader.insts[inst].has_def() && shader.bit_size(src) == shader.insts[inst].bit_size {
                    let mut edit = Edit::new(shader, Fill::Zero);
                    edit.replace(inst.def(), src);
                    edits.push(edit);
                }
            });
            edits
        })
    }

    /// Reduces values and stores to their first component.
    fn components(&mut self) -> Result<()> {
        self.each_inst(|shader, inst| {
            let mut edit = Edit::new(shader, Fill::Zero);
            let data = edit.shader.insts[inst];
            if data.num_components > 1 {
                edit.shader.set_num_components(inst, 1);
                if let InstKind::Const(values) = data.kind {
                    let first = edit.shader.consts[values][0];
                    let kind = InstKind::Const(edit.shader.consts.push(&[first]));
                    edit.shader.set_kind(inst, kind);
                }
                return vec![edit];
            }
            narrow_store(shader, inst).into_iter().collect()
        })
    }

    /// Tries the edits that `edits` has for each instruction, the last one first.
    fn each_inst(&mut self, edits: impl Fn(&Shader, Inst) -> Vec<Edit>) -> Result<()> {
        let mut at = self.best.shader.order.len();
        while at > 0 {
            at = (at - 1).min(self.best.shader.order.len().saturating_sub(1));
            let Some(inst) = self.best.shader.order.get(at).copied() else { break };
            for edit in edits(&self.best.shader, inst) {
                if self.accept(edit.mend())? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Removes variables that are not used.
    fn variables(&mut self) -> Result<()> {
        let mut len = self.best.shader.vars.len();
        while len > 0 {
            let mut end = self.best.shader.vars.len();
            while end > 0 {
                let start = end.saturating_sub(len);
                let shader = without_variables(&self.best.shader, start..end);
                self.accept(shader)?;
                end = start;
            }
            len /= 2;
        }
        Ok(())
    }

    /// Removes fields of the header.
    fn header(&mut self) -> Result<()> {
        let mut plain = self.best.shader.clone();
        (plain.info.name, plain.info.label, plain.info.next_stage) = (None, None, None);
        plain.info.source_hash.clear();
        self.accept(plain)?;
        for row in FIELDS {
            let mut shader = self.best.shader.clone();
            match (row.field)(&mut shader.info) {
                FieldMut::Dec(value) | FieldMut::Hex(value, _) => *value = 0,
                FieldMut::Flag(value) => *value = false,
                FieldMut::Ranges(value) | FieldMut::Words(value, _) => *value = 0,
                // A geometry shader needs its primitives.
                FieldMut::Name(_) => continue,
                FieldMut::List(values) => values.fill(0),
            }
            self.accept(shader)?;
        }
        Ok(())
    }
}

/// Replacements of the region that begins at `at`: the end of the region, and the range of the list that remains.
fn bodies(cf: &[Cf], at: usize) -> Vec<(usize, std::ops::Range<usize>)> {
    if !matches!(cf[at], Cf::If { .. } | Cf::Loop) {
        return Vec::new();
    }
    let (mut depth, mut middle, mut end) = (0, None, cf.len());
    for (here, item) in cf.iter().enumerate().skip(at) {
        match item {
            Cf::If { .. } | Cf::Loop => depth += 1,
            Cf::Else | Cf::Continue if depth == 1 => middle = Some(here),
            Cf::EndIf | Cf::EndLoop => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            end = here;
            break;
        }
    }
    let middle = middle.unwrap_or(end);
    let after = (end + 1).min(cf.len());
    vec![(after, at..at), (after, at + 1..middle), (after, (middle + 1).min(end)..end)]
}

/// A store of the first operand of a vector instruction in place of the vector.
fn narrow_store(shader: &Shader, inst: Inst) -> Option<Edit> {
    let InstKind::Intrinsic { op, srcs, indices } = shader.insts[inst].kind else { return None };
    let mut srcs = shader.srcs[srcs].to_vec();
    let at = op.info().srcs.iter().position(|components| *components == Components::Instr)?;
    let (_, parts) = shader.as_alu(srcs[at])?;
    if shader.insts[inst].has_def() || shader.num_components(srcs[at]) == 1 {
        return None;
    }
    srcs[at] = parts.iter().map(|part| part.def).find(|def| shader.num_components(*def) == 1)?;
    let mut edit = Edit::new(shader, Fill::Zero);
    let srcs = edit.shader.srcs.push(&srcs);
    edit.shader.set_kind(inst, InstKind::Intrinsic { op, srcs, indices });
    Some(edit)
}

/// `shader` without the variables `gone`, and without their users.
fn without_variables(shader: &Shader, gone: std::ops::Range<usize>) -> Shader {
    let mut edit = Edit::new(shader, Fill::Zero);
    let mut vars = Arena::new();
    let names: Vec<Var> = shader
        .vars
        .iter()
        .map(|(var, variable)| {
            let new = vars.next_id();
            if !gone.contains(&var.index()) {
                vars.push(variable.clone());
            }
            new
        })
        .collect();
    for inst in &shader.order {
        let mut is_gone = false;
        edit.shader.change_deref(*inst, |deref, _| {
            if let DerefKind::Var(var) = &mut deref.kind {
                is_gone = gone.contains(&var.index());
                *var = names[var.index()];
            }
        });
        if is_gone {
            edit.remove(*inst);
        }
    }
    edit.shader.vars = vars;
    edit.mend()
}
