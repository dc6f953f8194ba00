use super::*;
use std::mem::offset_of;

unsafe extern "C" fn one(_: *const abi::passel_problem, _: usize) -> i32 {
    1
}

#[test]
fn what_an_older_engine_does_not_have_is_not_read() {
    // SAFETY: numbers and pointers, for which zero is a value.
    let mut problem: abi::passel_problem = unsafe { MaybeUninit::zeroed().assume_init() };
    problem.n = 7;
    problem.nominal = Some(one);
    for (size, nominal) in [
        (offset_of!(abi::passel_problem, nominal), false),
        (size_of::<abi::passel_problem>(), true),
        (size_of::<abi::passel_problem>() + 8, true),
    ] {
        problem.size = size;
        // SAFETY: made above; no more is read than is there.
        let problem = unsafe { Problem::new(&raw const problem) };
        assert_eq!((problem.n(), problem.is_nominal(0)), (7, nominal));
        assert!(
            problem
                .choose(0, 1.0)
                .unwrap_err()
                .contains("does not lend")
        );
    }
}
