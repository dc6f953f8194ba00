//! Residual plots of the chosen model.

use super::{
    draw::{Mark, Scale, Shape, extent, plane},
    page::{Body, Figure, Key, LINE},
};
use crate::{
    report::{
        numbers::when,
        table::{Table, count, exact},
    },
    selection::{ObservationResidual, Residuals},
};

/// Up to so many observations each tells its row where it is pointed at.
const POINTED: usize = 500;

/// One of the plots.
struct View<'a> {
    title: &'a str,
    alt: &'a str,
    caption: &'a str,
    legend: Vec<Key>,
    /// Drawn below the observations.
    background: Mark,
    smooth: Option<&'static str>,
    /// The label of an axis, and the name of its numbers in the data.
    x: (&'a str, &'a str),
    y: (&'a str, &'a str),
    point: &'a dyn Fn(&ObservationResidual) -> Option<(f64, f64)>,
}

/// Plots against fitted values, normal quantiles and leverage.
pub(super) fn plots(body: &mut Body, residuals: &Residuals, response: &str) {
    let observed = &residuals.observed;
    let first = observed.first().map(|own| own.fitted);
    // A line through one place is none.
    let spread = observed.iter().any(|own| Some(own.fitted) != first);
    let smooth = (spread && observed.len() >= 20).then_some("var(--b)");
    let smoothed = smooth.map(|color| (color, LINE, "smoothed (loess)".to_owned()));
    let ends = observed.iter().filter(|own| own.standardised.is_some());
    let (from, to) = extent(ends.map(|own| own.quantile).chain([0.0]));
    let normal = Mark::line(vec![(from, from), (to, to)], "var(--b)", 1.5);
    let residual = format!("residual{}", when(residuals.weighted, " × √weight"));
    let standardised = ("standardised residual", "standardised");
    let level = || Mark::rule(Shape::Across(0.0), "var(--axis)");
    let views = [
        View {
            title: "Residuals and fitted values",
            alt: "Residuals against fitted values",
            caption: "A bend or a funnel says that the model misses something.",
            legend: smoothed.into_iter().collect(),
            background: level(),
            smooth,
            x: (&format!("fitted {response}"), "fitted"),
            y: (&residual, "residual"),
            point: &|own| Some((own.fitted, own.residual)),
        },
        View {
            title: "Residuals and the normal distribution",
            alt: "Quantiles of standardised residuals against normal quantiles",
            caption: "On the line where they are normal; p-values lean on that.",
            legend: vec![("var(--b)", LINE, "normal".to_owned())],
            background: normal,
            smooth: None,
            x: ("normal quantile", "normal_quantile"),
            y: standardised,
            point: &|own| Some((own.quantile, own.standardised?)),
        },
        View {
            title: "Residuals and leverage",
            alt: "Standardised residuals against leverage",
            caption: "Leverage: how far an observation's own y decides its fitted value. Far right and \
                      far from 0, one observation shapes the model.",
            legend: Vec::new(),
            background: level(),
            smooth: None,
            x: ("leverage", "leverage"),
            y: standardised,
            point: &|own| Some((own.leverage, own.standardised?)),
        },
    ];
    let largest = observed.iter();
    let largest = largest.filter_map(|own| Some((own.row, own.standardised?)));
    let largest = largest.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    let largest = largest.map_or_else(String::new, |(row, value)| {
        format!("; the largest standardised residual is {value:.2}, of observation {row}")
    });
    for view in views {
        // Against one value there is nothing to see.
        if spread || view.x.1 == "normal_quantile" {
            plot(body, residuals, view, &largest);
        }
    }
}

fn plot(body: &mut Body, residuals: &Residuals, view: View, largest: &str) {
    let (observed, n) = (&residuals.observed, residuals.n);
    let shown = observed.iter();
    let shown = shown.filter_map(|own| Some((own.row, (view.point)(own)?)));
    let shown: Vec<(usize, (f64, f64))> = shown.collect();
    let mut caption = view.caption.to_owned();
    if observed.len() < n {
        caption += &format!(
            " {} of {n} observations drawn: the largest residuals and leverages, and others evenly by rank; so \
             the ends look fuller than they are.",
            shown.len()
        );
    }
    if let count @ 1.. = observed.len() - shown.len() {
        let why = "of leverage 1, which the model fits whatever they are";
        caption += &format!(" Not drawn: {count} {why}.");
    }
    let pointed = shown.iter().filter(|_| shown.len() <= POINTED);
    let pointed = pointed.map(|own| format!("observation {}", own.0));
    let dots = Mark {
        tooltips: pointed.collect(),
        smooth: view.smooth,
        ..Mark::dots(shown.iter().map(|own| own.1).collect(), "var(--a)", 2.5)
    };
    body.figure(Figure {
        title: view.title.to_owned(),
        alt: format!("{} of {n} observations{largest}", view.alt),
        caption,
        legend: view.legend,
        data: Table::of(&shown)
            .column("row", |own| count(own.0))
            .column(view.x.1, |own| exact(own.1.0))
            .column(view.y.1, |own| exact(own.1.1))
            .data(shown.len()),
        svg: plane(
            vec![view.background, dots],
            (view.x.0, Scale::Points),
            (view.y.0, Scale::Points),
        ),
        ..Figure::default()
    });
}
