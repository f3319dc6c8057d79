// SPDX-License-Identifier: MIT

//! A traced process.

use super::breakpoints::Breakpoints;
use super::decode::{Decoded, LONGEST};
use super::image::{Images, Origin};
use super::log::Shader;
use super::maps::Maps;
use super::touched::Kind;
use super::translation::{Instruction, Part, Translation, PARTS};
use anyhow::{Context, Result};
use nix::libc::user_regs_struct;
use nix::unistd::Pid;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

/// The event at a breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// The dynamic linker has loaded or unloaded libraries.
    Libraries,
    /// A shader is passed to the translators.
    Shader,
    /// A part of a translation begins.
    Part(Part),
}

/// The library with the translators, in the memory of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Driver {
    path: String,
    start: u64,
}

/// The functions that call the parts of a translation. The driver also calls some parts from elsewhere.
const CALLERS: &[&str] = &[
    "zink_ntvr_debug_compare",
    "run_c",
    "run_ntvr",
    "zink_compiler_translate_with_c",
    "zink_ntvr_module_translate",
    "zink_ntvr_flatten",
];

/// A traced process.
pub(crate) struct Process {
    id: Pid,
    pub(crate) memory: File,
    pub(crate) breakpoints: Breakpoints<Spot>,
    maps: Maps,
    driver: Option<Driver>,
    instructions: FxHashMap<u64, Rc<Instruction>>,
    /// The number of shaders so far.
    shaders: u32,
    /// The last shader.
    pub(crate) shader: Option<Shader>,
}

impl Process {
    /// The process `id`, which has just started a program.
    pub(crate) fn new(id: Pid, images: &mut Images) -> Result<Process> {
        let mut process = Process::open(id)?;
        process.read_maps()?;
        let linker =
            process.maps.file(|name| name.starts_with("ld-linux")).context("a program without dynamic linker")?;
        let (path, start) = (linker.0.to_owned(), linker.1);
        let place = start + images.function(&path, "_dl_debug_state")?;
        process.breakpoints.add(&process.memory, place, Spot::Libraries)?;
        Ok(process)
    }

    /// The process `id`, which is a fork of this one.
    pub(crate) fn fork(&self, id: Pid) -> Result<Process> {
        let mut process = Process::open(id)?;
        process.breakpoints = self.breakpoints.clone();
        process.driver = self.driver.clone();
        process.shaders = self.shaders;
        process.read_maps()?;
        Ok(process)
    }

    fn open(id: Pid) -> Result<Process> {
        let memory = File::options().read(true).write(true).open(format!("/proc/{id}/mem"))?;
        Ok(Process {
            id,
            memory,
            breakpoints: Breakpoints::default(),
            maps: Maps::default(),
            driver: None,
            instructions: FxHashMap::default(),
            shaders: 0,
            shader: None,
        })
    }

    /// Reads the current mappings.
    pub(crate) fn read_maps(&mut self) -> Result<()> {
        self.maps = Maps::parse(&std::fs::read_to_string(format!("/proc/{}/maps", self.id))?)?;
        Ok(())
    }

    /// Finds the library with the translators, and inserts breakpoints in it.
    pub(crate) fn look_for_driver(&mut self, images: &mut Images) -> Result<()> {
        self.read_maps()?;
        let found = self.maps.file(|name| name.starts_with("libgallium"));
        let found = found.map(|(path, start)| Driver { path: path.to_owned(), start });
        // Other libraries may have been loaded at the addresses of old ones.
        self.instructions.clear();
        if found == self.driver {
            return Ok(());
        }
        self.breakpoints.forget(|spot| spot != Spot::Libraries);
        self.driver = found;
        let Some(Driver { path, start }) = &self.driver else { return Ok(()) };
        let place =
            start + images.function(path, "zink_ntvr_debug_compare").context("the driver was built without ntv")?;
        self.breakpoints.add(&self.memory, place, Spot::Shader)?;
        for part in PARTS {
            let place = start + images.function(path, part.function)?;
            self.breakpoints.add(&self.memory, place, Spot::Part(part))?;
        }
        Ok(())
    }

    /// Starts the next shader; returns the one before.
    pub(crate) fn next_shader(&mut self) -> Option<Shader> {
        let before = self.shaders;
        self.shaders += 1;
        // The name in zink's log.
        let name = format!("{}-{:04}", self.id, self.shaders);
        self.shader.replace(Shader { name, before, ..Shader::default() })
    }

    /// Starts `part`, with the return address on the stack. Returns this address, if the part belongs to a translation to trace.
    pub(crate) fn enter(
        &mut self,
        part: Part,
        registers: &user_regs_struct,
        images: &mut Images,
    ) -> Result<Option<u64>> {
        let mut bytes = [0; 8];
        self.memory.read_exact_at(&mut bytes, registers.rsp)?;
        let back = u64::from_le_bytes(bytes);
        let (Some(driver), Some(shader)) = (&self.driver, &mut self.shader) else { return Ok(None) };
        let caller = images.symbol(&driver.path, back.wrapping_sub(driver.start))?;
        if !CALLERS.contains(&caller) {
            return Ok(None);
        }
        let translation = shader.of(part.translator);
        match (translation, part.first) {
            // Only the first of several runs is traced.
            (Some(translation), _) if translation.done => return Ok(None),
            (translation, true) => *translation = Some(Translation::new(part)),
            (Some(translation), false) => translation.enter(part),
            (None, false) => return Ok(None),
        }
        self.read_maps()?;
        Ok(Some(back))
    }

    /// Ends `part`.
    pub(crate) fn leave(&mut self, part: Part) {
        let translation = self.shader.as_mut().and_then(|shader| shader.of(part.translator).as_mut());
        if let Some(translation) = translation {
            translation.done |= !part.first;
        }
    }

    /// Counts the instruction that is executed next.
    pub(crate) fn execute(&mut self, part: Part, registers: &user_regs_struct, images: &mut Images) -> Result<()> {
        let instruction = self.instruction(registers.rip, images)?;
        let mut accesses = [(Kind::Memory, 0, 0); 8];
        let mut count = 0;
        for (slot, (address, size)) in accesses.iter_mut().zip(instruction.decoded.accesses(registers)) {
            *slot = (self.kind(address)?, address, size);
            count += 1;
        }
        let translation = self.shader.as_mut().and_then(|shader| shader.of(part.translator).as_mut());
        if let Some(translation) = translation {
            translation.execute(registers.rip, &instruction, &accesses[..count]);
        }
        Ok(())
    }

    fn kind(&mut self, address: u64) -> Result<Kind> {
        if self.maps.find(address).is_none() {
            // The memory was mapped after the start of the translation.
            self.read_maps()?;
        }
        Ok(match self.maps.is_constant(address) {
            Some(true) => Kind::Constants,
            _ => Kind::Memory,
        })
    }

    fn instruction(&mut self, address: u64, images: &mut Images) -> Result<Rc<Instruction>> {
        if let Some(instruction) = self.instructions.get(&address) {
            return Ok(instruction.clone());
        }
        let mut bytes = [0; LONGEST];
        let len = self.memory.read_at(&mut bytes, address)?;
        self.breakpoints.hide(&mut bytes[..len], address);
        let decoded = Decoded::new(&bytes[..len], address)?;
        let instruction = Rc::new(Instruction { decoded, place: self.place(address, images)? });
        self.instructions.insert(address, instruction.clone());
        Ok(instruction)
    }

    fn place(&self, address: u64, images: &mut Images) -> Result<Origin> {
        let path = self.maps.find(address).and_then(|mapping| mapping.file.as_deref());
        match path.and_then(|path| Some((path, self.maps.start_of(path)?))) {
            Some((path, start)) => images.place(path, address - start),
            None => {
                let nowhere: Rc<str> = "[no file]".into();
                Ok(Origin { phase: None, symbol: nowhere.clone(), file: nowhere.clone(), own: nowhere })
            }
        }
    }
}
