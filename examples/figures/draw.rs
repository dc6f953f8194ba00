//! The two plots, from the text of files that passel writes to the text of an SVG.

use std::{collections::BTreeMap, error::Error, io::Read, sync::Arc};

use kuva::{
    TickFormat,
    plot::{LegendPosition, LinePlot},
    prelude::{Layout, Plot},
    render_to_svg,
};
use serde::Deserialize;
use serde_json::Value;

// Okabe and Ito's colours, told apart by colour-blind readers too.
const BLUE: &str = "#0072B2";
const VERMILLION: &str = "#D55E00";
/// One particle among many is context; the lines that matter have the colours.
const GREY: &str = "#999999";

/// What is drawn of a row of a trace.
#[derive(Deserialize)]
struct Row {
    iteration: u32,
    particle: u32,
    #[serde(rename = "move")]
    moved: String,
    criterion: f64,
    best: f64,
}

type Line = Vec<(f64, f64)>;

/// The criterion of every particle by iteration, of every walk of the polish, and the best so
/// far, thick and dashed, from a file of `passel select --trace`.
///
/// # Errors
/// A trace that is not one.
pub fn criterion(trace: impl Read, title: &str) -> Result<String, Box<dyn Error>> {
    let mut particles: BTreeMap<u32, Line> = BTreeMap::new();
    let mut walks: BTreeMap<u32, Line> = BTreeMap::new();
    let mut best: BTreeMap<u32, f64> = BTreeMap::new();
    for row in csv::Reader::from_reader(trace).deserialize() {
        let row: Row = row?;
        // Infinite where the criterion is undefined: the lines go on behind it.
        if row.best.is_finite() {
            best.insert(row.iteration, row.best);
        }
        if row.criterion.is_finite() {
            let lines = match row.moved.as_str() {
                "walk" => &mut walks,
                _ => &mut particles,
            };
            let line = lines.entry(row.particle).or_default();
            line.push((f64::from(row.iteration), row.criterion));
        }
    }
    if particles.is_empty() {
        return Err("the trace has no row of a particle".into());
    }
    let best = best.into_iter();
    let best: Line = best.map(|(at, value)| (f64::from(at), value)).collect();
    let [_, .., (last, _)] = best[..] else {
        return Err("a line needs two iterations".into());
    };
    let mut plots = thin(&particles, GREY, "particle");
    plots.extend(thin(&walks, BLUE, "walk of the polish"));
    let best = LinePlot::new().with_data(best).with_color(VERMILLION);
    let best = best.with_stroke_width(3.5).with_dashed();
    plots.push(best.with_legend("best so far").into());
    let layout = layout(&plots, title)
        .with_x_label("iteration")
        .with_x_axis_min(1.0)
        .with_x_axis_max(last)
        .with_y_label("criterion (smaller is better)");
    Ok(render_to_svg(plots, layout))
}

/// Lines of one colour, the first of which brings the entry of the legend.
fn thin(lines: &BTreeMap<u32, Line>, color: &str, label: &str) -> Vec<Plot> {
    let lines = lines.values().enumerate().map(|(position, line)| {
        let line = LinePlot::new()
            .with_data(line.clone())
            .with_color(color)
            .with_stroke_width(0.7);
        match position {
            0 => line.with_legend(label).into(),
            _ => line.into(),
        }
    });
    lines.collect()
}

/// Mean and standard deviation of PSR and FDR against the number of particles, from reports of
/// `passel select --format json`, one after the other: runs that differ in particles and seed.
///
/// # Errors
/// What is no report, or a report on data whose truth is not known.
pub fn particles(reports: impl Read, title: &str) -> Result<String, Box<dyn Error>> {
    let mut rates: BTreeMap<u64, [Vec<f64>; 2]> = BTreeMap::new();
    for report in serde_json::Deserializer::from_reader(reports).into_iter::<Value>() {
        let report = report?;
        let count = report["method"]["particles"].as_u64();
        let count = count.ok_or("a report without method.particles: is it one of `select`?")?;
        let [psr, fdr] = rates.entry(count).or_default();
        for (rate, name) in [(psr, "psr"), (fdr, "fdr")] {
            let value = report["truth"][name].as_f64();
            rate.push(
                value.ok_or("a report without truth: the data must mark the true variables")?,
            );
        }
    }
    let most = rates.keys().last().map_or(1, |count| *count);
    if rates.len() < 2 {
        return Err("a line needs reports of two numbers of particles".into());
    }
    let mut plots: Vec<Plot> = Vec::new();
    for (which, name, color) in [(0, "PSR", BLUE), (1, "FDR", VERMILLION)] {
        for (part, word) in ["mean", "standard deviation"].into_iter().enumerate() {
            // A number of particles is doubled rather than raised by one.
            let points = rates.iter().map(|(count, rates)| {
                let (mean, deviation) = mean_and_deviation(&rates[which]);
                ((*count as f64).log2(), [mean, deviation][part])
            });
            let line = LinePlot::new()
                .with_data(points.collect::<Line>())
                .with_color(color)
                .with_stroke_width(2.5)
                .with_legend(format!("{name}, {word}"));
            plots.push(match part {
                0 => line.into(),
                _ => line.with_dashed().into(),
            });
        }
    }
    let layout = layout(&plots, title)
        .with_x_axis_max((most as f64).log2())
        .with_x_label("particles (logarithmic axis)")
        .with_y_label("PSR and FDR, from 0 to 1")
        .with_x_tick_step(1.0)
        .with_x_tick_format(TickFormat::Custom(Arc::new(|power| {
            format!("{}", power.exp2().round())
        })))
        .with_y_axis_min(0.0)
        .with_y_axis_max(1.0);
    Ok(render_to_svg(plots, layout))
}

/// The mean, and the standard deviation of a sample (n − 1), which is 0 for a single value.
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (mean, (squares / (n - 1.0).max(1.0)).sqrt())
}

/// What both plots have: the title, a size to read, the legend beside the lines.
fn layout(plots: &[Plot], title: &str) -> Layout {
    Layout::auto_from_plots(plots)
        .with_title(title)
        .with_width(960.0)
        .with_height(480.0)
        .with_legend_position(LegendPosition::OutsideRightTop)
}
