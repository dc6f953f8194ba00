//! Residual plots of the chosen model.

use super::{
    draw::{Mark, Scale, Shape, extent, plane},
    labels::{SIGNS, within},
    page::{Body, Figure, Key, LINE},
};
use crate::{
    report::{
        numbers::{listed, significant},
        table::{Table, count, exact, text},
    },
    selection::{ObservationResidual, Residuals, Selection},
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

/// What several plots of the same observations share.
struct Shared {
    /// The colour of a smooth line, and its entry in legends; none through few observations or one place.
    smooth: Option<&'static str>,
    smoothed: Vec<Key>,
    /// The line of normal quantiles.
    normal: Mark,
    /// The line where observed and fitted values are the same.
    same: Mark,
    /// A line from 0 to Cook's distance at each row.
    needles: Mark,
}

impl Shared {
    fn of(observed: &[ObservationResidual], spread: bool) -> Self {
        let smooth = (spread && observed.len() >= 20).then_some("var(--b)");
        let smoothed = smooth.map(|color| (color, LINE, "smoothed (loess)".to_owned()));
        let ranked = observed.iter().filter(|own| own.ranked().is_some());
        let diagonal = |(from, to)| Mark::line(vec![(from, from), (to, to)], "var(--b)", 1.5);
        let distances = observed.iter();
        let distances = distances.filter_map(|own| Some((own.row as f64, own.cooks_distance?)));
        let needles =
            distances.flat_map(|(row, distance)| [(row, 0.0), (row, distance), (row, 0.0)]);
        Self {
            smooth,
            smoothed: smoothed.into_iter().collect(),
            normal: diagonal(extent(ranked.map(|own| own.quantile).chain([0.0]))),
            same: diagonal(extent(
                observed.iter().flat_map(|own| [own.fitted, own.observed]),
            )),
            needles: Mark::line(needles.collect(), "var(--axis)", 1.0),
        }
    }
}

const NORMAL_QUANTILE: (&str, &str) = ("normal quantile", "normal_quantile");

const COOK: Extreme<'static> = ("Cook's distance", &|own| own.cooks_distance);

/// Plots of the residuals of least squares, or of a likelihood.
pub(super) fn plots(body: &mut Body, residuals: &Residuals, report: &Selection) {
    let observed = &residuals.observed;
    let first = observed.first().map(|own| own.predictor);
    // A line through one place is none.
    let spread = observed.iter().any(|own| Some(own.predictor) != first);
    let shared = Shared::of(observed, spread);
    let fitted = format!("fitted {}", report.response);
    let seen = format!("observed {}", report.response);
    let axes = ((&*fitted, "fitted"), (&*seen, "observed"));
    let views = match &report.family {
        None => of_least_squares(shared, axes, residuals.weighted),
        Some(family) => of_likelihood(shared, axes, &family.response.name),
    };
    for view in views {
        // Against one value there is nothing to see.
        if spread || view.x == NORMAL_QUANTILE {
            plot(body, residuals, view);
        }
    }
}

fn level() -> Mark {
    Mark::rule(Shape::Across(0.0), "var(--axis)")
}

fn observed_and_fitted<'a>(
    same: Mark,
    (fitted, observed): ((&'a str, &'a str), (&'a str, &'a str)),
    extreme: Extreme<'a>,
) -> View<'a> {
    View {
        title: "Observed and fitted values",
        alt: "Observed against fitted values",
        caption: "On the line where the model is right.",
        legend: vec![("var(--b)", LINE, "observed = fitted".to_owned())],
        background: same,
        smooth: None,
        x: fitted,
        y: observed,
        point: &|own| Some((own.fitted, own.observed)),
        extreme,
    }
}

fn cooks_distance<'a>(needles: Mark) -> View<'a> {
    View {
        title: "Cook's distance",
        alt: "Cook's distances of the observations by row",
        caption: "How far all fitted values move where an observation is left out: above 0.5 worth a \
                  look, above 1 it shapes the model.",
        legend: Vec::new(),
        background: needles,
        smooth: None,
        x: ("row", "row_of_the_table"),
        y: ("Cook's distance", "cooks_distance"),
        point: &|own| Some((own.row as f64, own.cooks_distance?)),
        extreme: COOK,
    }
}

/// Plots against fitted values, normal quantiles, leverage and rows.
fn of_least_squares<'a>(
    shared: Shared,
    axes: ((&'a str, &'a str), (&'a str, &'a str)),
    weighted: bool,
) -> Vec<View<'a>> {
    let standardised = ("standardised residual", "standardised");
    let residual = match weighted {
        true => ("residual × √weight", "residual"),
        false => ("residual", "residual"),
    };
    let farthest: Extreme = ("standardised residual", &|own| {
        Some(own.standardised?.abs())
    });
    let fitted = axes.0;
    vec![
        observed_and_fitted(shared.same, axes, farthest),
        View {
            title: "Residuals and fitted values",
            alt: "Residuals against fitted values",
            caption: "A bend or a funnel says that the model misses something.",
            legend: shared.smoothed.clone(),
            background: level(),
            smooth: shared.smooth,
            x: fitted,
            y: residual,
            point: &|own| Some((own.fitted, own.residual)),
            extreme: farthest,
        },
        View {
            title: "Residuals and normal quantiles",
            alt: "Quantiles of standardised residuals against normal quantiles",
            caption: "On the line where they are normal; p-values lean on that.",
            legend: vec![("var(--b)", LINE, "normal".to_owned())],
            background: shared.normal,
            smooth: None,
            x: NORMAL_QUANTILE,
            y: standardised,
            point: &|own| Some((own.quantile, own.standardised?)),
            extreme: farthest,
        },
        View {
            title: "Scale and fitted values",
            alt: "Roots of standardised residuals' sizes against fitted values",
            caption: "Level where the variance is the same everywhere; standard errors lean on that.",
            legend: shared.smoothed,
            background: Mark::default(),
            smooth: shared.smooth,
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
            extreme: COOK,
        },
        cooks_distance(shared.needles),
    ]
}

/// Plots against normal quantiles, the linear predictor and rows; of counts and positive numbers against fitted values.
fn of_likelihood<'a>(
    shared: Shared,
    axes: ((&'a str, &'a str), (&'a str, &'a str)),
    family: &str,
) -> Vec<View<'a>> {
    let quantile = ("quantile residual", "quantile_residual");
    let predictor = ("linear predictor", "linear_predictor");
    let farthest: Extreme = ("quantile residual", &|own| {
        Some(own.quantile_residual?.abs())
    });
    let has_jumps = family != "gamma";
    let mut views = vec![
        View {
            title: "Normal Q–Q plot",
            alt: "Quantile residuals against normal quantiles",
            caption: match has_jumps {
                true => {
                    "Of each observation the normal quantile of its probability under the model, drawn at random \
                     within the jump of the distribution (Dunn and Smyth), by the seed. On the line where \
                     the family and the model are right."
                }
                false => {
                    "Of each observation the normal quantile of its probability under the model (Dunn and Smyth). On \
                     the line where the family and the model are right."
                }
            },
            legend: vec![("var(--b)", LINE, "normal".to_owned())],
            background: shared.normal,
            smooth: None,
            x: NORMAL_QUANTILE,
            y: quantile,
            point: &|own| Some((own.quantile, own.quantile_residual?)),
            extreme: farthest,
        },
        View {
            title: "Quantile residuals",
            alt: "Quantile residuals against the linear predictor",
            caption: "A bend says that the link or the form of a variable is wrong, a funnel that the variance is.",
            legend: shared.smoothed.clone(),
            background: level(),
            smooth: shared.smooth,
            x: predictor,
            y: quantile,
            point: &|own| Some((own.predictor, own.quantile_residual?)),
            extreme: farthest,
        },
        View {
            title: "Deviance residuals",
            alt: "Deviance residuals against the linear predictor",
            caption: match has_jumps {
                true => {
                    "The sum of their squares is the deviance. Few events and small counts make bands, \
                     which say nothing; the smooth line does."
                }
                false => "The sum of their squares is the deviance.",
            },
            legend: shared.smoothed,
            background: level(),
            smooth: shared.smooth,
            x: predictor,
            y: ("deviance residual", "deviance_residual"),
            point: &|own| Some((own.predictor, own.residual)),
            extreme: ("deviance residual", &|own| Some(own.residual.abs())),
        },
    ];
    // Of events the calibration shows that.
    if family != "binomial" {
        views.push(observed_and_fitted(shared.same, axes, farthest));
    }
    views.push(cooks_distance(shared.needles));
    views
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
