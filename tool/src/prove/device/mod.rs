// SPDX-License-Identifier: MIT

//! Runs of modules that differ on a Vulkan device.
//!
//! A compute shader runs as it is. A vertex shader draws a point, and transform feedback captures the output that differs. A geometry or
//! tessellation evaluation shader draws a primitive or a patch, and a fragment shader covers four pixels: a shader that is made for it
//! gives it the inputs. What a driver makes of a draw, such as the
//! number of a vertex, is that of the draw: so inputs are sought again for which the sides differ.

mod capture;
mod draw;
mod feeder;
mod interface;
mod primitives;

use super::witness::Case;
use crate::run::device;
use crate::validate;
use crate::words::to_bytes;
use anyhow::{Error, Result};
use draw::{Draw, Value};
use interface::{Interface, Variable};
use ntv::ir::Stage;
use ntv::{Shader, Target};
use ntv_driver::headless::Device;
use ntv_prove::witness::{self, Cell, Changed, Place, Witness};
use ntv_report::run::inputs::{Inputs, Slot};
use ntv_report::run::Ran;
use std::sync::{Mutex, PoisonError};

/// A device, which runs one module after the other.
pub(super) struct Judge(Mutex<Device>);

/// The inputs that are tried for a draw.
const TRIALS: u64 = 32;

/// The draws that are run until one gives what the module gives.
const MOST_DRAWS: usize = 8;

/// What a device showed.
pub(super) struct Shown {
    /// Inputs that a draw can have, for which the sides differ, if the others are not such.
    pub(super) witness: Option<Box<Witness>>,
    /// The side that the device agrees with; `None` if it gives neither what the NIR gives nor what the module's terms give.
    pub(super) side: Side,
}

impl Judge {
    pub(super) fn open(name: &str, validation: bool) -> Result<Judge> {
        Ok(Judge(Mutex::new(device::open(name, validation)?)))
    }

    /// Runs the module that differs.
    ///
    /// # Errors
    /// The reason why the device cannot tell.
    pub(super) fn ask(
        &self,
        (shader, target): (&Shader, &Target),
        words: &[u32],
        witness: &Witness,
    ) -> Result<Shown, String> {
        if !witness.confirmed {
            return Err("the interpreter does not confirm the difference".to_owned());
        }
        // A driver may crash on a module that is not valid.
        validate::module(&to_bytes(words), target).map_err(reason)?;
        let device = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let run = Run { device: &device, shader, words };
        match shader.stage() {
            stage if stage.is_compute() => Ok(Shown { witness: None, side: run.dispatch(witness)? }),
            Stage::Vertex | Stage::TessEval | Stage::Geometry | Stage::Fragment => run.draws(target, witness),
            stage => Err(format!("it does not run one shader of {}", stage.name())),
        }
    }
}

/// A module that runs.
struct Run<'a> {
    device: &'a Device,
    shader: &'a Shader,
    words: &'a [u32],
}

/// A side of a difference.
type Side = Option<&'static str>;

impl Run<'_> {
    fn dispatch(&self, witness: &Witness) -> Result<Side, String> {
        let Some(Place::Block(changed)) = &witness.place else {
            return Err("what differs is not in the known words of a storage block".to_owned());
        };
        // Only one invocation is proved. Others of its workgroup may change more.
        let is_alone = self.shader.info.workgroup_size == [1; 3] && !self.shader.info.workgroup_size_variable;
        let (case, given) = self.case(witness)?;
        let ran = device::run_modules(self.device, &[self.words.to_vec()], &given).map_err(reason)?;
        side_of_block(&case, (&given, &ran), changed, is_alone)
    }

    /// Draws until the device gives what the module gives: drivers may take a denormal for 0, and then both sides are alike.
    fn draws(&self, target: &Target, first: &Witness) -> Result<Shown, String> {
        let stage = self.shader.stage();
        let seeds = (0..TRIALS).map(|seed| witness::stimulus(self.shader, seed));
        let inputs = [first.stimulus.clone()].into_iter().chain(seeds);
        let (interface, draws) = (&Interface::read(self.words)?, Draw::all(stage, &Interface::read(self.words)?));
        let inputs = inputs.flat_map(|stimulus| draws.iter().map(move |draw| (stimulus.clone(), *draw)));
        let differing = inputs.filter_map(|(mut stimulus, draw)| {
            draw.fit(stage, &mut stimulus.inputs);
            let found = witness::with_inputs(self.shader, target, self.words, stimulus)?;
            found.place.is_some().then_some((found, draw))
        });
        let mut shown = Err("no inputs that a draw can have show the difference in a number".to_owned());
        for (witness, draw) in differing.take(MOST_DRAWS) {
            match (self.draw((interface, target), &witness, &draw), &shown) {
                (Ok(side), Err(_) | Ok(Shown { side: None, .. })) => shown = Ok(Shown { witness: Some(witness), side }),
                (Ok(side @ Some(MODULE)), Ok(_)) => shown = Ok(Shown { witness: Some(witness), side }),
                (Ok(_), Ok(_)) => {}
                // Another draw would fail, too.
                (Err(reason), _) => return shown.map_err(|_| reason),
            }
            if matches!(shown, Ok(Shown { side: Some(MODULE), .. })) {
                break;
            }
        }
        shown
    }

    fn draw(&self, (interface, target): (&Interface, &Target), witness: &Witness, draw: &Draw) -> Result<Side, String> {
        let (case, given) = self.case(witness)?;
        let place = witness.place.as_ref().ok_or("what differs is not a number")?;
        let cell = if let Place::Output(cell) = place { Some(cell) } else { None };
        let mut inputs = witness::numbers_of_inputs(self.shader, target, &witness.stimulus);
        let mut number = |it: &Variable, vertex, cell| {
            inputs(witness::Input { builtin: it.builtin, is_patch: it.is_patch, vertex, cell })
        };
        let drawn = draw.run(self.device, (self.shader.stage(), interface), (&given, &mut number), cell)?;
        Ok(match place {
            Place::Block(changed) => {
                let is_alone = self.shader.stage() == Stage::Vertex;
                return side_of_block(&case, (&given, &drawn.ran), changed, is_alone);
            }
            Place::Discarded(expected) if drawn.is_discarded => Some(if *expected { NIR } else { MODULE }),
            Place::Discarded(expected) => Some(if *expected { MODULE } else { NIR }),
            Place::Output(cell) => side_of_cell(cell, &drawn.values),
        })
    }

    /// The shader with the inputs of a difference, and these inputs.
    fn case(&self, witness: &Witness) -> Result<(Case<'_>, Inputs), String> {
        let case = Case::new(self.shader, &witness.stimulus)?;
        let given = case.whole()?;
        match case.observed.has_race() {
            true => Err("the results depend on the order of invocations".to_owned()),
            false => Ok((case, given)),
        }
    }
}

const NIR: &str = "the NIR";
const MODULE: &str = "the module";

/// The side that the numbers of an output are of: they have its number, but not that of the other one.
fn side_of_cell(cell: &Cell, values: &[Value]) -> Side {
    let has = |other: u32| {
        values.iter().any(|Value { bits, is_float }| {
            let nan = [*bits, other].into_iter().all(|bits| f32::from_bits(bits).is_nan());
            *bits == other || (*is_float && nan)
        })
    };
    // An undefined number may be any.
    let is_found = |expected: bool| cell.found.map_or(!expected && !values.is_empty(), has);
    match has(cell.expected) {
        true if !is_found(true) => Some(NIR),
        false if is_found(false) => Some(MODULE),
        _ => None,
    }
}

/// The side that all buffers and images, or the words of the block that the module's terms changed, are of.
fn side_of_block(
    case: &Case<'_>,
    (given, ran): (&Inputs, &Ran),
    changed: &Changed,
    is_alone: bool,
) -> Result<Side, String> {
    if !is_alone && changed.words.values().all(Option::is_none) {
        return Err("the module's terms write nothing that is known".to_owned());
    }
    let [set, binding, element] = changed.block;
    let slot = Slot { set, binding, element };
    let number = given.buffers.iter().position(|row| row.0 == slot);
    let number = number.ok_or("the NIR does not have the storage block that differs")?;
    let [before, after] = [&given.buffers[number].1.bytes, &ran.buffers[number]].map(|bytes| bytes.chunks_exact(4));
    let mut words = (0..).step_by(4).zip(before.zip(after));
    let has_word = |(at, (before, after)): (u64, (&[u8], &[u8]))| match changed.words.get(&at) {
        Some(word) => word.is_none_or(|word| after == word.to_le_bytes()),
        None => !is_alone || after == before,
    };
    Ok(match () {
        () if case.has_memory(given, ran) => Some(NIR),
        () if words.all(has_word) => Some(MODULE),
        () => None,
    })
}

fn reason(error: Error) -> String {
    format!("{error:#}")
}
