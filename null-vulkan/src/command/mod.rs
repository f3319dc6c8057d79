// SPDX-License-Identifier: MIT

//! Command pools and buffers, and their recorded commands.
//!
//! Without checks, a command costs as little as possible: the handle of a command buffer is a pointer to its record, which has a
//! counter for each command.

mod effect;
mod rows;

use crate::descriptor::slice;
use crate::device::{create, destroy, Create};
use crate::dispatch::{head, world, Head};
use crate::encode::Encoder;
use crate::object::{Content, Object};
use crate::table::{functions, Function};
use crate::{State, World};
use ash::vk;
use ash::vk::Handle;
use rustc_hash::FxHashSet;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

pub(crate) use effect::Effect;
pub(crate) use rows::{names, COMMANDS, COUNT};

pub(crate) const FUNCTIONS: &[Function] = functions! {
    PFN_vkCreateCommandPool = create::<vk::CommandPool>;
    PFN_vkDestroyCommandPool = destroy::<vk::CommandPool>;
    PFN_vkResetCommandPool = reset_pool;
    PFN_vkTrimCommandPool = trim_pool;
    PFN_vkAllocateCommandBuffers = allocate_buffers;
    PFN_vkFreeCommandBuffers = free_buffers;
    PFN_vkBeginCommandBuffer = begin_buffer;
    PFN_vkEndCommandBuffer = end_buffer;
    PFN_vkResetCommandBuffer = reset_buffer;
};

/// The begin and end of a command buffer in a log; the word of the begin tells whether it is a secondary one.
pub(crate) const BEGIN: &str = "vkBeginCommandBuffer";
pub(crate) const END: &str = "vkEndCommandBuffer";

/// A submitted command. `vkBeginCommandBuffer` and `vkEndCommandBuffer` count as commands, and the commands of a secondary
/// command buffer follow the `vkCmdExecuteCommands` that runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its name, such as `vkCmdDraw`.
    pub name: &'static str,
    /// Its arguments in order: numbers, floats by their bits, lists by their lengths and elements, structs by their fields, and
    /// objects by numbers for their contents.
    pub words: Vec<u64>,
}

/// The recorded commands of a command buffer. Without checks, it is empty.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) commands: Vec<Command>,
    pub(crate) effects: Vec<Effect>,
    /// The objects that commands use.
    pub(crate) uses: FxHashSet<(vk::ObjectType, u64)>,
}

impl Recorded {
    /// Runs the effects of the commands.
    pub(crate) fn run(&self, state: &mut State) {
        self.effects.iter().for_each(|effect| effect.run(state));
    }
}

/// The life cycle state of a command buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Initial,
    Recording,
    Executable,
}

/// The record of a command buffer.
#[repr(C)]
pub(crate) struct CommandBuffer {
    head: Head,
    /// The number of recordings of each command since the begin.
    counts: [u32; COUNT],
    pub(crate) checks: bool,
    stage: Stage,
    once: bool,
    is_secondary: bool,
    /// The number of its incomplete submissions.
    pending: AtomicU32,
    pub(crate) recording: Recorded,
    done: Option<Arc<Recorded>>,
}

impl CommandBuffer {
    fn new(world: &World, key: *const Head, is_secondary: bool) -> CommandBuffer {
        CommandBuffer {
            head: Head::new(world, key),
            counts: [0; COUNT],
            checks: world.options.checks,
            stage: Stage::Initial,
            once: false,
            is_secondary,
            pending: AtomicU32::new(0),
            recording: Recorded::default(),
            done: None,
        }
    }

    /// The record of a command buffer.
    ///
    /// # Safety
    /// This implementation created `buffer`, its world exists, and no other code uses it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn of<'a>(buffer: vk::CommandBuffer) -> &'a mut CommandBuffer {
        // SAFETY: the caller guarantees it: the handle is the address of a record.
        unsafe { &mut *(buffer.as_raw() as usize as *mut CommandBuffer) }
    }

    /// The world that it belongs to.
    pub(crate) fn world<'a>(&self) -> &'a World {
        // SAFETY: a world lives longer than its records.
        unsafe { &*self.head.world() }
    }

    /// Counts a command.
    #[inline(always)]
    pub(crate) fn count(&mut self, command: usize) {
        self.counts[command] += 1;
    }

    /// Counts one more or one fewer incomplete submission of it.
    ///
    /// # Safety
    /// The record exists.
    pub(crate) unsafe fn pend(record: NonNull<CommandBuffer>, begins: bool) {
        // SAFETY: the caller guarantees it; the field is atomic, and no reference to the record is created.
        let pending = unsafe { &(*record.as_ptr()).pending };
        if begins {
            pending.fetch_add(1, Ordering::Relaxed)
        } else {
            pending.fetch_sub(1, Ordering::Relaxed)
        };
    }

    /// Its contents for a submission, or an error message.
    pub(crate) fn submitted(&mut self) -> Result<Option<Arc<Recorded>>, &'static str> {
        if !self.head.is_alive() {
            return Err("vkQueueSubmit: the command buffer was freed");
        }
        if self.stage != Stage::Executable {
            return Err("vkQueueSubmit: the command buffer is not executable");
        }
        if self.once {
            self.stage = Stage::Initial;
        }
        Ok(self.done.clone())
    }

    /// Appends a command, whose words are written by `write`.
    #[cold]
    fn record(&mut self, name: &'static str, write: &dyn Fn(&mut Encoder<'_>)) {
        self.check_recording(name);
        let mut state = self.world().lock();
        let mut encoder = Encoder::of_command(&mut state, name, &mut self.recording);
        write(&mut encoder);
        let words = encoder.words;
        drop(state);
        self.recording.commands.push(Command { name, words });
    }

    /// Reports a message unless commands can be recorded.
    fn check_recording(&self, name: &str) {
        let wrong = if !self.head.is_alive() { "was freed" } else { "is not recording" };
        if !self.head.is_alive() || self.stage != Stage::Recording {
            self.world().lock().report(format!("{name}: the command buffer {wrong}"));
        }
    }

    fn reset(&mut self, call: &str) {
        if self.pending.load(Ordering::Relaxed) > 0 {
            self.world().lock().report(format!("{call}: a submission of the command buffer is incomplete"));
        }
        self.stage = Stage::Initial;
        self.counts = [0; COUNT];
        self.recording = Recorded::default();
        self.done = None;
    }
}

/// The data of a pool: its buffers.
pub(crate) struct Pool {
    buffers: Vec<NonNull<CommandBuffer>>,
}

// SAFETY: the records belong to the world; the application orders their use, as Vulkan requires.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Object for vk::CommandPool {
    type Data = Pool;
}

impl Create for vk::CommandPool {
    type Info<'a> = vk::CommandPoolCreateInfo<'a>;

    unsafe fn create(_: &mut State, _: &Self::Info<'_>) -> Result<(Content, Pool), vk::Result> {
        Ok((Content::Order, Pool { buffers: Vec::new() }))
    }

    fn destroyed(state: &mut State, pool: Pool) {
        pool.buffers.into_iter().for_each(|record| state.free_buffer("vkDestroyCommandPool", record));
    }
}

impl State {
    fn free_buffer(&mut self, call: &str, record: NonNull<CommandBuffer>) {
        // SAFETY: records live as long as the world, and the application does not use the buffer at the same time.
        let buffer = unsafe { record.as_ref() };
        if buffer.pending.load(Ordering::Relaxed) > 0 {
            self.report(format!("{call}: a submission of the command buffer is incomplete"));
        }
        buffer.head.set_alive(false);
        self.objects.count_destroyed(vk::ObjectType::COMMAND_BUFFER);
        self.records.free_buffer(record);
    }
}

unsafe extern "system" fn reset_pool(
    device: vk::Device,
    pool: vk::CommandPool,
    _: vk::CommandPoolResetFlags,
) -> vk::Result {
    let call = "vkResetCommandPool";
    // SAFETY: the caller gives a device.
    let world = unsafe { world(device, call) };
    let buffers = world.lock().get(pool, call).map(|pool| pool.buffers.clone());
    for mut record in buffers.unwrap_or_default() {
        // SAFETY: the application does not use the buffers of a pool during its reset.
        unsafe { record.as_mut() }.reset(call);
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn trim_pool(_: vk::Device, _: vk::CommandPool, _: vk::CommandPoolTrimFlags) {}

unsafe extern "system" fn allocate_buffers(
    device: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    out: *mut vk::CommandBuffer,
) -> vk::Result {
    let call = "vkAllocateCommandBuffers";
    // SAFETY: the caller gives a device, a valid struct, and room for the number of buffers in the struct.
    let (world, key, info, out) = unsafe {
        let out = std::slice::from_raw_parts_mut(out, (*info).command_buffer_count as usize);
        (world(device, call), head(device).key(), &*info, out)
    };
    out.fill(vk::CommandBuffer::null());
    let mut state = world.lock();
    if state.get(info.command_pool, call).is_none() {
        return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
    }
    for out in out {
        let record = state
            .records
            .add_buffer(|| CommandBuffer::new(world, key, info.level == vk::CommandBufferLevel::SECONDARY));
        state.objects.count_made(vk::ObjectType::COMMAND_BUFFER);
        if let Some(pool) = state.get(info.command_pool, call) {
            pool.buffers.push(record);
        }
        *out = vk::CommandBuffer::from_raw(record.as_ptr() as u64);
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn free_buffers(
    device: vk::Device,
    pool: vk::CommandPool,
    count: u32,
    buffers: *const vk::CommandBuffer,
) {
    let call = "vkFreeCommandBuffers";
    // SAFETY: the caller gives a device and an array.
    let (mut state, buffers) = unsafe { (world(device, call).lock(), slice(buffers, count)) };
    for buffer in buffers.iter().filter(|buffer| **buffer != vk::CommandBuffer::null()) {
        // SAFETY: the caller gives buffers that are not used at the same time.
        let record = NonNull::from(unsafe { CommandBuffer::of(*buffer) });
        let Some(pool) = state.get(pool, call) else { return };
        let place = pool.buffers.iter().position(|known| *known == record);
        match place {
            Some(place) => {
                pool.buffers.swap_remove(place);
                state.free_buffer(call, record);
            }
            None => state.report(format!("{call}: the command buffer is not of this pool")),
        }
    }
}

unsafe extern "system" fn begin_buffer(
    buffer: vk::CommandBuffer,
    info: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    // SAFETY: the caller gives a command buffer that is not used at the same time, and a valid struct.
    let (record, info) = unsafe { (CommandBuffer::of(buffer), &*info) };
    if !record.head.is_alive() || record.stage == Stage::Recording {
        record.world().lock().report("vkBeginCommandBuffer: the command buffer was freed or is recording");
    }
    record.reset("vkBeginCommandBuffer");
    record.stage = Stage::Recording;
    record.once = info.flags.contains(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
    if record.checks {
        record.recording.commands.push(Command { name: BEGIN, words: vec![record.is_secondary.into()] });
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn end_buffer(buffer: vk::CommandBuffer) -> vk::Result {
    // SAFETY: the caller gives a command buffer that is not used at the same time.
    let record = unsafe { CommandBuffer::of(buffer) };
    record.check_recording("vkEndCommandBuffer");
    record.stage = Stage::Executable;
    for (count, total) in record.counts.iter().zip(&record.world().commands) {
        if *count != 0 {
            total.fetch_add(u64::from(*count), Ordering::Relaxed);
        }
    }
    if record.checks {
        record.recording.commands.push(Command { name: END, words: vec![record.is_secondary.into()] });
        record.done = Some(Arc::new(std::mem::take(&mut record.recording)));
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn reset_buffer(buffer: vk::CommandBuffer, _: vk::CommandBufferResetFlags) -> vk::Result {
    // SAFETY: the caller gives a command buffer that is not used at the same time.
    unsafe { CommandBuffer::of(buffer) }.reset("vkResetCommandBuffer");
    vk::Result::SUCCESS
}

/// The effects of commands.
impl CommandBuffer {
    fn effect(&mut self, effect: Effect) {
        self.recording.effects.push(effect);
    }

    fn copy(&mut self, from: vk::Buffer, to: vk::Buffer, regions: &[vk::BufferCopy]) {
        let regions = regions.iter().map(|region| (region.src_offset, region.dst_offset, region.size)).collect();
        self.effect(Effect::Copy { from, to, regions });
    }

    /// # Safety
    /// `info` is valid.
    unsafe fn copy2(&mut self, info: &vk::CopyBufferInfo2<'_>) {
        // SAFETY: the caller guarantees it.
        let regions = unsafe { slice(info.p_regions, info.region_count) };
        let regions = regions.iter().map(|region| (region.src_offset, region.dst_offset, region.size)).collect();
        self.effect(Effect::Copy { from: info.src_buffer, to: info.dst_buffer, regions });
    }

    fn update(&mut self, to: vk::Buffer, offset: u64, bytes: &[u8]) {
        self.effect(Effect::Update { to, offset, bytes: bytes.to_vec() });
    }

    fn end_query(&mut self, pool: vk::QueryPool, query: u32) {
        self.effect(Effect::Queries { pool, first: query, count: 1, available: true });
    }

    /// Appends the contents of secondary command buffers.
    ///
    /// # Safety
    /// This implementation created the command buffers.
    unsafe fn execute(&mut self, buffers: &[vk::CommandBuffer]) {
        for buffer in buffers {
            // SAFETY: the caller guarantees it; none of them is the one under recording.
            let secondary = unsafe { CommandBuffer::of(*buffer) };
            let Some(done) = secondary.done.clone() else {
                self.world().lock().report("vkCmdExecuteCommands: the command buffer is not executable");
                continue;
            };
            self.recording.commands.extend_from_slice(&done.commands);
            self.recording.effects.extend(done.effects.iter().cloned());
            self.recording.uses.extend(&done.uses);
        }
    }
}
