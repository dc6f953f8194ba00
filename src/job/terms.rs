//! Which terms models may have.

use std::path::PathBuf;

use super::{Job, OptionError};
use crate::{
    design::{Group, Hierarchy, TermsOfColumns},
    formula::{ExpansionOptions, Formula},
};

/// Which terms models may have: those of a formula, or of the columns of the data.
#[derive(Debug, Clone, Default)]
pub struct TermSettings {
    /// The formula that names them; `None` for a term for each column.
    pub formula: Option<Formula>,
    /// Whether each dummy of a factor is a term of its own.
    pub split: bool,
    /// Without a formula: the highest power of columns of numbers; `None` for the first alone.
    pub degree: Option<usize>,
    /// Without a formula: the most columns of an interaction; `None` for no interactions, or for two columns where
    /// [`interactions_of`](Self::interactions_of) names some.
    pub interactions: Option<usize>,
    /// Without a formula: columns of which each interaction has at least one; empty where any may interact.
    pub interactions_of: Vec<String>,
    /// Which terms need others.
    pub hierarchy: Hierarchy,
    /// Without a formula: columns that are one term.
    pub groups: Vec<Group>,
    /// A table of further groups, with the columns `group` and `column`.
    pub groups_file: Option<PathBuf>,
    /// How factors are coded.
    pub contrasts: ExpansionOptions,
}

impl TermSettings {
    /// Whether the terms are those of a formula, one that was given or one made of the other settings.
    pub(crate) fn has_formula(&self) -> bool {
        self.formula.is_some()
            || self.degree.is_some()
            || self.interactions.is_some()
            || !self.interactions_of.is_empty()
            || self.contrasts != ExpansionOptions::default()
    }

    /// What a formula is made of where none was given.
    pub(crate) fn of_columns(&self, intercept: bool) -> TermsOfColumns<'_> {
        let least = if self.interactions_of.is_empty() {
            1
        } else {
            2
        };
        TermsOfColumns {
            degree: self.degree.unwrap_or(1),
            interactions: self.interactions.unwrap_or(least),
            interactions_of: &self.interactions_of,
            intercept,
        }
    }
}

/// Conflicts of the terms with one another and with the other options of a job.
pub(super) fn term_conflicts(job: &Job) -> Vec<OptionError> {
    let terms = &job.terms;
    let given = [
        ("degree", terms.degree.is_some()),
        ("interactions", terms.interactions.is_some()),
        ("interactions-of", !terms.interactions_of.is_empty()),
    ];
    let mut errors = Vec::new();
    let mut refuse = |option: &str, message: &str, help: &str| {
        let error = OptionError::new(option, format!("{option} {message}"));
        errors.push(error.help(help));
    };
    if terms.has_formula() && job.cohort.covariates.is_some() {
        refuse(
            "covariates",
            "is for data without a formula or interactions",
            "leave one of them out, or join the tables beforehand and keep terms by keep",
        );
    }
    if let Some(formula) = &terms.formula {
        for (option, is_given) in given {
            if is_given {
                let message = "is for data without a formula";
                refuse(
                    option,
                    message,
                    "write the terms into the formula, as in (a + b)^2 + I(a^2)",
                );
            }
        }
        if !job.intercept {
            refuse(
                "no-intercept",
                "is for data without a formula",
                "write - 1 into the formula",
            );
        }
        if formula.has_response() && job.response.is_some() {
            let message = "names a response, and so does the formula";
            refuse("response", message, "leave one of them out");
        }
    }
    if job.is_genotypic() {
        let others = [
            ("a formula", terms.has_formula()),
            ("group", !terms.groups.is_empty()),
            ("groups", terms.groups_file.is_some()),
            ("split", terms.split),
        ];
        for (other, _) in others.into_iter().filter(|(_, is_given)| *is_given) {
            let message = format!("= genotypic makes a term of each variant, and excludes {other}");
            refuse("encode", &message, "leave one of them out");
        }
    }
    let has_groups = [
        ("group", !terms.groups.is_empty()),
        ("groups", terms.groups_file.is_some()),
    ];
    for (option, _) in has_groups.into_iter().filter(|(_, is_given)| *is_given) {
        let made_by = given.iter().find(|(_, is_given)| *is_given);
        if terms.formula.is_some() {
            refuse(
                option,
                "is for data without a formula",
                "leave one of them out",
            );
        } else if terms.has_formula() {
            let other = made_by.map_or("contrasts", |(other, _)| other);
            let message = format!("and {other} exclude each other");
            refuse(option, &message, "leave one of them out");
        } else if terms.split {
            let message = "and split exclude each other";
            refuse(
                option,
                message,
                "without split a factor outside of groups is a term by itself",
            );
        }
    }
    if terms.split && terms.has_formula() {
        let message = "makes a term of each dummy; those of a formula, or of degree, interactions and contrasts, are \
                       whole";
        refuse("split", message, "leave it out");
    }
    errors
}
