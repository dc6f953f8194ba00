//! What is certain of a selected model, in words.

use super::{
    models::unit,
    numbers::{significant, when},
};
use crate::selection::{Certificate, Proof, Selection};

/// What is certain of the model, a sentence each.
pub(super) fn certainty(selection: &Selection) -> Vec<String> {
    let proof = selection.proof.as_ref();
    let unit = unit(selection);
    let bound = size_bound(selection).map_or_else(String::new, |bound| {
        let what = match unit {
            "variable" => unit,
            _ => "column",
        };
        let plural = when(bound != 1, "s");
        format!(" (at most {bound} {what}{plural}: --max-size)")
    });
    let optimum = match (selection.certified, proof) {
        // Smaller models were counted, but their size was not in question.
        (Some(Certificate::Global), _) if selection.cross_validation.is_some() => {
            "Proved: no allowed model of this size has a lower criterion.".to_owned()
        }
        (
            Some(Certificate::Global),
            Some(Proof {
                models: Some(all), ..
            }),
        ) => {
            format!("Proved: none of all {all} allowed models{bound} has a lower criterion.")
        }
        (Some(Certificate::Global), _) => {
            format!("Proved: no allowed model{bound} has a lower criterion.")
        }
        (Some(Certificate::Local), _) => {
            // Each term has a column, unless they are too many to be made.
            let are_made = selection
                .candidate_terms
                .is_none_or(|terms| terms <= selection.p);
            let of = match are_made {
                true => unit,
                false => "main effect, or of one interaction with a main effect of the model",
            };
            format!(
                "No allowed addition, drop or exchange of one {of}{bound} lowers the criterion."
            )
        }
        (None, _) => format!(
            "Not certified: the addition, drop or exchange of one {unit} may lower the criterion."
        ),
    };
    let settled = selection.settled.map(|own| {
        format!(
            "Of its {} neighbours {} were settled by a bound on their likelihood, {} by their fit.",
            own.by_bound + own.by_fit,
            own.by_bound,
            own.by_fit
        )
    });
    let settled = settled.filter(|_| selection.certified == Some(Certificate::Local));
    let cut = proof.filter(|proof| !proof.complete && proof.reason.is_none());
    let cut = cut.map(|proof| {
        let gap = proof.gap.map_or_else(String::new, |gap| {
            format!(": none is lower by more than {}", significant(gap, 4))
        });
        format!("A proof that no model is better was not completed (--prove goes on){gap}.")
    });
    let ties = proof.map_or(0, |proof| proof.ties);
    let equal = (ties > 0).then(|| {
        let (others, have) = if ties == 1 {
            ("model", "has")
        } else {
            ("models", "have")
        };
        format!(
            "{ties} other {others} {have} the same criterion: of equal models that with the fewest \
             {unit}s is selected, then that with the first columns."
        )
    });
    let reason = proof.and_then(|proof| proof.reason.clone());
    [Some(optimum), settled, cut, equal, reason]
        .into_iter()
        .flatten()
        .collect()
}

/// The size that no model may exceed, where it is below the number of variables.
pub(super) fn size_bound(selection: &Selection) -> Option<usize> {
    if selection.cross_validation.is_some() {
        return None;
    }
    let bound = selection.method.parameters.get("max_size")?.as_u64()?;
    usize::try_from(bound)
        .ok()
        .filter(|bound| *bound < selection.p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::SizeChoice;

    #[test]
    fn every_degree_of_certainty() {
        let told = |certified, proof| {
            let selection = Selection {
                certified,
                proof,
                ..Selection::default()
            };
            certainty(&selection).join("\n")
        };
        let proof = Proof {
            complete: true,
            models: Some(1024),
            ties: 1,
            ..Proof::default()
        };
        assert_eq!(
            told(Some(Certificate::Global), Some(proof)),
            "Proved: none of all 1024 allowed models has a lower criterion.\n1 other model has the same \
             criterion: of equal models that with the fewest variables is selected, then that with the \
             first columns."
        );
        // Cross-validation has chosen the size before.
        let selection = Selection {
            certified: Some(Certificate::Global),
            proof: Some(Proof {
                complete: true,
                models: Some(1024),
                ..Proof::default()
            }),
            cross_validation: Some(SizeChoice::default()),
            ..Selection::default()
        };
        assert_eq!(
            certainty(&selection),
            ["Proved: no allowed model of this size has a lower criterion."]
        );
        let cut = Proof {
            gap: Some(1.25),
            ..Proof::default()
        };
        assert_eq!(
            told(Some(Certificate::Local), Some(cut)),
            "No allowed addition, drop or exchange of one variable lowers the criterion.\nA proof that \
             no model is better was not completed (--prove goes on): none is lower by more than 1.250."
        );
        assert!(told(None, None).starts_with("Not certified: "));
        let mut bounded = Selection {
            p: 12,
            certified: Some(Certificate::Global),
            ..Selection::default()
        };
        let mut told = |max_size: usize, terms| {
            let parameters = &mut bounded.method.parameters;
            parameters.insert("max_size".to_owned(), max_size.into());
            bounded.candidate_terms = terms;
            certainty(&bounded).join("\n")
        };
        for (max_size, terms, said) in [
            (5, None, "(at most 5 variables: --max-size)"),
            (1, None, "(at most 1 variable: --max-size)"),
            (6, Some(4), "(at most 6 columns: --max-size)"),
        ] {
            assert!(told(max_size, terms).contains(said), "{said}");
        }
        assert!(!told(12, None).contains("--max-size"));
    }
}
