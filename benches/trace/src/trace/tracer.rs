//! Steps through the translations of a program and of all that it starts.

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

/// A thread that is watched.
#[derive(Clone, Copy, Default)]
struct Thread {
    /// Where it steps over a breakpoint, which is to be put back.
    lifted: Option<u64>,
    /// Where in a translation it is.
    call: Option<Call>,
}

/// A call that is stepped through.
#[derive(Clone, Copy)]
struct Call {
    part: Part,
    /// Where it returns to.
    back: u64,
    /// The stack pointer when it began.
    stack: u64,
}

/// Watches a program and all that it starts.
pub(crate) struct Tracer<'a> {
    main: Pid,
    outputs: &'a Outputs,
    threads: HashMap<Pid, Thread>,
    /// Of each thread.
    owners: HashMap<Pid, Pid>,
    processes: HashMap<Pid, Process>,
    images: Images,
    functions: Functions,
}

impl Tracer<'_> {
    /// Watches the process `main` until it ends, and gives its exit status. It asked to be traced, and is about to start a
    /// program.
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

    /// Lets all go on until the first process ends.
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
                    // Somebody killed it meanwhile; that will be heard of.
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
                // A new thread or process begins with a stop that nobody sent.
                Ok(self.resume(id, Some(signal).filter(|signal| *signal != Signal::SIGSTOP))?)
            }
            WaitStatus::Stopped(id, Signal::SIGTRAP) => self.trapped(id),
            WaitStatus::Stopped(id, signal) => Ok(self.resume(id, Some(signal))?),
            _ => Ok(()),
        }
    }

    /// The thread `id` is there.
    fn adopt(&mut self, id: Pid) -> Result<()> {
        let [owner, parent] = relatives(id)?;
        self.threads.insert(id, Thread::default());
        self.owners.insert(id, owner);
        if !self.processes.contains_key(&owner) {
            let parent =
                self.processes.get(&parent).with_context(|| format!("{owner} has no parent that is watched"))?;
            self.processes.insert(owner, parent.fork(owner)?);
        }
        Ok(())
    }

    /// The thread `id` is the only one of a process that has just started a program.
    fn start_program(&mut self, id: Pid) -> Result<()> {
        self.flush(id)?;
        self.threads.insert(id, Thread::default());
        self.owners.insert(id, id);
        self.processes.insert(id, Process::new(id, &mut self.images)?);
        Ok(())
    }

    /// The thread `id` has ended.
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
        // The first of a process shows what is made once.
        if shader.before > 0 {
            shader.done().for_each(|(translator, translation)| self.functions.add(translator, translation));
        }
        log::write(&self.outputs.log, self.outputs.zink.as_ref(), &shader)
    }

    /// The thread `id` made a step, or is behind a breakpoint.
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

    /// The thread `id` of the process `owner` came to a breakpoint.
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

    /// Makes a step in a call, or leaves it.
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

    /// Lets the thread `id` go on as far as it goes.
    fn resume(&self, id: Pid, signal: Option<Signal>) -> nix::Result<()> {
        match self.threads.get(&id) {
            Some(Thread { lifted: None, call: None }) | None => ptrace::cont(id, signal),
            Some(_) => ptrace::step(id, signal),
        }
    }
}

/// Whether there is no such thread any more, or none that does anything.
fn has_ended(id: Pid) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let state = status.lines().find_map(|line| line.strip_prefix("State:"));
    state.is_none_or(|state| state.trim_start().starts_with(['Z', 'X']))
}

/// The process of the thread `id`, and that one's parent.
fn relatives(id: Pid) -> Result<[Pid; 2]> {
    let text = std::fs::read_to_string(format!("/proc/{id}/status"))?;
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let number = line.and_then(|line| line.trim().parse().ok());
        number.map(Pid::from_raw).with_context(|| format!("{id} has no {name}"))
    };
    Ok([number("Tgid")?, number("PPid")?])
}

/// What a shell would say.
fn exit_status(status: WaitStatus) -> u8 {
    match status {
        WaitStatus::Exited(_, code) => code as u8,
        WaitStatus::Signaled(_, signal, _) => 128 + signal as u8,
        _ => 1,
    }
}
