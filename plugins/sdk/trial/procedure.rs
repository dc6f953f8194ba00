//! Procedures tried on small columns, by the contract's own table of functions.

// The contract is pointers.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, c_char, c_void},
    ptr, slice,
    sync::atomic::Ordering,
};

use passel_abi as abi;
use passel_score::{Combination, Quantity};

use super::observations::{Lent, Observations, Tried};
use crate::{Levels, Problem, Procedure, Regression, Run, panics::catch};

impl Observations {
    /// Runs a procedure on them, with one value a parameter.
    pub fn run(&self, procedure: &Procedure, values: &[f64]) -> Tried {
        let is_regression = !matches!(procedure.run, Run::Levels(_));
        let lent = Lent::new(self, is_regression);
        let table = table(&lent);
        let done = catch(|| {
            (procedure.check)(values)?;
            // SAFETY: a whole table, which outlives the call.
            let problem = unsafe { Problem::new(&table) };
            match procedure.run {
                Run::Levels(run) => run(values, &Levels(problem)),
                Run::Regression(run) | Run::Likelihood(run) => run(values, &Regression(problem)),
            }
        });
        let mut tried = std::mem::take(&mut *lent.tried());
        let own = done.unwrap_or_else(Err).err();
        tried.failure = tried.failure.or(own);
        tried
    }
}

/// The table of what is lent, which is to live as long.
fn table(lent: &Lent) -> abi::passel_problem {
    abi::passel_problem {
        size: size_of::<abi::passel_problem>(),
        n: lent.n(),
        p: lent.p(),
        most: lent.of.most,
        choose: Some(choose),
        numbers: Some(numbers),
        codes: (!lent.is_regression).then_some(codes),
        sweep: lent.is_regression.then_some(sweep),
        fit: lent.is_regression.then_some(fit),
        each: Some(each),
        random: Some(random),
        interrupted: Some(interrupted),
        progress: None,
        data: ptr::from_ref(lent).cast(),
        nominal: Some(nominal),
        kept: Some(kept),
        name: Some(name),
        measure: (!lent.is_regression).then_some(measure),
        tell: Some(tell),
        term: None,
        family: ptr::null(),
    }
}

/// # Safety
/// A table that [`table`] made, while what is lent lives.
unsafe fn lent<'a>(problem: *const abi::passel_problem) -> &'a Lent<'a> {
    // SAFETY: its data.
    unsafe { &*(*problem).data.cast::<Lent>() }
}

unsafe extern "C" fn choose(there: *const abi::passel_problem, column: usize, score: f64) -> i32 {
    // SAFETY: called by this crate alone, with the table that it was given and room for what it asks; here and below.
    let own = unsafe { lent(there) };
    own.code(own.choose(column, score))
}

unsafe extern "C" fn numbers(there: *const abi::passel_problem, at: usize, to: *mut f64) -> i32 {
    // SAFETY: as above; n numbers.
    let (own, to) = unsafe { (lent(there), slice::from_raw_parts_mut(to, (*there).n)) };
    own.code(own.column(at).map(|column| to.copy_from_slice(column)))
}

unsafe extern "C" fn codes(
    there: *const abi::passel_problem,
    column: usize,
    to: *mut u32,
    levels: *mut usize,
) -> i32 {
    // SAFETY: as above; n codes, and one number.
    let own = unsafe { lent(there) };
    own.code(own.codes(column).map(|(codes, count)| unsafe {
        slice::from_raw_parts_mut(to, codes.len()).copy_from_slice(&codes);
        levels.write(count);
    }))
}

unsafe extern "C" fn measure(
    there: *const abi::passel_problem,
    of: *const abi::passel_quantity,
    anchor: *const u32,
    levels: usize,
    to: *mut f64,
) -> i32 {
    // SAFETY: as above; a quantity, n codes or none, and room for p values.
    let (own, of, to) = unsafe { (lent(there), *of, slice::from_raw_parts_mut(to, (*there).p)) };
    let combination = |own: abi::passel_combination| {
        Combination::of([own.n, own.x, own.w, own.y, own.xw, own.xy, own.wy, own.xwy])
    };
    let of = Quantity {
        over: combination(of.over),
        under: (of.under != Default::default()).then(|| combination(of.under)),
    };
    let none = vec![0; own.n()];
    let anchor = match anchor.is_null() {
        true => (&none[..], 1),
        // SAFETY: as above.
        false => (unsafe { slice::from_raw_parts(anchor, own.n()) }, levels),
    };
    let mut all = to.iter_mut().enumerate();
    own.code(all.try_for_each(|(column, to)| {
        *to = own.measure(&of, anchor, column)?;
        Ok(())
    }))
}

unsafe extern "C" fn sweep(
    there: *const abi::passel_problem,
    anchors: *const f64,
    count: usize,
    wanted: usize,
    columns: *mut usize,
    products: *mut f64,
) -> i32 {
    // SAFETY: as above; n numbers an anchor, and room for what is wanted of each.
    let (own, anchors, columns, products) = unsafe {
        (
            lent(there),
            slice::from_raw_parts(anchors, count * (*there).n),
            slice::from_raw_parts_mut(columns, count * wanted),
            slice::from_raw_parts_mut(products, count * wanted),
        )
    };
    let mut all = (0..count)
        .map(|at| &anchors[at * own.n()..][..own.n()])
        .enumerate();
    own.code(all.try_for_each(|(at, anchor)| {
        for (place, swept) in own.sweep(anchor, wanted)?.into_iter().enumerate() {
            (columns[at * wanted + place], products[at * wanted + place]) = swept;
        }
        Ok(())
    }))
}

unsafe extern "C" fn fit(
    there: *const abi::passel_problem,
    columns: *const usize,
    count: usize,
    residuals: *mut f64,
    criterion: *mut f64,
) -> i32 {
    // SAFETY: as above; so many columns, room for n residuals and for one number.
    let (own, columns) = unsafe { (lent(there), slice::from_raw_parts(columns, count)) };
    own.code(own.fit(columns).map(|(found, value)| unsafe {
        slice::from_raw_parts_mut(residuals, found.len()).copy_from_slice(&found);
        criterion.write(value);
    }))
}

unsafe extern "C" fn each(
    _: *const abi::passel_problem,
    count: usize,
    work: Option<unsafe extern "C" fn(usize, *mut c_void)>,
    context: *mut c_void,
) {
    for (at, work) in (0..count).filter_map(|at| Some((at, work?))) {
        // SAFETY: what this crate handed out.
        unsafe { work(at, context) };
    }
}

unsafe extern "C" fn random(
    there: *const abi::passel_problem,
    stream: u32,
    to: *mut u32,
    count: usize,
) {
    // SAFETY: as above; so many words.
    let (own, to) = unsafe { (lent(there), slice::from_raw_parts_mut(to, count)) };
    let mut state = own.of.seed ^ u64::from(stream) << 32;
    for word in to {
        // Of splitmix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut own = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        own = (own ^ (own >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        *word = ((own ^ (own >> 31)) >> 32) as u32;
    }
}

unsafe extern "C" fn interrupted(there: *const abi::passel_problem) -> i32 {
    // SAFETY: as above.
    let own = unsafe { lent(there) };
    let before = own.asked.fetch_add(1, Ordering::Relaxed);
    i32::from(before >= own.of.patience)
}

unsafe extern "C" fn nominal(there: *const abi::passel_problem, column: usize) -> i32 {
    // SAFETY: as above.
    i32::from(unsafe { lent(there) }.of.nominal.contains(&column))
}

unsafe extern "C" fn kept(there: *const abi::passel_problem, column: usize) -> i32 {
    // SAFETY: as above.
    i32::from(unsafe { lent(there) }.of.kept.contains(&column))
}

unsafe extern "C" fn name(
    there: *const abi::passel_problem,
    column: usize,
    to: *mut c_char,
    size: usize,
) -> i32 {
    // SAFETY: as above.
    let own = unsafe { lent(there) };
    let name = own.column(column).map(|_| own.of.names.get(column));
    own.code(name.map(|name| {
        let bytes = name.map_or(&b""[..], |name| name.as_bytes());
        let count = bytes.len().min(size.saturating_sub(1));
        // SAFETY: room for so many bytes and the zero.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), count);
            to.add(count).write(0);
        }
    }))
}

unsafe extern "C" fn tell(
    there: *const abi::passel_problem,
    name: *const c_char,
    value: f64,
) -> i32 {
    // SAFETY: as above; a text that ends.
    let (own, name) = unsafe { (lent(there), CStr::from_ptr(name)) };
    let name = name.to_string_lossy().into_owned();
    own.code(match value.is_finite() {
        false => Err(format!("it told {name} = {value}")),
        true => {
            own.tried().told.insert(name, value);
            Ok(())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use passel_score::combinations::{X_Y, XW_Y};

    const NONE: Procedure = Procedure {
        name: "none",
        title: "none",
        formula: "none",
        source: "none",
        parameters: &[],
        check: |_| Ok(()),
        run: Run::Levels(|_, _| Ok(())),
    };

    fn levels(run: fn(&[f64], &Levels) -> Result<(), String>) -> Procedure {
        Procedure {
            run: Run::Levels(run),
            ..NONE
        }
    }

    fn regression(run: fn(&[f64], &Regression) -> Result<(), String>) -> Procedure {
        Procedure {
            run: Run::Regression(run),
            ..NONE
        }
    }

    const A: [f64; 4] = [5.0, 5.0, -2.0, -2.0];
    const B: [f64; 4] = [1.0, 2.0, 1.0, f64::NAN];
    const Y: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

    #[test]
    fn levels_are_lent_as_they_are() {
        let all = Observations::new(&[&A, &B], &Y);
        let tried = all.run(
            &levels(|_, levels| {
                assert_eq!((levels.n(), levels.p(), levels.most()), (4, 2, 2));
                assert_eq!(levels.codes(0)?, (vec![1, 1, 0, 0], 2));
                assert_eq!(levels.codes(1)?, (vec![0, 1, 0, 2], 2));
                assert_eq!(levels.numbers(2)?, Y);
                assert_eq!([levels.name(1)?, levels.name(2)?], ["x1", "y"]);
                assert_eq!(levels.random(3, 4), levels.random(3, 4));
                assert_ne!(levels.random(3, 4), levels.random(4, 4));
                // Of a, with nothing and beside itself; of b the three observations that it has.
                let ln = f64::ln;
                let alone = levels.measure(X_Y, None)?;
                let of_a = 2.0 * ln(2.0) - 0.75 * ln(3.0);
                assert!((alone[0] - (of_a - 0.5 * ln(2.0))).abs() < 1e-12);
                assert!((alone[1] - (ln(3.0) - 4.0 / 3.0 * ln(2.0))).abs() < 1e-12);
                let (codes, count) = levels.codes(0)?;
                let beside = levels.measure(XW_Y, Some((&codes, count)))?;
                assert!((beside[0] - alone[0]).abs() < 1e-12);
                levels.tell("a", alone[0])?;
                levels.each(1, |at| drop(levels.choose(at, alone[at])));
                Ok(())
            }),
            &[],
        );
        assert_eq!((tried.failure, tried.chosen.len()), (None, 1));
        assert_eq!(tried.told["a"], tried.chosen[0].1);
    }

    #[test]
    fn what_an_engine_would_refuse_is_the_failure() {
        let mut all = Observations::new(&[&A, &Y], &Y);
        all.most = 1;
        type Run = fn(&[f64], &Regression) -> Result<(), String>;
        let wrong: [(Run, &str); 8] = [
            (|_, own| own.choose(2, 1.0), "column 2 of 2"),
            (|_, own| own.choose(0, f64::NAN), "is NaN"),
            (|_, own| own.numbers(9).map(drop), "column 9 of 2"),
            (|_, own| own.fit(&[0, 1]).map(drop), "more than 1 variables"),
            (|_, own| own.fit(&[1, 1]).map(drop), "column 1 twice"),
            (
                |_, own| own.sweep(&[&[f64::NAN; 4]], 1).map(drop),
                "its anchor holds NaN",
            ),
            (|_, own| own.tell("a", f64::INFINITY), "it told a = inf"),
            (|_, _| Err("no reason".to_owned()), "no reason"),
        ];
        for (run, told) in wrong {
            let failure = all.run(&regression(run), &[]).failure.unwrap();
            assert!(failure.contains(told), "{failure}");
        }
        let tried = all.run(
            &regression(|_, own| {
                own.choose(0, 1.0)?;
                // An engine ends it, whether or not it heeds this.
                let _ = own.choose(0, 1.0);
                let _ = own.choose(1, 1.0);
                Ok(())
            }),
            &[],
        );
        assert_eq!(tried.failure.as_deref(), Some("it chose column 0 twice"));
        assert_eq!(tried.chosen, [(0, 1.0)]);
        let panicked = all.run(&regression(|_, _| panic!("far too much")), &[]);
        assert!(panicked.failure.unwrap().contains("far too much"));
    }

    #[test]
    fn a_regression_has_its_kept_columns_in_every_fit() {
        let mut all = Observations::new(&[&A, &[1.0, 2.0, 3.0, 4.0], &A.map(|a| 2.0 * a)], &Y);
        all.kept = vec![0];
        all.most = 1;
        all.patience = 2;
        let tried = all.run(
            &regression(|_, own| {
                assert!(own.is_kept(0) && !own.is_kept(1));
                let y = own.numbers(own.p())?;
                assert!(y.iter().sum::<f64>().abs() < 1e-12);
                assert!((y.iter().map(|y| y * y).sum::<f64>() - 1.0).abs() < 1e-12);
                // The kept one is in it, named or not.
                let [without, with] = [own.fit(&[])?, own.fit(&[0])?];
                assert_eq!(without, with);
                let a = own.numbers(0)?;
                let left: f64 = a.iter().zip(&with.residuals).map(|(a, r)| a * r).sum();
                assert!(left.abs() < 1e-12);
                // Its multiple is collinear with it.
                assert_eq!(own.fit(&[2])?.criterion, f64::INFINITY);
                assert!(own.fit(&[1])?.criterion.is_finite());
                while !own.interrupted() {}
                own.choose(0, 0.0)?;
                own.choose(1, 0.0)
            }),
            &[],
        );
        assert_eq!((tried.failure, tried.chosen.len()), (None, 2));
    }
}
