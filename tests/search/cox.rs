//! Fits of survival times beside R's `coxph`, for every model of small problems.

use std::sync::Arc;

use passel::{
    Design,
    design::FormulaOptions,
    family::{CoxFit, SurvivalResponse, SurvivalTimes, Ties},
    formula::Formula,
    least_squares::Fit,
    table,
};
use serde_json::Value;

use crate::{problems, responses::numbers};

/// The fits of all models of a problem, with their terms and columns.
struct Problem {
    design: Design,
    response: Arc<SurvivalResponse>,
    /// Column by column, in the order of the response's rows.
    columns: Vec<Vec<f64>>,
}

impl Problem {
    fn of(golden: &Value) -> Self {
        let path = format!("golden/families/{}", golden["file"].as_str().unwrap());
        let data = table::read(&problems::needed(&path), &Default::default()).unwrap();
        let (time, event) = (numbers(&data, "time"), numbers(&data, "status"));
        let ties = match golden["ties"].as_str().unwrap() {
            "efron" => Ties::Efron,
            _ => Ties::Breslow,
        };
        let times = SurvivalTimes {
            time: &time,
            event: &event,
            ties,
            ..SurvivalTimes::default()
        };
        let response = Arc::new(SurvivalResponse::new(&times).unwrap());
        let terms = golden["terms"].as_array().unwrap().iter();
        let terms: Vec<&str> = terms.map(|term| term.as_str().unwrap()).collect();
        // The design wants a response; the columns are its own.
        let formula = Formula::parse(&format!("time ~ {}", terms.join(" + "))).unwrap();
        let reference = ["cell=adeno".to_owned()];
        let has_cells = data.columns.iter().any(|column| column.name == "cell");
        let options = FormulaOptions {
            reference: if has_cells { &reference } else { &[] },
            ..FormulaOptions::default()
        };
        let design = Design::from_formula(data, &formula, &options).unwrap();
        let x = design.columns();
        let sorted = |j: u32| -> Vec<f64> {
            let rows = response.order().iter();
            rows.map(|row| x.column(j)[*row]).collect()
        };
        let columns = (0..x.p() as u32).map(sorted).collect();
        Self {
            design,
            response,
            columns,
        }
    }

    fn fit(&self, members: &[u32]) -> (Vec<u32>, CoxFit) {
        let (least_squares, _) = Fit::of(self.design.columns(), self.design.y(), members);
        let support = least_squares.support().to_vec();
        let columns: Vec<&[f64]> = support
            .iter()
            .map(|j| &*self.columns[*j as usize])
            .collect();
        let fit = CoxFit::of(&columns, &self.response, None).unwrap();
        (support, fit)
    }
}

#[test]
#[ignore = "needs the folder shared"]
fn every_model_of_survival_times_is_that_of_r() {
    let text = std::fs::read_to_string(problems::needed("golden/families/families.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut checked = 0;
    for golden in all.iter().filter(|golden| golden["family"] == "cox") {
        let problem = Problem::of(golden);
        let terms = problem.design.columns().term_count() as u32;
        let n = golden["n_criterion"].as_f64().unwrap();
        assert_eq!(problem.response.events() as f64, n);
        let models: Vec<(Vec<u32>, Vec<u32>, CoxFit)> = (0..1_u32 << terms)
            .map(|bits| {
                let members: Vec<u32> = (0..terms).filter(|term| bits >> term & 1 == 1).collect();
                let (support, fit) = problem.fit(&members);
                (members, support, fit)
            })
            .collect();
        assert_eq!(models.len() as u64, golden["models"].as_u64().unwrap());
        for name in ["aic", "bic", "ebic1"] {
            let value = |members: &[u32], fit: &CoxFit| {
                let parameters = fit.coefficients().len() as f64;
                let choose = (0..members.len())
                    .map(|at| ((terms as usize - at) as f64 / (at + 1) as f64).ln())
                    .sum::<f64>();
                fit.minus_two_log_likelihood()
                    + match name {
                        "aic" => 2.0 * parameters,
                        "bic" => n.ln() * parameters,
                        _ => n.ln() * parameters + 2.0 * choose,
                    }
            };
            let mut order: Vec<_> = models
                .iter()
                .map(|(members, support, fit)| (value(members, fit), members, support, fit))
                .collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let best = golden["best"][name].as_array().unwrap();
            for (expected, (value, members, support, fit)) in best.iter().zip(order) {
                let what = format!("{} {name} {members:?}", golden["name"]);
                let is_close = |own: f64, expected: f64, tolerance: f64| {
                    let off = (own - expected).abs();
                    assert!(
                        off <= tolerance * expected.abs().max(1.0),
                        "{what}: {own} {expected}"
                    );
                };
                let names = members.iter().map(|term| problem.design.term_name(*term));
                let wanted = expected["terms"].as_array().unwrap().iter();
                assert!(
                    names.eq(wanted.map(|name| name.as_str().unwrap())),
                    "{what}"
                );
                is_close(value, expected["value"].as_f64().unwrap(), 1e-8);
                is_close(
                    fit.minus_two_log_likelihood(),
                    expected["m2ll"].as_f64().unwrap(),
                    1e-8,
                );
                for (at, column) in support.iter().enumerate() {
                    let variable = &problem.design.variables()[*column as usize];
                    let own = expected["coefficients"].as_array().unwrap().iter();
                    let own = own
                        .clone()
                        .find(|own| own["name"] == *variable.name)
                        .unwrap();
                    let coefficient = fit.coefficients()[at] / variable.norm;
                    is_close(coefficient, own["estimate"].as_f64().unwrap(), 1e-8);
                    let error = fit.std_errors()[at] / variable.norm;
                    is_close(error, own["std_error"].as_f64().unwrap(), 1e-8);
                }
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 45);
}
