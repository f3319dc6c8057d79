// SPDX-License-Identifier: MIT

//! The tables of the first draws.

use super::join::{Kind, Phase, Step};
use super::Run;
use std::collections::BTreeMap;

/// The parts of a first draw, with the probes that each consists of.
const PARTS: [(&str, &[Kind]); 10] = [
    ("new shaders", &[Kind::Shader, Kind::Facts]),
    ("new programs", &[Kind::Program]),
    ("lowering of variants", &[Kind::Deserialize, Kind::Lower]),
    ("translation", &[Kind::Translate, Kind::Wire, Kind::Ntv]),
    ("of which wire", &[Kind::Wire]),
    ("of which ntv", &[Kind::Ntv]),
    ("variants of modules", &[Kind::Instantiate]),
    ("disk cache", &[Kind::Load, Kind::Store]),
    ("modules", &[Kind::Module]),
    ("pipelines", &Kind::PIPELINES),
];

/// The stages, as probes abbreviate them.
const STAGES: [&str; 5] = ["VS", "TCS", "TES", "GS", "FS"];

/// A line of a table of Markdown.
fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The head of a table, whose first columns are text and whose others are numbers.
fn head(texts: &[&str], numbers: &[&str]) -> String {
    let cells: Vec<String> = texts.iter().chain(numbers).map(ToString::to_string).collect();
    let rule: Vec<String> =
        texts.iter().map(|_| "---".into()).chain(numbers.iter().map(|_| "---:".to_string())).collect();
    line(&cells) + &line(&rule)
}

fn draws(run: &Run) -> impl Iterator<Item = &Step> {
    run.steps.iter().filter(|step| step.phase == Phase::Draw)
}

/// The value of a list below which `percent` of 100 values are, in microseconds.
fn percentile(mut times: Vec<u64>, percent: usize) -> f64 {
    times.sort_unstable();
    let at = (times.len() * percent).div_ceil(100).saturating_sub(1);
    times.get(at).copied().unwrap_or_default() as f64 / 1000.0
}

/// The counts of work for a program, and the times of its first draws: one line for each run. In lines of ntv, times have the ratio
/// to the last line of C before it.
pub(super) fn overview(runs: &[Run]) -> String {
    let numbers = [
        "states",
        "first draws",
        "translations for a program: linked",
        "drawn",
        "drawn, other threads",
        "pipelines for a program, drawn",
        "draw, us: median",
        "p99",
        "without pipelines: median",
        "p99",
        "with waits: median",
        "p99",
    ];
    let mut out = head(&["translator"], &numbers);
    let mut c_times = [0.0; 6];
    for run in runs {
        let times = overview_times(run);
        let is_c = run.translator == "c";
        let mut cells: Vec<String> = vec![run.translator.into(), run.states.to_string()];
        cells.push(draws(run).count().to_string());
        cells.extend(overview_counts(run).map(|count| format!("{count:.2}")));
        for (time, c_time) in times.iter().zip(c_times) {
            let ratio = if is_c { String::new() } else { format!(" ({:.2})", time / c_time) };
            cells.push(format!("{time:.0}{ratio}"));
        }
        if is_c {
            c_times = times;
        }
        out += &line(&cells);
    }
    out
}

/// The translations of a program while it is linked, on the thread of its draws, and on other threads; and its pipelines.
fn overview_counts(run: &Run) -> [f64; 4] {
    let programs = run.steps.iter().filter(|step| step.phase == Phase::Link).count() as f64;
    let linked = run.steps.iter().filter(|step| step.phase == Phase::Link).map(|step| step.count(&[Kind::Translate]));
    let own = draws(run).map(|step| step.count_own(&[Kind::Translate])).sum::<usize>();
    let drawn = draws(run).map(|step| step.count(&[Kind::Translate])).sum::<usize>();
    let pipelines = draws(run).map(|step| step.count(&[Kind::Pipeline, Kind::Link])).sum::<usize>();
    [linked.sum::<usize>(), own, drawn - own, pipelines].map(|count| count as f64 / programs)
}

/// The median and the 99th percentile of the CPU time of draws, of that without pipelines, and of the wall time without pipelines.
fn overview_times(run: &Run) -> [f64; 6] {
    let times: [Vec<u64>; 3] = [
        draws(run).map(|step| step.cpu).collect(),
        draws(run).map(Step::cpu_without_pipelines).collect(),
        draws(run).map(Step::wall_without_pipelines).collect(),
    ];
    let [whole, without, waits] = times.map(|times| [percentile(times.clone(), 50), percentile(times, 99)]);
    [whole[0], whole[1], without[0], without[1], waits[0], waits[1]]
}

/// The mean time of a first draw, by its parts.
pub(super) fn split(runs: &[Run]) -> String {
    let mut numbers = vec!["states", "draw, us: mean"];
    numbers.extend(PARTS.iter().map(|(name, _)| *name));
    numbers.push("rest");
    let mut out = head(&["translator"], &numbers);
    for run in runs {
        let count = draws(run).count() as f64;
        let mean = |total: u64| format!("{:.0}", total as f64 / count / 1000.0);
        let whole: u64 = draws(run).map(|step| step.cpu).sum();
        let mut cells = vec![run.translator.into(), run.states.to_string(), mean(whole)];
        let time_of = |kinds: &[Kind]| draws(run).map(|step| step.cpu_of(kinds)).sum::<u64>();
        cells.extend(PARTS.iter().map(|(_, kinds)| mean(time_of(kinds))));
        let probed: u64 = draws(run).flat_map(|step| &step.own).map(|event| event.cpu).sum();
        cells.push(mean(whole.saturating_sub(probed)));
        out += &line(&cells);
    }
    out
}

/// The parts of the way of a shader from the state tracker's NIR to words and a stored module.
const WAY: [(&str, &[Kind]); 7] = [
    ("of which finalizing", &[Kind::Finalize]),
    ("zink's own", &[Kind::Shader, Kind::Facts]),
    ("lowering of variants", &[Kind::Lower]),
    ("deserialization", &[Kind::Deserialize]),
    ("translation", &[Kind::Translate, Kind::Wire, Kind::Ntv]),
    ("variants of modules", &[Kind::Instantiate]),
    ("disk cache", &[Kind::Load, Kind::Store]),
];

/// The mean CPU time of the way of a shader, and of the link of a program, on all threads, and zink's memory. Lines of ntv have ratios to C.
pub(super) fn way(runs: &[Run]) -> String {
    let mut numbers = vec!["shaders", "from NIR to words, us"];
    numbers.extend(WAY.iter().map(|(name, _)| *name));
    numbers.extend(["link of a program, us", "memory of a program, KiB: peak", "held"]);
    let mut out = head(&["translator"], &numbers);
    let mut c_values = [0.0; 4];
    for run in runs {
        let events = || run.steps.iter().flat_map(|step| step.own.iter().chain(&step.others));
        let shaders = events().filter(|event| event.kind == Kind::Shader).count();
        let mean = |kinds: &[Kind]| {
            let cpu: u64 = events().filter(|event| kinds.contains(&event.kind)).map(|event| event.cpu).sum();
            cpu as f64 / shaders as f64 / 1000.0
        };
        let parts = WAY.map(|(_, kinds)| mean(kinds));
        let values = [parts.iter().sum(), link(run), run.memory.peak / 1024.0, run.memory.held / 1024.0];
        let is_c = run.translator == "c";
        let ratio = |at: usize| if is_c { String::new() } else { format!(" ({:.2})", values[at] / c_values[at]) };
        let mut cells = vec![run.translator.to_string(), shaders.to_string()];
        cells.push(format!("{:.0}{}", values[0], ratio(0)));
        cells.extend(parts.map(|part| format!("{part:.0}")));
        cells.extend([1, 2, 3].map(|at| format!("{:.0}{}", values[at], ratio(at))));
        if is_c {
            c_values = values;
        }
        out += &line(&cells);
    }
    out
}

/// The mean CPU time of the link of a program: of its thread, and of zink's work on others, in microseconds.
fn link(run: &Run) -> f64 {
    let others = links(run).flat_map(|step| &step.others).map(|event| event.cpu).sum::<u64>();
    (links(run).map(|step| step.cpu).sum::<u64>() + others) as f64 / links(run).count() as f64 / 1000.0
}

fn links(run: &Run) -> impl Iterator<Item = &Step> {
    run.steps.iter().filter(|step| step.phase == Phase::Link)
}

/// The work of a draw by its state, on all threads.
pub(super) fn by_state(run: &Run) -> String {
    let mut numbers = vec!["draws", "new shaders", "new programs"];
    let names: Vec<String> = STAGES.iter().map(|stage| format!("translated {stage}")).collect();
    numbers.extend(names.iter().map(String::as_str));
    numbers.extend(["pipelines", "draw, us: median", "without pipelines"]);
    let mut out = head(&["state"], &numbers);
    let mut states: BTreeMap<&str, Vec<&Step>> = BTreeMap::new();
    for step in draws(run) {
        states.entry(&step.state).or_default().push(step);
    }
    for (state, steps) in states {
        let of_a_draw = |count: usize| format!("{:.2}", count as f64 / steps.len() as f64);
        let count = |kinds: &[Kind]| of_a_draw(steps.iter().map(|step| step.count(kinds)).sum());
        let mut cells = vec![state.to_string(), steps.len().to_string()];
        cells.extend([count(&[Kind::Shader]), count(&[Kind::Program])]);
        cells.extend(STAGES.map(|stage| of_a_draw(translations(&steps, stage))));
        cells.push(count(&[Kind::Pipeline, Kind::Link]));
        let whole = percentile(steps.iter().map(|step| step.cpu).collect(), 50);
        let without = percentile(steps.iter().map(|step| step.cpu_without_pipelines()).collect(), 50);
        cells.extend([whole, without].map(|time| format!("{time:.0}")));
        out += &line(&cells);
    }
    out
}

fn translations(steps: &[&Step], stage: &str) -> usize {
    let events = steps.iter().flat_map(|step| step.own.iter().chain(&step.others));
    events.filter(|event| event.kind == Kind::Translate && event.stage == stage).count()
}

/// A part of the report with its title.
pub(super) fn section(title: &str, table: &str) -> String {
    format!("\n## {title}\n\n{table}")
}

#[cfg(test)]
mod tests {
    use super::super::join::read;
    use super::super::Memory;
    use super::*;

    fn run(translator: &'static str, cpu: u64) -> Run {
        let steps = format!(
            "phase\tprogram\ttemplate\tnumber\tstate\tthread\tstart_ns\tend_ns\tcpu_ns\n\
            link\t0\tcolours\t0\t-\t7\t100000\t200000\t90\n\
            draw\t0\tcolours\t0\tdefault\t7\t300000\t400000\t{cpu}\n\
            draw\t0\tcolours\t1\tflat shading\t7\t500000\t600000\t{}\n",
            cpu * 3
        );
        let events = "thread\tkind\tstage\tstart_ns\tend_ns\twall_ns\tcpu_ns\n\
            8\ttranslate\tVS\t110000\t120000\t10000\t10\n\
            7\tntv\tFS\t310000\t320000\t10000\t2000\n7\ttranslate\tFS\t305000\t350000\t35000\t1000\n7\tpipeline\t-\t360000\t390000\t30000\t4000\n\
            8\ttranslate\tFS\t405000\t450000\t45000\t1000\n";
        Run { translator, states: 2, steps: read(&steps, events).unwrap(), memory: Memory::default() }
    }

    #[test]
    fn the_overview_has_ratios_of_ntv_to_c() {
        let table = overview(&[run("c", 20_000), run("rust", 10_000)]);
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(lines[0], "| c | 2 | 2 | 1.00 | 1.00 | 1.00 | 1.00 | 20 | 60 | 16 | 60 | 70 | 100 |");
        let ratios = "10 (0.50) | 30 (0.50) | 6 (0.38) | 30 (0.50) | 70 (1.00) | 100 (1.00)";
        assert_eq!(lines[1], format!("| rust | 2 | 2 | 1.00 | 1.00 | 1.00 | 1.00 | {ratios} |"));
    }

    #[test]
    fn the_way_of_a_shader_has_the_work_of_all_threads() {
        let events = |shader: u32| {
            format!(
                "thread\tkind\tstage\tstart_ns\tend_ns\twall_ns\tcpu_ns\n8\tshader\tVS\t110000\t120000\t1\t{shader}\n\
                8\tfacts\tVS\t130000\t140000\t1\t1000\n7\tlower\tFS\t310000\t320000\t1\t2000\n"
            )
        };
        let steps = "phase\tprogram\ttemplate\tnumber\tstate\tthread\tstart_ns\tend_ns\tcpu_ns\n\
            link\t0\tcolours\t0\t-\t7\t100000\t200000\t4000\ndraw\t0\tcolours\t0\tdefault\t7\t300000\t400000\t90\n";
        let run = |translator, shader| {
            let memory = Memory { peak: f64::from(shader) * 2048.0, held: 2048.0 };
            Run { translator, states: 1, steps: read(steps, &events(shader)).unwrap(), memory }
        };
        let table = way(&[run("c", 7_000), run("rust", 2_000)]);
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(lines[0], "| c | 1 | 10 | 0 | 8 | 2 | 0 | 0 | 0 | 0 | 12 | 14000 | 2 |");
        assert_eq!(lines[1], "| rust | 1 | 5 (0.50) | 0 | 3 | 2 | 0 | 0 | 0 | 0 | 7 (0.58) | 4000 (0.29) | 2 (1.00) |");
    }

    #[test]
    fn the_split_adds_up() {
        let table = split(&[run("rust", 10_000)]);
        // The mean of 10 us and 30 us: 1.5 us of translation, 2 us of pipelines, and 16.5 us of other work.
        assert_eq!(table.lines().nth(2).unwrap(), "| rust | 2 | 20 | 0 | 0 | 0 | 2 | 0 | 1 | 0 | 0 | 0 | 2 | 16 |");
    }

    #[test]
    fn states_have_the_translations_of_all_threads() {
        let table = by_state(&run("rust", 10_000));
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(lines[0], "| default | 1 | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 | 2.00 | 1.00 | 10 | 6 |");
        assert_eq!(lines[1], "| flat shading | 1 | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 | 30 | 30 |");
    }

    #[test]
    fn percentiles_are_values_of_the_list() {
        let times: Vec<u64> = (1..=200).map(|n| n * 1000).collect();
        assert_eq!((percentile(times.clone(), 50), percentile(times, 99)), (100.0, 198.0));
        assert_eq!(percentile(vec![7000], 99), 7.0);
    }
}
