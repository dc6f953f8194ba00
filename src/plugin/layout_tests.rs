//! Structs of earlier and later versions of the contract: of every size, with anything behind what is
//! known. What lies beyond a size is not looked at, and nothing that has a meaning is lost.

// A plugin's memory is made by hand.
#![allow(unsafe_code)]

use std::{
    alloc::{Layout, alloc_zeroed},
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

use passel_abi::{
    passel_criterion, passel_engine, passel_family, passel_method, passel_pair_score,
    passel_parameter, passel_plugin, passel_selector,
};

use super::{Plugins, memory::Table};
use crate::random::{Stream, uniform_below};

static HANDED: AtomicPtr<passel_plugin> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C" fn entry(_: *const passel_engine) -> *const passel_plugin {
    HANDED.load(Ordering::Acquire)
}

/// What is drawn of a struct: its size, and a byte behind what is known that is set.
#[derive(Debug, Clone, Copy)]
struct Shape {
    size: usize,
    set: Option<usize>,
}

impl Shape {
    fn drawn(words: &mut Stream, known: usize) -> Self {
        let mut below = |bound: usize| uniform_below(words.next_word(), bound);
        let size = match below(4) {
            0 => below(known + 1),
            1 => below(known / 8 + 1) * 8,
            2 => known,
            _ => known + 8 * (1 + below(8)),
        };
        let set = (size > known && below(2) == 0).then(|| known + below(size - known));
        Self { size, set }
    }

    /// The struct, which says this size; it stays. All of it is there, for its own functions read it.
    fn make<T>(self, of: &T) -> *const T {
        let bytes = self.size.max(size_of::<T>());
        let layout = Layout::from_size_align(bytes, 8).unwrap();
        // SAFETY: as many bytes or more are there as are written.
        unsafe {
            let made = alloc_zeroed(layout);
            ptr::copy_nonoverlapping(ptr::from_ref(of).cast::<u8>(), made, size_of::<T>());
            made.cast::<usize>().write(self.size);
            if let Some(at) = self.set {
                made.add(at).write(1);
            }
            made.cast()
        }
    }
}

fn first<T: Copy>(list: *const *const T) -> T {
    // SAFETY: a list that has one at least.
    unsafe { **list }
}

fn list<T>(one: *const T) -> *const *const T {
    Box::leak(Box::new(one))
}

/// A plugin with one of each, and the kind of this number in another shape; its known size and its least.
fn altered(whole: &passel_plugin, kind: usize, words: &mut Stream) -> (Shape, [usize; 2]) {
    fn known<T: Table>() -> [usize; 2] {
        [size_of::<T>(), T::LEAST]
    }
    let sizes = [
        known::<passel_plugin>(),
        known::<passel_selector>(),
        known::<passel_parameter>(),
        known::<passel_pair_score>(),
        known::<passel_criterion>(),
        known::<passel_family>(),
    ][kind];
    let shape = Shape::drawn(words, sizes[0]);
    let whole_shape = |size| Shape { size, set: None };
    let of = |at: usize, size: usize| match at == kind {
        true => shape,
        false => whole_shape(size),
    };
    let selector = first(whole.selectors);
    let parameter = of(2, size_of::<passel_parameter>()).make(&first(selector.method.parameters));
    let selector = passel_selector {
        method: passel_method {
            parameters: list(parameter),
            parameter_count: 1,
            ..selector.method
        },
        ..selector
    };
    let plugin = passel_plugin {
        selectors: list(of(1, size_of::<passel_selector>()).make(&selector)),
        selector_count: 1,
        pair_scores: list(of(3, size_of::<passel_pair_score>()).make(&first(whole.pair_scores))),
        pair_score_count: 1,
        criteria: list(of(4, size_of::<passel_criterion>()).make(&first(whole.criteria))),
        criterion_count: 1,
        families: list(of(5, size_of::<passel_family>()).make(&first(whole.families))),
        family_count: 1,
        ..*whole
    };
    let made = of(0, size_of::<passel_plugin>()).make(&plugin);
    HANDED.store(made.cast_mut(), Ordering::Release);
    (shape, sizes)
}

#[test]
fn structs_of_any_size_are_read_as_far_as_they_go_or_refused() {
    // SAFETY: an entry, which takes no engine for none.
    let whole = unsafe { *(faulty::PLUGIN.1)(ptr::null()) };
    let mut words = Stream::new(5, 0);
    let (mut taken, mut refused) = (0, 0);
    for round in 0..6000 {
        let kind = round % 6;
        let (shape, [known, least]) = altered(&whole, kind, &mut words);
        let told = Plugins::linked(&[("faulty", entry)]);
        let told = told.map(|_| ()).map_err(|error| error.to_string());
        let what = format!("kind {kind}, {shape:?} of {known}, at least {least}: {told:?}");
        match (&told, shape) {
            (Err(told), Shape { size, .. }) if size < least || size % 8 != 0 => {
                assert!(told.contains("its size is"), "{what}");
            }
            (Err(told), Shape { set: Some(at), .. }) => {
                assert!(told.contains(&format!("byte {at} of it is set")), "{what}");
            }
            (told, Shape { size, .. }) => {
                let is_whole = size >= known;
                assert!(told.is_ok() || !is_whole, "{what}");
                assert!(
                    size >= least && size % 8 == 0 && shape.set.is_none(),
                    "{what}"
                );
            }
        }
        match told {
            Ok(()) => taken += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(taken > 1000 && refused > 1000, "{taken} {refused}");
}
