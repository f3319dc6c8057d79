// SPDX-License-Identifier: MIT

//! A driver that is small enough to compare completely: values are numbers, and the device is the last writes of its handlers.

use ntv_driver::state::{bits, dirty_bits, walk, BitSet, Counters, Tracked};
use std::collections::BTreeMap;

bits! {
    /// The commands that use state.
    pub(crate) enum Command {
        Draw,
        Clear,
        Blit,
    }
}

bits! {
    /// The phase of a handler.
    pub(crate) enum Phase {
        BeforeRendering,
        Rendering,
    }
}

type Handler = fn(&mut Emitter<'_>) -> Result<(), String>;

dirty_bits! {
    /// The state that the device does not have yet.
    pub(crate) enum Dirty, commands Command, phases Phase, handlers Handler;

    /// Writes of shaders in earlier draws that this draw reads.
    Barriers {
        setters: ["memory_barrier"],
        commands: [Draw],
        phase: BeforeRendering,
        handler: |emitter| emitter.copy(Dirty::Barriers),
        after: [],
        invalidates: [],
    }
    /// The attachments. The viewport is flipped in those of a window.
    Framebuffer {
        setters: ["set_framebuffer_state"],
        commands: [Draw, Clear],
        phase: BeforeRendering,
        handler: framebuffer,
        after: [Barriers],
        invalidates: [Viewport],
    }
    /// The source of a blit.
    ReadFramebuffer {
        setters: ["blit"],
        commands: [Blit],
        phase: BeforeRendering,
        handler: |emitter| emitter.copy(Dirty::ReadFramebuffer),
        after: [],
        invalidates: [],
    }
    /// Sampler views.
    Textures {
        setters: ["set_sampler_views"],
        commands: [Draw],
        phase: Rendering,
        handler: |emitter| emitter.copy(Dirty::Textures),
        after: [Framebuffer],
        invalidates: [],
    }
    /// The viewport.
    Viewport {
        setters: ["set_viewport_states"],
        commands: [Draw],
        not_for: [Clear],
        phase: Rendering,
        handler: viewport,
        after: [Framebuffer],
        invalidates: [],
    }
    /// The value for missing vertex attributes, which a shader may not read.
    Attributes {
        setters: ["set_vertex_buffers"],
        commands: [Draw],
        phase: Rendering,
        handler: |emitter| emitter.copy(Dirty::Attributes),
        after: [],
        invalidates: [],
    }
}

/// The values that setters have set.
pub(crate) type State = BTreeMap<Dirty, Tracked<i32>>;

/// The state of the device: bits and values.
pub(crate) type Device = BTreeMap<Dirty, i32>;

/// The argument of handlers.
pub(crate) struct Emitter<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) device: &'a mut Device,
    pub(crate) log: &'a mut Vec<Dirty>,
    /// The bits that handlers set.
    pub(crate) later: BitSet<Dirty>,
    /// The handler that returns an error.
    pub(crate) fault: Option<Dirty>,
}

impl Emitter<'_> {
    fn get(&self, bit: Dirty) -> i32 {
        *self.state[&bit].get()
    }

    fn write(&mut self, bit: Dirty, value: i32) -> Result<(), String> {
        if self.fault == Some(bit) {
            return Err(format!("{bit:?} failed"));
        }
        self.log.push(bit);
        self.device.insert(bit, value);
        self.state.get_mut(&bit).expect("all bits have a state").synced();
        Ok(())
    }

    fn copy(&mut self, bit: Dirty) -> Result<(), String> {
        self.write(bit, self.get(bit))
    }

    fn invalidate(&mut self, bit: Dirty) {
        self.state.get_mut(&bit).expect("all bits have a state").forget();
        self.later.insert(bit);
    }
}

/// Framebuffers above 1 are those of windows.
fn is_window(framebuffer: i32) -> bool {
    framebuffer > 1
}

fn framebuffer(emitter: &mut Emitter<'_>) -> Result<(), String> {
    let new = emitter.get(Dirty::Framebuffer);
    let old = emitter.device.get(&Dirty::Framebuffer).copied();
    emitter.write(Dirty::Framebuffer, new)?;
    if old.map(is_window) != Some(is_window(new)) {
        emitter.invalidate(Dirty::Viewport);
    }
    Ok(())
}

fn viewport(emitter: &mut Emitter<'_>) -> Result<(), String> {
    let value = emitter.get(Dirty::Viewport);
    let is_window = is_window(emitter.get(Dirty::Framebuffer));
    emitter.write(Dirty::Viewport, if is_window { -value } else { value })
}

/// A context.
pub(crate) struct Context {
    pub(crate) state: State,
    pub(crate) dirty: BitSet<Dirty>,
    pub(crate) device: Device,
    /// The bits that the bound shaders use.
    pub(crate) relevant: BitSet<Dirty>,
    pub(crate) counters: Counters,
    /// The handlers that ran.
    pub(crate) log: Vec<Dirty>,
    pub(crate) fault: Option<Dirty>,
}

impl Context {
    pub(crate) fn new() -> Context {
        Context {
            state: BitSet::ALL.iter().map(|bit| (bit, Tracked::new(1))).collect(),
            dirty: BitSet::ALL,
            device: Device::new(),
            relevant: BitSet::ALL,
            counters: Counters::default(),
            log: Vec::new(),
            fault: None,
        }
    }

    /// A context whose device has all state.
    pub(crate) fn synced() -> Context {
        let mut context = Context::new();
        for command in BitSet::<Command>::ALL {
            context.run(command).expect("no fault");
        }
        context.counters = Counters::default();
        context.log.clear();
        context
    }

    /// The setter of the state of `bit`.
    pub(crate) fn set(&mut self, bit: Dirty, value: i32) {
        let differs = self.state.get_mut(&bit).expect("all bits have a state").set(value);
        self.dirty.set(bit, differs);
    }

    /// Begins a new command buffer: the device has lost all state.
    pub(crate) fn forget(&mut self) {
        self.state.values_mut().for_each(Tracked::forget);
        self.device.clear();
        self.dirty = BitSet::ALL;
    }

    pub(crate) fn run(&mut self, command: Command) -> Result<(), String> {
        let mut emitter = Emitter {
            state: &mut self.state,
            device: &mut self.device,
            log: &mut self.log,
            later: BitSet::EMPTY,
            fault: self.fault,
        };
        self.counters += walk(&mut self.dirty, Dirty::mask(command), self.relevant, |bit| {
            bit.handler()(&mut emitter)?;
            Ok::<_, String>(emitter.later.take())
        })?;
        Ok(())
    }
}
