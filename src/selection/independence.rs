//! The G-test of independence of two categorical variables.

use serde::{Deserialize, Serialize};
use statrs::function::gamma::gamma_ur;

/// The likelihood ratio test of independence of a variable x and the response y.
///
/// *Source:* A. Agresti, *Categorical Data Analysis* (3rd ed., 2013), section 3.2.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Independence {
    /// G = 2·n·I(x;y), with I in nats; G itself has no unit.
    #[serde(deserialize_with = "super::number_or_nan")]
    pub g: f64,
    /// Degrees of freedom, (levels of x − 1)(levels of y − 1), counting levels that occur.
    pub df: u64,
    /// P(χ² ≥ G): asymptotic, and valid for a variable that was not chosen by its G.
    #[serde(deserialize_with = "super::number_or_nan")]
    pub p_value: f64,
}

impl Independence {
    /// Tests n observations from I(x;y) in nats and the numbers of levels of x and y that occur.
    pub(crate) fn of(n: usize, information: f64, levels: [usize; 2]) -> Self {
        let [x, y] = levels.map(|count| count.saturating_sub(1) as u64);
        // Rounded logarithms may leave less than nothing.
        let (g, df) = ((2.0 * n as f64 * information).max(0.0), x * y);
        Self {
            g,
            df,
            p_value: chi_squared_tail(g, df),
        }
    }
}

/// P(χ² ≥ x), computed as the upper tail itself, which keeps its digits near 0.
fn chi_squared_tail(x: f64, df: u64) -> f64 {
    match df == 0 || x <= 0.0 {
        // One level leaves nothing to depend on.
        true => 1.0,
        false => gamma_ur(df as f64 / 2.0, x / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_near(found: f64, expected: f64, relative: f64) {
        let off = (found / expected - 1.0).abs();
        assert!(off <= relative, "{found:e} for {expected:e}");
    }

    #[test]
    fn even_degrees_of_freedom_are_poisson_sums() {
        // P(χ² ≥ x) at df = 2m is P(N < m) of N Poisson with mean x/2: exp(−x/2) at 2,
        // exp(−x/2)·(1 + x/2) at 4.
        for m in [1u64, 2, 3, 7, 20, 100] {
            for x in [1e-3, 0.5, 2.0, 7.5, 30.0, 150.0, 600.0, 1300.0f64] {
                let (mut term, mut sum) = (1.0, 0.0);
                for i in 0..m {
                    sum += term;
                    term *= x / 2.0 / (i + 1) as f64;
                }
                let expected = (-x / 2.0).exp() * sum;
                // A logarithm of some 10³ is off by 10⁻¹³.
                assert_near(chi_squared_tail(x, 2 * m), expected, 1e-11);
            }
        }
    }

    #[test]
    fn quantiles_of_the_tables() {
        // The usual table of χ², to its three digits: the tail is off by density × 0.0005.
        for (df, p, x) in [
            (1, 0.05, 3.841),
            (1, 0.001, 10.828),
            (3, 0.05, 7.815),
            (5, 0.01, 15.086),
            (10, 0.95, 3.940),
            (15, 0.10, 22.307),
            (30, 0.05, 43.773),
            (99, 0.05, 123.225),
        ] {
            assert_near(chi_squared_tail(x, df), p, 1e-3);
        }
        // P(|Z| ≥ 6) of a normal, erfc(6/√2).
        assert_near(chi_squared_tail(36.0, 1), 1.973_175_290e-9, 1e-9);
    }

    #[test]
    fn nothing_to_test_is_a_p_of_one() {
        let of = |information, levels| Independence::of(100, information, levels);
        assert_eq!(of(0.0, [1, 3]).p_value, 1.0);
        assert_eq!(of(0.0, [4, 3]).p_value, 1.0);
        assert_eq!(of(-1e-18, [4, 3]).g, 0.0);
        // Beyond the smallest double.
        let far = Independence::of(1_000_000, 2f64.ln(), [2, 2]);
        assert_eq!((far.df, far.p_value), (1, 0.0));
    }

    #[test]
    fn g_of_a_table_by_hand() {
        // 10 20 / 30 40: G = 2·Σ o·ln(o/e) = 0.804349, p = erfc(√(G/2)) = 0.369796.
        let table = [[10.0, 20.0], [30.0, 40.0f64]];
        let (rows, columns, n) = ([30.0, 70.0], [40.0, 60.0], 100.0);
        let mut information = 0.0;
        for (i, row) in table.iter().enumerate() {
            for (j, o) in row.iter().enumerate() {
                information += o / n * (o * n / (rows[i] * columns[j])).ln();
            }
        }
        let found = Independence::of(100, information, [2, 2]);
        assert_near(found.g, 0.804_349, 1e-5);
        assert_near(found.p_value, 0.369_796, 1e-4);
    }
}
