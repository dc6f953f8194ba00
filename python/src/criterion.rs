//! Criteria that are functions of Python. A penalty is asked for by tables, one call for all sizes; a criterion of another form
//! is asked for each model.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError, RwLock},
};

use passel::criteria::{Criterion, Model, Origin};
use pyo3::prelude::*;

use crate::{buffers::Elements, work::Failure};

/// Sizes of models that the first table has.
const SIZES: usize = 64;

/// What a table of penalties depends on beside the number of chosen variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    n: usize,
    candidates: usize,
    /// Parameters of the chosen beyond one each.
    excess: usize,
    kept: usize,
    has_intercept: bool,
    scatter: usize,
    dispersion: u64,
    family: &'static str,
}

impl Key {
    fn of(model: &Model) -> Self {
        Self {
            n: model.n,
            candidates: model.candidates,
            excess: model.chosen_parameters - model.chosen.min(model.chosen_parameters),
            kept: model.kept,
            has_intercept: model.has_intercept,
            scatter: model.scatter,
            dispersion: model.dispersion.to_bits(),
            family: model.family.to_str().unwrap_or("gaussian"),
        }
    }
}

/// A criterion of Python: an object of `passel.plugins.Criterion`.
#[derive(Debug)]
pub(crate) struct PythonCriterion {
    name: String,
    parameters: Vec<(&'static str, f64)>,
    origin: Origin,
    object: Py<PyAny>,
    /// Whether it is asked for each model, which it has a value of its own form of.
    has_value: bool,
    needs_error_variance: bool,
    tables: RwLock<HashMap<Key, Vec<f64>>>,
    failure: Failure,
}

/// Names of parameters, which stay as long as the process lives: a criterion's are few, and each is kept once.
fn lasting(name: &str) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.iter().find(|known| **known == name) {
        return known;
    }
    let own: &'static str = name.to_owned().leak();
    names.push(own);
    own
}

impl PythonCriterion {
    pub(crate) fn of(object: &Bound<'_, PyAny>, failure: &Failure) -> PyResult<Self> {
        let parameters: Vec<(String, f64)> = object.getattr("parameters")?.extract()?;
        let plugin = object.getattr("origin")?.extract()?;
        let version = object.py().version_info();
        Ok(Self {
            name: object.getattr("name")?.extract()?,
            parameters: parameters
                .into_iter()
                .map(|(name, value)| (lasting(&name), value))
                .collect(),
            origin: Origin {
                plugin,
                version: format!("Python {}.{}", version.major, version.minor),
                sha256: None,
            },
            has_value: object.getattr("has_value")?.extract()?,
            needs_error_variance: object.getattr("needs_error_variance")?.extract()?,
            object: object.clone().unbind(),
            tables: RwLock::default(),
            failure: failure.clone(),
        })
    }

    fn known(&self, key: &Key, chosen: usize) -> Option<f64> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        tables.get(key)?.get(chosen).copied()
    }

    /// Asks for the penalties of all sizes up to twice this one.
    fn ask(&self, key: &Key, chosen: usize) -> PyResult<f64> {
        let most = key.candidates.min(SIZES.max(2 * chosen)).max(chosen);
        let table = Python::attach(|py| {
            let dispersion = f64::from_bits(key.dispersion);
            let table = self.object.call_method1(
                py,
                "penalties",
                (
                    most,
                    key.n,
                    key.candidates,
                    key.excess,
                    key.kept,
                    key.has_intercept,
                    key.scatter,
                    dispersion,
                    key.family,
                ),
            )?;
            PyResult::Ok(Elements::of(table.bind(py))?.to_vec())
        })?;
        let value = table.get(chosen).copied().unwrap_or(f64::NAN);
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        tables.insert(*key, table);
        Ok(value)
    }

    fn ask_value(&self, model: &Model) -> PyResult<f64> {
        Python::attach(|py| {
            let value = self.object.call_method1(
                py,
                "value",
                (
                    model.n,
                    model.candidates,
                    model.chosen,
                    model.chosen_parameters,
                    model.kept,
                    model.has_intercept,
                    model.scatter,
                    model.dispersion,
                    model.family.to_str().unwrap_or("gaussian"),
                    model.misfit(),
                    model.rss,
                    model.error_variance,
                ),
            )?;
            value.extract(py)
        })
    }
}

impl Criterion for PythonCriterion {
    fn name(&self) -> &str {
        &self.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        self.parameters.clone()
    }

    fn penalty(&self, model: &Model) -> f64 {
        if self.has_value {
            return self.value(model) - model.misfit();
        }
        let key = Key::of(model);
        self.known(&key, model.chosen)
            .unwrap_or_else(|| self.failure.or_nan(self.ask(&key, model.chosen)))
    }

    fn value(&self, model: &Model) -> f64 {
        match self.has_value {
            true => self.failure.or_nan(self.ask_value(model)),
            false => model.misfit() + self.penalty(model),
        }
    }

    fn needs_error_variance(&self) -> bool {
        self.needs_error_variance
    }

    fn origin(&self) -> Option<&Origin> {
        Some(&self.origin)
    }
}
