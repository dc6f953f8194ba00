//! How well a model fits, in a few words: for texts and pages.

use serde_json::Value;

use super::{
    numbers::{p_value, significant, when},
    table::number,
};
use crate::selection::{
    Diagnostics, FStatistic, ProportionalHazards, ResponseFamily, Selection, SurvivalSummary,
};

/// Influential observations that are named; more are only counted.
const NAMED: usize = 3;

/// What R² is called: without an intercept sums of squares are about zero.
pub(super) fn r_squared_name(selection: &Selection) -> &'static str {
    match selection.intercept {
        Some(_) => "R²",
        None => "R² about zero",
    }
}

/// The residual standard error and its degrees of freedom.
pub(super) fn residual_error(selection: &Selection) -> String {
    let goodness = &selection.goodness;
    let (error, free) = (number(goodness.sigma, 6).shown(), goodness.df_residual);
    let plural = when(free != 1, "s");
    format!("{error} with {free} degree{plural} of freedom")
}

/// The F-test of all variables, where there is one.
pub(super) fn f_test(selection: &Selection) -> Option<String> {
    let test = selection.goodness.f_statistic.as_ref()?;
    let (value, p) = (significant(test.value, 4), p_value(test.p_value));
    let FStatistic {
        df, df_residual, ..
    } = test;
    Some(format!("{value} on {df} and {df_residual} df, p {p}"))
}

/// The log-likelihood with the number of parameters, by which others' AIC and BIC are made of it.
pub(super) fn log_likelihood(selection: &Selection) -> Option<String> {
    let value = significant(selection.goodness.log_likelihood?, 8);
    let constants = usize::from(selection.intercept.is_some()) + selection.constants.len();
    let coefficients = selection.selected.len() + constants;
    let family = selection.family.as_ref().map(|own| &own.response);
    let scatter = match family.map(|own| (&*own.name, own.has_dispersion)) {
        None => Some("σ"),
        Some(("gamma", _) | (_, true)) => Some("the dispersion"),
        Some(("negative-binomial", _)) => Some("θ"),
        Some(_) => None,
    };
    let parameters = coefficients + usize::from(scatter.is_some());
    let among = scatter.map(|scatter| format!(", {scatter} among them"));
    Some(format!(
        "{value} with {parameters} parameter{}{}",
        when(parameters != 1, "s"),
        among.unwrap_or_default()
    ))
}

/// How well the model fits: by R², σ̂ and F, or by the deviance.
pub(super) fn facts_of_fit(selection: &Selection) -> Vec<(&'static str, String)> {
    let Some(family) = &selection.family else {
        let goodness = &selection.goodness;
        let r_squared = [goodness.r_squared, goodness.adjusted_r_squared];
        let [r_squared, adjusted] = r_squared.map(|value| number(value, 6).shown());
        let mut facts = vec![
            (
                r_squared_name(selection),
                format!("{r_squared}, adjusted {adjusted}"),
            ),
            ("residual std. error", residual_error(selection)),
        ];
        facts.extend(f_test(selection).map(|test| ("F statistic", test)));
        facts.extend(log_likelihood(selection).map(|value| ("log-likelihood", value)));
        facts.extend(selection.diagnostics.iter().flat_map(facts_of_diagnostics));
        return facts;
    };
    if let Some(survival) = &family.survival {
        return facts_of_survival(selection, survival);
    }
    let explained = match family.deviance_explained {
        Some(share) => format!("; {} explained", significant(share, 4)),
        None => String::new(),
    };
    let mut facts = vec![(
        "deviance",
        format!(
            "{} on {} df, of {} on {} without variables{explained}",
            significant(family.deviance, 7),
            selection.goodness.df_residual,
            significant(family.null_deviance, 7),
            family.df_null
        ),
    )];
    if let Some(pearson) = family.pearson_dispersion {
        let name = match (&*family.response.name, family.response.has_dispersion) {
            ("gamma", _) | (_, true) => "dispersion",
            _ => "Pearson χ²/df",
        };
        facts.push((name, significant(pearson, 5)));
    }
    let theta = family.theta.map(|theta| ("θ", significant(theta, 5)));
    facts.extend(theta);
    if let Some(own) = &family.discrimination {
        let text = format!(
            "{}, Brier score {}",
            significant(own.auc, 4),
            significant(own.brier, 4)
        );
        facts.push(("AUC", text));
    }
    if let Some(test) = &family.hosmer_lemeshow {
        facts.push((
            "Hosmer–Lemeshow",
            format!(
                "{} on {} df, p {}",
                significant(test.chi_squared, 4),
                test.df,
                p_value(test.p_value)
            ),
        ));
    }
    facts.extend(log_likelihood(selection).map(|value| ("log-likelihood", value)));
    facts.extend(selection.diagnostics.iter().flat_map(facts_of_diagnostics));
    facts
}

/// What speaks against the assumptions of a model, in a line or two.
fn facts_of_diagnostics(own: &Diagnostics) -> Vec<(&'static str, String)> {
    let mut parts = Vec::new();
    let condition = own.condition_number;
    parts.extend(condition.map(|number| format!("condition number {}", significant(number, 3))));
    let test = |name: &str, p: f64| format!("{name} p {}", p_value(p));
    let equal = own.breusch_pagan.as_ref();
    parts.extend(equal.map(|own| test("Breusch–Pagan", own.p_value)));
    parts.extend(own.reset.as_ref().map(|own| test("RESET", own.p_value)));
    let serial = own.durbin_watson.as_ref().map(|own| {
        let statistic = significant(own.statistic, 3);
        format!("Durbin–Watson {statistic}, p {}", p_value(own.p_value))
    });
    parts.extend(serial);
    let mut facts = Vec::new();
    if !parts.is_empty() {
        facts.push(("diagnostics", parts.join("; ")));
    }
    if !own.influential.is_empty() {
        let all = own.influential.iter().take(NAMED).map(|one| {
            let name = one
                .label
                .clone()
                .unwrap_or_else(|| format!("row {}", one.row));
            format!(
                "{name} (Cook's distance {})",
                significant(one.cooks_distance, 3)
            )
        });
        let all: Vec<String> = all.collect();
        let more = match own.influential_count - all.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        facts.push(("influential", all.join(", ") + &more));
    }
    facts
}

/// The numbers of R's `summary` of a `coxph`.
fn facts_of_survival(
    selection: &Selection,
    survival: &SurvivalSummary,
) -> Vec<(&'static str, String)> {
    let strata = match &survival.strata {
        Some(name) => format!(", {} strata of {name}", survival.strata_count),
        None => String::new(),
    };
    let entry = match &survival.entry {
        Some(name) => format!(", at risk from {name} on"),
        None => String::new(),
    };
    let mut facts = vec![(
        "events",
        format!(
            "{} of {} observations{entry}{strata}; ties by {}",
            survival.events, selection.n, survival.ties
        ),
    )];
    let concordance = survival
        .concordance
        .map(|own| ("concordance", significant(own, 4)));
    facts.extend(concordance);
    if let Some(test) = &survival.likelihood_ratio {
        facts.push((
            "likelihood ratio",
            format!(
                "{} on {} df, p {}",
                significant(test.chi_squared, 5),
                test.df,
                p_value(test.p_value)
            ),
        ));
    }
    if let Some(tests) = &survival.proportional_hazards {
        facts.extend(hazard_tests(tests).map(|text| ("proportional hazards", text)));
    }
    facts.extend(log_likelihood(selection).map(|value| ("log-likelihood", value)));
    facts
}

/// The test that all hazards are proportional, and the term that speaks most against it.
fn hazard_tests(tests: &ProportionalHazards) -> Option<String> {
    let all = &tests.all;
    let mut text = format!(
        "χ² {} on {} df, p {}",
        significant(all.chi_squared?, 4),
        all.df,
        p_value(all.p_value?)
    );
    let terms = tests
        .terms
        .iter()
        .filter_map(|own| Some((own, own.p_value?)));
    let least = terms.min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((own, p)) = least.filter(|_| tests.terms.len() > 1) {
        text += &format!("; of single terms least for {}, p {}", own.name, p_value(p));
    }
    Some(text)
}

/// The family of the response, its trials and its offset; none of least squares.
pub(super) fn facts_of_family(family: Option<&ResponseFamily>) -> Vec<(&'static str, String)> {
    let Some(family) = family else {
        return Vec::new();
    };
    let name = match &family.of_plugin {
        None => family.name.to_string(),
        Some(own) => {
            let text = |name: &str| own.parameters.get(name).and_then(Value::as_str);
            let [plugin, version] =
                ["plugin", "plugin_version"].map(|name| text(name).unwrap_or_default());
            format!("{} of plugin {plugin} {version}", own.spec(&[]))
        }
    };
    let mut facts = vec![("family", format!("{name}, link {}", family.link))];
    facts.extend(family.event.clone().map(|level| ("event", level)));
    facts.extend(family.trials.clone().map(|name| ("trials", name)));
    facts.extend(family.offset.clone().map(|name| ("offset", name)));
    let quasi = family.quasi_likelihood.as_ref();
    facts.extend(quasi.map(|from| ("quasi-likelihood", format!("dispersion {from}"))));
    facts
}

/// What standard errors rest on, where that is not the model.
fn robust(selection: &Selection) -> Option<(&'static str, String)> {
    let own = selection.robust.as_ref()?;
    let clusters = match (&own.cluster, own.clusters) {
        (Some(name), Some(count)) => format!(", {count} clusters by {name}"),
        _ => String::new(),
    };
    let text = match &own.omitted {
        None => format!("robust, {}{clusters}", own.estimator),
        Some(reason) => format!("none: {reason}"),
    };
    Some(("standard errors", text))
}

/// How p-values are adjusted.
fn adjusted(selection: &Selection) -> Option<(&'static str, String)> {
    let method = match &**selection.adjusted.as_ref()? {
        "bh" => "Benjamini and Hochberg",
        "holm" => "Holm",
        _ => "Bonferroni",
    };
    let text = format!(
        "by {method} for the {} selected variables, not for the search",
        selection.k
    );
    Some(("p adj.", text))
}

/// The family of the response, and how the estimates, their standard errors and intervals are made; of least squares by the
/// model none.
pub(super) fn facts_of_estimates(selection: &Selection) -> Vec<(&'static str, String)> {
    let Some(family) = &selection.family else {
        return robust(selection)
            .into_iter()
            .chain(adjusted(selection))
            .collect();
    };
    let mut facts = facts_of_family(Some(&family.response));
    if let (Some(from), Some((_, text))) = (&family.response.quasi_likelihood, facts.last_mut()) {
        let value = significant(family.dispersion, 4);
        *text = format!("dispersion {value}, {from}; the criterion takes −2ℓ / {value}");
    }
    if family.firth.is_some() {
        let estimates = "by Firth's penalty; the model was chosen by its likelihood";
        facts.push(("estimates", estimates.to_owned()));
    }
    let intervals = match (&*selection.intervals, &family.firth) {
        ("profile", Some(_)) => "by the profile of the penalised likelihood; p-values are Wald's",
        ("profile", None) => "by the profile of the likelihood; p-values are Wald's",
        _ => "Wald's",
    };
    facts.extend(robust(selection));
    facts.extend(adjusted(selection));
    facts.push(("intervals", intervals.to_owned()));
    facts
}
