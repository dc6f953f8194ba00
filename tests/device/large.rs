//! Models that the CPU takes seconds for.

use passel::Pass;

use crate::{
    cases::{Case, design, swarm},
    places::{cuda_is_there, cudas},
    problems,
    same::same_everywhere,
};

mod cuda {
    use super::*;

    /// A block's vectors outgrow what shared memory is had without asking.
    #[test]
    fn models_of_a_thousand_variables() {
        if !cuda_is_there() {
            return;
        }
        let case = |start_size: usize, n: usize, p: usize| {
            let (x, y) = problems::small(n, p, 77);
            let pass = Pass {
                start_size,
                max_size: Some(p),
                ..swarm(1, 4, 5)
            };
            let name = format!("{start_size} variables of {n} × {p}");
            Case::new(name, design((x, y)), "aic", pass)
        };
        let cases = [case(1030, 1200, 1100), case(520, 700, 600)];
        same_everywhere(&cases, |design| {
            let mut places = cudas(design);
            places.truncate(1);
            places
        });
    }
}
