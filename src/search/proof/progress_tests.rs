use super::tests::{prove_observed, with_chain};
use crate::{
    interrupt::Interrupt,
    search::{problem::SearchProblem, record::ProofRecord},
    selection::Termination,
};

/// What a proof shows, with the best φ; `after` records it is interrupted.
fn shown(
    problem: SearchProblem,
    threads: usize,
    after: usize,
) -> (Vec<(ProofRecord, f64)>, Termination, Option<f64>) {
    let interrupt = Interrupt::default();
    let mut records = Vec::new();
    let end = prove_observed(problem, threads, None, &interrupt, &mut |iteration| {
        assert!(iteration.wave.is_none() && iteration.steps.is_empty());
        records.push((iteration.proof.unwrap(), iteration.best_value));
        if records.len() == after {
            interrupt.request();
        }
    });
    let end = end.unwrap();
    (records, end.termination, end.proof.unwrap().gap)
}

#[test]
fn a_proof_shows_how_far_it_got() {
    for seed in 0..6 {
        with_chain(seed, |problem| {
            let (records, _, gap) = shown(problem, 1, usize::MAX);
            assert!(records.len() > 4, "{} waves", records.len());
            let (first, (last, lowest)) = (records[0].0, *records.last().unwrap());
            assert_eq!((first.nodes, first.open, first.undecided), (0, 1, 1.0));
            assert!(first.bound.is_finite());
            assert_eq!((last.open, last.undecided, last.bound), (0, 0.0, lowest));
            assert_eq!(gap, Some(0.0));
            for pair in records.windows(2) {
                let [(before, best), (after, better)] = [pair[0], pair[1]];
                assert!(after.nodes > before.nodes && better <= best);
                assert!(after.undecided <= before.undecided);
                assert!(after.bound >= before.bound - 1e-9 && before.bound <= lowest + 1e-9);
            }
            let by_three = crate::threads::pool(3).unwrap();
            let by_three = by_three.install(|| shown(problem, 3, usize::MAX));
            assert_eq!(by_three.0, records);
        });
    }
}

#[test]
fn an_interrupted_proof_tells_a_gap_that_holds() {
    with_chain(2, |problem| {
        let (records, ..) = shown(problem, 1, usize::MAX);
        let (_, lowest) = *records.last().unwrap();
        for after in 1..records.len() - 1 {
            let (told, termination, gap) = shown(problem, 1, after);
            assert_eq!((told.len(), termination), (after, Termination::Interrupted));
            assert_eq!(told[..], records[..after]);
            let (record, best) = told[after - 1];
            let gap = gap.unwrap();
            assert!(gap <= best - record.bound + 1e-9 && best - gap <= lowest + 1e-9);
        }
    });
}
