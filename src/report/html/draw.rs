//! The plots, as SVG whose colours are those of the page's style.

use std::sync::Arc;

use kuva::{
    TickFormat,
    plot::{
        BarPlot, ColorMap, ForestPlot, Heatmap, LegendPosition, LinePlot, NetworkPlot, ScatterPlot,
        network::NetworkLayout,
    },
    prelude::{Layout, Plot},
    render::{
        annotations::{Orientation, ReferenceLine},
        theme::Theme,
    },
    render_to_svg,
};

use super::super::text;

/// Width that all are drawn at: what a phone shows at four fifths.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 310.0;

/// Width of a line that is a rule.
const RULE: f64 = 1.8;

/// Signs of a name that a plot has room for.
const SIGNS: usize = 22;

/// The same around a network, where names stand at its sides.
const AROUND: usize = 12;

pub(super) type Points = Vec<(f64, f64)>;

/// A number beside an axis.
fn tick(number: f64) -> String {
    let text = text::significant(number, 6);
    match text.split_once('.') {
        Some((_, part)) if !part.contains('e') => {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => text,
    }
}

/// A name as a plot has room for it. (A dollar sign would begin a formula.)
pub(super) fn short(name: &str) -> String {
    within(name, SIGNS)
}

fn within(name: &str, signs: usize) -> String {
    let name = text::printable(name);
    let mut short: String = name.chars().take(signs).collect();
    if short.len() < name.len() {
        short.pop();
        short.push('…');
    }
    short.replace('$', "\\$")
}

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

fn drawn(plots: Vec<Plot>, layout: Layout, height: f64) -> String {
    // A whole number is written as it is.
    let height = height.round();
    let svg = render_to_svg(
        plots,
        layout
            .with_width(WIDTH)
            .with_height(height)
            .with_theme(theme())
            .with_font_family("inherit")
            .with_tick_size(12)
            .with_label_size(13)
            .with_body_size(12),
    );
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
            Mark::Across(at, color) => {
                all.extend(all.first().map(|it| (it.0, at)));
                rules.push((Orientation::Horizontal, at, color));
            }
            Mark::Upright(at, color) => rules.push((Orientation::Vertical, at, color)),
        }
    }
    let mut layout = Layout::auto_from_plots(&plots)
        .with_x_label(x.label)
        .with_y_label(y.label)
        .with_x_tick_format(TickFormat::Custom(Arc::new(tick)))
        .with_y_tick_format(TickFormat::Custom(Arc::new(tick)));
    let (across, up) = (
        ends(all.iter().map(|it| it.0)),
        ends(all.iter().map(|it| it.1)),
    );
    let (x_from, x_to) = (x.from.unwrap_or(across.0), x.to.unwrap_or(across.1));
    let (y_from, y_to) = (y.from.unwrap_or(up.0), y.to.unwrap_or(up.1));
    layout = layout.with_x_axis_min(x_from).with_x_axis_max(x_to);
    layout = layout.with_y_axis_min(y_from).with_y_axis_max(y_to);
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

/// From the least to the largest number, with some room.
fn ends(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), it| {
        (least.min(it), most.max(it))
    });
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
    for (name, estimate, lower, upper) in rows {
        plot = plot.with_row(short(name), *estimate, *lower, *upper);
    }
    let plots = vec![plot.into()];
    let mut layout = Layout::auto_from_plots(&plots)
        .with_x_label(label)
        .with_ticks(4)
        .with_x_tick_format(TickFormat::Custom(Arc::new(tick)));
    if let Some((from, to)) = between {
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
    let bars = rows.iter().rev();
    let bars = bars.map(|(name, value, color)| (short(name), *value, *color));
    let plot = BarPlot::new().with_colored_bars(bars);
    let plots = vec![plot.with_horizontal(true).into()];
    let mut layout = Layout::auto_from_plots(&plots)
        .with_x_label(label)
        .with_x_axis_min(0.0)
        .with_x_axis_max(1.0)
        .with_x_tick_step(0.2)
        .with_x_tick_format(TickFormat::Custom(Arc::new(tick)));
    for (at, color) in rules {
        let line = ReferenceLine::vertical(*at).with_color(*color);
        layout = layout.with_reference_line(line.with_stroke_width(RULE));
    }
    drawn(plots, layout, by_rows(rows.len()))
}

/// A cell for every two names; one that is not known stays empty.
pub(super) fn heat(names: &[String], cells: &[Vec<f64>], with_values: bool) -> String {
    // They are drawn from the bottom up.
    let plot = Heatmap::new().with_data(cells.iter().rev().cloned());
    let plot = plot.with_color_map(ColorMap::Custom(Arc::new(pale)));
    let plot = if with_values {
        plot.with_values()
    } else {
        plot
    };
    let plots = vec![plot.into()];
    let own: Vec<String> = names.iter().map(|it| short(it)).collect();
    let layout = Layout::auto_from_plots(&plots)
        .with_x_categories(own.clone())
        .with_y_categories(own.into_iter().rev().collect())
        .with_x_tick_rotate(-45.0)
        .with_legend_position(LegendPosition::OutsideRightTop)
        .with_colorbar_tick_format(TickFormat::Custom(Arc::new(tick)));
    drawn(plots, layout, WIDTH * 0.92)
}

/// From a pale yellow to a blue on which dark texts are read: by lightness, for any eye.
fn pale(share: f64) -> String {
    if share.is_nan() {
        return "none".to_owned();
    }
    let (low, high) = ([252.0, 228.0, 150.0], [78.0, 152.0, 205.0]);
    let share = share.clamp(0.0, 1.0);
    let mix = |at: usize| (low[at] + (high[at] - low[at]) * share) as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// Names joined by lines, the thicker the larger the number.
pub(super) fn network(edges: &[(&str, &str, f64)]) -> String {
    let mut plot = NetworkPlot::new()
        .with_labels()
        .with_layout(NetworkLayout::Circle)
        .with_node_radius(6.0)
        .with_edge_opacity(0.7);
    let (least, most) = edges
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |ends, it| {
            (ends.0.min(it.2), ends.1.max(it.2))
        });
    let share = |score: f64| {
        if most > least {
            (score - least) / (most - least)
        } else {
            0.5
        }
    };
    let mut names: Vec<&str> = Vec::new();
    for name in edges.iter().flat_map(|it| [it.0, it.1]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // Those that pairs bring together stand across, not side by side.
    let (first, second) = (names.iter().step_by(2), names.iter().skip(1).step_by(2));
    for name in first.chain(second) {
        plot = plot.with_node_color(within(name, AROUND), "var(--b)");
    }
    for (a, b, score) in edges {
        let width = 1.0 + 4.0 * share(*score);
        plot = plot.with_edge_color(within(a, AROUND), within(b, AROUND), width, "var(--a)");
    }
    let plots = vec![plot.into()];
    let layout = Layout::auto_from_plots(&plots).with_force_margins(70.0, 70.0);
    drawn(plots, layout, WIDTH * 0.8)
}
