//! A quick look at the whole shader, which tells what has to be looked at closely.
//!
//! In nearly all shaders every value is used behind its definition, in the same body or in one within it, where every way has
//! passed it:
//!
//! ```text
//! 32  %0 = ...            the body of the function
//! if ... {
//!     32  %1 = fneg %0    sees %0
//! } else {
//!     32  %2 = fneg %1    does not see %1, the body of which is closed
//! }
//! 32  %3 = phi ...        sees %0, and what the end of each body saw
//! ```
//!
//! So a value is seen from behind its definition to the end of its body, see `scope`. One walk over the control flow list finds
//! that out; no dominators are needed, but by uses elsewhere.
//!
//! The instructions are looked at kind by kind, so that what a processor guesses to be next is next. One that is like most, see
//! `usual`, is let pass, the others are held to the rules.

use super::report::Report;
use super::scope::{Place, Scopes, Shape};
use super::support::{self, Facts};
use super::usual;
use super::{check_instruction, ssa};
use crate::analysis::kinds::Kinds;
use crate::entity::Id;
use crate::ir::{Block, Cf, Inst, InstKind, Jump, Shader};
use crate::op::Intrinsic;

/// What the look finds, and its memory.
#[derive(Debug, Default)]
pub(super) struct Glance {
    /// An instruction stands in the shader more than once.
    pub(super) has_twins: bool,
    /// Something may be wrong with the place of a jump.
    pub(super) has_odd_jumps: bool,
    /// Something may be wrong with a phi.
    pub(super) has_odd_phis: bool,
    /// A register is declared behind the first block.
    pub(super) has_stray_registers: bool,
    /// Something may be wrong with the use of a value, other than by phis.
    pub(super) has_odd_uses: bool,
    /// Instructions for which there may be no translation.
    pub(super) unusual: Vec<Inst>,
    scopes: Scopes,
    kinds: Kinds,
    /// The bodies around this place.
    around: Vec<Body>,
    /// The blocks of these bodies, but of the outermost.
    blocks: Vec<Block>,
    /// Phis at the heads of the loops around.
    loop_phis: Vec<Inst>,
    /// From where control comes to what stands behind the loops around, and back to their heads.
    breaks: Vec<Exit>,
    continues: Vec<Exit>,
    /// From where control comes to the next block, if that is known.
    exits: Vec<Exit>,
    /// How many phis there are at the heads of blocks, and jumps at ends where they may stand.
    num_phis: usize,
    num_jumps: usize,
}

/// A body that is open.
#[derive(Debug)]
struct Body {
    kind: BodyKind,
    /// Of an else-body the end of the then-body, of a loop the block in front.
    from: Option<Exit>,
    /// How many of the phis at the heads of loops belong to the loops around it, and how many of the jumps.
    loop_phis: usize,
    breaks: usize,
    continues: usize,
    /// How many of the blocks belong to the bodies around it.
    blocks: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyKind {
    Plain,
    Loop,
    Continue,
}

/// A block from the end of which control comes.
#[derive(Clone, Copy, Debug)]
struct Exit {
    block: Block,
    end: Place,
}

/// How control comes to a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    /// From the exits.
    Join,
    /// From in front of a loop, and back.
    Head,
    Other,
}

impl Glance {
    /// Looks at a shader the control flow list of which is sound, and reports instructions that break a rule.
    pub(super) fn look(&mut self, report: &mut Report<'_>, facts: Facts) {
        let shader = report.shader;
        if is_in_order(shader) {
            self.clear(shader);
            self.look_at_list(shader);
            let odd_modes = support::odd_modes(facts.has_booleans);
            usual::find_others(shader, &self.scopes, &mut self.kinds, odd_modes, &mut self.unusual);
            if cfg!(debug_assertions) {
                self.assert_usual(report);
            }
            self.look_closely(report);
            self.let_go_of_much(shader);
        } else {
            self.suspect_all(report);
        }
    }

    /// Keeps no large tables: see [`Shader::most_kept`].
    fn let_go_of_much(&mut self, shader: &Shader) {
        if self.scopes.room() > shader.most_kept() {
            (self.scopes, self.kinds) = Default::default();
        }
    }

    fn clear(&mut self, shader: &Shader) {
        (self.has_twins, self.has_odd_jumps, self.has_odd_phis) = (false, false, false);
        (self.has_stray_registers, self.has_odd_uses) = (false, false);
        (self.num_phis, self.num_jumps) = (0, 0);
        self.unusual.clear();
        self.scopes.open(shader);
        self.around.clear();
        self.blocks.clear();
        self.loop_phis.clear();
        self.breaks.clear();
        self.continues.clear();
        self.exits.clear();
    }

    /// Holds everything to its rules.
    #[cold]
    fn suspect_all(&mut self, report: &mut Report<'_>) {
        let shader = report.shader;
        (self.has_twins, self.has_odd_jumps, self.has_odd_phis) = (true, true, true);
        (self.has_stray_registers, self.has_odd_uses) = (true, true);
        self.unusual.clear();
        self.unusual.extend_from_slice(&shader.order);
        shader.order.iter().for_each(|inst| check_instruction(report, *inst, &shader.insts[*inst]));
    }

    fn look_at_list(&mut self, shader: &Shader) {
        let (mut ways, mut last, mut end) = (Ways::Other, None, Place::default());
        for (at, item) in (0u32..).zip(&shader.cf) {
            match *item {
                Cf::Block(block) => {
                    end = self.scopes.pass(shader.blocks[block], at);
                    if shader.inventory().has_phis() {
                        self.look_at_phis(shader, block, ways);
                    }
                    if !self.around.is_empty() {
                        self.blocks.push(block);
                    }
                    let exit = Exit { block, end };
                    last = match shader.block_jump(block) {
                        None => Some(exit),
                        Some(jump) => {
                            self.leave(jump, exit);
                            None
                        }
                    };
                    ways = Ways::Other;
                }
                Cf::If { cond, .. } => {
                    self.has_odd_uses |= self.scopes.shape(shader, cond, end) != Shape::new(1, 1);
                    self.begin(BodyKind::Plain, None);
                }
                Cf::Loop => {
                    self.begin(BodyKind::Loop, last);
                    ways = Ways::Head;
                }
                Cf::Else => {
                    self.end(shader, end, None);
                    self.begin(BodyKind::Plain, last);
                }
                Cf::Continue => {
                    // What comes back to the head of the loop has left its body.
                    if let Some(body) = self.end(shader, end, None) {
                        self.has_odd_phis |= self.loop_phis.len() > body.loop_phis;
                        self.leave_loop(&body);
                    }
                    self.begin(BodyKind::Continue, None);
                }
                Cf::EndIf => {
                    let then = self.around.last().and_then(|body| body.from);
                    self.end(shader, end, if then.is_none() { last } else { None });
                    self.exits.clear();
                    self.exits.extend(then.into_iter().chain(last));
                    ways = Ways::Join;
                }
                Cf::EndLoop => ways = self.end_loop(shader, last, end),
            }
        }
    }

    /// Notes where control goes from the end of a block, and whether it may.
    fn leave(&mut self, jump: Jump, exit: Exit) {
        let may_leave = match jump {
            Jump::Break | Jump::Continue => {
                let exits = if jump == Jump::Break { &mut self.breaks } else { &mut self.continues };
                exits.push(exit);
                let innermost = self.around.iter().rev().find(|body| body.kind != BodyKind::Plain);
                innermost.is_some_and(|body| body.kind == BodyKind::Loop)
            }
            Jump::Return | Jump::Halt => self.around.iter().all(|body| body.kind != BodyKind::Continue),
        };
        self.num_jumps += usize::from(may_leave);
    }

    fn begin(&mut self, kind: BodyKind, from: Option<Exit>) {
        let (loop_phis, blocks) = (self.loop_phis.len(), self.blocks.len());
        let (breaks, continues) = (self.breaks.len(), self.continues.len());
        self.around.push(Body { kind, from, loop_phis, breaks, continues, blocks });
    }

    /// Ends the innermost body: what was made in it is no longer seen. But what is behind it and comes `only` from one exit
    /// sees what that saw.
    fn end(&mut self, shader: &Shader, end: Place, only: Option<Exit>) -> Option<Body> {
        let body = self.around.pop()?;
        let first = body.blocks.min(self.blocks.len());
        let is_passed = |block: &Block| only.is_some_and(|exit| exit.end.is_behind(shader.blocks[*block]));
        // They stand in order.
        let open = first + self.blocks[first..].iter().take_while(|block| is_passed(block)).count();
        for block in self.blocks.drain(open..) {
            self.scopes.close(shader.blocks[block], end);
        }
        Some(body)
    }

    /// Ends a loop, from the end of which control goes `back`; how it comes to what is behind.
    fn end_loop(&mut self, shader: &Shader, back: Option<Exit>, end: Place) -> Ways {
        let only = match (self.around.last(), self.breaks.last()) {
            (Some(Body { kind: BodyKind::Loop, breaks, .. }), Some(exit)) if breaks + 1 == self.breaks.len() => {
                Some(*exit)
            }
            _ => None,
        };
        let Some(body) = self.end(shader, end, only) else { return Ways::Other };
        if body.kind != BodyKind::Loop {
            return Ways::Other;
        }
        let phis = self.loop_phis.get(body.loop_phis..).unwrap_or_default();
        if !phis.is_empty() {
            self.exits.clear();
            self.exits.extend(body.from.into_iter().chain(back));
            self.exits.extend_from_slice(&self.continues[body.continues..]);
            let fits = phis.iter().all(|phi| self.fits_phi(shader, *phi));
            self.has_odd_phis |= !fits;
        }
        self.exits.clear();
        self.exits.extend_from_slice(&self.breaks[body.breaks..]);
        self.leave_loop(&body);
        Ways::Join
    }

    /// Forgets what the loop `body` has of its own.
    fn leave_loop(&mut self, body: &Body) {
        self.loop_phis.truncate(body.loop_phis);
        self.breaks.truncate(body.breaks);
        self.continues.truncate(body.continues);
    }

    /// Phis all take place at once, so none sees another.
    fn look_at_phis(&mut self, shader: &Shader, block: Block, ways: Ways) {
        let is_phi = |inst: &&Inst| matches!(shader.insts[**inst].kind, InstKind::Phi(_));
        for phi in shader.block_insts(block).iter().take_while(is_phi) {
            self.num_phis += 1;
            match ways {
                Ways::Join => self.has_odd_phis |= !self.fits_phi(shader, *phi),
                Ways::Head => self.loop_phis.push(*phi),
                Ways::Other => self.has_odd_phis = true,
            }
        }
    }

    /// Holds what is unusual to its rules.
    fn look_closely(&mut self, report: &mut Report<'_>) {
        let shader = report.shader;
        let (mut num_phis, mut num_jumps) = (0, 0);
        for inst in &self.unusual {
            let data = &shader.insts[*inst];
            check_instruction(report, *inst, data);
            match data.kind {
                InstKind::Phi(_) => num_phis += 1,
                InstKind::Jump(_) => num_jumps += 1,
                _ => self.has_odd_uses |= !self.sees_all(shader, *inst),
            }
            if let InstKind::Intrinsic { op: Intrinsic::decl_reg, .. } = data.kind {
                self.has_stray_registers |= !self.scopes.place(*inst).is_in_first_block();
            }
        }
        self.has_odd_uses |= num_phis != self.num_phis;
        self.has_odd_jumps = num_jumps != self.num_jumps;
    }

    /// Whether an instruction sees all that it uses. Registers are seen by their reads and writes.
    fn sees_all(&self, shader: &Shader, inst: Inst) -> bool {
        let place = self.scopes.place(inst);
        let mut sees_all = true;
        shader.for_each_src(inst, |def| {
            sees_all &= self.scopes.shape(shader, def, place) != Shape::default();
            if self.scopes.is_hidden(def) && ssa::is_register(shader, def) {
                sees_all &= self.scopes.place(def.inst()).is_in_first_block() && ssa::accesses_register(shader, inst);
            }
        });
        sees_all
    }

    /// Looks whether the rules agree about what seems to be usual.
    fn assert_usual(&self, report: &mut Report<'_>) {
        let (shader, before) = (report.shader, report.len());
        let mut is_unusual = shader.inst_table(false);
        self.unusual.iter().for_each(|inst| is_unusual.set(*inst, true));
        for inst in shader.order.iter().filter(|inst| !is_unusual[**inst]) {
            check_instruction(report, *inst, &shader.insts[*inst]);
        }
        assert!(report.len() == before, "a rule forbids what seemed to be usual");
    }

    /// Whether `phi` has a source from each of the exits and no other, of its own size, which the end of the exit sees.
    fn fits_phi(&self, shader: &Shader, phi: Inst) -> bool {
        let data = &shader.insts[phi];
        let srcs = shader.phi(phi).unwrap_or_default();
        let fits = |exit: &Exit| {
            let src = srcs.iter().find(|src| src.pred == exit.block);
            src.is_some_and(|src| data.has_def() && self.scopes.shape(shader, src.def, exit.end) == Shape::of(data))
        };
        srcs.len() == self.exits.len() && self.exits.iter().all(fits)
    }
}

/// Whether the instructions stand in the order in which they were made, as those of a shader that was just read do.
fn is_in_order(shader: &Shader) -> bool {
    // Without a way out in between, which takes longer.
    let differences = shader.order.iter().enumerate().fold(0, |all, (at, inst)| all | (inst.index() ^ at));
    differences == 0 && shader.order.len() <= shader.insts.len()
}
