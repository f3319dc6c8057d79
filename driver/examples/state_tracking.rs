// SPDX-License-Identifier: MIT

//! A driver that only tracks state: its device is the list of commands that it prints.
//!
//! `cargo run --package ntv-driver --no-default-features --example state_tracking`
//!
//! It shows the purpose of `ntv_driver::state`: setters that cost nothing without a change, a clear that leaves state pending
//! that only draws need, a program that two contexts share, a texture that notifies its framebuffer's context of a change, and a
//! cached check of draws.

#![allow(clippy::print_stdout, reason = "an example prints its results")]

use ntv_driver::state::{
    bits, derived, dirty_bits, walk, BitSet, Counters, Derived, Inbox, Relay, Revisions, Seen, Subject, Tracked,
};
use std::sync::Arc;

bits! {
    /// The commands that use state.
    enum Command {
        Draw,
        Clear,
    }
}

bits! {
    /// When a handler runs, in the order of time.
    enum Phase {
        BeforeRendering,
        Rendering,
    }
}

dirty_bits! {
    /// The state that the command buffer does not have yet.
    enum Dirty, commands Command, phases Phase, handlers fn(&mut Emitter<'_>) -> Result<(), String>;

    /// The attachments.
    Framebuffer {
        setters: ["set_framebuffer"],
        commands: [Draw, Clear],
        phase: BeforeRendering,
        handler: framebuffer,
        after: [],
        invalidates: [Viewport],
    }
    /// The shaders.
    Program {
        setters: ["bind_program"],
        commands: [Draw],
        phase: Rendering,
        handler: |emitter| emitter.record("vkCmdBindPipeline"),
        after: [Framebuffer],
        invalidates: [],
    }
    /// The values of the program's uniforms.
    Uniforms {
        setters: ["set_uniform"],
        commands: [Draw],
        phase: Rendering,
        handler: |emitter| emitter.record("vkCmdPushConstants"),
        after: [Program],
        invalidates: [],
    }
    /// The viewport, which is flipped if the framebuffer is that of a window.
    Viewport {
        setters: ["set_viewport"],
        commands: [Draw],
        not_for: [Clear],
        phase: Rendering,
        handler: viewport,
        after: [Framebuffer],
        invalidates: [],
    }
    /// The reference of the stencil test.
    StencilReference {
        setters: ["set_stencil_reference"],
        commands: [Draw],
        phase: Rendering,
        handler: stencil_reference,
        after: [],
        invalidates: [],
    }
}

derived! {
    /// The values that a context computes from its state.
    struct Checks, values Check, from Dirty;

    /// Whether a draw may run.
    CanDraw { field: can_draw, is: bool, from: [Framebuffer, Program], uses: [] }
}

bits! {
    /// The parts of a program that can change while it is in use.
    enum Part {
        Uniforms,
    }
}

bits! {
    /// The parts of a framebuffer that can change independently of its context.
    enum Attachment {
        Color0,
    }
}

/// A program that contexts share.
#[derive(Default)]
struct Program {
    uniform: f32,
    revisions: Revisions<Part>,
}

impl Program {
    fn set_uniform(&mut self, value: f32) {
        self.uniform = value;
        self.revisions.bump(Part::Uniforms);
    }
}

/// The values that setters have set.
#[derive(Default)]
struct State {
    viewport: Tracked<[u32; 4]>,
    stencil_reference: Tracked<u8>,
    /// Whether a stencil test is on.
    uses_stencil: bool,
}

/// The argument of handlers.
struct Emitter<'a> {
    state: &'a mut State,
    /// The bits that handlers set.
    later: BitSet<Dirty>,
    recorded: Vec<&'static str>,
}

impl Emitter<'_> {
    fn record(&mut self, command: &'static str) -> Result<(), String> {
        self.recorded.push(command);
        Ok(())
    }
}

fn framebuffer(emitter: &mut Emitter<'_>) -> Result<(), String> {
    // The recorded viewport may have the wrong orientation now.
    emitter.state.viewport.forget();
    emitter.later.insert(Dirty::Viewport);
    emitter.record("vkCmdBeginRendering")
}

fn viewport(emitter: &mut Emitter<'_>) -> Result<(), String> {
    emitter.record("vkCmdSetViewport")?;
    emitter.state.viewport.synced();
    Ok(())
}

fn stencil_reference(emitter: &mut Emitter<'_>) -> Result<(), String> {
    emitter.record("vkCmdSetStencilReference")?;
    emitter.state.stencil_reference.synced();
    Ok(())
}

/// A context.
struct Context {
    name: &'static str,
    state: State,
    dirty: BitSet<Dirty>,
    /// Notifications of resources.
    inbox: Arc<Inbox<Dirty>>,
    /// The revision of the program that this context has seen.
    program: Seen<Part>,
    uniform_bytes: Derived<[u8; 4], Part>,
    checks: Checks,
    counters: Counters,
}

impl Context {
    fn new(name: &'static str) -> Context {
        Context {
            name,
            state: State::default(),
            dirty: BitSet::ALL,
            inbox: Arc::default(),
            program: Seen::new(),
            uniform_bytes: Derived::new(bits![Part: Uniforms]),
            checks: Checks::default(),
            counters: Counters::default(),
        }
    }

    fn set_viewport(&mut self, viewport: [u32; 4]) {
        self.dirty.set(Dirty::Viewport, self.state.viewport.set(viewport));
    }

    fn set_stencil_reference(&mut self, reference: u8) {
        self.dirty.set(Dirty::StencilReference, self.state.stencil_reference.set(reference));
    }

    fn run(&mut self, command: Command, program: &Program) -> Result<(), String> {
        let mut changed = self.inbox.take();
        if self.program.take(&program.revisions).contains(Part::Uniforms) {
            changed.insert(Dirty::Uniforms);
        }
        self.dirty |= changed;
        self.checks.changed_set(changed);
        if !*self.checks.can_draw(|| true) {
            return Err("the framebuffer is not complete".to_string());
        }
        let recorded = self.emit(command)?;
        let bytes = self.uniform_bytes.get(&program.revisions, || program.uniform.to_le_bytes());
        println!("  {} {command:?}: {recorded:?}, uniforms {bytes:?}, pending {:?}", self.name, self.dirty);
        Ok(())
    }

    /// Records the state that `command` needs.
    fn emit(&mut self, command: Command) -> Result<Vec<&'static str>, String> {
        let mut relevant = BitSet::ALL;
        relevant.set(Dirty::StencilReference, self.state.uses_stencil);
        let mut emitter = Emitter { state: &mut self.state, later: BitSet::EMPTY, recorded: Vec::new() };
        self.counters += walk(&mut self.dirty, Dirty::mask(command), relevant, |bit| {
            bit.handler()(&mut emitter)?;
            Ok::<_, String>(emitter.later.take())
        })?;
        Ok(emitter.recorded)
    }
}

fn main() -> Result<(), String> {
    let (mut program, texture) = (Program::default(), Subject::new());
    let (mut first, mut second) = (Context::new("first"), Context::new("second"));

    println!(
        "A clear leaves the rest pending for the draw. No shader uses the stencil, so its reference stays pending."
    );
    first.run(Command::Clear, &program)?;
    first.run(Command::Draw, &program)?;

    println!("Nothing has changed, or it was set back.");
    first.set_viewport([0, 0, 64, 64]);
    first.set_viewport([0; 4]);
    first.run(Command::Draw, &program)?;

    println!("The state of a stencil test is recorded when one is on.");
    first.set_stencil_reference(3);
    first.state.uses_stencil = true;
    first.run(Command::Draw, &program)?;

    println!("Both contexts see a change of the program, once.");
    second.run(Command::Draw, &program)?;
    program.set_uniform(0.5);
    for context in [&mut first, &mut second] {
        context.run(Command::Draw, &program)?;
        context.run(Command::Draw, &program)?;
    }

    println!("A texture gets new storage: its framebuffer is notified, and the context through the framebuffer.");
    let framebuffer = Arc::new(Relay::new());
    texture.observe(&framebuffer, Attachment::Color0);
    framebuffer.subject().observe(&first.inbox, Dirty::Framebuffer);
    texture.notify();
    first.run(Command::Draw, &program)?;
    println!("What has changed in the framebuffer: {:?}", framebuffer.take());

    println!("{:?}; draws were checked {} times", first.counters, first.checks.recomputations(Check::CanDraw));
    Ok(())
}
