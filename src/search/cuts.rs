//! A search that is cut at any look at the interrupt, within an iteration, a sweep or a product: what it
//! ends with was found, and what it goes on from leads where the search leads that was never cut.

use super::*;
use crate::{
    design::DesignOptions,
    random::Stream,
    selection::{Elapsed, Termination},
    table::Table,
};
use passel_criteria::Bic;

/// So many weak variables that a proof takes some waves.
fn design() -> Design {
    let (n, p) = (80, 24);
    let mut stream = Stream::new(11, 0);
    let mut draw = || (stream.next_word() >> 44) as f64 / (1 << 20) as f64 - 0.5;
    let mut columns: Vec<Vec<f64>> = (0..p).map(|_| (0..n).map(|_| draw()).collect()).collect();
    let y = (0..n).map(|i| {
        let weak: f64 = (0..p).map(|j| 0.2 * columns[j][i]).sum();
        columns[3][i] - columns[20][i] + weak + draw()
    });
    columns.push(y.collect());
    let named = columns.into_iter().enumerate();
    let named = named.map(|(j, values)| (format!("c{j}"), values.into()));
    let mut table = Table::from_columns(named).unwrap();
    table.response = Some(p);
    Design::from_table(table, &DesignOptions::default()).unwrap()
}

/// The result of a search that goes on from `kept`, and all that a report is made of it.
fn go_on(
    design: &Design,
    pass: &Pass,
    interrupt: &Interrupt,
    kept: &mut Option<String>,
) -> (SearchResult, String, f64) {
    let mut lowest = f64::INFINITY;
    let mut observe = |record: &IterationRecord| lowest = record.best_value;
    let resume_from = kept.as_deref().map(|text| Checkpoint::read(text).unwrap());
    let mut write = |text: &str| {
        *kept = Some(text.to_owned());
        Ok(())
    };
    let checkpointing = Checkpointing {
        resume_from,
        write: &mut write,
    };
    let resources = Resources::cpu(1);
    let found = search(
        design,
        &Bic,
        pass,
        &resources,
        interrupt,
        Some(checkpointing),
        &mut observe,
    );
    let found = found.unwrap();
    let mut selection = found.selection(design, &Bic, pass);
    selection.elapsed_seconds = Elapsed::default();
    let told = serde_json::to_string(&selection).unwrap();
    (found, told, lowest)
}

/// Cuts a search at every `step`-th look; how many were cut in each of these stages.
fn cut(pass: &Pass, step: usize, of: &[&str]) -> Vec<usize> {
    let design = design();
    let never = Interrupt::default();
    let (whole, told, _) = go_on(&design, pass, &never, &mut None);
    let mut stages = vec![0; of.len()];
    for look in (1..).step_by(step) {
        let mut kept = None;
        let cut = Interrupt::at_look(look);
        let (found, _, lowest) = go_on(&design, pass, &cut, &mut kept);
        if found.termination != Termination::Interrupted {
            break;
        }
        assert_eq!(found.value, found.models[0].value, "look {look}");
        assert!(found.value <= lowest + 1e-9, "look {look}");
        assert!(found.value >= whole.value - 1e-9, "look {look}");
        let text = kept.as_deref().unwrap_or_default();
        for (stage, count) in of.iter().zip(&mut stages) {
            *count += usize::from(text.contains(stage));
        }
        let (again, after, _) = go_on(&design, pass, &never, &mut kept);
        assert_eq!(again.termination, whole.termination, "look {look}");
        assert_eq!(after, told, "look {look}");
    }
    stages
}

#[test]
fn an_iteration_that_is_cut_anywhere_leaves_what_was_found_and_goes_on_to_the_same() {
    for gain in [Gain::Correlation, Gain::Exact] {
        let pass = Pass {
            particles: 4,
            iterations: 7,
            polish: false,
            proof: ProofEffort::None,
            gain,
            ..Pass::default()
        };
        let cuts = cut(&pass, 1, &["\"swarm\"", ""]);
        assert!(cuts[0] > 0 && cuts[1] > 20, "{cuts:?}");
    }
}

#[test]
fn a_polish_and_a_proof_that_are_cut_anywhere_go_on_to_the_same() {
    let polish = Pass {
        particles: 4,
        iterations: 3,
        islands: 2,
        proof: ProofEffort::None,
        ..Pass::default()
    };
    let cuts = cut(&polish, 11, &["\"polish\""]);
    assert!(cuts[0] > 0, "{cuts:?}");
    let proof = Pass {
        particles: 2,
        iterations: 2,
        polish: false,
        proof: ProofEffort::Complete,
        ..Pass::default()
    };
    let cuts = cut(&proof, 1, &["\"proof\""]);
    assert!(cuts[0] > 0, "{cuts:?}");
}

#[test]
fn a_time_limit_that_passes_within_an_iteration_is_told_as_such() {
    let pass = Pass {
        time_limit: Some(std::time::Duration::from_nanos(1)),
        ..Pass::default()
    };
    let (found, ..) = go_on(&design(), &pass, &Interrupt::default(), &mut None);
    assert_eq!(found.termination, Termination::TimeLimit);
}
