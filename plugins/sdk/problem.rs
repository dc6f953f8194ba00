//! What a procedure is lent by the engine.

// The contract is pointers.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, c_void},
    marker::PhantomData,
    mem::MaybeUninit,
    ops::Deref,
    ptr,
    sync::{Mutex, PoisonError},
};

use passel_abi as abi;

use passel_score::Quantity;

use crate::{
    entry::c_text,
    panics::{catch, resume},
    score::quantity,
};

/// Bytes of the longest name of a column that is read.
const NAME: usize = 4096;

/// A selection to be made: observations, candidates numbered from 0, and the engine's threads.
/// All of it may be called from any thread.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// What every function is to be called with.
    there: *const abi::passel_problem,
    /// As much of it as the engine has; the rest is zero.
    has: abi::passel_problem,
    /// Until the procedure returns.
    lent: PhantomData<&'a abi::passel_problem>,
}

// SAFETY: by the contract its functions may be called from any thread.
unsafe impl Send for Problem<'_> {}
// SAFETY: as above.
unsafe impl Sync for Problem<'_> {}

impl<'a> Problem<'a> {
    /// # Safety
    /// What a selector that runs was given, until it returns.
    pub(crate) unsafe fn new(there: *const abi::passel_problem) -> Self {
        let mut has = MaybeUninit::<abi::passel_problem>::zeroed();
        // SAFETY: the size comes first, and zero is a value of numbers and pointers.
        let has = unsafe {
            let known = there.cast::<usize>().read().min(size_of_val(&has));
            ptr::copy_nonoverlapping(there.cast::<u8>(), has.as_mut_ptr().cast(), known);
            has.assume_init()
        };
        Self {
            there,
            has,
            lent: PhantomData,
        }
    }

    /// Observations.
    pub fn n(&self) -> usize {
        self.has.n
    }

    /// Candidates; as a column it stands for the response.
    pub fn p(&self) -> usize {
        self.has.p
    }

    /// Variables that may be chosen; those that the user keeps may be as well, and do not count.
    pub fn most(&self) -> usize {
        self.has.most
    }

    /// Takes a variable, the best first, with its score: of a regression, the model's.
    ///
    /// # Errors
    /// Not a candidate, taken before, more than may be chosen, or a score that is no number.
    pub fn choose(&self, column: usize, score: f64) -> Result<(), String> {
        let choose = available(self.has.choose)?;
        // SAFETY: the very pointer that the procedure was given, here and below.
        check(unsafe { choose(self.there, column, score) }, || {
            format!("column {column} cannot be chosen with score {score}")
        })
    }

    /// The n numbers of a column: over levels as the file has them, NaN where missing, a text's
    /// level as its number; of a regression centred, weighted, of norm 1.
    ///
    /// # Errors
    /// Not a column.
    pub fn numbers(&self, column: usize) -> Result<Vec<f64>, String> {
        let numbers = available(self.has.numbers)?;
        let mut room = vec![0.0; self.n()];
        // SAFETY: room for n.
        let done = unsafe { numbers(self.there, column, room.as_mut_ptr()) };
        check(done, || format!("there is no column {column}")).map(|()| room)
    }

    /// Whether a column is of text, whose numbers are equal or not and nothing else.
    pub fn is_nominal(&self, column: usize) -> bool {
        // SAFETY: as above.
        let nominal = self
            .has
            .nominal
            .map(|nominal| unsafe { nominal(self.there, column) });
        nominal == Some(1)
    }

    /// Whether the user keeps a column, which every model then holds.
    pub fn is_kept(&self, column: usize) -> bool {
        // SAFETY: as above.
        let kept = self
            .has
            .kept
            .map(|kept| unsafe { kept(self.there, column) });
        kept == Some(1)
    }

    /// The name of a column; of more than 4,095 bytes the beginning.
    ///
    /// # Errors
    /// Not a column.
    pub fn name(&self, column: usize) -> Result<String, String> {
        let name = available(self.has.name)?;
        let mut room = vec![0u8; NAME];
        // SAFETY: room for as many bytes.
        let done = unsafe { name(self.there, column, room.as_mut_ptr().cast(), NAME) };
        check(done, || format!("there is no column {column}"))?;
        let end = room.iter().position(|byte| *byte == 0).unwrap_or(NAME);
        Ok(String::from_utf8_lossy(&room[..end]).into_owned())
    }

    /// Puts a number into the report, under a name as parameters have; the last of a name stays.
    ///
    /// # Errors
    /// No such name, a number that is not finite, or more of them than a report takes.
    pub fn tell(&self, name: &str, value: f64) -> Result<(), String> {
        let tell = available(self.has.tell)?;
        let text = c_text(name);
        // SAFETY: a text that ends.
        let done = unsafe { tell(self.there, text.as_ptr(), value) };
        check(done, || format!("{name} = {value} cannot be told"))
    }

    /// Calls `work` with 0 … count − 1, in any order, on the engine's threads.
    pub fn each(&self, count: usize, work: impl Fn(usize) + Sync) {
        let Some(each) = self.has.each else { return };
        let work = Work {
            work: &work,
            panic: Mutex::new(None),
        };
        // SAFETY: `work` outlives the call.
        unsafe {
            each(
                self.there,
                count,
                Some(call),
                (&raw const work).cast_mut().cast(),
            )
        };
        let panic = work.panic.into_inner();
        if let Some(panic) = panic.unwrap_or_else(PoisonError::into_inner) {
            resume(panic);
        }
    }

    /// So many random words of a stream, the same for the same seed; the stream begins anew
    /// with every call.
    pub fn random(&self, stream: u32, count: usize) -> Vec<u32> {
        let mut words = vec![0; count];
        if let Some(random) = self.has.random {
            // SAFETY: room for as many.
            unsafe { random(self.there, stream, words.as_mut_ptr(), count) };
        }
        words
    }

    /// Whether the user wants the end: to be asked many times a second. What was chosen by then
    /// is reported.
    pub fn interrupted(&self) -> bool {
        // SAFETY: as above.
        self.has
            .interrupted
            .is_some_and(|interrupted| unsafe { interrupted(self.there) } != 0)
    }

    /// Shows how far it is.
    pub fn progress(&self, done: usize, of: usize) {
        if let Some(progress) = self.has.progress {
            // SAFETY: as above.
            unsafe { progress(self.there, done, of) };
        }
    }
}

/// Levels of candidates and response.
#[derive(Debug, Clone, Copy)]
pub struct Levels<'a>(pub(crate) Problem<'a>);

/// A linear regression.
#[derive(Debug, Clone, Copy)]
pub struct Regression<'a>(pub(crate) Problem<'a>);

impl<'a> Deref for Levels<'a> {
    type Target = Problem<'a>;

    fn deref(&self) -> &Problem<'a> {
        &self.0
    }
}

impl<'a> Deref for Regression<'a> {
    type Target = Problem<'a>;

    fn deref(&self) -> &Problem<'a> {
        &self.0
    }
}

impl Levels<'_> {
    /// The n codes of a column, and how many levels it has: 0 … levels − 1, and `levels` itself
    /// where a value is missing (`--missing pairwise`).
    ///
    /// # Errors
    /// Not a column.
    pub fn codes(&self, column: usize) -> Result<(Vec<u32>, usize), String> {
        let problem = self.0;
        let codes = available(problem.has.codes)?;
        let (mut room, mut levels) = (vec![0; problem.has.n], 0);
        // SAFETY: room for n, and for one.
        let done = unsafe { codes(problem.there, column, room.as_mut_ptr(), &mut levels) };
        check(done, || format!("there is no column {column}")).map(|()| (room, levels))
    }

    /// For each candidate x the quantity of its table with an anchor w of your own and the response, in
    /// nats; a ratio has no unit. The anchor is n codes below its number of levels, which itself
    /// stands for none; without one w has one level. It costs what a step of a declared score does.
    ///
    /// # Errors
    /// Another number of codes than n, a code above the levels, or a quantity whose integers do not sum to
    /// 0 or are too large.
    pub fn measure(
        &self,
        of: impl Into<Quantity>,
        anchor: Option<(&[u32], usize)>,
    ) -> Result<Vec<f64>, String> {
        let problem = self.0;
        let measure = available(problem.has.measure)?;
        let (codes, levels) = match anchor {
            None => (ptr::null(), 1),
            Some((codes, levels)) if codes.len() == problem.has.n => (codes.as_ptr(), levels),
            Some((codes, _)) => {
                return Err(format!("{} codes of {}", codes.len(), problem.has.n));
            }
        };
        let (quantity, mut room) = (quantity(of.into()), vec![0.0; problem.has.p]);
        // SAFETY: n codes or none, and room for p.
        let done = unsafe { measure(problem.there, &quantity, codes, levels, room.as_mut_ptr()) };
        check(done, || "it cannot be measured".to_owned()).map(|()| room)
    }
}

/// A candidate that a sweep found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swept {
    /// Its number.
    pub column: usize,
    /// xᵀr.
    pub product: f64,
}

/// A least squares fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The n residuals.
    pub residuals: Vec<f64>,
    /// The criterion that the user asked for; +∞ where a variable is collinear with those
    /// before it.
    pub criterion: f64,
}

impl Regression<'_> {
    /// The number of a column's term, from 0. Columns of a factor, or of another term of several columns, follow one another
    /// and are one: who chooses or fits a column does so with the others of its term, and `most` counts terms.
    pub fn term(&self, column: usize) -> usize {
        let problem = self.0;
        // SAFETY: the very problem that was lent. An older engine has no such terms.
        let own = problem
            .has
            .term
            .map(|term| unsafe { term(problem.there, column) });
        own.unwrap_or(column)
    }

    /// The family as `--family` names it: `gaussian` of a linear regression.
    pub fn family(&self) -> &str {
        match self.0.has.family.is_null() {
            true => "gaussian",
            // SAFETY: a text that lives as long as the problem.
            false => unsafe { CStr::from_ptr(self.0.has.family) }
                .to_str()
                .unwrap_or_default(),
        }
    }

    /// For each anchor r, n numbers, the `wanted` candidates of largest |xᵀr|, the largest
    /// first, of equal ones the lowest. Swept on every device at once: many anchors cost
    /// little more than one.
    ///
    /// # Errors
    /// An anchor that has not n numbers, or one that is none.
    pub fn sweep(&self, anchors: &[&[f64]], wanted: usize) -> Result<Vec<Vec<Swept>>, String> {
        let problem = self.0;
        let sweep = available(problem.has.sweep)?;
        if let Some(at) = anchors
            .iter()
            .position(|anchor| anchor.len() != problem.has.n)
        {
            return Err(format!(
                "anchor {at} has {} numbers, there are {} observations",
                anchors[at].len(),
                problem.has.n
            ));
        }
        let (count, wanted) = (anchors.len(), wanted.min(problem.has.p));
        let anchors = anchors.concat();
        let (mut columns, mut products) = (vec![0; count * wanted], vec![0.0; count * wanted]);
        // SAFETY: n numbers an anchor, and room for what is wanted of each.
        let done = unsafe {
            let (columns, products) = (columns.as_mut_ptr(), products.as_mut_ptr());
            sweep(
                problem.there,
                anchors.as_ptr(),
                count,
                wanted,
                columns,
                products,
            )
        };
        check(done, || "an anchor holds what is no number".to_owned())?;
        let found = columns.into_iter().zip(products);
        let found: Vec<Swept> = found
            .map(|(column, product)| Swept { column, product })
            .collect();
        Ok(match wanted {
            0 => vec![Vec::new(); count],
            _ => found.chunks(wanted).map(<[_]>::to_vec).collect(),
        })
    }

    /// Fits these variables and the kept ones, in this order of entry.
    ///
    /// # Errors
    /// Not a candidate, one twice, or more than may be chosen.
    pub fn fit(&self, columns: &[usize]) -> Result<Fitted, String> {
        let problem = self.0;
        let fit = available(problem.has.fit)?;
        let (mut residuals, mut criterion) = (vec![0.0; problem.has.n], 0.0);
        // SAFETY: as many columns as said, room for n and for one.
        let done = unsafe {
            let residuals = residuals.as_mut_ptr();
            fit(
                problem.there,
                columns.as_ptr(),
                columns.len(),
                residuals,
                &mut criterion,
            )
        };
        check(done, || format!("{columns:?} cannot be fitted")).map(|()| Fitted {
            residuals,
            criterion,
        })
    }
}

/// What [`Problem::each`] calls, and the first panic of it.
struct Work<'a> {
    work: &'a (dyn Fn(usize) + Sync),
    panic: Mutex<Option<String>>,
}

/// A panic may not leave it: it goes on once all are done.
unsafe extern "C" fn call(at: usize, context: *mut c_void) {
    // SAFETY: what `each` handed out.
    let work = unsafe { &*context.cast_const().cast::<Work>() };
    if let Err(panic) = catch(|| (work.work)(at)) {
        let mut first = work.panic.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(panic);
    }
}

fn available<F>(function: Option<F>) -> Result<F, String> {
    function.ok_or_else(|| "the engine does not lend it here".to_owned())
}

fn check(done: i32, refused: impl FnOnce() -> String) -> Result<(), String> {
    match done {
        0 => Ok(()),
        _ => Err(refused()),
    }
}

#[cfg(test)]
mod tests;
