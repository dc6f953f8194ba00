//! A report to test renderers with.

use serde_json::json;

use crate::selection::{CONFIDENCE_LEVEL, Selection};

/// A selection of two variables with every part filled in.
pub(crate) fn selection() -> Selection {
    let model = |delta: f64, weight, variables: [&str; 2]| {
        let criterion = delta - 207.171_682_211;
        let variables = variables.iter().filter(|name| !name.is_empty());
        let variables: Vec<_> = variables.collect();
        json!({ "criterion": criterion, "delta": delta, "weight": weight, "variables": variables })
    };
    let quoted = "a,\"b\"";
    let stored = json!({
        "passel": "0.1.0",
        "method": { "name": "pass", "particles": 64, "iterations": 256 },
        "criterion": { "name": "ebic", "value": -207.171_682_211, "gamma": 1.0 },
        "response": "price", "n": 200, "p": 1000, "k": 2, "rss": 50.0, "tss": 250.0,
        "r_squared": 0.8, "adjusted_r_squared": 0.797_969_543, "sigma": 0.503_793, "df_residual": 197,
        "log_likelihood": -145.158_27,
        "f_statistic": { "value": 394.0, "df": 2, "df_residual": 197, "p_value": 1.4e-69 },
        "intercept": { "coefficient": 1.5, "std_error": 0.25, "t": 6.0, "p_value": 9e-9 },
        "selected": [
            { "name": "area", "index": 3,
              "coefficient": 0.1, "std_error": 0.003, "t": 0.1 / 0.003, "p_value": 0.0 },
            { "name": quoted, "index": 17,
              "coefficient": -123_456.789, "std_error": 5e4, "t": -123_456.789 / 5e4, "p_value": 0.0144 },
        ],
        "certified": "local",
        "met": 2,
        "models": [model(0.0, 0.75, ["area", quoted]), model(2.5, 0.25, ["area", "rooms"])],
        "inclusion": [
            { "name": "area", "weight": 1.0 },
            { "name": quoted, "weight": 0.75 },
            { "name": "rooms", "weight": 0.25 },
        ],
        "front": [model(40.0, 0.0, ["area", ""]), model(0.0, 0.75, ["area", quoted])],
        "set_aside": [{ "name": "one", "reason": "constant" }],
        "seed": 7, "devices": ["cpu"], "precision": "f64", "screen": "f32",
        "iterations": 256, "termination": "iterations",
        "elapsed_seconds": { "start": 0.0, "read": 0.1, "devices": 0.0, "search": 1.2, "report": 0.0, "total": 1.3 },
        "warnings": ["the size bound was reached"],
    });
    let mut selection: Selection = serde_json::from_value(stored).unwrap();
    selection.set_level(CONFIDENCE_LEVEL);
    selection
}
