// SPDX-License-Identifier: MIT

//! The oracle: runs random shaders on the interpreter and on a Vulkan driver, whose results must have the same bits.
//!
//! Results that Vulkan leaves open are undefined on the interpreter (see [`Floats`](ntv_interp::Floats)) and not compared.

pub mod convert;
mod draw;
mod faults;
mod keyed;

pub use faults::{Cure, Fault as DriverFault, FAULTS};

use crate::compare::{bytes_difference, has_other_value};
use crate::shader::records::{self, RECORDS_BLOCK};
use crate::{key_of_seed, program_of_seed, stimulus_of_seed, Observation, Purpose, Stimulus};
use ntv::import::reflect;
use ntv::ir::Stage;
use ntv::link::link;
use ntv::module::DescriptorKind;
use ntv::{check, EmitOptions, Errors, Key, Options, PushConstants, Shader, Translator};
use ntv_driver::headless::{Device, DeviceOptions, Dispatch, Resource, Resources, Slot};
use ntv_interp::{Buffer, Descriptor, Fault, FaultKind, Image, Limits, Texture};
use std::collections::BTreeMap;

const LIMITS: Limits = Limits { instructions: 1_000_000, components: 1 << 22 };

/// A change to the words of a module.
pub type Change<'a> = dyn Fn(&mut Vec<u32>) + 'a;

/// A driver to compare the interpreter with.
pub struct Oracle {
    device: Device,
    translator: Translator,
}

/// The result of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both results are the same; the number of bytes that were compared.
    Same(usize),
    /// By NIR's or Vulkan's rules the results are undefined, for this reason.
    Meaningless(String),
    /// The results differ because of this fault of the driver.
    Excused(&'static str),
    /// The results differ, or a result is missing.
    Wrong(String),
}

impl Oracle {
    /// Opens the device whose name contains `name`.
    pub fn open(name: &str) -> Result<Oracle, ntv_driver::headless::Error> {
        let options = DeviceOptions { name: Some(name.to_string()), ..DeviceOptions::default() };
        Ok(Oracle::new(Device::open(&options)?))
    }

    /// The oracle for `device`.
    pub fn new(device: Device) -> Oracle {
        let options = Options::default().target(device.target().clone());
        Oracle { device, translator: Translator::new(options) }
    }

    /// The driver, by name and version.
    pub fn driver(&self) -> &str {
        self.device.driver()
    }

    /// The device of the oracle.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Runs the program of `seed` on both sides.
    pub fn ask(&mut self, seed: u64) -> Verdict {
        let program = program_of_seed(seed);
        let Some(first) = program.first() else { return Verdict::Same(0) };
        let stimulus = stimulus_of_seed(first, seed, Purpose::Driver);
        let verdict = self.compare(&program, &stimulus);
        if program.len() == 1 || !matches!(verdict, Verdict::Same(_)) {
            return verdict;
        }
        match (self.compare_linked(&program, &stimulus), key_of_seed(seed)) {
            (Verdict::Same(_), Some(key)) => self.compare_keyed(&program, &stimulus, &key),
            (verdict, _) => verdict,
        }
    }

    /// Runs a program whose stages are linked on the driver.
    pub fn compare_linked(&mut self, program: &[Shader], stimulus: &Stimulus) -> Verdict {
        self.compare_keyed(program, stimulus, &Key::default())
    }

    /// Runs a program whose stages are linked, and have the words of `key`, on the driver.
    pub fn compare_keyed(&mut self, program: &[Shader], stimulus: &Stimulus, key: &Key) -> Verdict {
        let mut stimulus = stimulus.clone();
        let at = keyed::ALPHA_REFERENCE as usize;
        if let Some(bytes) = stimulus.push_constants.bytes.get_mut(at..at + 4) {
            bytes.copy_from_slice(&keyed::REFERENCE.to_le_bytes());
        }
        match (self.words_of_stages(program), self.linked(program, key)) {
            (Ok(plain), Ok(linked)) => self.compare_with(program, &stimulus, key, &|words| {
                let stage = plain.iter().position(|other| other == words);
                stage.into_iter().for_each(|stage| words.clone_from(&linked[stage]));
            }),
            (Err(problem), _) | (_, Err(problem)) => Verdict::Wrong(problem),
        }
    }

    fn words_of_stages(&mut self, program: &[Shader]) -> Result<Vec<Vec<u32>>, String> {
        let words: Result<Vec<Vec<u32>>, Errors> = program.iter().map(|shader| self.module(shader)).collect();
        words.map_err(|errors| errors.to_string())
    }

    /// The words of the linked stages of `program` with `key`.
    fn linked(&mut self, program: &[Shader], key: &Key) -> Result<Vec<Vec<u32>>, String> {
        let mut modules = Vec::new();
        for shader in program {
            let alpha_reference = (shader.stage() == Stage::Fragment).then_some(keyed::ALPHA_REFERENCE);
            let pushed = PushConstants { alpha_reference, ..PushConstants::default() };
            let options = EmitOptions::default().offer(key.bits).linkable(true).push_constants(pushed);
            let module = self.translator.translate(&mut shader.clone(), &options);
            modules.push(module.map_err(|errors| errors.to_string())?);
        }
        let linked = link(&modules.iter().collect::<Vec<_>>(), Vec::new()).map_err(|error| error.to_string())?;
        let words = linked.modules.iter().map(|module| {
            let mut words = Vec::new();
            module.instantiate(&module.masked(key), &mut words).map(|()| words)
        });
        words.collect::<Result<_, _>>().map_err(|error| error.to_string())
    }

    /// Runs a compute shader, or a vertex and a fragment shader, on both sides.
    pub fn compare(&mut self, program: &[Shader], stimulus: &Stimulus) -> Verdict {
        self.compare_changed(program, stimulus, &|_| ())
    }

    /// Runs a program on both sides, with `change` applied to the words for the driver.
    pub fn compare_changed(&mut self, program: &[Shader], stimulus: &Stimulus, change: &Change<'_>) -> Verdict {
        self.compare_with(program, stimulus, &Key::default(), change)
    }

    fn compare_with(&mut self, program: &[Shader], stimulus: &Stimulus, key: &Key, change: &Change<'_>) -> Verdict {
        for shader in program {
            if let Err(errors) = check::validate(shader) {
                return Verdict::Wrong(format!("the shader is not valid: {errors}"));
            }
        }
        let expected = match expect(program, stimulus, key) {
            Ok(expected) => expected,
            // An undefined condition is true or false, so the driver must not fail.
            Err(Undefined { why, is_condition: true }) => {
                let run = self.run(program, stimulus, change);
                return run.map_or_else(Verdict::Wrong, |_| Verdict::Meaningless(why));
            }
            Err(Undefined { why, .. }) => return Verdict::Meaningless(why),
        };
        let mut found = match self.run(program, stimulus, change) {
            Ok(found) => found,
            Err(problem) => return Verdict::Wrong(problem),
        };
        match difference(&expected, &found) {
            None => {
                let undef = expected.iter().flat_map(|(_, memory)| &memory.undef);
                Verdict::Same(undef.filter(|undef| **undef == 0).count())
            }
            Some(difference) => {
                let excuse = self.excuse((program, stimulus, change), &expected, &mut found);
                excuse.map_or(Verdict::Wrong(difference), Verdict::Excused)
            }
        }
    }

    /// The fault of the driver whose cure gives the `expected` results.
    fn excuse(
        &mut self,
        (program, stimulus, change): (&[Shader], &Stimulus, &Change<'_>),
        expected: &Written,
        found: &mut Written,
    ) -> Option<&'static str> {
        let mut program = program.to_vec();
        let name = self.device.driver().to_string();
        for fault in FAULTS.iter().filter(|fault| fault.is_of(&name)) {
            match fault.cure {
                Cure::Rewrite(rewrite) => {
                    if program.iter_mut().map(rewrite).filter(|changed| *changed).count() == 0 {
                        continue;
                    }
                    *found = self.run(&program, stimulus, change).ok()?;
                }
                Cure::Results(change) => expected.iter().zip(&mut *found).for_each(|((_, a), (_, b))| change(a, b)),
            }
            if difference(expected, found).is_none() {
                return Some(fault.what);
            }
        }
        None
    }

    /// The words of `shader` for the driver.
    pub fn module(&mut self, shader: &Shader) -> Result<Vec<u32>, Errors> {
        Ok(self.translator.translate(&mut shader.clone(), &EmitOptions::default())?.words)
    }

    /// The results of the driver.
    fn run(&mut self, program: &[Shader], stimulus: &Stimulus, change: &Change<'_>) -> Result<Written, String> {
        let (mut modules, mut slots, mut has_push_constants) = (Vec::new(), BTreeMap::new(), false);
        for shader in program {
            let mut module = self.module(shader).map_err(|errors| errors.to_string())?;
            change(&mut module);
            let interface = reflect(&module).map_err(|error| error.to_string())?;
            has_push_constants |= interface.reads_push_constants;
            for binding in &interface.bindings {
                let slot = |element| Slot { set: binding.set, binding: binding.binding, element };
                slots.extend((0..binding.count).map(|n| (slot(n), (binding.kind, binding.binding + n))));
            }
            modules.push(module);
        }
        let given = slots.iter().map(|(slot, (kind, number))| Some((*slot, given(stimulus, *kind, *number)?)));
        let given: Option<Resources> = given.collect();
        let mut resources = given.ok_or("the shader needs a resource that is not given")?;
        let push_constants = if has_push_constants { &stimulus.push_constants.bytes[..] } else { &[] };
        let targets = match &modules[..] {
            [module] => {
                let dispatch = Dispatch { module, groups: stimulus.inputs.workgroups, push_constants };
                self.device.dispatch(&dispatch, &mut resources).map(|()| Vec::new())
            }
            _ => draw::run(&self.device, program, &modules, push_constants, stimulus, &mut resources),
        };
        let targets = targets.map_err(|error| error.to_string())?;
        let (mut storage, mut images) = (stimulus.storage.clone(), stimulus.textures.images.clone());
        for (slot, (kind, number)) in slots {
            let image = images.get_mut(&Descriptor::Binding(number)).filter(|_| is_image(kind));
            match (resources.remove(&slot), image) {
                (Some(Resource::Buffer(bytes)), _) if kind == DescriptorKind::StorageBuffer => {
                    storage[number as usize] = Buffer::new(bytes);
                }
                (Some(Resource::TexelBuffer(_, bytes)), Some(image)) => image.levels = vec![Buffer::new(bytes)],
                (Some(Resource::Image(seen)), Some(image)) => {
                    image.levels = seen.levels.into_iter().map(Buffer::new).collect();
                }
                _ => {}
            }
        }
        Ok(written(storage, images, targets))
    }
}

/// The reason why results are undefined.
struct Undefined {
    why: String,
    /// Whether it is that branches depend on undefined values.
    is_condition: bool,
}

/// The results of the interpreter; `Err` has the reason if they are undefined.
fn expect(program: &[Shader], stimulus: &Stimulus, key: &Key) -> Result<Written, Undefined> {
    let [shader] = program else { return draw::expect(program, stimulus, key) };
    let Observation { outcome, storage, images, .. } = Observation::new(shader, stimulus, LIMITS);
    undefined_behaviour(outcome.faults.iter())?;
    Ok(written(storage, images, Vec::new()))
}

/// Fails with the first fault that makes the results undefined.
fn undefined_behaviour<'a>(faults: impl Iterator<Item = &'a Fault>) -> Result<(), Undefined> {
    let faults: Vec<&Fault> = faults.filter(|fault| fault.is_undefined_behaviour()).collect();
    let is_condition = faults.iter().all(|fault| fault.kind == FaultKind::UndefinedCondition);
    faults.first().map_or(Ok(()), |fault| Err(Undefined { why: fault.to_string(), is_condition }))
}

/// The resource of the descriptor of this kind and number.
fn given(stimulus: &Stimulus, kind: DescriptorKind, number: u32) -> Option<Resource> {
    let block = |blocks: &[Buffer]| Some(Resource::Buffer(blocks.get(number as usize)?.bytes.clone()));
    let (descriptor, textures) = (Descriptor::Binding(number), &stimulus.textures);
    match kind {
        DescriptorKind::StorageBuffer => block(&stimulus.storage),
        DescriptorKind::UniformBuffer => block(&stimulus.uniform),
        kind if is_image(kind) => convert::resource(textures.images.get(&descriptor)?, None).ok(),
        _ => {
            let Texture { image, sampler } = textures.textures.get(&descriptor)?;
            convert::resource(image, Some(sampler)).ok()
        }
    }
}

/// All memory that a program may have written, with names.
type Written = Vec<(String, Buffer)>;

fn written(storage: Vec<Buffer>, images: BTreeMap<Descriptor, Image>, targets: Vec<Buffer>) -> Written {
    let storage = storage.into_iter().enumerate().map(|(block, memory)| (format!("storage block {block}"), memory));
    let targets = targets.into_iter().enumerate().map(|(number, memory)| (format!("render target {number}"), memory));
    let images = images
        .into_iter()
        .flat_map(|(name, image)| image.levels.into_iter().map(move |level| (format!("image of {name}"), level)));
    storage.chain(images).chain(targets).collect()
}

/// The difference of a driver's results: bits differ, or a result on record is out of bounds.
fn difference(expected: &Written, found: &Written) -> Option<String> {
    let mut pairs = expected.iter().zip(found);
    let bits =
        pairs.find_map(|((name, a), (_, b))| Some(format!("{name}: {}", bytes_difference(a, b, has_other_value)?)));
    // Storage blocks come first, by number.
    bits.or_else(|| records::problem(&found.get(RECORDS_BLOCK as usize)?.1.bytes))
}

fn is_image(kind: DescriptorKind) -> bool {
    matches!(kind, DescriptorKind::StorageImage | DescriptorKind::StorageTexelBuffer)
}
