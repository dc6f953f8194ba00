//! Large vectors, on large pages.

#![allow(unsafe_code)]

/// Bytes from which a vector is on pages of its own, which the system hands out when they are first written.
const LARGE: usize = 1 << 25;

/// A vector of zeros, if there is room for it. A large one is written as zeros when it is first touched, by whichever
/// thread does, and the system is asked for pages of two megabytes: with the usual ones, of four kilobytes, filling a
/// gigabyte takes longer for the pages than for the bytes, and while CUDA starts they wait for one another. A system
/// without them does without.
pub(crate) fn zeros<T: Copy + Default>(count: usize) -> Option<Vec<T>> {
    Vec::<T>::new().try_reserve_exact(count).ok()?;
    let values = vec![T::default(); count];
    ask_for_large_pages(&values);
    Some(values)
}

/// An empty vector with room for so many values, on the same pages: memory that was used before is not made zeros again.
pub(crate) fn room<T>(count: usize) -> Option<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).ok()?;
    ask_for_large_pages(values.spare_capacity_mut());
    Some(values)
}

/// Gives the system the memory that was freed and that the allocator keeps: of a table that became a design it is what lay
/// between the names of columns, some hundred bytes a column.
pub(crate) fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it changes nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(all(target_os = "linux", feature = "program"))]
fn ask_for_large_pages<T>(values: &[T]) {
    use rustix::{
        mm::{Advice, madvise},
        param::page_size,
    };
    let bytes = size_of_val(values);
    if bytes < LARGE {
        return;
    }
    let start = values.as_ptr().cast::<u8>();
    // Whole pages of the vector's own.
    let before = start.align_offset(page_size());
    let own = bytes.saturating_sub(before) / page_size() * page_size();
    // SAFETY: the range lies in the vector, and the advice changes no byte of it.
    let _ = unsafe {
        madvise(
            start.wrapping_add(before).cast_mut().cast(),
            own,
            Advice::LinuxHugepage,
        )
    };
}

#[cfg(not(all(target_os = "linux", feature = "program")))]
fn ask_for_large_pages<T>(_: &[T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_any_size_are_zeros() {
        for count in [0, 1, LARGE / 8 - 1, LARGE / 8, LARGE / 8 + 70_001] {
            let values: Vec<f64> = zeros(count).unwrap();
            assert_eq!(values.len(), count);
            assert!(values.iter().all(|value| *value == 0.0));
        }
        assert_eq!(zeros::<f64>(usize::MAX / 8), None);
        assert!(room::<f64>(LARGE).is_some_and(|room| room.is_empty() && room.capacity() >= LARGE));
        assert_eq!(room::<f64>(usize::MAX / 8), None);
    }
}
