use crate::{Criterion, Entry, Model};

pub(crate) const ENTRY: Entry = Entry {
    name: "aicc",
    title: "corrected AIC",
    penalty: "2(k + m) + 2K(K + 1)/(n − K − 1), K = k + m + 2 (intercept and variance; binomial and Poisson responses have no variance to estimate); +∞ where n ≤ K + 1",
    source: "C. M. Hurvich and C.-L. Tsai, Regression and time series model selection in small samples, Biometrika 76 (1989) 297–307",
    parameters: &[],
    build: |_| Box::new(Aicc),
};

/// Corrected AIC: n·ln(rss/n) + **2(k + m) + 2K(K + 1)/(n − K − 1)**, where K counts every estimate: the
/// variables, the intercept if there is one, and the error variance, where the response has one.
///
/// Unbiased for linear regression in small samples, where AIC is too mild; to be preferred to it where
/// n/K is below 40. +∞ where n ≤ K + 1. R’s `MuMIn::AICc` and `AICcmodavg::AICc` count alike, and are
/// higher by as much as `AIC` is.
///
/// *Source*: C. M. Hurvich and C.-L. Tsai, Biometrika 76 (1989) 297–307.
///
/// ```
/// use passel_criteria::{Aicc, Criterion, Model};
/// // n = 200, p = 1000, k = 4, rss = 50: K = 6, 200·ln(50/200) = -277.258872,
/// // 2·4 = 8, 2·6·7/193 = 0.435233.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((Aicc.value(&model) - -268.823639063).abs() < 1e-8);
/// assert_eq!(Aicc.value(&Model::new(7, 10, 4, 1.0)), f64::INFINITY);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Aicc;

impl Criterion for Aicc {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, model: &Model) -> f64 {
        let estimates = (model.coefficients() + model.scatter) as f64;
        let left = model.n as f64 - estimates - 1.0;
        if left <= 0.0 {
            return f64::INFINITY;
        }
        2.0 * model.parameters() as f64 + 2.0 * estimates * (estimates + 1.0) / left
    }
}
