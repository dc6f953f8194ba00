//! Why rows cannot be split.

use crate::nearest::as_option;

/// Why a scheme cannot split these rows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the message's facts")]
pub enum SchemeError {
    /// Fewer rows or groups than parts.
    #[error(
        "{scheme} needs {least} {what} or more, and there are {found}: name fewer parts, or take more observations"
    )]
    FewUnits {
        /// The option that asks for the parts.
        scheme: String,
        /// Rows, groups of rows, or times.
        what: &'static str,
        found: usize,
        least: usize,
    },
    /// Sizes whose errors are all undefined.
    #[error(
        "--criterion cv: the {measure} of rows held out is undefined for every size, as where numbers are beyond 1e150: name an information \
         criterion, such as ebic-monotone"
    )]
    NoSize { measure: &'static str },
    /// A row without a group, a time or a mark.
    #[error("--by {column}: row {row} lacks a value: mend it, or leave the row out of the data")]
    Missing { column: String, row: usize },
    /// A column of marks that is text.
    #[error(
        "--by {column}: text such as {level} marks no rows: 0 stands for rows that models are made of, another number for those held out"
    )]
    TextMarks { column: String, level: String },
    /// A column of times that is text of unknown order.
    #[error(
        "--by {column}: text such as {level} has no order in time: name a column of numbers, of dates (--date {} says that it has dates) or of \
         times as ISO 8601 writes them, all of one length, as 2024-05 or 2024-W22",
        as_option(column)
    )]
    TextTimes { column: String, level: String },
    /// A response that a formula makes, where an offset is taken off it.
    #[error(
        "the response {name} is made by the formula, and there is an offset: name a column as the response"
    )]
    Transformed { name: String },
    /// Clusters to draw, of which there is one.
    #[error(
        "--infer draws clusters, and all rows are of one `{column}`: leave --infer or --cluster out"
    )]
    OneCluster { column: String },
    /// A response of text, which is no number.
    #[error(
        "--then ols predicts numbers, and the response {name} is text: use --then logistic or --then knn"
    )]
    LevelsByLeastSquares { name: String },
    /// A plain model that leaves nothing open, or whose fit did not end.
    #[error(
        "--then {model} has no model of {variables} variables and {rows} rows: a smaller --top may have one, or --then knn"
    )]
    NoPlainModel {
        model: &'static str,
        variables: usize,
        rows: usize,
    },
    /// More neighbours than there are rows.
    #[error(
        "--then knn:k={k} asks for more rows than the {rows} that a model is made of: name a smaller k"
    )]
    FewNeighbours { k: usize, rows: usize },
    /// A response of many numbers, which are no levels.
    #[error(
        "--then logistic predicts levels, and the response {name} has {count} distinct numbers: use --then ols or --then knn"
    )]
    NumbersByLogistic { name: String, count: usize },
    /// Nothing is marked, or everything.
    #[error(
        "--by {column} marks {marked} of {n} rows as held out (every value but 0): some rows are judged, by the model of the others"
    )]
    Marks {
        column: String,
        marked: usize,
        n: usize,
    },
}
