// SPDX-License-Identifier: MIT

//! The memory accesses of an instruction.

use anyhow::{ensure, Result};
use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory, OpAccess, Register, UsedMemory};
use nix::libc::user_regs_struct;

/// The length of the longest instruction.
pub(crate) const LONGEST: usize = 15;

/// An instruction at some address.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    /// Bytes of the instruction.
    pub(crate) len: u64,
    /// Whether it has a prefix that repeats it. A step is then one repetition.
    pub(crate) repeats: bool,
    /// The number of bytes that a repetition accesses.
    round: u64,
    accesses: Vec<UsedMemory>,
}

impl Decoded {
    /// Decodes the first instruction of `bytes`, which is at `address`.
    pub(crate) fn new(bytes: &[u8], address: u64) -> Result<Decoded> {
        let instruction = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
        ensure!(!instruction.is_invalid(), "no instruction at {address:#x}: {bytes:02x?}");
        let mut factory = InstructionInfoFactory::new();
        let used = factory.info(&instruction).used_memory().iter();
        let accesses = used.filter(|memory| memory.access() != OpAccess::NoMemAccess).copied().collect();
        let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        let repeats = repeats && instruction.is_string_instruction();
        let round = instruction.memory_size().size() as u64;
        Ok(Decoded { len: instruction.len() as u64, repeats, round, accesses })
    }

    /// The address and number of bytes of each access, from the registers before the instruction.
    pub(crate) fn accesses<'a>(&'a self, registers: &'a user_regs_struct) -> impl Iterator<Item = (u64, u64)> + 'a {
        self.accesses.iter().flat_map(move |memory| {
            let elements = usize::from(memory.vsib_size() == 0);
            // The number of bytes of all repetitions is in the registers.
            let size = match memory.memory_size().size() as u64 {
                0 => self.round.max(1),
                size => size,
            };
            // Addresses of vectors of offsets are not known here; the code of translations has no such instructions.
            let at = move |element| memory.virtual_address(element, |register, _, _| value(registers, register));
            (0..elements).filter_map(at).map(move |address| (address, size))
        })
    }
}

/// The value of `register`; for a segment register, the address of its segment.
fn value(registers: &user_regs_struct, register: Register) -> Option<u64> {
    let whole = match register.full_register() {
        Register::RAX => registers.rax,
        Register::RBX => registers.rbx,
        Register::RCX => registers.rcx,
        Register::RDX => registers.rdx,
        Register::RSI => registers.rsi,
        Register::RDI => registers.rdi,
        Register::RBP => registers.rbp,
        Register::RSP => registers.rsp,
        Register::R8 => registers.r8,
        Register::R9 => registers.r9,
        Register::R10 => registers.r10,
        Register::R11 => registers.r11,
        Register::R12 => registers.r12,
        Register::R13 => registers.r13,
        Register::R14 => registers.r14,
        Register::R15 => registers.r15,
        Register::RIP => registers.rip,
        Register::FS => registers.fs_base,
        Register::GS => registers.gs_base,
        Register::CS | Register::DS | Register::ES | Register::SS => 0,
        _ => return None,
    };
    // A 32-bit address uses the low half.
    Some(if register.is_gpr32() { whole & 0xffff_ffff } else { whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registers() -> user_regs_struct {
        user_regs_struct {
            r15: 0,
            r14: 0,
            r13: 0,
            r12: 0,
            rbp: 0,
            rbx: 0x2000,
            r11: 0,
            r10: 0,
            r9: 0,
            r8: 0,
            rax: 0xffff_ffff_0000_0010,
            rcx: 3,
            rdx: 0,
            rsi: 0x5000,
            rdi: 0x6000,
            orig_rax: 0,
            rip: 0x1000,
            cs: 0x33,
            eflags: 0,
            rsp: 0x8000,
            ss: 0x2b,
            fs_base: 0x7000,
            gs_base: 0,
            ds: 0,
            es: 0,
            fs: 0,
            gs: 0,
        }
    }

    fn accesses(bytes: &[u8]) -> Vec<(u64, u64)> {
        let mut found: Vec<_> = Decoded::new(bytes, 0x1000).unwrap().accesses(&registers()).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn operands_have_addresses() {
        // mov rdx, [rbx + 4*rcx + 8]
        assert_eq!(accesses(&[0x48, 0x8b, 0x54, 0x8b, 0x08]), [(0x2014, 8)]);
        // mov edx, [rip + 0x100], of seven bytes with an operand that is missing here: six.
        assert_eq!(accesses(&[0x8b, 0x15, 0x00, 0x01, 0x00, 0x00]), [(0x1106, 4)]);
        // mov edx, [eax]
        assert_eq!(accesses(&[0x67, 0x8b, 0x10]), [(0x10, 4)]);
        // vmovdqu ymm0, [rsi]
        assert_eq!(accesses(&[0xc5, 0xfe, 0x6f, 0x06]), [(0x5000, 32)]);
    }

    #[test]
    fn segments_have_bases() {
        // mov rax, fs:[0x28]
        assert_eq!(accesses(&[0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0]), [(0x7028, 8)]);
    }

    #[test]
    fn the_stack_counts() {
        // push rbx; pop rbx; call +0; ret
        assert_eq!(accesses(&[0x53]), [(0x7ff8, 8)]);
        assert_eq!(accesses(&[0x5b]), [(0x8000, 8)]);
        assert_eq!(accesses(&[0xe8, 0, 0, 0, 0]), [(0x7ff8, 8)]);
        assert_eq!(accesses(&[0xc3]), [(0x8000, 8)]);
    }

    #[test]
    fn addresses_alone_are_not_accesses() {
        // lea rdx, [rbx]; nop [rax]; prefetcht0 [rbx]
        assert_eq!(accesses(&[0x48, 0x8d, 0x13]), []);
        assert_eq!(accesses(&[0x0f, 0x1f, 0x00]), []);
        assert_eq!(accesses(&[0x0f, 0x18, 0x0b]), []);
    }

    #[test]
    fn a_round_of_a_repeated_instruction_is_one_access() {
        // rep movsb
        assert_eq!(accesses(&[0xf3, 0xa4]), [(0x5000, 1), (0x6000, 1)]);
        assert!(Decoded::new(&[0xf3, 0xa4], 0).unwrap().repeats);
        // rep stosq
        assert_eq!(accesses(&[0xf3, 0x48, 0xab]), [(0x6000, 8)]);
        // endbr64 and repz ret have the prefix, but do not repeat.
        assert!(!Decoded::new(&[0xf3, 0x0f, 0x1e, 0xfa], 0).unwrap().repeats);
        assert!(!Decoded::new(&[0xf3, 0xc3], 0).unwrap().repeats);
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(Decoded::new(&[0x06], 0x1000).unwrap_err().to_string().contains("no instruction at 0x1000"));
    }
}
