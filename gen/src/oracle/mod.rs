//! The oracle: random shaders on the interpreter and on a Vulkan driver, whose results must be the same bits.
//!
//! What Vulkan leaves open is undefined on the interpreter (see [`Floats`](ntv::interp::Floats)) and not compared.

mod faults;

pub use faults::{Cure, Fault, FAULTS};

use crate::compare::bytes_difference;
use crate::shader::records::{self, RECORDS_BLOCK};
use crate::{shader_of_seed, stimulus_of_seed, Observation, Purpose, Stimulus};
use ntv::driver::{reflect, vk, Device, DeviceOptions, Dispatch, Resource, Resources, Slot};
use ntv::interp::{Buffer, Limits};
use ntv::{check, EmitOptions, Errors, Options, Shader, Translator};

const LIMITS: Limits = Limits { instructions: 1_000_000, components: 1 << 22 };

/// A change to the words of a module.
pub type Change<'a> = dyn Fn(&mut Vec<u32>) + 'a;

/// A driver to hold the interpreter against.
pub struct Oracle {
    device: Device,
    translator: Translator,
}

/// What came of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both computed the same; how many bytes were compared.
    Same(usize),
    /// By NIR's or Vulkan's rules anything may come out, for this reason.
    Meaningless(String),
    /// The results differ because of this fault of the driver.
    Excused(&'static str),
    /// The results differ, or there is none.
    Wrong(String),
}

impl Oracle {
    /// Opens the device whose name contains `name`.
    pub fn open(name: &str) -> Result<Oracle, ntv::driver::Error> {
        let device = Device::open(&DeviceOptions { name: Some(name.to_string()), ..DeviceOptions::default() })?;
        let options = Options { target: device.target().clone(), ..Options::default() };
        Ok(Oracle { device, translator: Translator::new(options) })
    }

    /// The driver, by name and version.
    pub fn driver(&self) -> &str {
        self.device.driver()
    }

    /// Runs the shader of `seed` on both sides.
    pub fn ask(&mut self, seed: u64) -> Verdict {
        let shader = shader_of_seed(seed, Purpose::Driver);
        self.compare(&shader, &stimulus_of_seed(&shader, seed, Purpose::Driver))
    }

    /// Runs `shader` on `stimulus` on both sides.
    pub fn compare(&mut self, shader: &Shader, stimulus: &Stimulus) -> Verdict {
        self.compare_changed(shader, stimulus, &|_| ())
    }

    /// The same, with `change` made to the words that the driver gets.
    pub fn compare_changed(&mut self, shader: &Shader, stimulus: &Stimulus, change: &Change<'_>) -> Verdict {
        if let Err(errors) = check::validate(shader) {
            return Verdict::Wrong(format!("the shader is not valid: {errors}"));
        }
        let expected = Observation::new(shader, stimulus, LIMITS);
        if let Some(fault) = expected.outcome.faults.iter().find(|fault| fault.is_undefined_behaviour()) {
            return Verdict::Meaningless(fault.to_string());
        }
        let mut found = match self.run(shader, stimulus, change) {
            Ok(storage) => storage,
            Err(problem) => return Verdict::Wrong(problem),
        };
        match storage_difference(&expected.storage, &found) {
            None => {
                let undef = expected.storage.iter().flat_map(|block| &block.undef);
                Verdict::Same(undef.filter(|undef| **undef == 0).count())
            }
            Some(difference) => {
                let excuse = self.excuse((shader, stimulus, change), &expected.storage, &mut found);
                excuse.map_or(Verdict::Wrong(difference), Verdict::Excused)
            }
        }
    }

    /// The fault of the driver without which it does what is `expected`.
    fn excuse(
        &mut self,
        (shader, stimulus, change): (&Shader, &Stimulus, &Change<'_>),
        expected: &[Buffer],
        found: &mut Vec<Buffer>,
    ) -> Option<&'static str> {
        let mut shader = shader.clone();
        let name = self.device.driver().to_string();
        for fault in FAULTS.iter().filter(|fault| fault.is_of(&name)) {
            match fault.cure {
                Cure::Rewrite(rewrite) if rewrite(&mut shader) => *found = self.run(&shader, stimulus, change).ok()?,
                Cure::Rewrite(_) => continue,
                Cure::Results(change) => expected.iter().zip(&mut *found).for_each(|(a, b)| change(a, b)),
            }
            if storage_difference(expected, found).is_none() {
                return Some(fault.what);
            }
        }
        None
    }

    /// The words that the driver gets of `shader`.
    pub fn module(&mut self, shader: &Shader) -> Result<Vec<u32>, Errors> {
        Ok(self.translator.translate(&mut shader.clone(), &EmitOptions::default())?.words)
    }

    /// The storage blocks as the driver leaves them.
    fn run(&mut self, shader: &Shader, stimulus: &Stimulus, change: &Change<'_>) -> Result<Vec<Buffer>, String> {
        let mut module = self.module(shader).map_err(|errors| errors.to_string())?;
        change(&mut module);
        let interface = reflect::reflect(&module).map_err(|error| error.to_string())?;
        let mut resources = Resources::new();
        let slots = interface.bindings.iter().flat_map(|binding| {
            let slot = |element| Slot { set: binding.set, binding: binding.binding, element };
            (0..binding.count).map(move |element| (slot(element), binding.kind, (binding.binding + element) as usize))
        });
        let slots: Vec<_> = slots.collect();
        for (slot, kind, block) in &slots {
            let blocks = if is_storage(*kind) { &stimulus.storage } else { &stimulus.uniform };
            let bytes = blocks.get(*block).ok_or_else(|| format!("there is no block for {slot:?}"))?.bytes.clone();
            resources.insert(*slot, Resource::Buffer(bytes));
        }
        let push_constants = if interface.push_constants { &stimulus.push_constants.bytes[..] } else { &[] };
        let dispatch = Dispatch { module: &module, groups: stimulus.inputs.workgroups, push_constants };
        self.device.dispatch(&dispatch, &mut resources).map_err(|error| error.to_string())?;
        let mut storage = stimulus.storage.clone();
        for (slot, _, block) in slots.iter().filter(|(_, kind, _)| is_storage(*kind)) {
            if let Some(Resource::Buffer(bytes)) = resources.remove(slot) {
                storage[*block] = Buffer::new(bytes);
            }
        }
        Ok(storage)
    }
}

/// What is wrong with the storage blocks that a driver left: bits differ, or a result on record is out of bounds.
fn storage_difference(expected: &[Buffer], found: &[Buffer]) -> Option<String> {
    let mut blocks = expected.iter().zip(found).enumerate();
    let bits = blocks.find_map(|(block, (a, b))| {
        bytes_difference(a, b).map(|difference| format!("storage block {block}: {difference}"))
    });
    bits.or_else(|| records::problem(&found.get(RECORDS_BLOCK as usize)?.bytes))
}

fn is_storage(kind: vk::DescriptorType) -> bool {
    kind == vk::DescriptorType::STORAGE_BUFFER
}
