//! Points along a genome.

use kuva::{
    plot::{ManhattanPlot, ScatterPlot},
    prelude::{Layout, Plot},
    render::annotations::ReferenceLine,
};

use super::{Dot, HEIGHT, Points, drawn_with_names, format_of};

/// Draws −log₁₀ p along a genome, with a level line: of each point its chromosome, where it lies and how high; then those that
/// are marked, with their names. No point is higher than `highest`.
pub(in super::super) fn manhattan<'a>(
    points: impl Iterator<Item = (&'a str, f64, f64)>,
    (marked, names): (Points, Vec<String>),
    (level, highest): (f64, f64),
) -> String {
    let p = |score: f64| 10_f64.powf(-score);
    let top = points.map(|(chromosome, at, score)| (chromosome, at, p(score)));
    let genome = ManhattanPlot::new()
        .with_data_x(top)
        .with_color_a("var(--a)")
        .with_color_b("var(--axis)")
        .with_point_size(1.4)
        .with_pvalue_floor(p(highest))
        // The line is that of the page.
        .with_suggestive(-1.0)
        .with_genome_wide(-1.0);
    let named = marked.iter().zip(names);
    let dots = named.map(|(at, name)| Dot {
        at: *at,
        radius: 3.0,
        name,
    });
    let dots: Vec<Dot> = dots.collect();
    let marks = ScatterPlot::new()
        .with_data(marked)
        .with_color("var(--b)")
        .with_size(3.0);
    let plots: Vec<Plot> = vec![genome.into(), marks.into()];
    let line = ReferenceLine::horizontal(level).with_color("var(--b)");
    let layout = Layout::auto_from_plots(&plots)
        .with_x_label("chromosome")
        .with_y_label("−log10 p")
        .with_y_axis_min(0.0)
        .with_y_axis_max(highest)
        .with_y_tick_format(format_of(0.0, highest))
        .with_reference_line(line.with_stroke_width(1.0));
    drawn_with_names(plots, layout, HEIGHT, dots)
}
