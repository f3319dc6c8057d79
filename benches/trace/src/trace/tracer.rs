// SPDX-License-Identifier: MIT

//! Steps through the translations of a program and of all processes that it starts.

use super::functions::Functions;
use super::image::Images;
use super::log;
use super::process::{Process, Spot};
use super::run::Outputs;
use super::translation::Part;
use anyhow::{bail, Context, Result};
use nix::libc::{self, user_regs_struct};
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{waitpid, WaitPidFlag, WaitStatus};
use nix::unistd::Pid;
use std::collections::HashMap;

/// A traced thread.
#[derive(Clone, Copy, Default)]
struct Thread {
    /// The address of a breakpoint that the thread steps over, which must be inserted again.
    lifted: Option<u64>,
    /// The call in which it is.
    call: Option<Call>,
}

/// A call that is stepped through.
#[derive(Clone, Copy)]
struct Call {
    part: Part,
    /// Its return address.
    back: u64,
    /// The stack pointer at its start.
    stack: u64,
}

/// Traces a program and all processes that it starts.
pub(crate) struct Tracer<'a> {
    main: Pid,
    outputs: &'a Outputs,
    threads: HashMap<Pid, Thread>,
    /// The process of each thread.
    owners: HashMap<Pid, Pid>,
    processes: HashMap<Pid, Process>,
    images: Images,
    functions: Functions,
}

impl Tracer<'_> {
    /// Traces the process `main` until it ends, and returns its exit status. It has requested to be traced, and is about to start
    /// a program.
    pub(crate) fn watch(main: Pid, outputs: &Outputs) -> Result<u8> {
        let mut tracer = Tracer {
            main,
            outputs,
            threads: HashMap::new(),
            owners: HashMap::new(),
            processes: HashMap::new(),
            images: Images::default(),
            functions: Functions::default(),
        };
        let status = tracer.begin().and_then(|()| tracer.listen())?;
        if let Some(file) = &outputs.functions {
            tracer.functions.save(file)?;
        }
        Ok(status)
    }

    fn begin(&mut self) -> Result<()> {
        let status = waitpid(self.main, None)?;
        let WaitStatus::Stopped(_, Signal::SIGTRAP) = status else { bail!("the program did not start: {status:?}") };
        let options = Options::PTRACE_O_EXITKILL
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK
            | Options::PTRACE_O_TRACEEXEC;
        ptrace::setoptions(self.main, options)?;
        self.start_program(self.main)?;
        Ok(self.resume(self.main, None)?)
    }

    /// Handles events until the first process ends.
    fn listen(&mut self) -> Result<u8> {
        loop {
            let status = waitpid(None, Some(WaitPidFlag::__WALL))?;
            match status {
                WaitStatus::Exited(id, _) | WaitStatus::Signaled(id, ..) => {
                    self.gone(id)?;
                    if id == self.main {
                        return Ok(exit_status(status));
                    }
                }
                _ => match self.stopped(status) {
                    // The process was killed meanwhile; another event will report it.
                    Err(_) if status.pid().is_some_and(has_ended) => {}
                    other => other.with_context(|| format!("after {status:?}"))?,
                },
            }
        }
    }

    fn stopped(&mut self, status: WaitStatus) -> Result<()> {
        match status {
            WaitStatus::PtraceEvent(id, _, libc::PTRACE_EVENT_EXEC) => {
                self.start_program(id)?;
                Ok(self.resume(id, None)?)
            }
            WaitStatus::PtraceEvent(id, ..) => Ok(self.resume(id, None)?),
            WaitStatus::Stopped(id, signal) if !self.threads.contains_key(&id) => {
                self.adopt(id)?;
                // The first stop of a new thread or process is not a signal from a process.
                Ok(self.resume(id, Some(signal).filter(|signal| *signal != Signal::SIGSTOP))?)
            }
            WaitStatus::Stopped(id, Signal::SIGTRAP) => self.trapped(id),
            WaitStatus::Stopped(id, signal) => Ok(self.resume(id, Some(signal))?),
            _ => Ok(()),
        }
    }

    /// Adds the new thread `id`.
    fn adopt(&mut self, id: Pid) -> Result<()> {
        let [owner, parent] = relatives(id)?;
        self.threads.insert(id, Thread::default());
        self.owners.insert(id, owner);
        if !self.processes.contains_key(&owner) {
            let parent = self.processes.get(&parent).with_context(|| format!("the parent of {owner} is not traced"))?;
            self.processes.insert(owner, parent.fork(owner)?);
        }
        Ok(())
    }

    /// Handles the start of a program, after which the thread `id` is the only one of its process.
    fn start_program(&mut self, id: Pid) -> Result<()> {
        self.flush(id)?;
        self.threads.insert(id, Thread::default());
        self.owners.insert(id, id);
        self.processes.insert(id, Process::new(id, &mut self.images)?);
        Ok(())
    }

    /// Removes the thread `id`, which has ended.
    fn gone(&mut self, id: Pid) -> Result<()> {
        self.threads.remove(&id);
        self.owners.remove(&id);
        self.flush(id)?;
        self.processes.remove(&id);
        Ok(())
    }

    /// Writes the last shader of the process `id`.
    fn flush(&mut self, id: Pid) -> Result<()> {
        let shader = self.processes.get_mut(&id).and_then(|process| process.shader.take());
        let Some(shader) = shader else { return Ok(()) };
        // The first shader of a process includes one-time initialization.
        if shader.before > 0 {
            shader.done().for_each(|(translator, translation)| self.functions.add(translator, translation));
        }
        log::write(&self.outputs.log, self.outputs.zink.as_ref(), &shader)
    }

    /// Handles a step of the thread `id`, or a breakpoint that it has reached.
    fn trapped(&mut self, id: Pid) -> Result<()> {
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        let owner = self.owners.get(&id).copied().unwrap_or(id);
        let process = self.processes.get_mut(&owner).context("a thread without process")?;
        let mut registers = ptrace::getregs(id)?;
        let lifted = thread.lifted.take();
        if let Some(address) = lifted {
            process.breakpoints.plant(&process.memory, address)?;
        }
        if thread.call.is_some() {
            return self.step(id, owner, &registers);
        }
        if lifted.is_some() {
            return Ok(self.resume(id, None)?);
        }
        let address = registers.rip.wrapping_sub(1);
        let Some(spot) = process.breakpoints.at(address) else {
            return Ok(self.resume(id, Some(Signal::SIGTRAP))?);
        };
        registers.rip = address;
        ptrace::setregs(id, registers)?;
        self.arrived(id, owner, spot, &registers)
    }

    /// Handles a breakpoint of the thread `id` of the process `owner`.
    fn arrived(&mut self, id: Pid, owner: Pid, spot: Spot, registers: &user_regs_struct) -> Result<()> {
        if spot == Spot::Shader {
            self.flush(owner)?;
        }
        let process = self.processes.get_mut(&owner).context("a thread without process")?;
        let thread = self.threads.entry(id).or_default();
        match spot {
            Spot::Libraries => process.look_for_driver(&mut self.images)?,
            Spot::Shader => drop(process.next_shader()),
            Spot::Part(part) => {
                let back = process.enter(part, registers, &mut self.images)?;
                thread.call = back.map(|back| Call { part, back, stack: registers.rsp });
                if thread.call.is_some() {
                    return self.step(id, owner, registers);
                }
            }
        }
        process.breakpoints.lift(&process.memory, registers.rip)?;
        thread.lifted = Some(registers.rip);
        Ok(ptrace::step(id, None)?)
    }

    /// Counts a step in a call, or leaves the call.
    fn step(&mut self, id: Pid, owner: Pid, registers: &user_regs_struct) -> Result<()> {
        let process = self.processes.get_mut(&owner).context("a thread without process")?;
        let thread = self.threads.entry(id).or_default();
        let Some(call) = thread.call else { return Ok(()) };
        if registers.rip == call.back && registers.rsp > call.stack {
            process.leave(call.part);
            thread.call = None;
            return Ok(self.resume(id, None)?);
        }
        process.execute(call.part, registers, &mut self.images)?;
        if process.breakpoints.at(registers.rip).is_some() {
            process.breakpoints.lift(&process.memory, registers.rip)?;
            thread.lifted = Some(registers.rip);
        }
        Ok(ptrace::step(id, None)?)
    }

    /// Continues the thread `id` to the next event.
    fn resume(&self, id: Pid, signal: Option<Signal>) -> nix::Result<()> {
        match self.threads.get(&id) {
            Some(Thread { lifted: None, call: None }) | None => ptrace::cont(id, signal),
            Some(_) => ptrace::step(id, signal),
        }
    }
}

/// Whether the thread does not exist any more, or is a zombie.
fn has_ended(id: Pid) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let state = status.lines().find_map(|line| line.strip_prefix("State:"));
    state.is_none_or(|state| state.trim_start().starts_with(['Z', 'X']))
}

/// The process of the thread `id`, and its parent.
fn relatives(id: Pid) -> Result<[Pid; 2]> {
    let text = std::fs::read_to_string(format!("/proc/{id}/status"))?;
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let number = line.and_then(|line| line.trim().parse().ok());
        number.map(Pid::from_raw).with_context(|| format!("{id} has no {name}"))
    };
    Ok([number("Tgid")?, number("PPid")?])
}

/// The exit status in a shell.
fn exit_status(status: WaitStatus) -> u8 {
    match status {
        WaitStatus::Exited(_, code) => code as u8,
        WaitStatus::Signaled(_, signal, _) => 128 + signal as u8,
        _ => 1,
    }
}
