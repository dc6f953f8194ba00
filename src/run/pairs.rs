//! A pair score over all pairs of variables.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    Fault, RunError, checkpoint,
    method::{Finding, Method, Run, method_parameters},
    prepared::Binned,
    ranking::{saved_binning, too_sparse},
};
use crate::{
    binning::BinnedColumns,
    job::{Job, PairsJob},
    search::Checkpointing,
    selection::{
        ColumnAlone, ColumnPair, Outcome, PairScan, PairsReport, RunSummary, SingleVariable,
        StopReason, VariablePair, VariablePartner,
    },
    selector::{PairOptions, check_devices, rank_pairs_from},
    table::write_matrix,
};

impl Method for &PairsJob {
    type Data = Binned;
    type Found = (Arc<Binned>, PairScan);

    fn check(&self, job: &Job) -> Result<(), RunError> {
        let score = self.method.value.score();
        Ok(check_devices(&score, &job.resources.devices)?)
    }

    fn work(&self, run: &mut Run, binned: Arc<Binned>) -> Result<Self::Found, RunError> {
        let (job, meter) = (run.job, &mut run.meter);
        let options = PairOptions {
            top: job.stop.top,
            threshold: job.stop.threshold,
            partners: self.partners,
            matrix: self.matrix.is_some(),
        };
        let interrupt = job
            .resources
            .with_time_limit(&job.interrupt, job.pass.time_limit);
        let name = format!("{} of {}", self.method.name, self.method.plugin);
        let (mut write, resume_from) = (checkpoint::writer(job), run.resume_from.take());
        let checkpointing = job.checkpoint.as_ref().map(|_| {
            let write = &mut write;
            (&*name, Checkpointing { resume_from, write })
        });
        let found = rank_pairs_from(
            &binned.columns,
            &self.method.value,
            &options,
            &job.resources,
            &interrupt,
            checkpointing,
            &mut |done, of| meter.count("column", done, of),
        );
        let found = found.map_err(|error| checkpoint::of_selector(job, error))?;
        Ok((binned, found))
    }

    fn report(&self, run: &mut Run, (binned, found): Self::Found) -> Result<Finding, RunError> {
        let columns = &binned.columns;
        let own = &columns.columns;
        let is_whole = found.termination == StopReason::Top;
        let mut warnings = binned.warnings.clone();
        let is_cut = [StopReason::Interrupted, StopReason::TimeLimit].contains(&found.termination);
        if is_cut {
            let percent = 100.0 * found.scored;
            warnings.push(format!(
                "about {percent:.0} % of all pairs were scored: the best may be among the others"
            ));
        }
        warnings.extend(found.notes);
        warnings.extend(sparse_tables(columns, &found.single, &found.pairs));
        if run.matrix.is_some() && !is_whole {
            warnings.push("the matrix was not written: not all pairs were scored".to_owned());
        }
        let mut termination = found.termination;
        if let Some(mut file) = run.matrix.take().filter(|_| is_whole) {
            let (job, p) = (run.job, own.len());
            // Ranks end alike, and only one of them writes.
            let is_alone = job.resources.distributed().is_none();
            let written = match is_alone {
                true => write_matrix(&found.matrix, p, &mut job.interrupt.heeded_by(&mut file)),
                false => write_matrix(&found.matrix, p, &mut file),
            };
            match written {
                Ok(()) => file.commit()?,
                Err(_) if is_alone && job.interrupt.requested() => {
                    termination = StopReason::Interrupted;
                    warnings.push("the matrix was not written: interrupted".to_owned());
                }
                Err(source) => return Err(file.write_error(source).into()),
            }
        }
        let single = found.single.iter().zip(own);
        let single = single.map(|(alone, column)| SingleVariable {
            name: column.name.clone(),
            index: column.index,
            score: alone.score,
            p_value: alone.p_value,
        });
        let pairs = found.pairs.iter().map(|pair| VariablePair {
            a: own[pair.a].name.clone(),
            b: own[pair.b].name.clone(),
            a_index: own[pair.a].index,
            b_index: own[pair.b].index,
            score: pair.score,
            synergy: pair.synergy,
        });
        let partners = found.partners.iter().zip(own).map(|(best, column)| {
            let partner = best.map(|best| &own[best.column]);
            VariablePartner {
                name: column.name.clone(),
                index: column.index,
                partner: partner.map(|partner| partner.name.clone()),
                partner_index: partner.map(|partner| partner.index),
                score: best.map(|best| best.score),
                synergy: best.map(|best| best.synergy),
            }
        });
        let report = PairsReport {
            passel: env!("CARGO_PKG_VERSION").into(),
            data: None,
            method: method_parameters(&self.method),
            response: columns.response.name.clone(),
            classes: columns.response.levels,
            n: columns.n,
            p: own.len(),
            single: single.collect(),
            pairs: pairs.collect(),
            scored: is_cut.then_some(found.scored),
            partners: self.partners.then(|| partners.collect()),
            binning: saved_binning(run, columns)?,
            run: RunSummary {
                devices: found.devices,
                precision: "exact".into(),
                termination,
                rank_summary: run.rank_summary("pairs"),
                elapsed_seconds: run.elapsed(found.starting, found.seconds),
                warnings,
                ..RunSummary::default()
            },
        };
        let score = ("pair score", &self.method);
        let fault = found.fault;
        let fault = fault.map(|fault| Fault::of_counting(fault, columns, score));
        Ok(Finding::new(Outcome::Pairs(Box::new(report)), fault))
    }
}

/// The warning of variables in the pairs that are reported whose own table with the response has too
/// few observations a cell: that of a pair has fewer.
fn sparse_tables(
    columns: &BinnedColumns,
    alone: &[ColumnAlone],
    pairs: &[ColumnPair],
) -> Option<String> {
    let paired: BTreeSet<usize> = pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
    let shares = paired.into_iter().filter_map(|column| {
        let own = alone.get(column)?;
        Some((column, own.sparse_cells))
    });
    let warning = too_sparse(columns, shares)?;
    let mend = "make fewer levels (--binning equal-frequency:3, say)";
    Some(format!("{warning}; {mend}"))
}
