// SPDX-License-Identifier: MIT

//! Joins the lines of the workload with those of zink's probes.
//!
//! Both have the thread and times of the same clock. A probe belongs to the last draw that started before it: to the draw's own work if
//! it is on the same thread and starts before the draw ends; otherwise to the work that the draw leaves to other threads.

use anyhow::{ensure, Context, Result};

/// The kinds of probes, as `ffi/mesa/zink_ntvr_probes.h` describes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Finalize,
    Shader,
    Facts,
    Program,
    Deserialize,
    Lower,
    Instantiate,
    Load,
    Store,
    Translate,
    Wire,
    Ntv,
    Module,
    Pipeline,
    Library,
    Link,
}

impl Kind {
    const ALL: [(&'static str, Kind); 16] = [
        ("finalize", Kind::Finalize),
        ("shader", Kind::Shader),
        ("facts", Kind::Facts),
        ("program", Kind::Program),
        ("deserialize", Kind::Deserialize),
        ("lower", Kind::Lower),
        ("instantiate", Kind::Instantiate),
        ("load", Kind::Load),
        ("store", Kind::Store),
        ("translate", Kind::Translate),
        ("wire", Kind::Wire),
        ("ntv", Kind::Ntv),
        ("module", Kind::Module),
        ("pipeline", Kind::Pipeline),
        ("library", Kind::Library),
        ("link", Kind::Link),
    ];
    /// The kinds that create pipelines.
    pub(super) const PIPELINES: [Kind; 3] = [Kind::Pipeline, Kind::Library, Kind::Link];

    fn parse(name: &str) -> Result<Kind> {
        let found = Kind::ALL.iter().find(|(known, _)| *known == name);
        Ok(found.with_context(|| format!("no probe has the kind {name}"))?.1)
    }
}

/// A line of a probe. The times of probes within it are not a part of `cpu`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Event {
    pub(super) thread: u32,
    pub(super) kind: Kind,
    /// The abbreviation of the shader's stage, or `-`.
    pub(super) stage: String,
    pub(super) start: u64,
    /// The wall time, in nanoseconds.
    pub(super) wall: u64,
    /// The CPU time of the thread, in nanoseconds.
    pub(super) cpu: u64,
}

/// The phase of a line of the workload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// The draws that are not measured.
    First,
    Link,
    /// The most bytes that zink had for a program beyond those before it, in place of the CPU time.
    Peak,
    /// The bytes that zink holds for all programs, in place of the CPU time.
    Held,
    Draw,
}

/// A line of the workload: a program that is linked, or a draw.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Step {
    pub(super) phase: Phase,
    /// The number of the state among those of its program.
    pub(super) number: u32,
    pub(super) state: String,
    pub(super) thread: u32,
    pub(super) start: u64,
    pub(super) end: u64,
    /// The CPU time of the thread, in nanoseconds.
    pub(super) cpu: u64,
    /// The probes on its thread.
    pub(super) own: Vec<Event>,
    /// The other probes until the next step starts.
    pub(super) others: Vec<Event>,
}

impl Step {
    /// The CPU time of probes of these kinds on its thread.
    pub(super) fn cpu_of(&self, kinds: &[Kind]) -> u64 {
        self.own.iter().filter(|event| kinds.contains(&event.kind)).map(|event| event.cpu).sum()
    }

    /// The CPU time without the creation of pipelines.
    pub(super) fn cpu_without_pipelines(&self) -> u64 {
        self.cpu.saturating_sub(self.cpu_of(&Kind::PIPELINES))
    }

    /// The wall time without the creation of pipelines on its thread: it has the waits for other threads.
    pub(super) fn wall_without_pipelines(&self) -> u64 {
        let pipelines = self.own.iter().filter(|event| Kind::PIPELINES.contains(&event.kind));
        (self.end - self.start).saturating_sub(pipelines.map(|event| event.wall).sum())
    }

    /// The number of probes of these kinds on its thread.
    pub(super) fn count_own(&self, kinds: &[Kind]) -> usize {
        count(&self.own, kinds)
    }

    /// The number of probes of these kinds on all threads.
    pub(super) fn count(&self, kinds: &[Kind]) -> usize {
        count(&self.own, kinds) + count(&self.others, kinds)
    }
}

fn count(events: &[Event], kinds: &[Kind]) -> usize {
    events.iter().filter(|event| kinds.contains(&event.kind)).count()
}

/// The steps of the workload's table, after the line with the driver's name, with the events of the probes' table.
pub(super) fn read(steps: &str, events: &str) -> Result<Vec<Step>> {
    let mut steps: Vec<Step> = rows(steps, "phase").map(step).collect::<Result<_>>()?;
    ensure!(steps.is_sorted_by_key(|step| step.start), "the steps of the workload are not in order");
    let events: Vec<Event> = rows(events, "thread").map(event).collect::<Result<_>>()?;
    join(&mut steps, events);
    Ok(steps)
}

/// The quickest of several runs of each draw, with the other steps of the first run. The runs have the same steps. Links are not
/// chosen, because other threads work for one while the next one starts, so that only the sum of a run is its work.
pub(super) fn quickest(runs: Vec<Vec<Step>>) -> Result<Vec<Step>> {
    let mut runs = runs.into_iter();
    let mut best = runs.next().context("no runs")?;
    for run in runs {
        ensure!(run.len() == best.len(), "two runs of the workload have other numbers of steps");
        for (best, step) in best.iter_mut().zip(run) {
            ensure!(
                (best.phase, &best.state) == (step.phase, &step.state),
                "two runs of the workload have other steps"
            );
            if step.phase == Phase::Draw && step.cpu < best.cpu {
                *best = step;
            }
        }
    }
    Ok(best)
}

/// The cells of the lines after that with the names of the columns, of which `first` is the first.
fn rows<'a>(text: &'a str, first: &'a str) -> impl Iterator<Item = Vec<&'a str>> {
    let lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    lines.skip_while(move |cells| cells[0] != first).skip(1)
}

fn step(cells: Vec<&str>) -> Result<Step> {
    let [phase, _, _, number, state, thread, start, end, cpu] = cells[..] else {
        anyhow::bail!("a step has other columns")
    };
    let phase = match phase {
        "first" => Phase::First,
        "link" => Phase::Link,
        "peak" => Phase::Peak,
        "held" => Phase::Held,
        "draw" => Phase::Draw,
        _ => anyhow::bail!("no phase has the name {phase}"),
    };
    Ok(Step {
        phase,
        number: number.parse()?,
        state: state.into(),
        thread: thread.parse()?,
        start: start.parse()?,
        end: end.parse()?,
        cpu: cpu.parse()?,
        own: Vec::new(),
        others: Vec::new(),
    })
}

fn event(cells: Vec<&str>) -> Result<Event> {
    let [thread, kind, stage, start, _, wall, cpu] = cells[..] else { anyhow::bail!("a probe has other columns") };
    let stage = stage.into();
    // The CPU time may be negative by some nanoseconds, because two clocks are read one after the other.
    let cpu = cpu.parse::<i64>()?.max(0).unsigned_abs();
    Ok(Event {
        thread: thread.parse()?,
        kind: Kind::parse(kind)?,
        stage,
        start: start.parse()?,
        wall: wall.parse()?,
        cpu,
    })
}

/// Adds each event to its step. Those before the first step are dropped.
fn join(steps: &mut [Step], events: Vec<Event>) {
    for event in events {
        let after = steps.partition_point(|step| step.start <= event.start);
        let Some(step) = after.checked_sub(1).map(|at| &mut steps[at]) else { continue };
        match event.thread == step.thread && event.start <= step.end {
            true => step.own.push(event),
            false => step.others.push(event),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &str = "zink\nphase\tprogram\ttemplate\tnumber\tstate\tthread\tstart_ns\tend_ns\tcpu_ns\n\
        link\t0\tcolours\t0\t-\t7\t100\t200\t90\n\
        draw\t0\tcolours\t0\tdefault\t7\t300\t400\t80\n\
        draw\t0\tcolours\t1\tflat shading\t7\t500\t600\t70\n";
    const HEAD: &str = "thread\tkind\tstage\tstart_ns\tend_ns\twall_ns\tcpu_ns\n";

    fn steps(events: &str) -> Vec<Step> {
        read(STEPS, &format!("{HEAD}{events}")).unwrap()
    }

    #[test]
    fn an_event_on_the_thread_of_a_draw_is_its_own() {
        let steps = steps("7\ttranslate\tFS\t310\t350\t40\t30\n7\tpipeline\t-\t360\t390\t30\t20\n");
        let draw = &steps[1];
        assert_eq!((draw.own.len(), draw.others.len()), (2, 0));
        assert_eq!((draw.cpu_of(&[Kind::Translate]), draw.cpu_without_pipelines()), (30, 60));
        assert_eq!((steps[0].count(&[Kind::Translate]), steps[2].count(&[Kind::Translate])), (0, 0));
    }

    #[test]
    fn an_event_of_another_thread_or_after_the_draw_is_not_its_own() {
        let steps = steps("8\ttranslate\tVS\t310\t350\t40\t30\n7\ttranslate\tVS\t450\t460\t10\t10\n");
        let draw = &steps[1];
        assert_eq!((draw.count_own(&[Kind::Translate]), draw.count(&[Kind::Translate])), (0, 2));
        assert_eq!(draw.cpu_of(&[Kind::Translate]), 0);
    }

    #[test]
    fn events_at_the_ends_of_a_draw_are_its_own() {
        let steps = steps("7\tmodule\tVS\t500\t510\t10\t10\n7\tmodule\tFS\t600\t610\t10\t10\n");
        assert_eq!(steps[2].count_own(&[Kind::Module]), 2);
    }

    #[test]
    fn events_are_written_when_they_end_and_joined_by_their_start() {
        // The inner probe ends first, and the event before the first step is of none.
        let steps =
            steps("7\twire\tFS\t320\t330\t10\t10\n7\ttranslate\tFS\t310\t350\t30\t30\n7\tshader\tVS\t50\t60\t10\t-3\n");
        let kinds: Vec<Kind> = steps[1].own.iter().map(|event| event.kind).collect();
        assert_eq!(kinds, [Kind::Wire, Kind::Translate]);
        assert_eq!(steps.iter().map(|step| step.own.len() + step.others.len()).sum::<usize>(), 2);
    }

    #[test]
    fn the_quickest_run_of_each_step_counts() {
        let (mut a, mut b) = (steps(""), steps("7\ttranslate\tFS\t310\t350\t40\t30\n"));
        (a[2].cpu, b[1].cpu, b[0].cpu) = (60, 70, 10);
        let best = quickest(vec![a.clone(), b.clone()]).unwrap();
        assert_eq!(best.iter().map(|step| step.cpu).collect::<Vec<_>>(), [90, 70, 60]);
        assert_eq!(best[1].own.len(), 1);
        b[1].state = "quads".into();
        assert!(quickest(vec![a.clone(), b]).is_err());
        assert!(quickest(vec![a, steps("")[1..].to_vec()]).is_err());
    }

    #[test]
    fn unknown_kinds_columns_and_orders_are_errors() {
        assert!(read(STEPS, &format!("{HEAD}7\tnothing\tFS\t320\t330\t10\t10\n")).is_err());
        assert!(read(STEPS, &format!("{HEAD}7\twire\tFS\t320\n")).is_err());
        assert!(read(&STEPS.replace("500", "250"), HEAD).is_err());
    }
}
