//! The tables that are made, and what they fill in.

use super::{
    calls::{fill, write_reason},
    *,
};
use crate::{Score, combinations::XW_Y};
use std::{ffi::CStr, mem::offset_of, sync::Mutex};

static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn note(_: *const Engine, level: u32, text: *const c_char) {
    // SAFETY: a text that ends.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    LOGGED.lock().unwrap().push(format!("{level} {text}"));
}

fn description(quantity: fn() -> crate::Quantity) -> Description {
    let pair = PairScore {
        name: "pair",
        title: "",
        formula: "",
        source: "",
        parameters: &[],
        measure: PairMeasure::Quantity(quantity),
    };
    Description {
        name: "of_two",
        version: "1",
        description: "",
        about: ["MIT", "A. One:B. Two", "", "https://example.org", ""],
        selectors: &[],
        procedures: &[],
        criteria: &[],
        families: &[],
        pair_scores: Box::leak(Box::new([pair])),
    }
}

#[test]
fn an_entry_that_panics_gives_null_and_the_reason() {
    let engine = Engine {
        size: size_of::<Engine>(),
        abi_version: abi::PASSEL_ABI_VERSION,
        version: c"0".as_ptr(),
        log: Some(note),
        data: ptr::null(),
        path: None,
    };
    static PANICS: LazyPlugin = LazyPlugin::new();
    let made = PANICS.enter(&engine, &description(|| panic!("no pair\0")));
    assert!(made.is_null());
    let logged = LOGGED.lock().unwrap();
    let [told] = &logged[..] else {
        panic!("{logged:?}");
    };
    assert!(told.starts_with("0 it panicked at "), "{told}");
    assert!(told.ends_with(": no pair"), "{told}");
    static WORKS: LazyPlugin = LazyPlugin::new();
    let works = description(|| XW_Y.into());
    let made = WORKS.enter(&engine, &works);
    // SAFETY: a table made above, which stays.
    let plugin = unsafe { &*made };
    assert_eq!((plugin.selector_count, plugin.pair_score_count), (0, 1));
    // SAFETY: as above.
    assert_eq!(unsafe { CStr::from_ptr(plugin.name) }, c"of-two");
    // SAFETY: as above.
    let said = |text| unsafe { CStr::from_ptr(text) };
    assert_eq!(said(plugin.licence), c"MIT");
    assert_eq!(said(plugin.authors), c"A. One, B. Two");
    assert_eq!(said(plugin.url), c"https://example.org");
    assert!(plugin.doi.is_null());
    assert_eq!(made, WORKS.enter(&engine, &works), "made once");
    ENGINE.store(ptr::null_mut(), Ordering::Release);
}

#[test]
fn what_an_older_engine_does_not_have_is_not_written_and_missed() {
    /// A score and what lies behind it.
    #[repr(C)]
    struct Room {
        score: abi::passel_score,
        behind: [u8; 16],
    }
    let from = Score {
        terms: vec![XW_Y.into()],
        join: crate::Join::Alone,
        floor: Some(0.5),
        ..Score::default()
    };
    let function = offset_of!(abi::passel_score, function);
    let whole = size_of::<abi::passel_score>();
    for (size, floor) in [
        (offset_of!(abi::passel_score, floor), 7.0),
        (function, 0.5),
        (whole, 0.5),
        (whole + 16, 0.5),
    ] {
        let mut terms = [abi::passel_term::default(); abi::PASSEL_TERMS];
        let poison = terms.as_ptr().cast();
        let mut room = Room {
            score: abi::passel_score {
                size,
                relevance: Default::default(),
                terms: terms.as_mut_ptr(),
                term_count: 0,
                gather: 0,
                join: 0,
                against: 0,
                ends: 0,
                floor: 7.0,
                function: poison,
                finish: poison.cast(),
                combine: 0,
                reserved: 0,
            },
            behind: [7; 16],
        };
        // SAFETY: a score of this size, and its terms.
        let filled = unsafe { fill(&from, (&raw mut room).cast()) };
        let score = &room.score;
        assert_eq!(
            (score.size, score.floor, room.behind),
            (size, floor, [7; 16])
        );
        // Without a floor it would be another score.
        if size < function {
            let told = filled.unwrap_err();
            assert!(
                told.contains("has what this passel does not know"),
                "{told}"
            );
            assert_eq!((score.join, score.ends), (0, 0));
            continue;
        }
        filled.unwrap();
        assert_eq!(score.terms.cast_const(), terms.as_ptr());
        let told = (score.term_count, score.join, score.ends);
        assert_eq!(told, (1, abi::PASSEL_JOIN_ALONE, 1));
        let untouched = size <= function;
        assert_eq!(score.function == poison, untouched, "{size}");
        assert_eq!(terms[0], crate::score::term(from.terms[0]));
    }
}

#[test]
fn a_reason_is_cut_between_letters() {
    let mut room = [c_char::from_ne_bytes([b'?']); 8];
    for (size, told) in [(8, c"a–b"), (5, c"a–"), (4, c"a"), (1, c"")] {
        // SAFETY: within the room.
        unsafe { write_reason("a–b", room.as_mut_ptr(), size) };
        // SAFETY: `tell` ends it.
        assert_eq!(unsafe { CStr::from_ptr(room.as_ptr()) }, told, "{size}");
    }
    // SAFETY: no room, nothing written.
    unsafe { write_reason("a", ptr::null_mut(), 0) };
}

#[test]
fn a_procedure_says_what_models_it_chooses() {
    const NONE: Procedure = Procedure {
        name: "way",
        title: "",
        formula: "",
        source: "",
        parameters: &[],
        check: |_| Ok(()),
        run: Run::Levels(|_, _| Ok(())),
    };
    static ALL: [Procedure; 3] = [
        NONE,
        Procedure {
            run: Run::Regression(|_, _| Ok(())),
            ..NONE
        },
        Procedure {
            run: Run::Likelihood(|_, _| Ok(())),
            ..NONE
        },
    ];
    let told = ALL.each_ref().map(|own| {
        // SAFETY: made just now, and never freed.
        let table = unsafe { &*procedure(own) };
        (table.over, table.likelihoods)
    });
    let (levels, regression) = (abi::PASSEL_OVER_LEVELS, abi::PASSEL_OVER_REGRESSION);
    assert_eq!(told, [(levels, 0), (regression, 0), (regression, 1)]);
}
