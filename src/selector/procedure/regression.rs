//! Procedures that choose the model of a linear regression: they are lent the sweep XᵀR, fits and
//! the criterion.

use std::{
    borrow::Cow,
    ffi::CStr,
    panic::resume_unwind,
    sync::{Arc, Mutex},
    thread,
    time::Instant,
};

use passel_criteria::Criterion;
use rayon::ThreadPool;

use super::{CallError, Problem, Procedure, ProcedureContext, ProcedureResult, lock, run_detached};
use crate::{
    design::Design,
    device::{DeviceError, Devices, Gain, Neighbours, Placement, Resources, gpus_pay},
    interrupt::Interrupt,
    least_squares::{Collinear, Fit, FitView},
    search::{self, Objective, Pass, SearchError, SearchResult, VisitedModels},
    selection::Termination,
    threads::pool,
    vector::product,
};

/// Chooses the model of a regression by a procedure. Of `pass`, the seed, the largest size and the
/// time limit apply. `observe` is called with the progress that the procedure reports.
///
/// # Errors
/// Settings out of range, collinear kept variables, or threads or devices that cannot be started. A
/// failure of the procedure is in the result.
pub fn regress_with_procedure(
    procedure: &Arc<dyn Procedure>,
    design: &Arc<Design>,
    criterion: &Arc<dyn Criterion>,
    pass: &Pass,
    resources: &Resources,
    interrupt: &Interrupt,
    observe: &mut dyn FnMut(usize, usize),
) -> Result<ProcedureResult<SearchResult>, SearchError> {
    search::refuse_parts(design, "this method")?;
    let (max_size, _) = search::fit_kept(design, pass)?;
    let threads = resources.thread_count();
    let elements = design.columns().n() * design.columns().p();
    let (mut places, note) =
        Placement::resolve(&resources.devices, gpus_pay(elements, 1.0, threads))?;
    let started = Instant::now();
    let keep = design.keep().to_vec();
    let most = max_size.saturating_sub(keep.len());
    let draws = (pass.seed, pass.time_limit);
    let terms = design.columns().term_count();
    let context = ProcedureContext::new(terms, (most, keep), draws, threads, interrupt)?;
    let sweeps = Arc::new(pool(threads.max(places.host_threads()))?);
    let fits = Arc::new(Mutex::new(Fits {
        notes: note.into_iter().collect(),
        ..Fits::default()
    }));
    let (procedure, resources) = (Arc::clone(procedure), resources.clone());
    let own = (Arc::clone(design), Arc::clone(criterion), Arc::clone(&fits));
    let lent = Arc::clone(&sweeps);
    let work = move |context: &ProcedureContext| {
        let (design, criterion, fits) = &own;
        let starting = Instant::now();
        // Sweeps are of columns, whatever models are of.
        let (x, y) = (
            design.columns().with_terms(None).with_likelihood(None),
            design.y(),
        );
        let models = (1, Gain::Correlation);
        let mut notes = Vec::new();
        let devices = lent.install(|| {
            places.open(&resources.devices, &mut notes, |places| {
                Devices::new(places, x, y, models, &resources, threads)
            })
        })?;
        // Recorded here, for a detached procedure returns nothing.
        let starting = starting.elapsed().as_secs_f64();
        let mut recorded = lock(fits);
        recorded.on = (devices.names(), devices.screen_precision(), starting);
        recorded.notes.extend(notes);
        drop(recorded);
        let regression = Regression {
            context,
            objective: Objective::new(design, &**criterion, &context.undefined)?,
            fits,
            sweeps: &lent,
            devices: Mutex::new(devices),
        };
        Ok(procedure.run(&regression))
    };
    let end = run_detached::<SearchError>(&context, observe, work)?;
    let (members, left_out) = members(design, &context.chosen());
    let fits = std::mem::take(&mut *lock(&fits));
    let objective = Objective::new(design, &**criterion, &context.undefined)?;
    // The pool lent to a detached procedure may be busy for ever.
    let found = sweeps.install(|| SearchResult::of(objective, &members, fits.met));
    let mut notes = found.notes;
    notes.extend(fits.notes);
    notes.extend(end.detached.clone());
    notes.extend(left_out);
    notes.extend(objective.undefined_note());
    let (devices, screen, starting) = fits.on;
    let result = SearchResult {
        max_size,
        iterations: fits.count,
        termination: end.reason([
            Termination::Fault,
            Termination::Interrupted,
            Termination::TimeLimit,
            Termination::Done,
        ]),
        seconds: started.elapsed().as_secs_f64() - starting,
        notes,
        numbers: context.numbers(),
        devices,
        screen,
        starting,
        ..found
    };
    let error = end.error;
    Ok(ProcedureResult { result, error })
}

/// The chosen and kept variables, ascending, and a note for each chosen variable that is collinear
/// with those before it, which no model can hold.
fn members(design: &Design, chosen: &[(usize, f64)]) -> (Vec<u32>, Vec<String>) {
    let mut notes = Vec::new();
    // What is collinear least squares tell as well, and at less cost.
    let (mut fit, x) = (
        Fit::empty(design.y()),
        design.columns().with_likelihood(None),
    );
    let keep = design.keep();
    let chosen = chosen.iter().map(|(term, _)| *term as u32);
    let others = chosen.filter(|term| keep.binary_search(term).is_err());
    for term in keep.iter().copied().chain(others) {
        if let Err(Collinear { .. }) = fit.add(x, term) {
            let name = design.term_name(term);
            notes.push(format!(
                "{name} was chosen and is left out: it is collinear with those chosen before it"
            ));
        }
    }
    (fit.members(), notes)
}

/// The models fitted so far, known also where the procedure is detached.
#[derive(Debug, Default)]
struct Fits {
    /// The names of the devices, their arithmetic, and the seconds of opening them.
    on: (Vec<String>, String, f64),
    /// Of the devices.
    notes: Vec<String>,
    count: usize,
    /// The last fit: the next is often this with a variable more.
    last: Option<Fit>,
    met: VisitedModels,
}

struct Regression<'a> {
    context: &'a ProcedureContext,
    objective: Objective<'a>,
    fits: &'a Mutex<Fits>,
    /// The threads of the sweeps; no work of the procedure runs on them.
    sweeps: &'a ThreadPool,
    devices: Mutex<Devices<'a>>,
}

impl Regression<'_> {
    /// The strongest candidates of each anchor, with their xᵀr.
    fn swept(&self, anchors: &[f64], wanted: usize) -> Result<Vec<Vec<(u32, f64)>>, CallError> {
        let (n, p) = (self.objective.design.n(), self.p());
        if wanted > p {
            let reason = format!("it asked for the {wanted} strongest of {p} candidates");
            return Err(CallError::Invalid(reason));
        }
        // At unit norm, so that no square of a product overflows.
        let mut units = Vec::with_capacity(anchors.len() / n);
        for (at, anchor) in anchors.chunks_exact(n).enumerate() {
            if let Some(value) = anchor.iter().find(|number| !number.is_finite()) {
                let reason = format!("its anchor {at} holds {value}");
                return Err(CallError::Invalid(reason));
            }
            let most = anchor.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            // The inverse of a subnormal number may be infinite.
            let scale = if most > 0.0 { most } else { 1.0 };
            let mut unit: Vec<f64> = anchor.iter().map(|number| number / scale).collect();
            let norm = product(&unit, &unit).sqrt();
            let inverse = if norm > 0.0 { 1.0 / norm } else { 0.0 };
            unit.iter_mut().for_each(|number| *number *= inverse);
            units.push((unit, norm, most));
        }
        let residuals = units.iter().map(|(unit, ..)| FitView {
            residual: unit,
            ..FitView::default()
        });
        let found = self.neighbours(&Vec::from_iter(residuals), wanted)?;
        let x = self.objective.design.columns();
        let each = found.into_iter().zip(&units);
        let strongest = each.map(|(found, (unit, norm, most))| {
            // Computed again in one order of summation, whatever device swept.
            let exact = found.additions.iter();
            let exact =
                exact.map(|change| (change.column, product(&x.column_once(change.column), unit)));
            let mut exact: Vec<(u32, f64)> = exact.collect();
            exact.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
            exact.truncate(wanted);
            for (_, product) in &mut exact {
                *product = *product * norm * most;
            }
            exact
        });
        Ok(strongest.collect())
    }

    /// One sweep at a time. A thread of the procedure's pool that waited for the lock would take up
    /// other work of the pool, which may sweep too and wait for itself: another thread waits in its
    /// place.
    fn neighbours(
        &self,
        anchors: &[FitView],
        wanted: usize,
    ) -> Result<Vec<Neighbours>, DeviceError> {
        let sweep = || {
            let mut locked = lock(&self.devices);
            let devices = &mut *locked;
            let swept =
                || devices.find_neighbours(anchors, &[], wanted, &|| self.context.is_abandoned());
            self.sweeps.install(swept)
        };
        match self.context.pool.current_thread_index() {
            None => sweep(),
            Some(_) => thread::scope(|scope| {
                let swept = scope.spawn(sweep).join();
                swept.unwrap_or_else(|panic| resume_unwind(panic))
            }),
        }
    }

    /// The fit of the kept variables and these, up to the first collinear one; and whether it is
    /// complete.
    fn fitted(&self, columns: &[usize]) -> Result<(Fit, bool), CallError> {
        let (p, keep) = (self.p(), self.objective.design.keep());
        let mut terms = keep.to_vec();
        for (at, &column) in columns.iter().enumerate() {
            if column >= p {
                return Err(CallError::column(column, p));
            }
            if columns[..at].contains(&column) {
                return Err(CallError::twice(column));
            }
            // Another column of a term that is there brings nothing new.
            let term = self.term_of(column) as u32;
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        let most = self.context.most;
        if terms.len() > most + keep.len() {
            return Err(CallError::too_many(most));
        }
        let (x, y) = (self.objective.design.columns(), self.objective.design.y());
        let last = lock(self.fits).last.take();
        let last = last.filter(|fit| terms.starts_with(fit.terms()));
        let mut fit = last.unwrap_or_else(|| Fit::of(x, y, &[]).0);
        let mut rest = terms[fit.terms().len()..].iter();
        let whole = rest.try_for_each(|term| fit.add(x, *term)).is_ok();
        Ok((fit, whole))
    }
}

impl Problem for Regression<'_> {
    fn n(&self) -> usize {
        self.objective.design.n()
    }

    fn context(&self) -> &ProcedureContext {
        self.context
    }

    fn kind(&self) -> &'static str {
        "a regression"
    }

    fn p(&self) -> usize {
        self.objective.design.p()
    }

    fn term_of(&self, column: usize) -> usize {
        match column < self.p() {
            true => self.objective.design.columns().term_of(column as u32) as usize,
            false => column,
        }
    }

    fn family(&self) -> &'static CStr {
        let likelihood = self.objective.design.likelihood();
        likelihood.map_or(c"gaussian", |own| own.family_name())
    }

    fn is_kept(&self, column: usize) -> bool {
        column < self.p() && self.context.is_kept(self.term_of(column))
    }

    fn choose(&self, column: usize, score: f64) -> Result<(), CallError> {
        let p = self.p();
        if column >= p {
            return self.context.noted(Err(CallError::column(column, p)));
        }
        let term = self.term_of(column);
        let is_wide = self
            .objective
            .design
            .columns()
            .columns_of(term as u32)
            .len()
            > 1;
        if is_wide && self.context.chosen().iter().any(|(own, _)| *own == term) {
            // By another of its columns.
            return Ok(());
        }
        self.context.choose(term, score)
    }

    fn numbers(&self, column: usize, room: &mut [f64]) -> Result<(), CallError> {
        let p = self.p();
        let numbers = match column {
            _ if column < p => Ok(self.objective.design.columns().column_once(column as u32)),
            _ if column == p => Ok(Cow::Borrowed(self.objective.design.y())),
            _ => Err(CallError::column(column, p)),
        };
        room.copy_from_slice(&self.context.noted(numbers)?);
        Ok(())
    }

    fn name(&self, column: usize) -> Result<&str, CallError> {
        let (p, design) = (self.p(), self.objective.design);
        let name = match column {
            _ if column < p => Ok(&*design.variables()[column].name),
            _ if column == p => Ok(&*design.response().name),
            _ => Err(CallError::column(column, p)),
        };
        self.context.noted(name)
    }

    fn sweep(
        &self,
        anchors: &[f64],
        wanted: usize,
        columns: &mut [usize],
        products: &mut [f64],
    ) -> Result<(), CallError> {
        if wanted == 0 || anchors.is_empty() && wanted <= self.p() {
            return Ok(());
        }
        let swept = self.context.noted(self.swept(anchors, wanted))?;
        let rooms = columns.chunks_mut(wanted).zip(products.chunks_mut(wanted));
        for (found, (columns, products)) in swept.into_iter().zip(rooms) {
            let rooms = columns.iter_mut().zip(products);
            for ((column, product), (to, product_to)) in found.into_iter().zip(rooms) {
                (*to, *product_to) = (column as usize, product);
            }
        }
        Ok(())
    }

    fn fit(&self, columns: &[usize], residuals: Option<&mut [f64]>) -> Result<f64, CallError> {
        let (fit, whole) = self.context.noted(self.fitted(columns))?;
        if let Some(room) = residuals {
            room.copy_from_slice(fit.residual());
        }
        let value = match whole {
            true => self.objective.of_fit(&fit),
            false => f64::INFINITY,
        };
        let mut fits = lock(self.fits);
        fits.count += 1;
        if whole {
            fits.met.offer(value, &fit.members());
        }
        fits.last = Some(fit);
        Ok(value)
    }
}
