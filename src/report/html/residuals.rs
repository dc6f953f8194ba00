//! Residual plots of the chosen model.

use super::{
    draw::{Mark, Scale, Shape, extent, plane},
    labels::{SIGNS, within},
    page::{Body, Figure, Key, LINE},
};
use crate::{
    report::{
        numbers::{listed, significant, when},
        table::{Table, count, exact, text},
    },
    selection::{ObservationResidual, Residuals},
};

/// Up to so many observations each tells its row where it is pointed at.
const POINTED: usize = 500;

/// The observations that each plot names, as R's do.
const NAMED: usize = 3;

/// What observations are named for: what it is called, and how large it is.
type Extreme<'a> = (&'a str, &'a dyn Fn(&ObservationResidual) -> Option<f64>);

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
    extreme: Extreme<'a>,
}

/// Plots against fitted values, normal quantiles, leverage and rows.
pub(super) fn plots(body: &mut Body, residuals: &Residuals, response: &str) {
    let observed = &residuals.observed;
    let first = observed.first().map(|own| own.fitted);
    // A line through one place is none.
    let spread = observed.iter().any(|own| Some(own.fitted) != first);
    let smooth = (spread && observed.len() >= 20).then_some("var(--b)");
    let smoothed = smooth.map(|color| (color, LINE, "smoothed (loess)".to_owned()));
    let smoothed: Vec<Key> = smoothed.into_iter().collect();
    let ends = observed.iter().filter(|own| own.standardised.is_some());
    let quantiles = extent(ends.map(|own| own.quantile).chain([0.0]));
    let numbers = extent(observed.iter().flat_map(|own| [own.fitted, own.observed]));
    let diagonal = |(from, to)| Mark::line(vec![(from, from), (to, to)], "var(--b)", 1.5);
    let distances = observed.iter();
    let distances = distances.filter_map(|own| Some((own.row as f64, own.cooks_distance?)));
    let needles = distances.flat_map(|(row, distance)| [(row, 0.0), (row, distance), (row, 0.0)]);
    let residual = format!("residual{}", when(residuals.weighted, " × √weight"));
    let standardised = ("standardised residual", "standardised");
    let fitted = format!("fitted {response}");
    let fitted = (&*fitted, "fitted");
    let level = || Mark::rule(Shape::Across(0.0), "var(--axis)");
    let farthest: Extreme = ("standardised residual", &|own| {
        Some(own.standardised?.abs())
    });
    let influence: Extreme = ("Cook's distance", &|own| own.cooks_distance);
    let views = [
        View {
            title: "Observed and fitted values",
            alt: "Observed against fitted values",
            caption: "On the line where the model is right.",
            legend: vec![("var(--b)", LINE, "observed = fitted".to_owned())],
            background: diagonal(numbers),
            smooth: None,
            x: fitted,
            y: (&format!("observed {response}"), "observed"),
            point: &|own| Some((own.fitted, own.observed)),
            extreme: farthest,
        },
        View {
            title: "Residuals and fitted values",
            alt: "Residuals against fitted values",
            caption: "A bend or a funnel says that the model misses something.",
            legend: smoothed.clone(),
            background: level(),
            smooth,
            x: fitted,
            y: (&residual, "residual"),
            point: &|own| Some((own.fitted, own.residual)),
            extreme: farthest,
        },
        View {
            title: "Residuals and normal quantiles",
            alt: "Quantiles of standardised residuals against normal quantiles",
            caption: "On the line where they are normal; p-values lean on that.",
            legend: vec![("var(--b)", LINE, "normal".to_owned())],
            background: diagonal(quantiles),
            smooth: None,
            x: ("normal quantile", "normal_quantile"),
            y: standardised,
            point: &|own| Some((own.quantile, own.standardised?)),
            extreme: farthest,
        },
        View {
            title: "Scale and fitted values",
            alt: "Roots of standardised residuals' sizes against fitted values",
            caption: "Level where the variance is the same everywhere; standard errors lean on that.",
            legend: smoothed,
            background: Mark::default(),
            smooth,
            x: fitted,
            y: ("√|standardised residual|", "root_of_size"),
            point: &|own| Some((own.fitted, own.standardised?.abs().sqrt())),
            extreme: farthest,
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
            extreme: influence,
        },
        View {
            title: "Cook's distance",
            alt: "Cook's distances of the observations by row",
            caption: "How far all fitted values move where an observation is left out: above 0.5 worth a \
                      look, above 1 it shapes the model.",
            legend: Vec::new(),
            background: Mark::line(needles.collect(), "var(--axis)", 1.0),
            smooth: None,
            x: ("row", "row_of_the_table"),
            y: ("Cook's distance", "cooks_distance"),
            point: &|own| Some((own.row as f64, own.cooks_distance?)),
            extreme: influence,
        },
    ];
    for view in views {
        // Against one value there is nothing to see.
        if spread || view.x.1 == "normal_quantile" {
            plot(body, residuals, view);
        }
    }
}

fn plot(body: &mut Body, residuals: &Residuals, view: View) {
    let (observed, n) = (&residuals.observed, residuals.n);
    let shown = observed.iter();
    let shown = shown.filter_map(|own| Some((own, (view.point)(own)?)));
    let shown: Vec<(&ObservationResidual, (f64, f64))> = shown.collect();
    let (what, size) = view.extreme;
    let mut largest: Vec<(f64, &ObservationResidual)> = shown
        .iter()
        .filter_map(|(own, _)| Some((size(own)?, *own)))
        .collect();
    largest.sort_by(|a, b| b.0.total_cmp(&a.0));
    largest.truncate(NAMED);
    let named = largest.iter();
    let named =
        listed(named.map(|(size, own)| format!("{} ({})", own.name(), significant(*size, 2))));
    let mut caption = format!("{} Named: the largest by {what}, {named}.", view.caption);
    if observed.len() < n {
        caption += &format!(
            " {} of {n} observations drawn: the largest residuals, leverages and Cook's distances, and \
             others evenly by rank; so the ends look fuller than they are.",
            shown.len()
        );
    }
    if let count @ 1.. = observed.len() - shown.len() {
        let why = "of leverage 1, which the model fits whatever they are";
        caption += &format!(" Not drawn: {count} {why}.");
    }
    let labelled = shown.iter().any(|own| own.0.label.is_some());
    let pointed = shown.iter().filter(|_| shown.len() <= POINTED);
    let pointed = pointed.map(|own| format!("observation {}", own.0.name()));
    let name = |own: &ObservationResidual| match largest.iter().any(|far| far.1.row == own.row) {
        true => within(&own.name(), SIGNS),
        false => String::new(),
    };
    let dots = Mark {
        tooltips: pointed.collect(),
        names: shown.iter().map(|own| name(own.0)).collect(),
        smooth: view.smooth,
        ..Mark::dots(shown.iter().map(|own| own.1).collect(), "var(--a)", 2.5)
    };
    body.figure(Figure {
        title: view.title.to_owned(),
        alt: format!(
            "{} of {n} observations; the largest by {what}: {named}",
            view.alt
        ),
        caption,
        legend: view.legend,
        data: Table::of(&shown)
            .column("row", |own| count(own.0.row))
            .column_if(labelled, "label", |own| text(own.0.name()))
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
