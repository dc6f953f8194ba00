//! Plots as SVG, in the colours of the page's style.

mod manhattan;

use std::sync::Arc;

use kuva::{
    TickFormat,
    backend::svg::SvgBackend,
    plot::{BarPlot, ForestPlot, LinePlot, ScatterPlot},
    prelude::{Layout, Plot},
    render::{
        annotations::ReferenceLine,
        layout::ComputedLayout,
        render::{Primitive, Scene, TextAnchor, render_multiple},
        theme::Theme,
    },
};

use super::{
    labels::{SIGNS, apart, ticks, titled},
    places::{Area, Dot, places},
};
use crate::panics::catch_panic;
pub(super) use manhattan::manhattan;

/// Width of every plot: a phone shows it at four fifths.
pub(super) const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 310.0;

const RULE: f64 = 1.8;

/// The size of names and numbers in a plot.
const BODY: u32 = 12;
/// Room for what stands of a number right of the last tick.
const HALF_NUMBER: f64 = 28.0;

pub(super) type Points = Vec<(f64, f64)>;

/// An axis: its label, and the numbers it spans.
pub(super) type Axis<'a> = (&'a str, Scale);

/// The numbers of an axis.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Scale {
    /// Those of the points.
    Points,
    /// Those of the points; only whole numbers are named.
    Counts,
    Between(f64, f64),
}

impl Scale {
    fn range(self, numbers: Vec<f64>) -> (f64, f64) {
        match self {
            Self::Between(from, to) => (from, to),
            Self::Points | Self::Counts => ends(numbers.into_iter()),
        }
    }
}

/// A part of a plot with two axes.
#[derive(Default)]
pub(super) struct Mark {
    pub(super) shape: Shape,
    pub(super) points: Points,
    pub(super) color: &'static str,
    /// The width of a line, the size of a dot.
    pub(super) size: f64,
    pub(super) dashed: bool,
    /// Whether a line is level between its points.
    pub(super) stepped: bool,
    /// Whether dots are rings.
    pub(super) hollow: bool,
    /// What each dot tells where it is pointed at; none, or as many as there are dots.
    pub(super) tooltips: Vec<String>,
    /// What stands beside each dot, the first first where room is short; none, or as many as there
    /// are dots, an empty one for a dot without a name.
    pub(super) names: Vec<String>,
    /// The colour of a smooth line through dots (loess).
    pub(super) smooth: Option<&'static str>,
}

/// What a mark draws.
#[derive(Default)]
pub(super) enum Shape {
    #[default]
    Line,
    Dots,
    /// A level line.
    Across(f64),
    Upright(f64),
}

impl Mark {
    pub(super) fn line(points: Points, color: &'static str, size: f64) -> Self {
        Self {
            points,
            color,
            size,
            ..Self::default()
        }
    }

    pub(super) fn dots(points: Points, color: &'static str, size: f64) -> Self {
        Self {
            shape: Shape::Dots,
            ..Self::line(points, color, size)
        }
    }

    /// A line through the whole frame.
    pub(super) fn rule(shape: Shape, color: &'static str) -> Self {
        Self {
            shape,
            ..Self::line(Points::new(), color, RULE)
        }
    }

    /// The dots of a mark, in the numbers of the axes.
    fn dots_of(&self) -> impl Iterator<Item = Dot> {
        let is_dots = matches!(self.shape, Shape::Dots);
        let points = self.points.iter().filter(move |_| is_dots).enumerate();
        points.map(|(at, point)| Dot {
            at: *point,
            radius: self.size,
            name: self.names.get(at).cloned().unwrap_or_default(),
        })
    }

    fn plot(self) -> Plot {
        if matches!(self.shape, Shape::Line) {
            let line = LinePlot::new().with_data(self.points);
            let mut line = line.with_color(self.color).with_stroke_width(self.size);
            if self.dashed {
                line = line.with_dashed();
            }
            if self.stepped {
                line = line.with_step();
            }
            return line.into();
        }
        let dots = ScatterPlot::new().with_data(self.points);
        let mut dots = dots.with_color(self.color).with_size(self.size);
        if self.hollow {
            dots = dots.with_marker_opacity(0.0).with_marker_stroke_width(1.0);
        }
        if !self.tooltips.is_empty() {
            dots = dots.with_tooltips().with_tooltip_labels(self.tooltips);
        }
        if let Some(color) = self.smooth {
            dots = dots
                .with_loess()
                .with_trend_color(color)
                .with_trend_width(2.0);
        }
        dots.into()
    }
}

fn theme() -> Theme {
    let of = |color: &str| format!("var(--{color})");
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
    drawn_with_names(plots, layout, height, Vec::new())
}

/// Draws plots, and the names of dots, which are in the numbers of the axes.
fn drawn_with_names(plots: Vec<Plot>, layout: Layout, height: f64, dots: Vec<Dot>) -> String {
    // A whole number is written as it is.
    let height = height.round();
    let layout = layout
        .with_width(WIDTH)
        .with_height(height)
        .with_theme(theme())
        .with_font_family("inherit")
        .with_tick_size(12)
        .with_label_size(13)
        .with_body_size(BODY);
    // A report is worth more than one of its plots.
    let svg = catch_panic(|| {
        let own = ComputedLayout::from_layout(&layout);
        let right = own.margin_right.max(HALF_NUMBER);
        let layout = layout.with_force_margins(own.margin_left, right);
        let computed = ComputedLayout::from_layout(&layout);
        let mut scene = render_multiple(plots, layout);
        write_names(&mut scene, &computed, dots);
        SvgBackend.render_scene(&scene)
    });
    let svg = svg.unwrap_or_else(|_| {
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

/// Writes the names of dots into a drawing, where there is room for them.
fn write_names(scene: &mut Scene, computed: &ComputedLayout, mut dots: Vec<Dot>) {
    for dot in &mut dots {
        dot.at = (computed.map_x(dot.at.0), computed.map_y(dot.at.1));
    }
    let frame = Area {
        left: computed.margin_left,
        top: computed.margin_top,
        right: computed.width - computed.margin_right,
        bottom: computed.height - computed.margin_bottom,
    };
    for placed in places(&dots, &frame) {
        if let Some([(x1, y1), (x2, y2)]) = placed.leader {
            scene.add(Primitive::Line {
                x1,
                y1,
                x2,
                y2,
                stroke: "var(--axis)".into(),
                stroke_width: 0.8,
                stroke_dasharray: None,
            });
        }
        scene.add(Primitive::Text {
            x: placed.at.0,
            // From the middle of small letters to the line that they stand on.
            y: placed.at.1 + 0.35 * f64::from(BODY),
            content: placed.name.to_owned(),
            size: BODY,
            anchor: TextAnchor::Middle,
            rotate: None,
            bold: false,
            color: None,
        });
    }
}

/// Lines and dots over two axes.
pub(super) fn plane(marks: Vec<Mark>, x: Axis, y: Axis) -> String {
    let mut plots: Vec<Plot> = Vec::new();
    let mut rules = Vec::new();
    let mut dots = Vec::new();
    let (mut across, mut up) = (Vec::new(), Vec::new());
    for mark in marks {
        across.extend(mark.points.iter().map(|point| point.0));
        up.extend(mark.points.iter().map(|point| point.1));
        let rule = match mark.shape {
            Shape::Line | Shape::Dots => {
                dots.extend(mark.dots_of());
                plots.push(mark.plot());
                continue;
            }
            Shape::Across(at) => {
                // Level lines are within the frame.
                up.push(at);
                ReferenceLine::horizontal(at)
            }
            Shape::Upright(at) => ReferenceLine::vertical(at),
        };
        rules.push(rule.with_color(mark.color).with_stroke_width(mark.size));
    }
    let ((x_label, x), (y_label, y)) = (x, y);
    let ((x_from, x_to), (y_from, y_to)) = (x.range(across), y.range(up));
    let mut layout = Layout::auto_from_plots(&plots)
        .with_x_label(titled(x_label))
        .with_y_label(titled(y_label))
        .with_x_tick_format(format_of(x_from, x_to))
        .with_y_tick_format(format_of(y_from, y_to))
        .with_x_axis_min(x_from)
        .with_x_axis_max(x_to)
        .with_y_axis_min(y_from)
        .with_y_axis_max(y_to);
    if x == Scale::Counts {
        layout = layout.with_x_tick_step(whole_step(x_to - x_from));
    }
    if y == Scale::Counts {
        layout = layout.with_y_tick_step(whole_step(y_to - y_from));
    }
    for rule in rules {
        layout = layout.with_reference_line(rule);
    }
    if dots.iter().all(|dot| dot.name.is_empty()) {
        dots.clear();
    }
    drawn_with_names(plots, layout, HEIGHT, dots)
}

pub(super) fn format_of(from: f64, to: f64) -> TickFormat {
    TickFormat::Custom(Arc::new(ticks(from, to)))
}

/// The least and the largest number; infinities the other way round where there is none.
pub(super) fn extent(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    numbers.fold(none, |ends, number| {
        (ends.0.min(number), ends.1.max(number))
    })
}

/// From the least to the largest number, with some room around.
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

/// The step between the whole numbers named, some six of them.
fn whole_step(spread: f64) -> f64 {
    let rough = (spread / 6.0).max(1.0);
    let ten = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * ten);
    steps.into_iter().find(|step| *step >= rough).unwrap_or(ten)
}

/// The height of a plot with a row for each name.
fn by_rows(rows: usize) -> f64 {
    78.0 + 21.0 * rows.max(2) as f64
}

/// Estimates with their intervals, in rows of name, estimate, lower and upper end, of which infinite ones are at the edge.
pub(super) fn forest(
    rows: &[(&str, f64, f64, f64)],
    label: &str,
    between: Option<(f64, f64)>,
) -> String {
    let mut plot = ForestPlot::new().with_color("var(--a)").with_cap_size(3.0);
    let names: Vec<&str> = rows.iter().map(|row| row.0).collect();
    let numbers = rows.iter().flat_map(|row| [row.1, row.2, row.3]);
    let finite = numbers.filter(|number| number.is_finite());
    let (from, to) = between.unwrap_or_else(|| ends(finite.chain([0.0])));
    for (name, (_, estimate, lower, upper)) in apart(&names, SIGNS).into_iter().zip(rows) {
        plot = plot.with_row(name, *estimate, lower.max(from), upper.min(to));
    }
    let plots = vec![plot.into()];
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

/// Bars of shares of one, in rows of name, share and colour, the first at the top.
pub(super) fn bars(
    rows: &[(&str, f64, &'static str)],
    label: &str,
    rule: Option<(f64, &'static str)>,
) -> String {
    let names: Vec<&str> = rows.iter().map(|row| row.0).collect();
    let bars = apart(&names, SIGNS).into_iter().zip(rows).rev();
    let bars = bars.map(|(name, (_, value, color))| (name, *value, *color));
    let plot = BarPlot::new().with_colored_bars(bars);
    let plots = vec![plot.with_horizontal(true).into()];
    let mut layout = Layout::auto_from_plots(&plots)
        .with_x_label(label)
        .with_x_axis_min(0.0)
        .with_x_axis_max(1.0)
        .with_x_tick_step(0.2)
        .with_x_tick_format(format_of(0.0, 1.0));
    if let Some((at, color)) = rule {
        let line = ReferenceLine::vertical(at).with_color(color);
        layout = layout.with_reference_line(line.with_stroke_width(RULE));
    }
    drawn(plots, layout, by_rows(rows.len()))
}
