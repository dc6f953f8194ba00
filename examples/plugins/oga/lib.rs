//! A selector of regressions: it goes its own way, by the engine's sweeps and fits.

use passel_sdk::{Parameter, ParameterKind, Procedure, Regression, Run};

/// Orthogonal greedy algorithm, then the criterion asked for, then trimming.
///
/// 1. Forward: the candidate of largest |xᵀr| joins and the model is fitted anew, up to
///    ⌊steps·√(n / ln p)⌋ variables.
/// 2. Of the models on the way, the one of least criterion.
/// 3. Each of its variables is left out in turn; those without which the criterion is lower are
///    dropped.
pub const OGA: Procedure = Procedure {
    name: "oga",
    title: "orthogonal greedy algorithm, criterion and trimming",
    formula: "forward arg max |xᵀr|, least φ on the path, then drop where φ falls",
    source: "C.-K. Ing and T. L. Lai, A stepwise regression method and consistent model selection for high-dimensional sparse linear models, Statistica Sinica 21 (2011) 1473–1513",
    parameters: &[Parameter {
        name: "steps",
        help: "D of the longest path, ⌊D·√(n / ln p)⌋ variables",
        default: 5.0,
        least: 0.1,
        most: 100.0,
        kind: ParameterKind::Number,
    }],
    check: |_| Ok(()),
    run: Run::Regression(oga),
};

fn oga(values: &[f64], problem: &Regression) -> Result<(), String> {
    let (n, p) = (problem.n(), problem.p());
    let longest = values[0] * (n as f64 / (p as f64).ln().max(1.0)).sqrt();
    let longest = (longest as usize).max(1).min(problem.most());

    // The kept variables are in every fit.
    let mut path = Vec::new();
    let start = problem.fit(&path)?;
    let mut best = (start.criterion, 0);
    let mut residuals = start.residuals;
    while path.len() < longest && !problem.interrupted() {
        // More than one is asked for: the model's own are left with rounding alone, but where
        // the fit is exact that is all there is.
        let strongest = problem.sweep(&[&residuals], (path.len() + 1).min(p))?;
        let next = strongest[0]
            .iter()
            .find(|candidate| !path.contains(&candidate.column));
        let Some(next) = next else { break };
        path.push(next.column);
        let fit = problem.fit(&path)?;
        if fit.criterion.is_infinite() {
            // Collinear with the others: nothing is left to explain.
            break;
        }
        if fit.criterion < best.0 {
            best = (fit.criterion, path.len());
        }
        residuals = fit.residuals;
        problem.progress(path.len(), longest);
    }

    let chosen = &path[..best.1];
    for (at, column) in chosen.iter().enumerate() {
        let others = [&chosen[..at], &chosen[at + 1..]].concat();
        if chosen.len() == 1 || problem.fit(&others)?.criterion > best.0 {
            problem.choose(*column, best.0)?;
        }
    }
    Ok(())
}

passel_sdk::plugin! { name: oga, procedures: [OGA] }
