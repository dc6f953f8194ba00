//! Scores that are functions of Python, of many tables of counts at a time.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use passel::{
    job::ResolvedMethod,
    score::{
        Against, CountTable, Gather, Join, Measure, PairScore, Score, ScoreFunction, TableFunction,
    },
};
use pyo3::{prelude::*, types::PyBytes};

use crate::{buffers::Elements, failure::of_named, work::Failure};

/// Tables of a call.
const TABLES: usize = 4096;

/// A score of Python: an object of `passel.plugins.Score`.
#[derive(Debug)]
struct PythonScore {
    name: String,
    tolerance: f64,
    object: Py<PyAny>,
    failure: Failure,
}

impl PythonScore {
    /// The values of tables of one shape.
    fn ask(&self, tables: &[&CountTable]) -> PyResult<Vec<f64>> {
        let Some(CountTable { x, w, y, step, .. }) = tables.first().copied() else {
            return Ok(Vec::new());
        };
        let counts = tables.iter().flat_map(|table| table.counts);
        let counts: Vec<u8> = counts.flat_map(|count| count.to_ne_bytes()).collect();
        Python::attach(|py| {
            let counts = PyBytes::new(py, &counts);
            let given = (counts, tables.len(), *x, *w, *y, *step);
            let values = self.object.call_method1(py, "values", given)?;
            Ok(Elements::of(values.bind(py))?.to_vec())
        })
    }
}

impl TableFunction for PythonScore {
    fn value(&self, table: &CountTable) -> f64 {
        self.many(std::slice::from_ref(table))[0]
    }

    fn most_tables(&self) -> usize {
        TABLES
    }

    fn many(&self, tables: &[CountTable]) -> Vec<f64> {
        let mut shapes: BTreeMap<[usize; 4], Vec<usize>> = BTreeMap::new();
        for (at, table) in tables.iter().enumerate() {
            let shape = [table.x, table.w, table.y, table.step];
            shapes.entry(shape).or_default().push(at);
        }
        let mut all = vec![f64::NAN; tables.len()];
        for places in shapes.values() {
            let own: Vec<&CountTable> = places.iter().map(|at| &tables[*at]).collect();
            match self.ask(&own) {
                Ok(values) => {
                    let values = values.into_iter().zip(places);
                    values.for_each(|(value, at)| all[*at] = value);
                }
                Err(error) => drop(self.failure.or_nan(Err(error))),
            }
        }
        all
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// A method whose value is made of a score of Python.
fn resolved<T>(
    object: &Bound<'_, PyAny>,
    failure: &Failure,
    of: impl FnOnce(ScoreFunction) -> PyResult<T>,
) -> PyResult<ResolvedMethod<T>> {
    let parameters: Vec<(String, f64)> = object.getattr("parameters")?.extract()?;
    let parameters = parameters.into_iter();
    let parameters = parameters.map(|(name, value)| (name, value.into()));
    let name: String = object.getattr("name")?.extract()?;
    let function = ScoreFunction(Arc::new(PythonScore {
        name: name.clone(),
        tolerance: object.getattr("tolerance")?.extract()?,
        object: object.clone().unbind(),
        failure: failure.clone(),
    }));
    let version = object.py().version_info();
    Ok(ResolvedMethod {
        name,
        parameters: parameters.collect(),
        plugin: object.getattr("origin")?.extract()?,
        version: format!("Python {}.{}", version.major, version.minor),
        library: PathBuf::new(),
        sha256: None,
        files: Vec::new(),
        value: of(function)?,
    })
}

/// A selector by a score of Python.
pub(crate) fn selector(
    object: &Bound<'_, PyAny>,
    failure: &Failure,
) -> PyResult<ResolvedMethod<passel::job::MethodKind>> {
    let word = |name: &str| object.getattr(name)?.extract::<String>();
    let (gather, join, against) = (word("gather")?, word("join")?, word("against")?);
    let refused = |message: &str| of_named(object.py(), vec!["method".to_owned()], message);
    let no = |what: &str, word: &str| Err(refused(&format!("no {what} is called {word}")));
    let gather = match gather.as_str() {
        "sum" => Gather::Sum,
        "mean" => Gather::Mean,
        "minimum" => Gather::Minimum,
        "maximum" => Gather::Maximum,
        "product" => Gather::Product,
        "last" => Gather::Last,
        other => return no("gathering", other),
    };
    let join = match join.as_str() {
        "added" => Join::Added,
        "alone" => Join::Alone,
        "least" => Join::Least,
        "guarded" => Join::Guarded,
        other => return no("join", other),
    };
    let against = match against.as_str() {
        "last" => Against::Last,
        "joint" => Against::Joint,
        "pairs" => Against::Pairs,
        other => return no("anchor", other),
    };
    resolved(object, failure, |function| {
        let score = Score {
            measure: Measure::Function(function),
            gather,
            join,
            against,
            ..Score::default()
        };
        let score = score.checked();
        score
            .map(passel::job::MethodKind::Score)
            .map_err(|error| refused(&error.to_string()))
    })
}

/// A score of pairs that is one of Python.
pub(crate) fn pairs(
    object: &Bound<'_, PyAny>,
    failure: &Failure,
) -> PyResult<ResolvedMethod<PairScore>> {
    resolved(object, failure, |function| {
        Ok(PairScore::Function(function))
    })
}
