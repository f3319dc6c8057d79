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
//! One walk finds that out, by the bodies that are open. It takes no dominators; only other uses need those.
//!
//! The same walk looks whether an instruction is like most, see `usual`, or else checks it by its rules.

use super::report::Report;
use super::usual;
use super::{check_instruction, ssa, support};
use crate::entity::Id;
use crate::ir::{Block, Cf, Def, Inst, InstData, InstKind, Jump, PhiSrc, Shader};
use crate::op::{Intrinsic, Modes};

/// What the walk finds, and its memory.
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
    /// Some buffer may be one of booleans.
    pub(super) has_booleans: bool,
    /// Instructions for which there may be no translation.
    pub(super) unusual: Vec<Inst>,
    passed: Passed,
    /// The bodies around this place.
    around: Vec<Body>,
    /// The blocks of these bodies, but of the outermost.
    blocks: Vec<Block>,
    /// How many bodies there were.
    bodies: u32,
    /// Phis at the heads of the loops around.
    loop_phis: Vec<Inst>,
}

/// What the walk has passed.
#[derive(Debug, Default)]
pub(super) struct Passed {
    known: Vec<Known>,
}

/// What is known of an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    place: Place,
    /// Its result if every way to where the walk is has passed it.
    pub(super) seen: Shape,
    /// The same if SPIR-V has a value for it.
    pub(super) value: Shape,
}

/// Components and width of a result, both 0 if there is none. One number, as it is moved as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape(u16);

impl Shape {
    #[inline(always)]
    pub(super) const fn new(num_components: u8, bits: u8) -> Shape {
        Shape(u16::from_ne_bytes([num_components, bits]))
    }

    #[inline(always)]
    fn of(data: &InstData) -> Shape {
        Shape::new(data.num_components, data.bit_size)
    }

    #[inline(always)]
    pub(super) fn num_components(self) -> u8 {
        self.0.to_ne_bytes()[0]
    }

    #[inline(always)]
    pub(super) fn bits(self) -> u8 {
        self.0.to_ne_bytes()[1]
    }
}

/// A body by its number, or one of the places below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place(u32);

/// Not in the shader, or further down.
const NOWHERE: Place = Place(0);
/// That of registers that are not where they belong.
const UNSEEN: Place = Place(1);
/// That of registers of the first block, which only their accesses see.
const REGISTERS: Place = Place(2);

/// A body that is open.
#[derive(Debug)]
struct Body {
    place: Place,
    kind: BodyKind,
    /// Of an else-body the end of the then-body, of a loop the block in front.
    from: Option<Exit>,
    /// How many of the phis at the heads of loops belong to the loops around it.
    loop_phis: usize,
    /// How many of the blocks belong to the bodies around it.
    blocks: usize,
    /// A jump goes back to the head of the loop.
    has_continue: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyKind {
    Plain,
    Loop,
    Continue,
}

/// The last block of a body, from which control goes on behind it, or the block in front of one.
#[derive(Clone, Copy, Debug)]
struct Exit {
    block: Block,
    place: Place,
}

/// How control comes to a block.
#[derive(Clone, Copy)]
enum Ways {
    /// From the ends of two bodies, unless these jump.
    Join([Option<Exit>; 2]),
    /// From in front of a loop, and back.
    Head,
    Other,
}

impl Glance {
    /// Looks at a shader the control flow list of which is sound, and reports instructions that break a rule.
    pub(super) fn look(&mut self, report: &mut Report<'_>) {
        let shader = report.shader;
        self.clear(shader);
        self.has_booleans = support::has_booleans_near_buffers(shader);
        let odd_modes = support::odd_modes(self.has_booleans);
        self.begin(BodyKind::Plain, None);
        let mut ways = Ways::Other;
        let mut last = None;
        for (at, item) in shader.cf.iter().enumerate() {
            match *item {
                Cf::Block(block) => {
                    self.look_at_block(report, block, ways, at == 0, odd_modes);
                    (ways, last) = (Ways::Other, Some(block));
                }
                Cf::If { cond, .. } => {
                    self.has_odd_uses |= self.passed.known(cond).seen != Shape::new(1, 1);
                    self.begin(BodyKind::Plain, None);
                }
                Cf::Loop => {
                    let front = self.exit(shader, last);
                    self.begin(BodyKind::Loop, front);
                    ways = Ways::Head;
                }
                Cf::Else => {
                    let then = self.exit(shader, last);
                    self.end(shader);
                    self.begin(BodyKind::Plain, then);
                }
                Cf::Continue => {
                    // What comes back to the head of the loop has left its body.
                    self.has_odd_phis |= self.end(shader).is_some_and(|body| self.loop_phis.len() > body.loop_phis);
                    self.begin(BodyKind::Continue, None);
                }
                Cf::EndIf => {
                    let other = self.exit(shader, last);
                    ways = Ways::Join([self.end(shader).and_then(|body| body.from), other]);
                }
                Cf::EndLoop => {
                    let back = self.exit(shader, last);
                    self.end_loop(shader, back);
                }
            }
        }
        // A value that is made twice counts where it is made last.
        (self.has_odd_uses, self.has_odd_jumps) =
            (self.has_odd_uses | self.has_twins, self.has_odd_jumps | self.has_twins);
    }

    fn clear(&mut self, shader: &Shader) {
        (self.has_twins, self.has_odd_jumps, self.has_odd_phis) = (false, false, false);
        (self.has_stray_registers, self.has_odd_uses) = (false, false);
        self.unusual.clear();
        self.passed.known.clear();
        self.passed.known.resize(shader.insts.len(), Known::default());
        self.around.clear();
        self.blocks.clear();
        self.bodies = REGISTERS.0;
        self.loop_phis.clear();
    }

    fn begin(&mut self, kind: BodyKind, from: Option<Exit>) {
        self.bodies += 1;
        let (loop_phis, blocks) = (self.loop_phis.len(), self.blocks.len());
        self.around.push(Body { place: Place(self.bodies), kind, from, loop_phis, blocks, has_continue: false });
    }

    /// Ends the innermost body: what was made in it is no longer seen.
    fn end(&mut self, shader: &Shader) -> Option<Body> {
        let body = self.around.pop()?;
        for block in self.blocks.drain(body.blocks.min(self.blocks.len())..) {
            shader.block_insts(block).iter().for_each(|inst| self.passed.hide(*inst));
        }
        Some(body)
    }

    /// Ends a loop, from the end of which control goes `back`.
    fn end_loop(&mut self, shader: &Shader, back: Option<Exit>) {
        if let Some(body) = self.around.last().filter(|body| body.kind == BodyKind::Loop) {
            let exits = [body.from, back];
            let fits = |phi: &Inst| self.passed.fits_phi(shader, *phi, exits, body.place);
            let phis = &self.loop_phis[body.loop_phis..];
            self.has_odd_phis |= !phis.is_empty() && (body.has_continue || !phis.iter().all(fits));
        }
        if let Some(body) = self.end(shader) {
            self.loop_phis.truncate(body.loop_phis);
        }
    }

    fn body(&self) -> Place {
        self.around.last().map_or(NOWHERE, |body| body.place)
    }

    /// `block`, which stands last, unless it ends in a jump.
    fn exit(&self, shader: &Shader, block: Option<Block>) -> Option<Exit> {
        let block = block.filter(|block| shader.block_jump(*block).is_none())?;
        Some(Exit { block, place: self.body() })
    }

    #[inline]
    fn look_at_block(&mut self, report: &mut Report<'_>, block: Block, ways: Ways, is_first: bool, odd_modes: Modes) {
        let shader = report.shader;
        let insts = shader.block_insts(block);
        let is_phi = |inst: &&Inst| matches!(shader.insts[**inst].kind, InstKind::Phi(_));
        let (phis, rest) = insts.split_at(insts.iter().take_while(is_phi).count());
        if !phis.is_empty() {
            self.look_at_phis(report, phis, ways);
        }
        if self.around.len() > 1 {
            self.blocks.push(block);
        }
        self.look_at_insts(report, rest, is_first, odd_modes);
    }

    /// What is not at the head of a block. Not inlined, so that what the loop needs stays in registers.
    #[inline(never)]
    fn look_at_insts(&mut self, report: &mut Report<'_>, insts: &[Inst], is_first: bool, odd_modes: Modes) {
        let (shader, place) = (report.shader, self.body());
        for inst in insts {
            let data = &shader.insts[*inst];
            if usual::is_usual(shader, &self.passed, data, odd_modes) {
                if cfg!(debug_assertions) {
                    let before = report.len();
                    check_instruction(report, *inst, data);
                    debug_assert!(report.len() == before, "a rule forbids what seemed to be usual");
                }
                self.pass(*inst, Known::new(data, place, !matches!(data.kind, InstKind::Deref(_))));
            } else {
                let known = self.look_closely(report, *inst, data, is_first, insts.last() == Some(inst));
                self.pass(*inst, known);
            }
        }
    }

    /// Phis all take place at once, so none sees another.
    fn look_at_phis(&mut self, report: &mut Report<'_>, phis: &[Inst], ways: Ways) {
        let shader = report.shader;
        for phi in phis {
            check_instruction(report, *phi, &shader.insts[*phi]);
            match ways {
                Ways::Join(exits) => self.has_odd_phis |= !self.passed.fits_phi(shader, *phi, exits, NOWHERE),
                Ways::Head => self.loop_phis.push(*phi),
                Ways::Other => self.has_odd_phis = true,
            }
        }
        self.unusual.extend_from_slice(phis);
        for phi in phis {
            let known = self.known_of(&shader.insts[*phi]);
            self.pass(*phi, known);
        }
    }

    /// Holds an instruction to its rules.
    #[inline(never)]
    fn look_closely(
        &mut self,
        report: &mut Report<'_>,
        inst: Inst,
        data: &InstData,
        in_first_block: bool,
        ends_block: bool,
    ) -> Known {
        check_instruction(report, inst, data);
        self.unusual.push(inst);
        self.look_at_uses(report.shader, inst, data);
        let mut known = self.known_of(data);
        match data.kind {
            InstKind::Phi(_) => self.has_odd_uses = true,
            InstKind::Jump(jump) => self.has_odd_jumps |= !ends_block || !self.allows(jump),
            InstKind::Intrinsic { op: Intrinsic::decl_reg, .. } => {
                self.has_stray_registers |= !in_first_block;
                let place = if in_first_block && data.has_def() { REGISTERS } else { UNSEEN };
                known = Known { place, ..Known::default() };
            }
            _ => {}
        }
        known
    }

    /// What is known of an instruction that stands here.
    fn known_of(&self, data: &InstData) -> Known {
        Known::new(data, self.body(), usual::is_value(&data.kind))
    }

    #[inline(always)]
    fn pass(&mut self, inst: Inst, known: Known) {
        let before = std::mem::replace(&mut self.passed.known[inst.index()], known);
        self.has_twins |= before.place != NOWHERE;
    }

    fn look_at_uses(&mut self, shader: &Shader, inst: Inst, data: &InstData) {
        let mut sees_all = true;
        shader.for_each_src_of(&data.kind, |def| sees_all &= self.passed.sees(def));
        self.has_odd_uses |= !sees_all && !self.accesses_registers(shader, inst);
    }

    /// Whether what `user` does not see are registers of the first block, and it is a read or write of one.
    fn accesses_registers(&self, shader: &Shader, user: Inst) -> bool {
        let passed = &self.passed;
        let is_register = |def: Def| passed.known(def).place == REGISTERS;
        let mut known = true;
        shader.for_each_src(user, |def| known &= passed.sees(def) || is_register(def));
        known && ssa::accesses_register(shader, user)
    }

    /// Whether `jump` may stand here, at the end of a block.
    fn allows(&mut self, jump: Jump) -> bool {
        match jump {
            Jump::Break | Jump::Continue => {
                let innermost = self.around.iter_mut().rev().find(|body| body.kind != BodyKind::Plain);
                innermost.is_some_and(|body| {
                    body.has_continue |= jump == Jump::Continue;
                    body.kind == BodyKind::Loop
                })
            }
            Jump::Return | Jump::Halt => self.around.iter().all(|body| body.kind != BodyKind::Continue),
        }
    }
}

impl Known {
    #[inline(always)]
    fn new(data: &InstData, place: Place, is_value: bool) -> Known {
        let seen = Shape::of(data);
        Known { place, seen, value: if is_value { seen } else { Shape::default() } }
    }
}

impl Passed {
    /// What is known of `def`.
    #[inline(always)]
    pub(super) fn known(&self, def: Def) -> Known {
        self.known.get(def.index()).copied().unwrap_or_default()
    }

    /// Whether every way to this place has passed the definition of `def`.
    fn sees(&self, def: Def) -> bool {
        self.known(def).seen != Shape::default()
    }

    /// Takes what `inst` makes out of sight.
    fn hide(&mut self, inst: Inst) {
        let known = &mut self.known[inst.index()];
        *known = Known { place: known.place, ..Known::default() };
    }

    /// Whether `phi` has a source from each of `exits` and no other, of its own size, which the end of the exit sees. What is
    /// directly in the body `within`, which is open, is seen only by exits of this body.
    fn fits_phi(&self, shader: &Shader, phi: Inst, exits: [Option<Exit>; 2], within: Place) -> bool {
        let data = &shader.insts[phi];
        let srcs = shader.phi(phi).unwrap_or_default();
        let fits = |exit: Exit, src: &PhiSrc| {
            let known = self.known(src.def);
            let sees = known.place == exit.place || known.place != within && known.seen != Shape::default();
            sees && data.has_def() && Shape::of(shader.def(src.def)) == Shape::of(data)
        };
        let mut exits = exits.into_iter().flatten();
        srcs.len() == exits.clone().count()
            && exits.all(|exit| srcs.iter().find(|src| src.pred == exit.block).is_some_and(|src| fits(exit, src)))
    }
}
