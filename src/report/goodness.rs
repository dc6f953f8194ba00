//! How well a model fits, of the sums of squares that a report has.

/// How well a model fits.
pub(super) struct Goodness {
    /// Degrees of freedom left.
    pub(super) free: usize,
    pub(super) r2: Option<f64>,
    pub(super) adjusted: Option<f64>,
    /// The residual standard error.
    pub(super) error: Option<f64>,
}

impl Goodness {
    /// Of n observations and so many coefficients, `fixed` of them the intercept.
    pub(super) fn of(
        (n, coefficients): (usize, usize),
        fixed: usize,
        (rss, tss): (f64, f64),
    ) -> Self {
        let free = n.saturating_sub(coefficients);
        // Rounding can take the empty model's R² below zero.
        let r2 = (tss > 0.0).then(|| (1.0 - rss / tss).max(0.0));
        // Adjusted R² compares variances, each over its own degrees of freedom.
        let spread = n.saturating_sub(fixed) as f64 / free as f64;
        Self {
            free,
            r2,
            adjusted: r2.filter(|_| free > 0).map(|r2| 1.0 - (1.0 - r2) * spread),
            error: (free > 0).then(|| (rss / free as f64).sqrt()),
        }
    }
}
