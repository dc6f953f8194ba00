//! A few tiny searches that come by every kernel, for a checker that makes each launch a
//! hundred times slower.

use passel::search::Gain;

use crate::{
    cases, families,
    places::{cuda_is_there, cudas},
    same::same_everywhere,
    terms,
};

#[test]
#[ignore = "for compute-sanitizer"]
fn cuda() {
    if !cuda_is_there() {
        return;
    }
    // Wide with the polish, kept variables, the exact gain, whole factors, and a hierarchy.
    let mut cases = vec![
        cases::ing_lai().swap_remove(3),
        cases::kept_variables().swap_remove(0),
    ];
    cases.push(cases::few_observations().swap_remove(4));
    cases.push(terms::whole_factors(None).swap_remove(6));
    cases.push(terms::hierarchies(None).swap_remove(1));
    // Logistic regression, by either gain, and whole factors of it.
    cases.extend(families::of_columns(None).into_iter().take(2));
    cases.push(families::of_terms().swap_remove(1));
    cases[1].pass.gain = Gain::Exact;
    for case in &mut cases {
        case.pass.particles = 6;
        case.pass.iterations = 8;
        case.pass.islands = 1;
    }
    same_everywhere(&cases, |design| {
        let mut places = cudas(design);
        places.truncate(3);
        places
    });
}
