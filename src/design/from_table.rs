//! Table → design: the columns that are no candidates taken out, then the rest to unit norm.

use std::sync::Arc;

use super::{
    Clusters, Design, DesignColumns, DesignError, DesignOptions, FEWEST_ROWS, Making,
    ResponseColumn,
    builder::DesignBuilder,
    family::{self, BesideResponse},
    genotypic::with_heterozygotes,
    groups::gather,
    identifiers,
    names::NamedColumns,
    survival,
    term_plan::TermPlan,
    twins::take_copies_out,
    weights,
};
use crate::{
    family::Distribution,
    interrupt::Interrupt,
    table::{Column, Missing, Table, Values},
};

impl Design {
    /// Takes the response and the weights out of a table, applies the missing-value policy,
    /// codes factors by dummies against a reference level, sets constant
    /// columns and exact duplicates aside, and brings the rest to unit norm.
    ///
    /// # Errors
    /// [`DesignError`] names the table, the column and the mend.
    pub fn from_table(table: Table, options: &DesignOptions) -> Result<Self, DesignError> {
        Self::from_partitioned_table(table, options, Making::alone(&Interrupt::default()))
    }

    /// Makes the design of a table whose columns the ranks of a communicator partition, as
    /// [`read_partition`](crate::table::read_partition) reads it; without one it has all columns.
    ///
    /// # Errors
    /// As [`from_table`](Self::from_table), on all ranks alike; a lost rank; an interrupt.
    pub(crate) fn from_partitioned_table(
        table: Table,
        options: &DesignOptions,
        making: Making,
    ) -> Result<Self, DesignError> {
        Self::made(table, options, making, None)
    }

    /// Makes the design of a table, whose columns may be those of a formula's terms.
    pub(super) fn made(
        table: Table,
        options: &DesignOptions,
        making: Making,
        plan: Option<TermPlan>,
    ) -> Result<Self, DesignError> {
        let made = DesignColumns::from_partitioned_table(table, options, making, plan)?;
        let (columns, response) = made;
        columns.with_response(response, options, making.interrupt)
    }
}

impl DesignColumns {
    /// Makes the columns of a table, which may be those of a formula's terms, and takes the response that the options name
    /// out of it.
    pub(super) fn from_partitioned_table(
        mut table: Table,
        options: &DesignOptions,
        making: Making,
        plan: Option<TermPlan>,
    ) -> Result<(Self, ResponseColumn), DesignError> {
        let kept = std::mem::take(&mut table.kept);
        if let missing @ (Missing::Level | Missing::Pairwise) = options.missing {
            return Err(DesignError::MissingPolicy { missing });
        }
        let communicator = making.communicator;
        let named = NamedColumns::of(&table, options, communicator.is_some())?;
        let beside = named.beside();
        let NamedColumns {
            response,
            weights,
            trials,
            failures,
            offset,
            event: of_event,
            entry,
            strata,
            cluster,
            references,
        } = named;
        let family = options.kind.family;
        let is_normal = family.distribution() == Distribution::Gaussian;
        let response_name = table.columns[response].name.clone();
        let not_kept = beside.iter().flatten().chain([&response]);
        let not_kept: Vec<&str> = not_kept.map(|at| &*table.columns[*at].name).collect();
        let of_files = kept.iter().filter(|name| {
            !not_kept.contains(&name.as_str())
                && !options.drop.contains(name)
                && !options.keep.contains(name)
        });
        let kept: Vec<String> = options.keep.iter().chain(of_files).cloned().collect();
        let options = &DesignOptions {
            keep: &kept,
            ..*options
        };
        let missing = options.missing.of(&table);
        if let Some(at) = weights {
            weights::check(&table, at)?;
        }
        let width = table.columns.len();
        table.forget_unused_dates(|name| !options.drop.iter().any(|dropped| dropped == name));
        let mut of_table = std::mem::take(&mut table.warnings);
        let mut of_response = ResponseColumn::of(&table, response, &beside);
        table.refuse_rounded(options.drop)?;
        let positions = table.drop_columns(options.drop);
        let own = match communicator {
            Some(communicator) => communicator.local_range(width),
            None => 0..width,
        };
        let rows = table.rows;
        let row_numbers =
            identifiers::caution(&table, &positions, (response, beside), options.keep);
        // A column of row numbers shows which rows were left out.
        let numbered = matches!(missing, Missing::DropRows | Missing::Mean) || weights.is_some();
        if numbered {
            let numbers: Vec<f64> = (0..rows).map(|row| row as f64).collect();
            table.columns.push(Column::from(("", numbers)));
        }
        let dropped = match missing {
            Missing::Mean => {
                let others = beside.iter().flatten().chain([&response]);
                // A few, which are faster compared with a million names than found by a hash of each.
                let others: Vec<String> = others
                    .filter_map(|at| positions.iter().position(|own| own == at))
                    .map(|at| table.columns[at].name.clone())
                    .collect();
                let decides =
                    |own: &Column| others.contains(&own.name) || options.keep.contains(&own.name);
                let dropped = table.handle_missing_of(Missing::DropRows, communicator, decides)?;
                of_table.extend(table.fill_with_means(communicator)?);
                dropped
            }
            missing => table.handle_missing_partitioned(missing, communicator)?,
        };
        let loci = table.loci.take();
        let (mut values, mut mean_weight, mut of_weights) = (None, 1.0, None);
        if let Some(name) = options.weights {
            let rows = table.rows;
            let (left_out, found, mean) = weights::at_mean_one(&mut table, name)?;
            values = Some(found);
            mean_weight = mean;
            if left_out > 0 {
                let (have, were) = match left_out {
                    1 => ("has", "was"),
                    _ => ("have", "were"),
                };
                of_weights = Some(format!(
                    "{left_out} of {rows} observations {have} weight 0 and {were} left out"
                ));
            }
        }
        let numbers = table.columns.pop_if(|_| numbered);
        let n = table.rows;
        if n < FEWEST_ROWS {
            let table = table.source;
            return Err(DesignError::FewRows { table, n });
        }
        let labels = std::mem::take(&mut table.labels);
        let builder = (options, references);
        let mut told = BesideResponse::default();
        // A likelihood has the weights, and no row of the columns.
        let (of_rows, of_terms) = match is_normal {
            true => (values, Vec::new()),
            false => {
                let own = values.unwrap_or_default().into_iter();
                (None, own.map(|weight| weight * mean_weight).collect())
            }
        };
        let source = table.source.clone();
        let builder = DesignBuilder::new((n, source.clone()), builder, of_rows, making);
        let count = table.columns.len();
        let (mut places, mut candidates) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut clusters = None;
        for (at, column) in positions.into_iter().zip(table.columns) {
            if at == response {
                of_response.column = column.detached();
            } else if Some(at) == trials {
                told.trials = family::numbers(column, n, "trials")?;
            } else if Some(at) == failures {
                told.failures = family::numbers(column, n, "failures")?;
            } else if Some(at) == offset {
                told.offset = family::numbers(column, n, "offset")?;
            } else if Some(at) == of_event {
                let own = survival::events(column, n, &options.kind)?;
                (told.event, told.event_level) = (own.values, own.level);
                of_table.extend(own.caution);
            } else if Some(at) == entry {
                told.entry = family::numbers(column, n, "entry times")?;
            } else if Some(at) == strata {
                (told.strata, told.strata_levels) = survival::groups(column, n);
            } else if Some(at) == cluster {
                let name = column.name.clone();
                let (of, all) = survival::groups(column, n);
                let count = all.len();
                clusters = Some(Arc::new(Clusters { name, of, count }));
            } else if Some(at) != weights && own.contains(&at) {
                let others = beside.iter().flatten().filter(|other| at > **other);
                let before = usize::from(at > response) + others.count();
                places.push(at - before);
                candidates.push(column);
            }
        }
        let mut plan = match (plan, options.groups) {
            (None, groups @ [_, ..]) => {
                let gathered = gather(groups, options.keep, &mut places, &mut candidates);
                Some(gathered?)
            }
            (plan, _) => plan,
        };
        // Terms of several columns have them all.
        let aside = match plan {
            Some(_) => Vec::new(),
            None => take_copies_out(
                (&mut places, &mut candidates),
                options.keep,
                options.intercept,
                communicator,
            )?,
        };
        let mut genotypic = None;
        if options.genotypic && plan.is_none() {
            let (own, by_name) = with_heterozygotes(options.keep, &mut places, &mut candidates);
            (plan, genotypic) = (Some(own), Some(Arc::new(by_name)));
        }
        let builder = builder
            .with_warnings(row_numbers)
            .with_plan(plan)
            .with_loci(loci)
            .with_aside(aside);
        let mut builder = builder.after(&candidates)?;
        builder.push_all(places, candidates)?;
        let mut design = builder.finish(&response_name)?;
        design.mean_weight = mean_weight;
        design.labels = labels;
        design.genotypic = genotypic;
        design.fills_missing = missing == Missing::Mean;
        if let Some(Values::Numbers(numbers)) = numbers.map(|column| column.values)
            && n < rows
        {
            design.rows = numbers.iter().map(|row| *row as usize).collect();
        }
        design.firth = options.kind.firth;
        design.covariance = options.kind.covariance;
        design.clusters = clusters;
        design.trials = options.kind.trials.map(str::to_owned);
        design.offset = options.kind.offset.map(str::to_owned);
        let kind = &options.kind;
        design.survival_columns =
            [kind.event, kind.entry, kind.strata].map(|own| own.map(str::to_owned));
        let columns = Self {
            design,
            index: of_response.index,
            beside: told,
            weights: of_terms,
            table: source,
            dropped,
            rows_by: response_name,
            of_table,
            of_weights,
        };
        Ok((columns, of_response))
    }
}
