//! Validation: splits of the rows → a selection in each → what its models predict of the other rows.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use super::{
    RunError,
    chosen_size::unit_of_sizes,
    design_source::with_formula,
    in_split::{MadeInSplits, Shared, judge},
    lost_levels::FactorLevels,
    method::{Finding, Method, Run},
    observed::{observed, split_numbers},
    resample::for_each_number,
    rows_on_gpu::{AllRows, RowsOnGpus},
    some_rows::{is_of_rows, with_event},
    split_checkpoint::KeptSplits,
    split_models::most_sizes,
    used_rows::keep_rows,
    validated::{Validated, name_of, report, unlike_losses},
};
use crate::{
    design::{Design, DesignError},
    family::Distribution,
    interrupt::Interrupt,
    job::{Job, ValidationJob},
    search::{SearchError, refuse_parts},
    selection::{Outcome, ResponseFamily, StopReason, ValidationReport},
    table::Table,
    validation::{Response, Splits},
};

/// What makes models, in splits of the rows.
pub(super) struct InSplits<'a, M> {
    pub(super) validation: &'a ValidationJob,
    pub(super) models: M,
    /// Those of other methods and families.
    pub(super) others: Vec<Box<dyn Validates + 'a>>,
}

/// A validation that has begun: what depends on all rows is known.
pub(super) struct Begun {
    /// The job, whose formula and event are given.
    job: Job,
    report: ValidationReport,
    warnings: Vec<String>,
    rows: Vec<usize>,
    response: Response,
    splits: Splits,
    /// The numbers of the column that rows are split by.
    by: Option<Vec<u32>>,
    factors: Vec<String>,
    /// Columns of the matrix of all rows.
    width: usize,
    unit: usize,
    on_gpus: Option<RowsOnGpus>,
}

/// A validation beside others of the same table.
pub(super) trait Validates: Sync {
    fn validation(&self) -> &ValidationJob;

    /// Begins, with parts of the rows that have equal shares of the classes of the first, where these are the same rows.
    fn begin(&self, job: &Job, table: &Table, first: Option<&Begun>) -> Result<Begun, RunError>;

    /// Makes the models of all splits that are not kept under its number, and judges them; so many splits were counted before, of so
    /// many of all.
    fn go_on(
        &self,
        run: &mut Run,
        begun: Begun,
        table: Arc<Table>,
        interrupt: &Interrupt,
        kept: (usize, &mut KeptSplits),
        counted: [usize; 2],
    ) -> Result<Validated, RunError>;
}

impl<M: MadeInSplits> Validates for InSplits<'_, M> {
    fn validation(&self) -> &ValidationJob {
        self.validation
    }

    fn begin(&self, job: &Job, table: &Table, first: Option<&Begun>) -> Result<Begun, RunError> {
        let (validation, scheme) = (self.validation, self.validation.scheme);
        let by = validation.by.as_deref();
        by.map(|name| table.require("--by", name)).transpose()?;
        let job = self.models.judged(job, table)?;
        let job = with_formula(&job, table).map_err(|error| match error {
            DesignError::FormulaHidden { name, .. } if Some(&*name) == by => {
                let reason = "--by takes";
                DesignError::FormulaHidden { name, reason }
            }
            error => error,
        });
        let job = &*job?;
        // What is wrong with the file is an error of the file, not of its first split.
        let (on_gpus, whole) = RowsOnGpus::with_whole::<Design>(job, table)?;
        let design = &whole.data;
        refuse_parts(design, "a validation").map_err(SearchError::from)?;
        let rows: Vec<usize> = (0..design.n()).map(|at| design.row(at)).collect();
        let n = rows.len();
        let response = observed(job, table, design, &rows)?;
        let numbers = by.map(|name| split_numbers((name, scheme), table, &rows));
        let numbers = numbers.transpose()?;
        let classes = match first.filter(|first| first.rows == rows) {
            Some(first) => first.response.classes(),
            None => response.classes(),
        };
        let by = by.zip(numbers.as_deref());
        let splits = Splits::of(scheme, (n, &classes), by, job.pass.seed)?;
        let kept = design.keep().iter();
        let report = ValidationReport {
            passel: env!("CARGO_PKG_VERSION").into(),
            by: validation.by.clone(),
            response: design.response().name.clone(),
            formula: design.formula().map(str::to_owned),
            family: ResponseFamily::of(design),
            weights: job.weights.clone(),
            n,
            p: self.models.candidates(job, table, design),
            kept: kept
                .map(|term| design.term_name(*term).to_owned())
                .collect(),
            wanted: splits.len(),
            seed: job.pass.seed,
            ..ValidationReport::default()
        };
        Ok(Begun {
            job: with_event(job, design),
            report,
            warnings: design.warnings().to_vec(),
            response,
            splits,
            by: numbers,
            factors: design.factor_columns(),
            width: design.p(),
            unit: unit_of_sizes(design),
            on_gpus,
            rows,
        })
    }

    fn go_on(
        &self,
        run: &mut Run,
        begun: Begun,
        table: Arc<Table>,
        interrupt: &Interrupt,
        (own, kept): (usize, &mut KeptSplits),
        [before, of]: [usize; 2],
    ) -> Result<Validated, RunError> {
        let started = Instant::now();
        let (validation, scheme) = (self.validation, self.validation.scheme);
        let (job, splits, response) = (&begun.job, &begun.splits, &begun.response);
        let mut table = Arc::unwrap_or_clone(table);
        keep_rows(&mut table, &begun.rows, job);
        if before == 0 {
            run.meter.begin("at work");
        }
        let (n, wanted) = (begun.rows.len(), splits.len());
        let elements = n.saturating_mul(begun.width);
        let mut criteria = vec![Arc::clone(&job.criterion)];
        criteria.extend_from_slice(&validation.other_criteria);
        let rows = AllRows {
            table: &table,
            on_gpus: begun.on_gpus.as_ref(),
        };
        let (mut threads, resources) = rows.side_by_side(&job.resources, wanted, elements);
        let by_folds = criteria.iter().any(|own| own.cross_validation().is_some());
        if by_folds && rows.on_gpus.is_some() {
            // Folds for the size run side by side in each split.
            threads = 1;
        }
        let threads = (threads, resources.thread_count());
        let levels = FactorLevels::of(&table, &begun.factors);
        let by = validation.by.as_deref().zip(begun.by.as_deref());
        let shared = Shared {
            job,
            rows,
            response,
            levels: &levels,
            criteria: &criteria,
            groups: by.filter(|_| scheme.has_groups()),
            width: begun.width,
            unit: begun.unit,
            most_sizes: most_sizes(n, splits),
            resources: &resources,
            interrupt,
        };
        let mut done = kept.done(own, splits);
        let open: Vec<usize> = (0..wanted).filter(|at| !done.contains_key(at)).collect();
        let select = |at: usize| {
            let split = splits.split(open[at]);
            let name = name_of(scheme, &split, wanted);
            let rows = split.train.len();
            let judged = judge(&self.models, &shared, split);
            let is_of_rows = judged.as_ref().is_err_and(is_of_rows);
            let judged = judged.map_err(|error| RunError::Split {
                name,
                rows,
                n,
                source: Box::new(error),
            });
            match judged {
                // All rows can choose: these few cannot.
                Err(error) if is_of_rows => Ok(Some(Err(error))),
                judged => Ok(judged?.map(Ok)),
            }
        };
        let mut failed = BTreeMap::new();
        let ended = for_each_number(open.len(), threads, interrupt, select, |at, judged| {
            match judged {
                Ok(result) => {
                    kept.add(own, open[at], &result);
                    done.insert(open[at], result);
                }
                Err(error) => drop(failed.insert(open[at], error)),
            }
            run.meter
                .count("split", before + done.len() + failed.len(), of);
        });
        if ended.is_err() || done.len() + failed.len() < wanted {
            kept.write();
        }
        ended?;
        Ok(Validated {
            begun: begun.report,
            warnings: begun.warnings,
            rows: begun.rows,
            response: begun.response,
            criteria,
            done,
            failed: failed.into_values().collect(),
            cut: StopReason::of_cut(interrupt),
            seconds: started.elapsed().as_secs_f64(),
        })
    }
}

impl<M: MadeInSplits> Method for InSplits<'_, M> {
    type Data = Table;
    /// With the reports of the others, and the methods and families of those that the work ended before.
    type Found = (
        Validated,
        (Vec<ValidationReport>, Vec<(String, Distribution)>),
    );
    const IS_PROCEDURE: bool = M::IS_PROCEDURE;

    fn check(&self, job: &Job) -> Result<(), RunError> {
        self.models.check(job)
    }

    fn work(&self, run: &mut Run, table: Arc<Table>) -> Result<Self::Found, RunError> {
        let of = |own: &ValidationJob, source: RunError| RunError::Alternative {
            method: own.job.method.clone(),
            family: own.job.kind.distribution,
            source: Box::new(source),
        };
        let first = self.begin(run.job, &table, None)?;
        // What is wrong with one of them is known before the work of the others.
        let mut begun = Vec::new();
        for other in &self.others {
            let validation = other.validation();
            let own = other.begin(&validation.job, &table, Some(&first));
            begun.push(own.map_err(|error| of(validation, error))?);
        }
        // The limit is of all together.
        let interrupt = run.job.interrupt.with_time_limit(run.job.pass.time_limit);
        let table_of_others = (!begun.is_empty()).then(|| Arc::clone(&table));
        let started = Instant::now();
        let mut kept = KeptSplits::new(run.context.checkpoint);
        let splits = begun.iter().map(|own| own.splits.len());
        let (mut before, count) = (
            first.splits.len(),
            first.splits.len() + splits.sum::<usize>(),
        );
        let mut found = self.go_on(run, first, table, &interrupt, (0, &mut kept), [0, count])?;
        let (mut reports, mut lacking) = (Vec::new(), Vec::new());
        for (number, (other, begun)) in (1..).zip(self.others.iter().zip(begun)) {
            let validation = other.validation();
            let own = &validation.job;
            let name = (own.method.clone(), own.kind.distribution);
            let Some(table) = table_of_others.as_ref().filter(|_| !interrupt.requested()) else {
                lacking.push(name);
                continue;
            };
            let (table, counted) = (Arc::clone(table), [before, count]);
            before += begun.splits.len();
            let other = run.of_job(&validation.job, |run| {
                let kept = (number, &mut kept);
                let found = other.go_on(run, begun, table, &interrupt, kept, counted)?;
                report(validation, run, found)
            });
            match other {
                // What was judged on some of the rows is not compared with what was on all.
                Err(RunError::Interrupted | RunError::NoSplit) => lacking.push(name),
                Ok(other) if other.run.termination.is_early() => lacking.push(name),
                other => reports.push(other.map_err(|error| of(validation, error))?),
            }
        }
        if !lacking.is_empty() {
            kept.write();
        }
        found.seconds = started.elapsed().as_secs_f64();
        Ok((found, (reports, lacking)))
    }

    fn report(
        &self,
        run: &mut Run,
        (found, (others, lacking)): Self::Found,
    ) -> Result<Finding, RunError> {
        let cut = found.cut;
        let mut report = report(self.validation, run, found)?;
        for (method, family) in lacking {
            report.run.termination = cut;
            let note = format!(
                "the work ended before the method {method} with the family {family} was judged in all splits: it is left out"
            );
            report.run.warnings.push(note);
        }
        report.others = others;
        let mut warnings = std::mem::take(&mut report.run.warnings);
        for other in &report.others {
            let name = report.name_among_all(other);
            let new = other
                .run
                .warnings
                .iter()
                .filter(|own| !warnings.contains(own));
            let new: Vec<String> = new.map(|text| format!("{name}: {text}")).collect();
            warnings.extend(new);
        }
        let validations = self.others.iter().map(|own| own.validation());
        let all = validations.chain([self.validation]);
        warnings.extend(unlike_losses(all.map(|own| own.job.kind.distribution)));
        report.run.warnings = warnings;
        Ok(Finding::new(Outcome::Validation(Box::new(report)), None))
    }
}
