//! What weights are made of: the columns of numbers and the classes that an engine lends, or a
//! few in memory.

use std::sync::OnceLock;

use passel_sdk::Levels;

/// Observations of numbers and classes. Called from any thread.
pub trait Data: Sync {
    /// Observations.
    fn n(&self) -> usize;

    /// Variables.
    fn p(&self) -> usize;

    /// A variable's n numbers.
    ///
    /// # Errors
    /// What the engine says.
    fn numbers(&self, column: usize) -> Result<Vec<f64>, String>;

    /// Whether a variable's numbers are names, equal or not.
    fn is_nominal(&self, column: usize) -> bool;

    /// The class of each observation, and how many classes there are.
    ///
    /// # Errors
    /// What the engine says.
    fn classes(&self) -> Result<(Vec<u32>, usize), String>;

    /// Calls `work` with 0 … count − 1, in any order and on any thread.
    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync));

    /// So many random words, the same for the same seed.
    fn random(&self, count: usize) -> Vec<u32>;

    /// Whether the user wants the end.
    fn interrupted(&self) -> bool;

    /// Shows how far it is.
    fn progress(&self, done: usize, of: usize);
}

impl Data for Levels<'_> {
    fn n(&self) -> usize {
        (**self).n()
    }

    fn p(&self) -> usize {
        (**self).p()
    }

    fn numbers(&self, column: usize) -> Result<Vec<f64>, String> {
        (**self).numbers(column)
    }

    fn is_nominal(&self, column: usize) -> bool {
        (**self).is_nominal(column)
    }

    fn classes(&self) -> Result<(Vec<u32>, usize), String> {
        self.codes((**self).p())
    }

    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        (**self).each(count, work);
    }

    fn random(&self, count: usize) -> Vec<u32> {
        (**self).random(0, count)
    }

    fn interrupted(&self) -> bool {
        (**self).interrupted()
    }

    fn progress(&self, done: usize, of: usize) {
        (**self).progress(done, of);
    }
}

/// A few columns in memory, to try a method without an engine; no draws.
#[derive(Debug, Clone, Copy)]
pub struct Few<'a> {
    /// Of each variable, n numbers.
    pub columns: &'a [&'a [f64]],
    /// The class of each observation, from 0.
    pub classes: &'a [u32],
}

impl Data for Few<'_> {
    fn n(&self) -> usize {
        self.classes.len()
    }

    fn p(&self) -> usize {
        self.columns.len()
    }

    fn numbers(&self, column: usize) -> Result<Vec<f64>, String> {
        Ok(self.columns[column].to_vec())
    }

    fn is_nominal(&self, _: usize) -> bool {
        false
    }

    fn classes(&self) -> Result<(Vec<u32>, usize), String> {
        let most = self
            .classes
            .iter()
            .max()
            .map_or(0, |class| *class as usize + 1);
        Ok((self.classes.to_vec(), most))
    }

    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(work);
    }

    fn random(&self, count: usize) -> Vec<u32> {
        vec![0; count]
    }

    fn interrupted(&self) -> bool {
        false
    }

    fn progress(&self, _: usize, _: usize) {}
}

/// What `make` makes of 0 … count − 1 on all threads, in order; else the first error.
pub(crate) fn all<T: Send + Sync>(
    data: &impl Data,
    count: usize,
    make: impl Fn(usize) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let made: Vec<OnceLock<Result<T, String>>> = (0..count).map(|_| OnceLock::new()).collect();
    data.each(count, &|at| {
        // Each is made once.
        let _ = made[at].set(make(at));
    });
    let missing = || Err("a part of the work was not done".to_owned());
    let made = made.into_iter();
    made.map(|cell| cell.into_inner().unwrap_or_else(missing))
        .collect()
}

/// The class of each observation, and how many each class has.
///
/// # Errors
/// Fewer than two classes.
pub(crate) fn classes(data: &impl Data) -> Result<(Vec<u32>, Vec<usize>), String> {
    let (classes, levels) = data.classes()?;
    let mut sizes = vec![0; levels];
    for class in &classes {
        sizes[*class as usize] += 1;
    }
    match sizes.iter().filter(|size| **size > 0).count() {
        0 | 1 => Err(
            "the response has one level, so that no observation has another class near it: \
             name another with --response, or bin it otherwise with --bin-response"
                .to_owned(),
        ),
        _ => Ok((classes, sizes)),
    }
}

/// The numbers that a variable has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    pub(crate) least: f64,
    /// The largest less the least, or what two names are apart; 0 of a constant.
    pub(crate) range: f64,
    /// Whole numbers below 2³⁰.
    pub(crate) whole: bool,
    /// Names from 0, so many at most, that are equal or 1 apart; 0 of numbers.
    pub(crate) names: usize,
}

impl Extent {
    /// How far two of its numbers are apart.
    pub(crate) fn apart(&self, a: f64, b: f64) -> f64 {
        match self.names {
            0 => (a - b).abs(),
            _ => f64::from(u8::from(a != b)),
        }
    }
}

/// The extent of every variable.
///
/// # Errors
/// A missing value, or numbers too far apart for a difference.
pub(crate) fn extents(data: &impl Data) -> Result<Vec<Extent>, String> {
    all(data, data.p(), |column| {
        let numbers = data.numbers(column)?;
        let place = || format!("candidate {} of {}", column + 1, data.p());
        if numbers.iter().any(|number| number.is_nan()) {
            return Err(format!(
                "{} has missing values, to which there is no distance: --missing drop-rows leaves \
                 out their observations, --drop the column",
                place()
            ));
        }
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range = match numbers.is_empty() {
            true => 0.0,
            false => most - least,
        };
        if !range.is_finite() {
            return Err(format!(
                "{} has numbers from {least} to {most}, too far apart for a difference: scale it",
                place()
            ));
        }
        let names = match data.is_nominal(column) {
            true => most as usize + 1,
            false => 0,
        };
        let whole = |number: &f64| number.fract() == 0.0 && number.abs() < f64::from(1 << 30);
        Ok(Extent {
            least,
            range: if names > 0 { range.min(1.0) } else { range },
            whole: numbers.iter().all(whole),
            names,
        })
    })
}
