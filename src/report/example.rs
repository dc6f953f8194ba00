//! A report to test renderers with.

use crate::selection::*;

/// A selection of two variables with every part filled in.
pub(crate) fn selection() -> Selection {
    let estimate = |coefficient, std_error: f64, p_value| Estimate {
        coefficient,
        std_error: Some(std_error),
        t: Some(coefficient / std_error),
        p_value: Some(p_value),
        lower: None,
        upper: None,
    };
    let model = |delta, weight, variables: &[&str]| VisitedModel {
        criterion: delta - 207.171_682_211,
        delta,
        weight,
        variables: variables.iter().map(|name| (*name).to_owned()).collect(),
    };
    let weight = |name: &str, weight| InclusionWeight {
        name: name.to_owned(),
        weight,
    };
    let mut parameters = serde_json::Map::new();
    parameters.insert("particles".into(), 64.into());
    parameters.insert("iterations".into(), 256.into());
    let mut selection = Selection {
        passel: "0.1.0".into(),
        method: NamedParameters {
            name: "pass".to_string(),
            parameters,
        },
        criterion: CriterionValue {
            name: "ebic".into(),
            value: -207.171_682_211,
            parameters: [("gamma".to_owned(), 1.0.into())].into_iter().collect(),
        },
        response: "price".into(),
        n: 200,
        p: 1000,
        k: 2,
        rss: 50.0,
        tss: 250.0,
        level: CONFIDENCE_LEVEL,
        intercept: Some(estimate(1.5, 0.25, 9e-9)),
        selected: vec![
            SelectedVariable {
                name: "area".into(),
                index: 3,
                estimate: estimate(0.1, 0.003, 0.0),
            },
            SelectedVariable {
                name: "a,\"b\"".into(),
                index: 17,
                estimate: estimate(-123_456.789, 5e4, 0.0144),
            },
        ],
        set_aside: vec![crate::design::SetAside {
            name: "one".into(),
            reason: "constant".into(),
        }],
        certified: true,
        met: 2,
        models: vec![
            model(0.0, 0.75, &["area", "a,\"b\""]),
            model(2.5, 0.25, &["area", "rooms"]),
        ],
        inclusion: vec![
            weight("area", 1.0),
            weight("a,\"b\"", 0.75),
            weight("rooms", 0.25),
        ],
        front: vec![
            model(40.0, 0.0, &["area"]),
            model(0.0, 0.75, &["area", "a,\"b\""]),
        ],
        seed: 7,
        devices: vec!["cpu".into()],
        precision: "f64".into(),
        screen: "f32".into(),
        iterations: 256,
        termination: Termination::Iterations,
        elapsed_seconds: Elapsed {
            read: 0.1,
            devices: 0.0,
            search: 1.2,
            total: 1.3,
        },
        warnings: vec!["the size bound was reached".into()],
        ..Selection::default()
    };
    selection.set_level(CONFIDENCE_LEVEL);
    selection
}
