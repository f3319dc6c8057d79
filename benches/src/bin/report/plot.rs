// SPDX-License-Identifier: MIT

//! The plots.

use anyhow::Result;
use plotters::prelude::*;
use std::path::Path;

const CAPTION: (&str, i32) = ("sans-serif", 18);
const LABEL: (&str, i32) = ("sans-serif", 13);

/// A line through `points`, over a logarithmic x.
pub(crate) fn growth(path: &Path, title: &str, axes: [&str; 2], points: &[(f64, f64)]) -> Result<()> {
    let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
    let largest = points.iter().map(|point| point.0).fold(1.0, f64::max);
    let root = SVGBackend::new(path, (720, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, CAPTION)
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((50f64..2.0 * largest).log_scale(), 0f64..1.2 * most)?;
    let mut mesh = chart.configure_mesh();
    mesh.label_style(LABEL).max_light_lines(0).x_desc(axes[0]).y_desc(axes[1]);
    mesh.x_label_formatter(&|x| power(*x)).y_label_formatter(&|y| format!("{y}")).draw()?;
    chart.draw_series(LineSeries::new(points.iter().copied(), &BLUE))?;
    chart.draw_series(points.iter().map(|point| Circle::new(*point, 4, BLUE.filled())))?;
    root.present()?;
    Ok(())
}

/// A horizontal bar for each of `bars`, the first on top.
pub(crate) fn bars(path: &Path, title: &str, unit: &str, bars: &[(String, f64)]) -> Result<()> {
    let most = bars.iter().map(|bar| bar.1).fold(0.0, f64::max);
    let root = SVGBackend::new(path, (720, 28 * bars.len() as u32 + 110)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, CAPTION)
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(190)
        .build_cartesian_2d(0f64..1.1 * most, (0..bars.len()).into_segmented())?;
    let from_top = |at: usize| bars.len() - 1 - at;
    let name = |at: &SegmentValue<usize>| match at {
        SegmentValue::CenterOf(at) if *at < bars.len() => bars[from_top(*at)].0.clone(),
        _ => String::new(),
    };
    let mut mesh = chart.configure_mesh();
    // With no light lines, plotters does not terminate while it places the names of bars.
    mesh.disable_y_mesh().label_style(LABEL).max_light_lines(1).set_tick_mark_size(LabelAreaPosition::Left, 0);
    mesh.x_desc(unit).x_label_formatter(&|x| format!("{x}"));
    mesh.y_label_formatter(&name).y_labels(bars.len()).draw()?;
    chart.draw_series((0..bars.len()).map(|at| {
        let corners = [(0.0, SegmentValue::Exact(at)), (bars[from_top(at)].1, SegmentValue::Exact(at + 1))];
        let mut bar = Rectangle::new(corners, BLUE.mix(0.7).filled());
        bar.set_margin(4, 4, 0, 0);
        bar
    }))?;
    root.present()?;
    Ok(())
}

/// A dot for each of `points`, with equal logarithmic axes, and lines where y is x, a quarter of it, and so on.
pub(crate) fn scatter(
    path: &Path,
    title: &str,
    axes: [&str; 2],
    points: &[(f64, f64)],
    lines: &[(f64, &str)],
) -> Result<()> {
    let all = || points.iter().flat_map(|point| [point.0, point.1]);
    let least = 10f64.powf(all().fold(f64::MAX, f64::min).log10().floor());
    let most = 10f64.powf(all().fold(f64::MIN, f64::max).log10().ceil());
    let root = SVGBackend::new(path, (720, 720)).into_drawing_area();
    root.fill(&WHITE)?;
    let range = || (least..most).log_scale();
    let mut chart = ChartBuilder::on(&root)
        .caption(title, CAPTION)
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(range(), range())?;
    let mut mesh = chart.configure_mesh();
    mesh.label_style(LABEL).x_desc(axes[0]).y_desc(axes[1]);
    mesh.x_label_formatter(&|x| power(*x)).y_label_formatter(&|y| power(*y)).draw()?;
    chart.draw_series(points.iter().map(|point| Circle::new(*point, 2, BLUE.mix(0.35).filled())))?;
    for (ratio, name) in lines {
        // The ends of the line that are inside of the plot.
        let ends = [(least / ratio.min(1.0), least * ratio.max(1.0)), (most / ratio.max(1.0), most * ratio.min(1.0))];
        chart.draw_series(LineSeries::new(ends, &RED))?;
        let label = (ends[1].0 / 1.3, ends[1].1 / 1.3);
        let style = LABEL.into_text_style(&root).color(&RED).pos(pos());
        chart.draw_series(std::iter::once(Text::new((*name).to_owned(), label, style)))?;
    }
    root.present()?;
    Ok(())
}

/// The position of a label: its anchor is at the lower right.
fn pos() -> plotters::style::text_anchor::Pos {
    use plotters::style::text_anchor::{HPos, Pos, VPos};
    Pos::new(HPos::Right, VPos::Bottom)
}

/// A power of ten in the usual notation.
fn power(value: f64) -> String {
    match value {
        _ if value >= 1e6 => format!("{}M", value / 1e6),
        _ if value >= 1e3 => format!("{}k", value / 1e3),
        _ => format!("{value}"),
    }
}
