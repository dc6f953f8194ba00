//! Why rows cannot be split.

/// Why a scheme cannot split these rows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the message's facts")]
pub enum SchemeError {
    /// Fewer rows or groups than parts.
    #[error(
        "--scheme {scheme} needs {least} {what} or more, and there are {found}: name fewer parts, or take more observations"
    )]
    FewUnits {
        scheme: String,
        /// Rows, groups of rows, or times.
        what: &'static str,
        found: usize,
        least: usize,
    },
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
