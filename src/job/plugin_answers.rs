//! Answers to questions about plugins, in the process that loads them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use passel_criteria::Criterion;

use super::{
    path_text::to_path,
    plugin_lookup::PluginLookup,
    plugin_questions::{Answer, Asked, Question},
};
use crate::{
    family::Distribution,
    foreign_calls::{Work, set_work},
    plugin::{MethodError, MethodKind, Offered, Told, What},
    score::PairScore,
};

/// Answers questions, one a line, in the process that loads the plugins.
#[derive(Debug, Default)]
pub(crate) struct PluginAnswers(PluginLookup);

impl PluginAnswers {
    /// The answer to a question; `None` if that is none.
    pub(crate) fn answer(&self, question: &str) -> Option<String> {
        let question: Question = serde_json::from_str(question).ok()?;
        let work = Work::of_job("what plugins bring");
        if let Some(within) = question.within {
            work.end_within(within);
        }
        let outer = set_work(Some(work));
        let answer = self.answer_to(&question);
        set_work(outer);
        serde_json::to_string(&answer).ok()
    }

    fn answer_to(&self, question: &Question) -> Answer {
        let shown = |path: &Path| path.display().to_string();
        let libraries = question.libraries.iter().map(|text| to_path(text));
        let libraries: Vec<PathBuf> = libraries.collect();
        let plugins = match self.0.plugins(&libraries) {
            Ok(plugins) => plugins.starting_at(&to_path(&question.folder)),
            Err(error) => return Answer::Unusable(shown(&error.path), error.reason),
        };
        let Asked::Spec(what, spec) = &question.asked else {
            let refused = plugins.refused().iter();
            let refused = refused.map(|error| (shown(&error.path), error.reason.clone()));
            return Answer::Loaded(refused.collect());
        };
        let found = match what {
            What::Method => MethodKind::look_up(&plugins, spec).map(Told::of),
            What::PairScore => PairScore::look_up(&plugins, spec).map(Told::of),
            What::Criterion => <Arc<dyn Criterion>>::look_up(&plugins, spec).map(Told::of),
            What::Family => Distribution::look_up(&plugins, spec).map(Told::of),
        };
        match found {
            Ok(told) => Answer::Found(Box::new(told)),
            Err(MethodError::UnknownName { name, nearest, .. }) => {
                Answer::Unknown { name, nearest }
            }
            Err(MethodError::Refused { message, .. }) => Answer::Refused(message),
        }
    }
}
