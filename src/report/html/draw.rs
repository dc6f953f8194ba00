//! The plots, as SVG whose colours are those of the page's style.

use std::sync::Arc;

use kuva::{
    TickFormat,
    plot::{BarPlot, ForestPlot, LinePlot, ScatterPlot},
    prelude::{Layout, Plot},
    render::{
        annotations::{Orientation, ReferenceLine},
        theme::Theme,
    },
    render_to_svg,
};

use super::labels::{shortened, ticks, titled};
use crate::panics::catch_panic;

/// Width that all are drawn at: what a phone shows at four fifths.
pub(super) const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 310.0;

/// Width of a line that is a rule.
const RULE: f64 = 1.8;

pub(super) type Points = Vec<(f64, f64)>;

/// What an axis is called, and between which numbers it is drawn, where that is not left to the
/// points.
#[derive(Clone, Copy, Default)]
pub(super) struct Axis<'a> {
    pub(super) label: &'a str,
    pub(super) from: Option<f64>,
    pub(super) to: Option<f64>,
    /// Only whole numbers are named.
    pub(super) whole: bool,
}

impl<'a> Axis<'a> {
    pub(super) fn of(label: &'a str) -> Self {
        Self {
            label,
            ..Self::default()
        }
    }

    pub(super) fn counts(label: &'a str) -> Self {
        Self {
            label,
            whole: true,
            ..Self::default()
        }
    }

    pub(super) fn between(self, from: f64, to: f64) -> Self {
        Self {
            from: Some(from),
            to: Some(to),
            ..self
        }
    }
}

/// A part of a plot with two axes.
pub(super) enum Mark {
    Line {
        points: Points,
        color: &'static str,
        width: f64,
        dashed: bool,
        /// Level between its points.
        step: bool,
    },
    Dots {
        points: Points,
        color: &'static str,
        size: f64,
        /// Of each what is told where it is pointed at; none, or as many as there are points.
        told: Vec<String>,
        /// Of each what stands beside it; none, or as many.
        names: Vec<String>,
        /// The colour of a smooth line through them (loess).
        smooth: Option<&'static str>,
    },
    /// A level line.
    Across(f64, &'static str),
    /// An upright one.
    Upright(f64, &'static str),
}

impl Mark {
    pub(super) fn line(points: Points, color: &'static str, width: f64) -> Self {
        Self::Line {
            points,
            color,
            width,
            dashed: false,
            step: false,
        }
    }

    pub(super) fn dots(points: Points, color: &'static str, size: f64) -> Self {
        Self::Dots {
            points,
            color,
            size,
            told: Vec::new(),
            names: Vec::new(),
            smooth: None,
        }
    }
}

fn theme() -> Theme {
    let of = |it: &str| format!("var(--{it})");
    Theme {
        background: "none".to_owned(),
        axis_color: of("axis"),
        grid_color: of("grid"),
        tick_color: of("axis"),
        text_color: of("ink"),
        legend_bg: of("card"),
        legend_border: "none".to_owned(),
        pie_leader: of("axis"),
        box_median: of("card"),
        violin_border: of("axis"),
        colorbar_border: of("axis"),
        font_family: None,
        show_grid: true,
    }
}

pub(super) fn drawn(plots: Vec<Plot>, layout: Layout, height: f64) -> String {
    // A whole number is written as it is.
    let height = height.round();
    let layout = layout
        .with_width(WIDTH)
        .with_height(height)
        .with_theme(theme())
        .with_font_family("inherit")
        .with_tick_size(12)
        .with_label_size(13)
        .with_body_size(12);
    // A report is worth more than one of its plots.
    let svg = catch_panic(|| render_to_svg(plots, layout)).unwrap_or_else(|_| {
        format!(
            "<svg width=\"{WIDTH}\" height=\"{height}\"><text x=\"20\" y=\"40\" fill=\"var(--ink)\">\
             this plot could not be drawn; its data can be saved</text></svg>"
        )
    });
    // It has the width that the page gives it.
    svg.replacen(
        &format!("width=\"{WIDTH}\" height=\"{height}\""),
        &format!("viewBox=\"0 0 {WIDTH} {height}\""),
        1,
    )
}

/// Lines and dots over two axes.
pub(super) fn plane(marks: Vec<Mark>, x: Axis, y: Axis) -> String {
    let mut plots: Vec<Plot> = Vec::new();
    let mut rules = Vec::new();
    let mut all = Points::new();
    for mark in marks {
        match mark {
            Mark::Line {
                points,
                color,
                width,
                dashed,
                step,
            } => {
                all.extend(&points);
                let line = LinePlot::new().with_data(points).with_color(color);
                let line = line.with_stroke_width(width);
                let line = if dashed { line.with_dashed() } else { line };
                plots.push(if step { line.with_step() } else { line }.into());
            }
            Mark::Dots {
                points,
                color,
                size,
                told,
                names,
                smooth,
            } => {
                all.extend(&points);
                let dots = ScatterPlot::new().with_data(points).with_color(color);
                let mut dots = dots.with_size(size);
                if !told.is_empty() {
                    dots = dots.with_tooltips().with_tooltip_labels(told);
                }
                if !names.is_empty() {
                    dots = dots.with_labels(names).with_repel_labels();
                }
                if let Some(color) = smooth {
                    dots = dots
                        .with_loess()
                        .with_trend_color(color)
                        .with_trend_width(2.0);
                }
                plots.push(dots.into());
            }
            Mark::Across(at, color) => rules.push((Orientation::Horizontal, at, color)),
            Mark::Upright(at, color) => rules.push((Orientation::Vertical, at, color)),
        }
    }
    // Level lines are within the frame.
    let level = rules
        .iter()
        .filter(|it| matches!(it.0, Orientation::Horizontal));
    let up = all.iter().map(|it| it.1).chain(level.map(|it| it.1));
    let (across, up) = (ends(all.iter().map(|it| it.0)), ends(up));
    let (x_from, x_to) = (x.from.unwrap_or(across.0), x.to.unwrap_or(across.1));
    let (y_from, y_to) = (y.from.unwrap_or(up.0), y.to.unwrap_or(up.1));
    let mut layout = Layout::auto_from_plots(&plots)
        .with_x_label(titled(x.label))
        .with_y_label(titled(y.label))
        .with_x_tick_format(format_of(x_from, x_to))
        .with_y_tick_format(format_of(y_from, y_to))
        .with_x_axis_min(x_from)
        .with_x_axis_max(x_to)
        .with_y_axis_min(y_from)
        .with_y_axis_max(y_to);
    if x.whole {
        layout = layout.with_x_tick_step(whole_step(x_to - x_from));
    }
    if y.whole {
        layout = layout.with_y_tick_step(whole_step(y_to - y_from));
    }
    for (orientation, at, color) in rules {
        let line = match orientation {
            Orientation::Horizontal => ReferenceLine::horizontal(at),
            Orientation::Vertical => ReferenceLine::vertical(at),
        };
        let line = line.with_color(color).with_stroke_width(RULE);
        layout = layout.with_reference_line(line);
    }
    drawn(plots, layout, HEIGHT)
}

pub(super) fn format_of(from: f64, to: f64) -> TickFormat {
    TickFormat::Custom(Arc::new(ticks(from, to)))
}

/// The least and the largest number; the other way round where there is none.
pub(super) fn extent(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), it| {
        (least.min(it), most.max(it))
    })
}

/// From the least to the largest number, with some room.
fn ends(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) = extent(numbers);
    if least > most {
        return (0.0, 1.0);
    }
    let room = match most - least {
        0.0 => least.abs().max(1.0) * 0.05,
        spread => spread * 0.04,
    };
    (least - room, most + room)
}

/// A step by which whole numbers are named, some six of them.
fn whole_step(spread: f64) -> f64 {
    let rough = (spread / 6.0).max(1.0);
    let ten = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|it| it * ten);
    steps.into_iter().find(|it| *it >= rough).unwrap_or(ten)
}

/// Heights of plots with a row a name.
fn by_rows(rows: usize) -> f64 {
    78.0 + 21.0 * rows.max(2) as f64
}

/// A row each: name, estimate, lower and upper end.
pub(super) fn forest(
    rows: &[(&str, f64, f64, f64)],
    label: &str,
    between: Option<(f64, f64)>,
) -> String {
    let mut plot = ForestPlot::new().with_color("var(--a)").with_cap_size(3.0);
    let names: Vec<&str> = rows.iter().map(|it| it.0).collect();
    for (name, (_, estimate, lower, upper)) in shortened(&names).into_iter().zip(rows) {
        plot = plot.with_row(name, *estimate, *lower, *upper);
    }
    let plots = vec![plot.into()];
    let numbers = rows.iter().flat_map(|it| [it.1, it.2, it.3]).chain([0.0]);
    let (from, to) = between.unwrap_or_else(|| ends(numbers));
    let mut layout = Layout::auto_from_plots(&plots)
        .with_x_label(label.replace('$', "\\$"))
        .with_ticks(4)
        .with_x_tick_format(format_of(from, to));
    if between.is_some() {
        // With room for the marks at the ends.
        let room = 0.03 * (to - from);
        layout = layout
            .with_x_axis_min(from - room)
            .with_x_axis_max(to + room);
        layout = layout.with_x_tick_step((to - from) / 5.0);
    }
    drawn(plots, layout, by_rows(rows.len()))
}

/// A bar a row with its colour, the first at the top, of shares of one; and upright lines.
pub(super) fn bars(
    rows: &[(&str, f64, &'static str)],
    label: &str,
    rules: &[(f64, &'static str)],
) -> String {
    let names: Vec<&str> = rows.iter().map(|it| it.0).collect();
    let bars = shortened(&names).into_iter().zip(rows).rev();
    let bars = bars.map(|(name, (_, value, color))| (name, *value, *color));
    let plot = BarPlot::new().with_colored_bars(bars);
    let plots = vec![plot.with_horizontal(true).into()];
    let mut layout = Layout::auto_from_plots(&plots)
        .with_x_label(label)
        .with_x_axis_min(0.0)
        .with_x_axis_max(1.0)
        .with_x_tick_step(0.2)
        .with_x_tick_format(format_of(0.0, 1.0));
    for (at, color) in rules {
        let line = ReferenceLine::vertical(*at).with_color(*color);
        layout = layout.with_reference_line(line.with_stroke_width(RULE));
    }
    drawn(plots, layout, by_rows(rows.len()))
}
