//! nalgebra matrices → design.

use nalgebra::{DMatrix, DVector};

use super::{Design, DesignError, DesignOptions, MatrixOptions, ResponseOptions};
use crate::{
    family::FamilyError,
    table::{Table, variable as variable_name},
};

impl Design {
    /// Makes a design of matrices in memory, by the steps of [`from_table`](Self::from_table).
    ///
    /// *Shapes:* `x` is n × p, observations × variables; `y` has n values.
    ///
    /// # Errors
    /// As [`from_table`](Self::from_table); shapes that do not fit, names that repeat.
    ///
    /// ```
    /// use nalgebra::{DMatrix, DVector};
    /// use passel::design::{Design, MatrixOptions};
    ///
    /// let x = DMatrix::from_fn(6, 2, |i, j| ((i + 1) * (j + 2) % 5) as f64);
    /// let y = DVector::from_fn(6, |i, _| i as f64);
    /// let options = MatrixOptions {
    ///     names: Some(&["dose", "age"]),
    ///     weights: Some(&[1.0, 1.0, 2.0, 1.0, 0.5, 1.0]),
    ///     keep: &[1],
    ///     ..MatrixOptions::default()
    /// };
    /// let design = Design::from_matrices(&x, &y, &options)?;
    /// assert_eq!(design.variables()[design.keep()[0] as usize].name, "age");
    /// # Ok::<(), passel::design::DesignError>(())
    /// ```
    pub fn from_matrices(
        x: &DMatrix<f64>,
        y: &DVector<f64>,
        options: &MatrixOptions,
    ) -> Result<Self, DesignError> {
        let (rows, columns) = x.shape();
        if let Some(names) = options.names.filter(|names| names.len() != columns) {
            let names = names.len();
            return Err(DesignError::Names { names, columns });
        }
        let length = |values: Option<&[f64]>| values.map_or(rows, <[f64]>::len);
        let weights = length(options.weights);
        let by_name = [
            ("trials", options.trials),
            ("offset", options.offset),
            ("event", options.event),
            ("entry", options.entry),
            ("strata", options.strata),
            ("clusters", options.cluster),
        ];
        for (what, values) in by_name {
            if length(values) != rows {
                let (found, n) = (length(values), rows);
                let source = FamilyError::Length { what, found, n };
                let (table, name) = ("the matrices".to_owned(), options.response.to_owned());
                return Err(DesignError::Family {
                    table,
                    name,
                    source,
                });
            }
        }
        if y.len() != rows || weights != rows {
            return Err(DesignError::Shape {
                rows,
                columns,
                y: y.len(),
                weights,
            });
        }
        if let Some(&column) = options.keep.iter().find(|column| **column >= columns) {
            return Err(DesignError::KeptColumn { column, columns });
        }
        let names: Vec<String> = match options.names {
            Some(names) => names.iter().map(|name| (*name).to_owned()).collect(),
            None => (0..columns).map(variable_name).collect(),
        };
        let free = |name: &str| {
            let mut name = name.to_owned();
            while names.contains(&name) || options.response == name {
                name.push('_');
            }
            name
        };
        let weights_name = free("weights");
        let [
            trials_name,
            offset_name,
            event_name,
            entry_name,
            strata_name,
            cluster_name,
        ] = by_name.map(|(name, _)| free(name));
        let response = std::iter::once((options.response, y.as_slice().into()));
        let variables = x.column_iter().map(|column| column.as_slice().into());
        let variables = names.iter().map(String::as_str).zip(variables);
        let beside = [
            (&*weights_name, options.weights),
            (&trials_name, options.trials),
            (&offset_name, options.offset),
            (&event_name, options.event),
            (&entry_name, options.entry),
            (&strata_name, options.strata),
            (&cluster_name, options.cluster),
        ];
        let beside = beside.into_iter();
        let beside = beside.filter_map(|(name, values)| Some((name, values?.into())));
        let columns = response.chain(variables).chain(beside);
        let table = Table::in_memory("the matrices", columns)?;
        let keep: Vec<String> = options.keep.iter().map(|at| names[*at].clone()).collect();
        let options = DesignOptions {
            response: Some(options.response),
            kind: ResponseOptions {
                family: options.family,
                trials: options.trials.map(|_| &*trials_name),
                offset: options.offset.map(|_| &*offset_name),
                failures: None,
                success: None,
                levels: &[],
                event: options.event.map(|_| &*event_name),
                entry: options.entry.map(|_| &*entry_name),
                strata: options.strata.map(|_| &*strata_name),
                ties: options.ties,
                dispersion: options.dispersion,
                firth: options.firth,
                covariance: options.covariance,
                cluster: options.cluster.map(|_| &*cluster_name),
            },
            keep: &keep,
            missing: options.missing,
            intercept: options.intercept,
            weights: options.weights.map(|_| &*weights_name),
            p_total: options.p_total,
            ..DesignOptions::default()
        };
        Self::from_table(table, &options)
    }
}
