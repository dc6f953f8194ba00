//! A formula over a table → design: each term of the formula is a term of the design.

use std::{collections::HashSet, sync::Arc};

use super::{
    Design, DesignError, DesignOptions, FormulaOptions, Hierarchy, Making, ResponseOptions, family,
    formula_columns::{
        FormulaUse, column_of_weights, hidden_columns, other_name, refuse_identifiers,
    },
    formula_data::Data,
    levels::FormulaData,
    names::split_reference,
    powers::powers,
    size::MatrixSize,
    term_plan::TermPlan,
};
use crate::{
    formula::{self, Contrast, Expansion, Formula, quoted_name},
    interrupt::Interrupt,
    nearest::nearest,
    table::{Column, Missing, Table, Values},
};

/// The part of a table that a formula and its options use.
#[derive(Debug, Clone)]
pub(super) struct UsedTable {
    /// The columns that the formula, the weights and the response need.
    pub(super) table: Table,
    /// Of each observation its row in the whole table.
    rows: Vec<usize>,
    /// What is said of observations left out.
    dropped: Option<String>,
    /// The response's column, where the formula has none.
    response: Option<String>,
}

/// A formula over a table, whose columns are known but not made yet.
pub(super) struct ExpandedFormula<'a> {
    used: UsedTable,
    expansion: Expansion,
    plan: TermPlan,
    options: &'a FormulaOptions<'a>,
}

impl UsedTable {
    /// A formula with its response, that of events and `failures` where these are a column.
    pub(super) fn text(&self, formula: &Formula, failures: Option<&str>) -> String {
        let text = formula.to_string();
        // One-sided: `~x`.
        match (&self.response, failures) {
            (Some(response), None) => format!("{} ~ {}", quoted_name(response), &text[1..]),
            (Some(events), Some(failures)) => {
                let [events, failures] = [events, failures].map(quoted_name);
                format!("cbind({events}, {failures}) ~ {}", &text[1..])
            }
            (None, _) => text,
        }
    }

    pub(super) fn of(
        mut table: Table,
        FormulaUse {
            response, unused, ..
        }: FormulaUse,
        missing: Missing,
    ) -> Result<Self, DesignError> {
        table.refuse_rounded(&unused)?;
        table.forget_unused_dates(|name| !unused.iter().any(|own| own == name));
        table.drop_columns(&unused);
        table.response = None;
        let rows = (0..table.rows).map(|row| row as f64).collect::<Vec<_>>();
        table.columns.push(Column::from(("", rows)));
        let dropped = table.handle_missing_partitioned(missing, None)?;
        let rows = table.columns.pop();
        let rows = rows.and_then(|rows| Some(rows.values.numbers(table.rows)?.into_owned()));
        refuse_identifiers(&table)?;
        let rows = rows.unwrap_or_default().into_iter();
        Ok(Self {
            table,
            rows: rows.map(|row| row as usize).collect(),
            dropped: dropped.warning(),
            response,
        })
    }
}

impl<'a> ExpandedFormula<'a> {
    /// Expands a formula over a table that has what it uses.
    pub(super) fn over(
        used: UsedTable,
        formula: &Formula,
        options: &'a FormulaOptions<'a>,
    ) -> Result<Self, DesignError> {
        let hidden = hidden_columns(&used.response, options).collect();
        let mut contrasts = options.contrasts.clone();
        // Where an interaction may be in a model without its parts, the reference level is not to decide.
        contrasts.centered_interactions |= options.hierarchy != Hierarchy::Strong;
        for text in options.reference {
            let Some((name, level)) = split_reference(&used.table, text) else {
                let text = text.clone();
                return Err(DesignError::ReferenceForm { text });
            };
            let reference = Some(level.to_owned());
            let contrast = Contrast::Treatment { reference };
            if contrasts
                .by_variable
                .insert(name.to_owned(), contrast)
                .is_some()
            {
                let name = name.to_owned();
                return Err(DesignError::ReferenceTwice { name });
            }
        }
        let data = Data::of(&used.table, hidden);
        let expansion = Expansion::with_options(formula, &data, &contrasts)?;
        let plan = plan(&expansion, options)?;
        Ok(Self {
            used,
            expansion,
            plan,
            options,
        })
    }

    /// Whether no term needs others.
    pub(super) fn is_free(&self) -> bool {
        self.plan.parents.iter().all(Vec::is_empty)
    }

    /// The terms.
    pub(super) fn terms(&self) -> &formula::Terms {
        self.expansion.terms()
    }

    /// How many columns each term has.
    pub(super) fn widths(&self) -> &[usize] {
        &self.plan.widths
    }

    /// The most columns that the design may have.
    pub(super) fn size(&self) -> MatrixSize {
        let widest = (0..self.plan.widths.len()).max_by_key(|term| self.plan.widths[*term]);
        let widest = widest.map(|term| (self.plan.labels[term].clone(), self.plan.widths[term]));
        MatrixSize::new(self.used.table.rows, self.plan.of.len(), widest)
    }

    /// Makes the columns, and the design of them.
    ///
    /// # Errors
    /// As [`Design::from_formula`]; an interrupt.
    pub(super) fn design(self, interrupt: &Interrupt) -> Result<Design, DesignError> {
        let Self {
            used,
            expansion,
            plan,
            options,
        } = self;
        let text = used.text(expansion.formula(), options.kind.failures);
        let UsedTable {
            mut table,
            rows,
            dropped,
            response,
        } = used;
        let hidden = hidden_columns(&response, options).collect();
        let data = Data::of(&table, hidden);
        let made = expansion.apply(&data)?;
        let mut columns = Vec::with_capacity(plan.of.len() + 2);
        for term in 0..plan.widths.len() {
            let names = expansion.column_names(term).into_iter();
            let own = names.zip(made.columns(term));
            columns.extend(own.map(Column::from));
        }
        let warnings: Vec<String> = expansion
            .warnings()
            .iter()
            .map(ToString::to_string)
            .collect();
        let column_of = |name: &str| {
            let own = table.columns.iter().find(|column| column.name == name);
            own.map_or(Values::Remote, |column| column.values.clone())
        };
        let (name, values) = match (expansion.response(&data)?, &response) {
            (Some(values), _) => (
                expansion.terms().response().unwrap_or_default(),
                match values {
                    formula::Variable::Numeric(values) => values.into_owned().into(),
                    formula::Variable::Factor { levels, codes, .. } => Values::Factor {
                        levels: levels.into_owned(),
                        codes: codes.into_owned(),
                    },
                },
            ),
            (None, response) => {
                let name = response.clone().unwrap_or_default();
                let values = column_of(&name);
                (name, values)
            }
        };
        let has_levels = options.kind.family.has_levels() && options.kind.levels.is_empty();
        let levels = match &values {
            Values::Factor { levels, codes } if has_levels && expansion.orders_response() => {
                let codes: HashSet<u32> = codes.iter().copied().collect();
                let used = (0..).zip(levels).filter(|(code, _)| codes.contains(code));
                used.map(|(_, level)| level.clone()).collect()
            }
            _ => options.kind.levels.to_vec(),
        };
        let mut offsets: Vec<String> = expansion.terms().offsets().collect();
        let mut offset = expansion.offset(&data)?;
        if let Some(name) = options.kind.offset {
            offsets.push(name.to_owned());
            let own = Column::from((name, column_of(name)));
            let own = family::numbers(own, table.rows, "offset")?;
            offset = Some(match offset {
                Some(sum) => sum.iter().zip(&own).map(|(a, b)| a + b).collect(),
                None => own,
            });
        }
        let response_name = other_name(&columns, &name);
        columns.push(Column {
            name: response_name.clone(),
            values,
        });
        let mut beside = |name: &str, values: Values| {
            let name = other_name(&columns, name);
            columns.push(Column::from((&*name, values)));
            name
        };
        let weights = options.weights.map(|name| beside(name, column_of(name)));
        let trials = options.kind.trials;
        let trials = trials.map(|name| beside(name, column_of(name)));
        let failures = match options.kind.failures {
            Some(name) => Some(beside(name, column_of(name))),
            None => {
                let own = expansion.failures(&data)?;
                own.map(|values| beside("failures", values.into()))
            }
        };
        let offset = offset.map(|values| beside(&offsets.join(" + "), values.into()));
        let of_survival = [options.kind.event, options.kind.entry, options.kind.strata];
        let [event, entry, strata] =
            of_survival.map(|name| name.map(|name| beside(name, column_of(name))));
        let cluster = options.kind.cluster;
        let cluster = cluster.map(|name| beside(name, column_of(name)));
        let derived = Table {
            rows: table.rows,
            source: std::mem::take(&mut table.source),
            labels: std::mem::take(&mut table.labels),
            warnings: std::mem::take(&mut table.warnings),
            columns,
            ..Table::default()
        };
        let weight_values = column_of_weights(&table, options);
        let design_options = DesignOptions {
            response: Some(&response_name),
            kind: ResponseOptions {
                trials: trials.as_deref(),
                failures: failures.as_deref(),
                offset: offset.as_deref(),
                event: event.as_deref(),
                entry: entry.as_deref(),
                strata: strata.as_deref(),
                cluster: cluster.as_deref(),
                levels: &levels,
                ..options.kind
            },
            weights: weights.as_deref(),
            intercept: expansion.terms().has_intercept(),
            p_total: options.p_total,
            split_factors: false,
            ..DesignOptions::default()
        };
        let (term_of, labels) = (plan.of.clone(), plan.labels.clone());
        let made = Design::made(
            derived,
            &design_options,
            Making::alone(interrupt),
            Some(plan),
        );
        let mut design = made.map_err(|error| match error {
            // Rows of the whole table.
            DesignError::Family {
                table,
                name: _,
                source,
            } => DesignError::Family {
                table,
                name: name.clone(),
                source: source.in_rows(|row| rows.get(row).copied().unwrap_or(row)),
            },
            other => other,
        })?;
        let of_columns = options
            .kind
            .failures
            .map(|own| [&*name, own].map(quoted_name));
        let of_formula = expansion.terms().events_and_failures();
        design.response.name = name;
        for variable in Arc::make_mut(&mut design.variables) {
            variable.index = term_of[variable.index];
        }
        let term_of = design.variables.iter().map(|variable| variable.index);
        let term_of = term_of.collect();
        let hidden: Vec<String> = hidden_columns(&response, options)
            .map(str::to_owned)
            .collect();
        table.drop_columns(&hidden);
        design.formula_terms = labels;
        design.weights = options.weights.map(str::to_owned);
        design.trials = options.kind.trials.map(str::to_owned);
        if let Some(names) = of_columns.or(of_formula) {
            design.name_events_and_failures(&names);
        }
        design.offset = offset.map(|_| offsets.join(" + "));
        design.survival_columns = of_survival.map(|own| own.map(str::to_owned));
        let rows = (0..design.n).map(|observation| rows[design.row(observation)]);
        design.rows = rows.collect();
        design.warnings.extend(dropped);
        let terms = expansion.terms();
        for name in expansion.idle_contrasts(&options.contrasts) {
            design.warnings.push(format!(
                "contrasts of `{name}` change nothing: the formula takes it as numbers"
            ));
        }
        if (0..terms.len()).any(|term| expansion.is_centered(term)) {
            let warning = "interactions have sum contrasts here (`a[S.level]`) in place of treatment contrasts: they may be in \
                           a model without their parts, and no reference level is to decide on them; not so with \
                           --hierarchy strong";
            design.warnings.push(warning.to_owned());
        }
        let of_factors = (0..terms.len()).filter(|term| expansion.has_factor(*term));
        if !terms.has_intercept() && of_factors.count() > 1 {
            design.warnings.push(super::NO_INTERCEPT.to_owned());
        }
        design.formula = Some(Arc::new(FormulaData {
            text,
            expansion,
            term_of,
            table,
            offset: options.kind.offset.map(str::to_owned),
            weights: weight_values,
        }));
        design.warnings.extend(warnings);
        Ok(design)
    }
}

/// Which columns are those of which term, and which terms need others.
fn plan(expansion: &Expansion, options: &FormulaOptions) -> Result<TermPlan, DesignError> {
    let terms = expansion.terms();
    let labels: Vec<String> = terms.labels().collect();
    let finder = terms.hierarchy();
    let mut parents: Vec<Vec<usize>> = (0..terms.len()).map(|term| finder.parents(term)).collect();
    for (term, lower) in powers(&labels) {
        parents[term].extend(lower);
        parents[term].sort_unstable();
    }
    let mut keep = vec![false; terms.len()];
    for name in options.keep {
        let Some(term) = labels.iter().position(|label| label == name) else {
            let name = name.clone();
            let nearest = nearest(&name, labels.iter().map(String::as_str)).map(str::to_owned);
            return Err(DesignError::KeptTerm { name, nearest });
        };
        keep[term] = true;
        parents[term].iter().for_each(|parent| keep[*parent] = true);
    }
    let widths: Vec<usize> = (0..terms.len())
        .map(|term| expansion.column_count(term))
        .collect();
    let of = widths.iter().enumerate();
    let of = of.flat_map(|(term, width)| std::iter::repeat_n(term, *width));
    Ok(TermPlan {
        of: of.collect(),
        hierarchy: options.hierarchy,
        labels,
        parents,
        keep,
        widths,
    })
}
