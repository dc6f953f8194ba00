use serde::Serialize;

use crate::selection::Selection;

/// The selection as it stands, indented.
pub(super) fn render(selection: &Selection) -> String {
    pretty(selection)
}

/// Plain data, as others read it.
pub(super) fn value(told: &impl Serialize) -> serde_json::Value {
    // As below.
    serde_json::to_value(told).unwrap_or_default()
}

/// Plain data, indented.
pub(super) fn pretty(told: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(told).unwrap_or_else(|error| {
        // A selection has text keys and plain values only, so this is not
        // reached; if it is, the reader gets JSON that says so.
        serde_json::json!({ "error": error.to_string() }).to_string()
    });
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn fields_stand_where_the_contract_says_and_numbers_come_back() {
        let mut selection = example::selection();
        selection.rss = 0.1 + 0.2;
        let text = render(&selection);
        assert!(text.ends_with("}\n"));
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["method"]["name"], "pass");
        assert_eq!(json["method"]["particles"], 64);
        assert_eq!(json["criterion"]["gamma"], 1.0);
        assert_eq!(json["selected"][1]["index"], 17);
        assert_eq!(json["selected"][0]["coefficient"], 0.1);
        assert_eq!(json["rss"].as_f64(), Some(0.1 + 0.2));
        assert_eq!(json["termination"], "iterations");
        assert_eq!(json["set_aside"][0]["reason"], "constant");
    }
}
