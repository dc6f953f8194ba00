//! Checkpoints that no search goes on from, and those that cannot be written.

use passel::{
    Design, Interrupt, Pass,
    search::{CheckpointError, Checkpointing, Gain, IterationRecord, SearchError, search},
    selection::Termination,
};

use crate::{
    bounds::keeping,
    checkpoint::{Case, Whole, cases, cpu, go_on},
    invariance::EBIC,
    problems::{ing_lai, small},
};

/// A case with a checkpoint in the middle.
fn halfway(at: usize) -> (Case, String) {
    let case = cases().swap_remove(at);
    let mut parts = Whole::default();
    parts.part(&case, &cpu(1, 1, None), 30);
    let kept = parts.kept.unwrap();
    (case, kept)
}

fn refused(case: &Case, text: &str) -> CheckpointError {
    let mut observe = |_: &IterationRecord, _: &Interrupt| panic!("it went on");
    let mut kept = Some(text.to_owned());
    match go_on(case, (&mut kept, &cpu(1, 1, None)), &mut observe) {
        Err(SearchError::Checkpoint(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_text_that_was_cut_or_changed_is_refused() {
    let (case, text) = halfway(4);
    let body = text.trim_end();
    for end in (0..body.len()).step_by(7) {
        let error = refused(&case, &body[..end]);
        let began = end >= "{\"passel_checkpoint\":".len();
        let expected = match began {
            true => CheckpointError::Damaged,
            false => CheckpointError::Foreign,
        };
        assert_eq!(error, expected, "cut to {end}");
    }
    let changed = text.as_bytes().iter().enumerate().skip(60);
    for (at, _) in changed
        .filter(|(_, byte)| byte.is_ascii_digit())
        .step_by(11)
    {
        let mut other = text.clone().into_bytes();
        other[at] = if other[at] == b'9' {
            b'8'
        } else {
            other[at] + 1
        };
        let error = refused(&case, std::str::from_utf8(&other).unwrap());
        assert_eq!(error, CheckpointError::Damaged, "changed at {at}");
    }
    for foreign in ["", "[]", "n,p\n1,2\n", "{\"n\":1}", "null", "\u{0}"] {
        assert_eq!(
            refused(&case, foreign),
            CheckpointError::Foreign,
            "{foreign}"
        );
    }
    let deep = "[".repeat(1 << 20);
    assert_eq!(refused(&case, &deep), CheckpointError::Foreign);
}

#[test]
fn another_version_is_refused_by_its_name() {
    let (case, text) = halfway(0);
    let ours = format!("\"passel\":\"{}\"", env!("CARGO_PKG_VERSION"));
    for (from, to) in [
        (ours.as_str(), "\"passel\":\"99.0.1\""),
        (
            "{\"passel_checkpoint\":1,\"passel\":\"0.1.0\"",
            "{\"passel_checkpoint\":2,\"passel\":\"99.0.1\",\"more\":[]",
        ),
    ] {
        assert!(text.contains(from), "{text}");
        let error = refused(&case, &text.replace(from, to)).to_string();
        assert!(error.contains("is of passel 99.0.1, this is "), "{error}");
    }
}

#[test]
fn another_search_is_refused_by_what_differs() {
    let (case, text) = halfway(3);
    let (x, y) = ing_lai(60, 120, 4, 803);
    let mut moved = x.clone();
    moved[(7, 7)] += 1e-9;
    let with = |change: &dyn Fn(&mut Pass)| {
        let mut pass = case.pass.clone();
        change(&mut pass);
        Case {
            name: "other",
            design: Design::from_matrices(&x, &y, &Default::default()).unwrap(),
            criterion: Box::new(EBIC),
            pass,
        }
    };
    let mut others = vec![
        (with(&|pass| pass.seed = 2), "seed 6, this one has 2"),
        (
            with(&|pass| pass.particles = 7),
            "particles 6, this one has 7",
        ),
        (
            with(&|pass| pass.iterations = 401),
            "iterations 400, this one has 401",
        ),
        (
            with(&|pass| pass.patience = None),
            "patience 40, this one has none",
        ),
        (
            with(&|pass| pass.start_size = 0),
            "start-size 1, this one has 0",
        ),
        (
            with(&|pass| pass.max_size = Some(9)),
            "max-size 15, this one has 9",
        ),
        (with(&|pass| pass.islands = 5), "islands 4, this one has 5"),
        (
            with(&|pass| pass.polish = false),
            "polish true, this one has false",
        ),
        (
            with(&|pass| pass.gain = Gain::Exact),
            "gain correlation, this one has exact",
        ),
        (
            with(&|pass| pass.forward = [0.3, 0.5, 0.2]),
            "forward [0.2,0.6,0.2], this one has [0.3,0.5,0.2]",
        ),
    ];
    let mut other = with(&|_| ());
    other.criterion = Box::new(passel::criteria::Ebic { gamma: 0.5 });
    others.push((other, "criterion ebic:gamma=1, this one has ebic:gamma=0.5"));
    let mut other = with(&|_| ());
    other.design = Design::from_matrices(&moved, &y, &Default::default()).unwrap();
    others.push((other, "its data are others"));
    let mut other = with(&|_| ());
    other.design = Design::from_matrices(&x, &(-&y), &Default::default()).unwrap();
    others.push((other, "its data are others"));
    let mut other = with(&|_| ());
    other.design = keeping(&x, &y, &["x2"]);
    others.push((other, "it keeps other variables"));
    let mut other = with(&|_| ());
    let names: Vec<String> = (0..120).map(|j| format!("v{j}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let options = passel::design::MatrixOptions {
        names: Some(&names),
        ..Default::default()
    };
    other.design = Design::from_matrices(&x, &y, &options).unwrap();
    others.push((other, "its variables have other names"));
    let mut other = with(&|_| ());
    let (a, b) = small(61, 120, 1);
    other.design = Design::from_matrices(&a, &b, &Default::default()).unwrap();
    others.push((other, "n 60, this one has 61"));
    for (other, what) in others {
        let error = refused(&other, &text).to_string();
        assert_eq!(error, format!("is of another search: {what}"));
    }
    // A time limit is of one run.
    let mut same = with(&|pass| pass.time_limit = Some(std::time::Duration::from_secs(3600)));
    same.name = "the same";
    let mut parts = Whole {
        kept: Some(text),
        ..Whole::default()
    };
    parts.part(&same, &cpu(1, 1, None), usize::MAX);
}

#[test]
fn a_state_that_cannot_be_is_refused_and_not_walked() {
    // A checksum may be made by anyone: made anew, what it sums up is looked at.
    let (case, text) = halfway(0);
    for (from, to) in [
        ("\"iteration\":", "\"iteration\":999"),
        ("\"improved\":", "\"improved\":999"),
        ("\"members\":[", "\"members\":[70000,"),
        ("\"members\":[", "\"members\":[19,19,"),
        (
            "\"particles\":[",
            "\"particles\":[{\"members\":[],\"words\":1,\"forward\":true,\"value\":1},",
        ),
    ] {
        assert!(text.contains(from), "{text}");
        let changed = resummed(&text.replacen(from, to, 1));
        assert_eq!(refused(&case, &changed), CheckpointError::Damaged, "{to}");
    }
    // As it was, it is taken.
    let mut parts = Whole {
        kept: Some(resummed(&text)),
        ..Whole::default()
    };
    parts.part(&case, &cpu(1, 1, None), usize::MAX);
}

/// The text with the checksum of what it holds, from its definition: FNV-1a of 128 bits
/// over both parts, each after its length.
fn resummed(text: &str) -> String {
    let between = |from: &str, to: &str| {
        let start = text.find(from).unwrap() + from.len();
        let end = text.rfind(to).unwrap();
        text[start..end].to_owned()
    };
    let search =
        text[text.find("\"search\":").unwrap() + 9..text.find(",\"state\":").unwrap()].to_owned();
    let state = between(",\"state\":", ",\"checksum\":");
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for part in [&search, &state] {
        let length = (part.len() as u64).to_le_bytes();
        for byte in length.iter().chain(part.as_bytes()) {
            hash = (hash ^ u128::from(*byte)).wrapping_mul((1 << 88) + 0x13b);
        }
    }
    let before = &text[..text.rfind("\"checksum\":").unwrap()];
    format!("{before}\"checksum\":\"{hash:032x}\"}}\n")
}

#[test]
fn what_cannot_be_kept_is_told_and_ends_nothing() {
    let case = cases().swap_remove(0);
    let interrupt = Interrupt::default();
    let checkpointing = Checkpointing {
        resume_from: None,
        write: &mut |_: &str| Err("the disk is full".into()),
    };
    let found = search(
        &case.design,
        &*case.criterion,
        &case.pass,
        &cpu(1, 1, None),
        &interrupt,
        Some(checkpointing),
        &mut |record: &IterationRecord| {
            if record.number == 100 {
                interrupt.request();
            }
        },
    );
    let found = found.unwrap();
    assert_eq!(
        (found.iterations, found.termination),
        (100, Termination::Interrupted)
    );
    assert_eq!(
        found.notes,
        ["the checkpoint was not written last: the disk is full"]
    );
}
