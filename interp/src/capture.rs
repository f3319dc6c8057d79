// SPDX-License-Identifier: MIT

//! The words of the outputs that transform feedback captures: by slot, by store, and of variables that are captured as a whole.

use crate::slot::Slot;
use crate::{Bits, Outputs};
use ntv::analysis::output_words::OutputWords;
use ntv::ir::{Capture, Shader, Variable, XfbOutput, XfbRow};
use ntv::op::names::{IoSemantics, IoXfb};
use ntv::op::{Index, Intrinsic};
use std::collections::BTreeMap;

/// A captured word and its position in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The output.
    pub slot: Slot,
    /// Its component.
    pub component: usize,
    /// The stream whose vertices are captured.
    pub stream: u32,
    /// The buffer.
    pub buffer: usize,
    /// The number of bytes of a vertex in the buffer.
    pub stride: usize,
    /// The offset in bytes from the start of the vertex.
    pub offset: usize,
}

impl Captured {
    /// The captured words of `shader`.
    pub fn of(shader: &Shader) -> Vec<Captured> {
        let mut all: Vec<Captured> = shader.xfb_info.rows().flat_map(of_row).collect();
        // Information about the whole shader takes precedence over stores.
        if all.is_empty() {
            all = of_stores(shader);
        }
        let outputs = OutputWords::new(shader, |variable| variable.capture.map(|_| first_slot(variable)));
        all.extend(outputs.of_captured(shader).map(|(((slot, component), source), capture, offset)| {
            let Capture { buffer, stride, .. } = capture;
            let [buffer, stride, offset] = [buffer, stride, offset].map(|number| number as usize);
            let stream = shader.vars[source.var].stream;
            Captured { slot: Slot::new(*slot), component: usize::from(*component), stream, buffer, stride, offset }
        }));
        all
    }

    /// The word of a vertex with these outputs.
    pub fn word(&self, vertex: &Outputs) -> Bits {
        vertex.get(&self.slot).map_or(Bits::undef(32), |words| words[self.component])
    }

    /// The words of `captured` that a vertex of `stream` has, by buffer and offset.
    pub fn words(captured: &[Captured], vertex: &Outputs, stream: u32) -> BTreeMap<(usize, usize), Bits> {
        let written = captured.iter().filter(|word| word.stream == stream);
        written.map(|word| ((word.buffer, word.offset), word.word(vertex))).collect()
    }
}

/// Slots of outputs without a slot of NIR, such as copies that exist only to be captured, begin here: they have Locations.
const UNNAMED: u32 = 1 << 31;

/// The first slot of an output.
pub(crate) fn first_slot(variable: &Variable) -> u32 {
    variable.location.unwrap_or(UNNAMED.saturating_add(variable.driver_location))
}

fn of_row(row: XfbRow) -> impl Iterator<Item = Captured> {
    let XfbRow { buffer, output: XfbOutput { location, component, num_components, offset, .. } } = row;
    (0..num_components.min(4 - component.min(4))).map(move |c| Captured {
        slot: Slot::new(location),
        component: usize::from(component + c),
        stream: buffer.stream,
        buffer: row.output.buffer as usize,
        stride: buffer.stride as usize,
        offset: offset as usize + 4 * usize::from(c),
    })
}

fn of_stores(shader: &Shader) -> Vec<Captured> {
    let mut all = Vec::new();
    for inst in &shader.order {
        if !matches!(shader.as_intrinsic(*inst), Some((Intrinsic::store_output, _))) {
            continue;
        }
        let io = IoSemantics::unpack(shader.index(*inst, Index::io_semantics));
        let halves = [Index::io_xfb, Index::io_xfb2].map(|index| IoXfb::unpack(shader.index(*inst, index)));
        for (first, out) in halves.iter().flat_map(|half| half.out).enumerate() {
            let buffer = usize::from(out.buffer);
            let stride = shader.info.xfb_stride.get(buffer).map_or(0, |words| words.saturating_mul(4) as usize);
            all.extend((0..usize::from(out.num_components).min(4 - first)).map(|i| Captured {
                slot: Slot::new(io.location),
                component: first + i,
                stream: u32::from(io.gs_streams >> (2 * (first + i)) & 3),
                buffer,
                stride,
                offset: 4 * (usize::from(out.offset) + i),
            }));
        }
    }
    all
}
