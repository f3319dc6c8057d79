// SPDX-License-Identifier: MIT

//! The measured shaders: each invocation adds up many vectors of a block, and stores one word.

use ntv::ir::{Builder, Def, PhiSrc, Shader, Stage};
use ntv::op::{AluOp, Index as Nir, Intrinsic};
use ntv_driver::headless::{Resource, Resources, Slot};

/// The number of invocations of a workgroup.
const GROUP: u32 = 64;
/// Loads in an iteration of the loop: enough that the loop itself does not matter, and that a compiler has too few registers to
/// load all of them once.
const LOADS: u32 = 32;
/// The factor of the number of an invocation that scatters the vectors.
const SCATTER: u32 = 2_654_435_769;
/// The fewest iterations of the loop, so that the start of an invocation does not matter.
const FEWEST_ITERATIONS: u32 = 16;
const MOST_ITERATIONS: u32 = 1 << 20;
/// The fewest workgroups, which is many for a CPU.
const FEWEST_GROUPS: u32 = 64;
/// The most, which is many for a GPU.
const MOST_GROUPS: u32 = 4096;
/// The most without a loop whose iterations could be increased: the limit that every device supports.
const MOST_GROUPS_STRAIGHT: u32 = 1 << 15;

/// The uniform block.
pub(crate) const BLOCK: u32 = 1;
const BLOCK_SLOT: Slot = Slot { set: 1, binding: BLOCK, element: 0 };
/// The number of iterations, which must be unknown to the driver's compiler.
const COUNT: Slot = Slot { set: 3, binding: 0, element: 0 };
/// A word of each invocation.
pub(crate) const OUTPUT: Slot = Slot { set: 3, binding: 1, element: 0 };

/// The dependence of the index of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    /// A constant, without a loop: a driver may derive there that all invocations are active.
    Straight,
    /// A constant.
    Constant,
    /// The iteration.
    Uniform,
    /// The iteration and the invocation.
    Divergent,
}

pub(crate) const INDICES: [Index; 4] = [Index::Straight, Index::Constant, Index::Uniform, Index::Divergent];

impl Index {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Index::Straight => "straight",
            Index::Constant => "constant",
            Index::Uniform => "uniform",
            Index::Divergent => "divergent",
        }
    }
}

/// A shader with its input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    /// The size of the block.
    pub(crate) bytes: u32,
    pub(crate) index: Index,
    iterations: u32,
    /// The number of workgroups of a dispatch.
    pub(crate) groups: u32,
    /// A number in the result. Another number makes another module, which is in no cache of the driver.
    pub(crate) salt: u32,
}

impl Subject {
    /// The smallest subject.
    pub(crate) fn new(bytes: u32, index: Index) -> Subject {
        let iterations = if index == Index::Straight { 1 } else { FEWEST_ITERATIONS };
        Subject { bytes, index, iterations, groups: FEWEST_GROUPS, salt: 0 }
    }

    /// Doubles the work, if possible with twice as many invocations. Returns false if that is not possible.
    pub(crate) fn double(&mut self) -> bool {
        let most_groups = if self.index == Index::Straight { MOST_GROUPS_STRAIGHT } else { MOST_GROUPS };
        if self.groups < most_groups {
            self.groups *= 2;
        } else if self.index != Index::Straight && self.iterations < MOST_ITERATIONS {
            self.iterations *= 2;
        } else {
            return false;
        }
        true
    }

    /// The number of loads of a dispatch.
    pub(crate) fn loads(self) -> u64 {
        u64::from(self.invocations()) * u64::from(self.iterations) * u64::from(LOADS)
    }

    fn invocations(self) -> u32 {
        self.groups * GROUP
    }

    fn vectors(self) -> u32 {
        self.bytes / 16
    }

    /// The distance in vectors from one load to the next: an odd number, because with a power of two only few lines of a cache
    /// would be used.
    fn step(self) -> u32 {
        match self.index {
            Index::Straight | Index::Constant => self.vectors() / LOADS - 1,
            Index::Uniform => 1,
            Index::Divergent => 5,
        }
    }

    /// The index of the vector of a load.
    fn vector(self, invocation: u32, iteration: u32, load: u32) -> u32 {
        let moving = (iteration * LOADS + load).wrapping_mul(self.step());
        match self.index {
            Index::Straight | Index::Constant => load * self.step(),
            Index::Uniform => moving % self.vectors(),
            Index::Divergent => moving.wrapping_add(invocation.wrapping_mul(SCATTER) >> 16) % self.vectors(),
        }
    }

    /// The block: words that differ from each other.
    fn block(self) -> Vec<u32> {
        (0..self.bytes / 4).map(|word| word.wrapping_mul(SCATTER) ^ word << 7).collect()
    }

    /// Whether some invocations, including the last, wrote the right word.
    pub(crate) fn is_right(self, output: &[u32]) -> bool {
        let block = self.block();
        let last = self.invocations() - 1;
        [0, last / 3, last].into_iter().all(|invocation| output[invocation as usize] == self.word(&block, invocation))
    }

    /// The right word of an invocation.
    fn word(self, block: &[u32], invocation: u32) -> u32 {
        let mut sum = [0u32; 4];
        for iteration in 0..self.iterations {
            for load in 0..LOADS {
                let at = 4 * self.vector(invocation, iteration, load) as usize;
                for (sum, word) in sum.iter_mut().zip(&block[at..]) {
                    *sum = sum.wrapping_add(*word) ^ iteration;
                }
            }
        }
        sum.into_iter().fold(self.salt, |all, word| all ^ word)
    }

    /// The shader.
    pub(crate) fn shader(self) -> Shader {
        let mut shader = Shader::default();
        shader.info.stage = Stage::Compute;
        shader.info.workgroup_size = [GROUP, 1, 1];
        (shader.info.num_ubos, shader.info.num_ssbos) = (BLOCK + 1, 2);
        shader.entry.push_str("main");
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let zero = b.imm32(0);
        let id = b.intrinsic(Intrinsic::load_global_invocation_id, 3, 32, &[]).def();
        let invocation = b.channel(id, 0);
        let word = [(Nir::align_mul, 4)];
        let count = b.intrinsic_with(Intrinsic::load_ssbo, 1, 32, &[zero, zero], &word).def();
        let scatter = b.imm32(SCATTER);
        let scattered = b.alu(AluOp::imul, &[invocation, scatter]);
        let scattered = b.ushr_imm(scattered, 16);
        let sum = match self.index {
            Index::Straight => {
                let nothing = b.constant(32, &[0; 4]);
                self.add_all(&mut b, (zero, scattered), nothing)
            }
            _ => self.add_in_loop(&mut b, count, scattered),
        };
        let salt = b.imm32(self.salt);
        let all = (0..4).fold(salt, |all, channel| {
            let channel = b.channel(sum, channel);
            b.alu(AluOp::ixor, &[all, channel])
        });
        let (place, output) = (b.ishl_imm(invocation, 2), b.imm32(OUTPUT.binding));
        let indices = [(Nir::write_mask, 1), (Nir::align_mul, 4)];
        b.intrinsic_with(Intrinsic::store_ssbo, 0, 0, &[all, output, place], &indices);
        shader
    }

    /// The sum after `count` iterations.
    fn add_in_loop(self, b: &mut Builder<'_>, count: Def, scattered: Def) -> Def {
        let (zero, nothing) = (b.imm32(0), b.constant(32, &[0; 4]));
        let before = b.current_block();
        b.begin_loop();
        let [no_iteration, no_sum] = [zero, nothing].map(|def| PhiSrc { pred: before, def });
        let iteration = b.phi(1, 32, &[no_iteration, no_iteration]);
        let sum = b.phi(4, 32, &[no_sum, no_sum]);
        let is_last = b.alu(AluOp::uge, &[iteration, count]);
        b.break_if(is_last);
        let added = self.add_all(b, (iteration, scattered), sum);
        let next = b.iadd_imm(iteration, 1);
        let end = b.current_block();
        b.set_phi_src(iteration, 1, PhiSrc { pred: end, def: next });
        b.set_phi_src(sum, 1, PhiSrc { pred: end, def: added });
        b.end_loop();
        sum
    }

    /// The sum after one more iteration.
    fn add_all(self, b: &mut Builder<'_>, numbers: (Def, Def), sum: Def) -> Def {
        (0..LOADS).fold(sum, |sum, load| self.add(b, numbers, load, sum))
    }

    /// Loads a vector and adds it to `sum`, in a way that a compiler cannot vectorize over iterations.
    fn add(self, b: &mut Builder<'_>, (iteration, scattered): (Def, Def), load: u32, sum: Def) -> Def {
        let offset = if matches!(self.index, Index::Straight | Index::Constant) {
            b.imm32(16 * self.vector(0, 0, load))
        } else {
            let step = b.imm32(LOADS * self.step());
            let mut vector = b.alu(AluOp::imul, &[iteration, step]);
            vector = b.iadd_imm(vector, u64::from(load * self.step()));
            if self.index == Index::Divergent {
                vector = b.iadd(vector, scattered);
            }
            vector = b.iand_imm(vector, u64::from(self.vectors() - 1));
            b.ishl_imm(vector, 4)
        };
        let block = b.imm32(BLOCK);
        let indices = [(Nir::align_mul, 16), (Nir::range, self.bytes)];
        let loaded = b.intrinsic_with(Intrinsic::load_ubo, 4, 32, &[block, offset], &indices).def();
        let added = b.iadd(sum, loaded);
        let salt = b.vec(&[iteration; 4]);
        b.alu(AluOp::ixor, &[added, salt])
    }

    /// The resources of the shader.
    pub(crate) fn resources(self) -> Resources {
        let buffer = |words: &[u32]| Resource::Buffer(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        Resources::from([
            (BLOCK_SLOT, buffer(&self.block())),
            (COUNT, buffer(&[self.iterations])),
            (OUTPUT, buffer(&vec![0; self.invocations() as usize])),
        ])
    }
}
