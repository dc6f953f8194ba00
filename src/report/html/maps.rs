//! Plots of names against names: heat maps and networks.

use std::sync::Arc;

use kuva::{
    plot::{ColorMap, Heatmap, LegendPosition, NetworkPlot, network::NetworkLayout},
    prelude::Layout,
};

use super::{
    super::numbers::significant,
    draw::{WIDTH, drawn, extent, format_of},
    labels::apart,
};

/// Signs of a name around a network, where names stand at its sides.
const AROUND: usize = 11;

/// Signs of a name beside the rows of a heat map.
const BESIDE: usize = 18;

/// Columns of a heat map that have a number.
const NUMBERED: usize = 9;

/// A heat map with a cell for every two names; a cell without a finite number stays empty.
///
/// Colours run over `between`, or else over the numbers there are. Columns have the numbers of the
/// rows.
pub(super) fn heat(
    names: &[String],
    cells: &[Vec<f64>],
    with_values: bool,
    between: Option<(f64, f64)>,
) -> String {
    // They are drawn from the bottom up.
    let plot = Heatmap::new().with_data(cells.iter().rev().cloned());
    // What the plot makes of the numbers there are, from 0 to 1, is made shares of what there may be.
    let known = cells.iter().flatten().copied();
    let ends = extent(known.filter(|value| value.is_finite()));
    let color = move |share: f64| match between {
        Some((from, to)) => pale((ends.0 + share * (ends.1 - ends.0) - from) / (to - from)),
        None => pale(share),
    };
    let plot = plot.with_color_map(ColorMap::Custom(Arc::new(color)));
    let pairs = names.iter().zip(cells).rev();
    let tooltips = pairs.flat_map(|(a, row)| {
        let cells = names.iter().zip(row);
        cells.map(move |(b, value)| match value.is_finite() {
            true => format!("{a} and {b}: {}", significant(*value, 4)),
            false => format!("{a} and {b}"),
        })
    });
    let mut plot = plot
        .with_tooltips()
        .with_tooltip_labels(tooltips.collect::<Vec<String>>());
    if with_values {
        plot = plot.with_values();
    }
    let plots = vec![plot.into()];
    let full: Vec<&str> = names.iter().map(String::as_str).collect();
    let numbered = apart(&full, BESIDE).into_iter().enumerate().rev();
    let numbered = numbered.map(|(at, name)| format!("{name} {}", at + 1));
    // Numbers of two digits have room at every second column, or fewer.
    let step = names.len().div_ceil(NUMBERED);
    let numbers = (0..names.len()).map(|at| match at % step {
        0 => (at + 1).to_string(),
        _ => String::new(),
    });
    let layout = Layout::auto_from_plots(&plots)
        .with_x_categories(numbers.collect())
        .with_y_categories(numbered.collect())
        .with_legend_position(LegendPosition::OutsideRightTop)
        .with_colorbar_tick_format(format_of(ends.0, ends.1));
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

/// A network of names joined by lines, the thicker the larger the number.
pub(super) fn network(edges: &[(&str, &str, f64)]) -> String {
    let mut plot = NetworkPlot::new()
        .with_labels()
        .with_repel_labels()
        .with_layout(NetworkLayout::Circle)
        .with_node_radius(6.0)
        .with_edge_opacity(0.7);
    let (least, most) = extent(edges.iter().map(|edge| edge.2));
    let share = |score: f64| match most > least {
        true => (score - least) / (most - least),
        false => 0.5,
    };
    let mut names: Vec<&str> = Vec::new();
    for name in edges.iter().flat_map(|edge| [edge.0, edge.1]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // Those that pairs bring together stand across, not side by side.
    let (first, second) = (names.iter().step_by(2), names.iter().skip(1).step_by(2));
    let labels = apart(&names, AROUND);
    let label = |name: &str| {
        let place = names.iter().position(|own| *own == name);
        place.map_or_else(String::new, |place| labels[place].clone())
    };
    for name in first.chain(second) {
        plot = plot.with_node_color(label(name), "var(--b)");
    }
    for (a, b, score) in edges {
        let width = 1.0 + 4.0 * share(*score);
        plot = plot.with_edge_color(label(a), label(b), width, "var(--a)");
    }
    let plots = vec![plot.into()];
    let layout = Layout::auto_from_plots(&plots).with_force_margins(70.0, 70.0);
    drawn(plots, layout, WIDTH * 0.8)
}
