//! PaSS, and the report of any regression model.

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    Fault, RunError,
    candidates::{Choice, Selected},
    checkpoint,
    method::{Finding, Method, Run, criterion_parameters},
};
use crate::{
    design::{Design, WidePart},
    device::{DeviceError, Partition, Resources},
    job::Job,
    memory::MemoryCharge,
    plugin::PASS,
    presentation::{Curves, Format, PageExtras},
    search::{
        Checkpointing, IterationRecord, SearchError, SearchResult, SharedDevices, VariantScan,
        search_by_parts, search_by_parts_on,
    },
    selection::{NamedParameters, Outcome, Residuals, SurvivalPlots, Termination},
};

pub(super) struct PassSearch;

impl Method for PassSearch {
    type Data = Design;
    type Found = Model;

    fn work(&self, run: &mut Run, design: Arc<Design>) -> Result<Model, RunError> {
        self.search(run, design, None)
    }

    fn report(&self, run: &mut Run, model: Model) -> Result<Finding, RunError> {
        let parameters = run.job.pass.parameters(model.found.max_size);
        Ok(model.finding(run, NamedParameters::new(PASS, parameters)))
    }
}

impl PassSearch {
    /// Searches a design, on devices that hold its columns where there are such.
    pub(super) fn search(
        &self,
        run: &mut Run,
        design: Arc<Design>,
        shared: Option<&mut SharedDevices>,
    ) -> Result<Model, RunError> {
        let job = run.job;
        let (design, resources, _held) = partition(job, design)?;
        let (meter, trace) = (&mut run.meter, &mut run.trace);
        if let Some(trace) = trace {
            trace.name_criterion(&criterion_parameters(&*job.criterion).spec(&[]));
        }
        let drawn = run.drawn.take().unwrap_or_default();
        let curves = (job.format == Format::Html).then(|| Mutex::new(drawn));
        // Of a formula that is searched by parts each has a design of its own.
        let (mut begun, mut of) = (false, None::<WidePart>);
        let mut observe = |design: &Design, iteration: &IterationRecord<'_>| {
            let is_same = |part: &WidePart| of.as_ref().is_some_and(|of| of.is_same(part));
            let is_new = !begun || !design.wide().is_none_or(is_same);
            if is_new {
                if let (Some(curves), true) = (&curves, begun) {
                    *lock(curves) = Curves::default();
                }
                (begun, of) = (true, design.wide().cloned());
            }
            meter.show(iteration);
            if let Some(curves) = &curves {
                lock(curves).record(iteration);
            }
            if let Some(trace) = trace {
                if is_new {
                    let terms = 0..design.columns().term_count() as u32;
                    trace.name_columns(terms.map(|term| design.term_name(term)));
                }
                trace.record(iteration);
            }
        };
        let path = job.checkpoint.as_deref().unwrap_or(Path::new(""));
        let mut write_text = checkpoint::writer(job);
        let mut write = |text: &str| match &curves {
            Some(curves) => write_text(&checkpoint::with_curves(text, &lock(curves))?),
            None => write_text(text),
        };
        let resume_from = run.resume_from.take();
        let checkpointing = job.checkpoint.as_ref().map(|_| Checkpointing {
            resume_from,
            write: &mut write,
        });
        let (criterion, interrupt) = (&*job.criterion, &job.interrupt);
        let found = match shared {
            None => search_by_parts(
                &design,
                criterion,
                &job.pass,
                &resources,
                interrupt,
                checkpointing,
                &mut observe,
            ),
            Some(shared) => search_by_parts_on(
                &design,
                criterion,
                &job.pass,
                &resources,
                interrupt,
                checkpointing,
                &mut observe,
                shared,
            ),
        };
        let found = found.map_err(|error| match error {
            SearchError::Checkpoint(source) => checkpoint::refused(path, source),
            SearchError::Design(error) => error.into(),
            error => error.into(),
        });
        let (part, found) = found?;
        Ok(Model {
            design: part.map_or(design, Arc::new),
            over: match resources.partition {
                Some(Partition::Particles) => "particles",
                Some(Partition::Sweeps) => "sweeps",
                Some(Partition::Columns) | None => "columns",
            },
            curves: curves
                .map(|curves| curves.into_inner().unwrap_or_else(PoisonError::into_inner)),
            fault: None,
            found,
        })
    }
}

fn lock(curves: &Mutex<Curves>) -> MutexGuard<'_, Curves> {
    curves.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The model of a regression.
pub(super) struct Model {
    pub(super) design: Arc<Design>,
    pub(super) found: SearchResult,
    /// What ended a procedure early.
    pub(super) fault: Option<Fault>,
    pub(super) curves: Option<Curves>,
    pub(super) over: &'static str,
}

impl Model {
    /// The model of a search that came to its end; none of one that was cut.
    ///
    /// # Errors
    /// What ended it early.
    pub(super) fn complete(mut self) -> Result<Option<Self>, RunError> {
        let of_device = self.found.fault.take().map(Fault::Device);
        if let Some(fault) = self.fault.take().or(of_device) {
            return Err(fault.without_report());
        }
        let cut = [Termination::Interrupted, Termination::TimeLimit];
        Ok((!cut.contains(&self.found.termination)).then_some(self))
    }

    /// The model on the scale of the data, with what only a page shows.
    pub(super) fn finding(self, run: &Run, method: NamedParameters) -> Finding {
        let (job, design, found) = (run.job, &self.design, self.found);
        let mut selection = found.selection_by(method, design, &*job.criterion, &job.pass);
        let threads = job.resources.thread_count();
        found.set_intervals(&mut selection, design, job.intervals, job.level, threads);
        selection.adjust(job.adjustment);
        selection.shorten_credible_sets();
        selection.rank_summary = run.rank_summary(self.over);
        selection.elapsed_seconds = run.elapsed(found.starting, found.seconds);
        let warning = self.fault.as_ref().map(Fault::warning);
        selection.warnings.extend(warning);
        let residuals = (job.format == Format::Html).then(|| {
            Residuals::of(
                design,
                &found.estimated_fit(design),
                found.exact,
                job.pass.seed,
            )
        });
        let is_whole = self.fault.is_none() && found.fault.is_none();
        let scan = (job.format == Format::Html && is_whole)
            .then(|| VariantScan::of(design, &found.fit, &selection.selected, threads));
        let fault = self.fault.or(found.fault.map(Fault::Device));
        let mut finding = Finding::new(Outcome::Selection(Box::new(selection)), fault);
        if job.format == Format::Html {
            let support = found.fit.support().iter();
            finding.extras = PageExtras {
                curves: self.curves,
                residuals: residuals.flatten(),
                survival: SurvivalPlots::of(design, &found.fit),
                scan: scan.flatten(),
                deviations: support.map(|column| design.deviation(*column)).collect(),
                ..PageExtras::default()
            };
        }
        finding
    }
}

impl Selected for Model {
    fn choice(self) -> Result<Option<Choice>, RunError> {
        let (design, found) = (&self.design, self.found);
        let members = found.fit.support();
        let index = |column: &u32| design.variables()[*column as usize].index;
        let mut notes = found.notes;
        if members.len() == found.max_size && members.len() < design.p() {
            let note = "the model has as many variables as allowed: the criterion may be too mild, \
                        or --max-size too small";
            notes.push(note.to_owned());
        }
        let choice = Choice {
            indexes: members.iter().map(index).collect(),
            notes,
            devices: found.devices,
        };
        let fault = self.fault.or(found.fault.map(Fault::Device));
        let cut = [Termination::Interrupted, Termination::TimeLimit];
        choice.ended(fault, cut.contains(&found.termination))
    }
}

/// About how many columns the polish looks at.
const POLISHED: usize = 1000;

/// What a search partitions over ranks, and the design with the columns that they need for it, for
/// which memory is held.
///
/// Over columns every column that joins a model is broadcast: those of random steps, about one in
/// ten of all, and what the polish looks at. Where there are no more columns than that, each rank
/// gets all of them at once, and the particles are partitioned.
fn partition(
    job: &Job,
    design: Arc<Design>,
) -> Result<(Arc<Design>, Resources, Option<MemoryCharge>), RunError> {
    let broadcast = POLISHED + job.pass.particles.saturating_mul(job.pass.iterations) / 10;
    // The model of all candidates, which some criteria ask for, needs every column at once, and terms of
    // several columns are not divided.
    let needs_all = job.criterion.needs_error_variance() || design.has_terms();
    let partition = job.resources.partition.filter(|_| !needs_all);
    let partition = partition.unwrap_or(match needs_all || design.p() <= broadcast {
        true => Partition::Particles,
        false => Partition::Columns,
    });
    let resources = Resources {
        partition: Some(partition),
        ..job.resources.clone()
    };
    if partition == Partition::Columns || job.resources.distributed().is_none() {
        return Ok((design, resources, None));
    }
    let bytes = design.replicated_bytes();
    let held = job
        .resources
        .memory
        .take(bytes, "all columns on each rank")?;
    let design = Arc::unwrap_or_clone(design).replicated();
    let design = design.map_err(DeviceError::from)?;
    Ok((Arc::new(design), resources, Some(held)))
}
