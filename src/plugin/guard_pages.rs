//! What plugins are lent for a call, against pages that nobody may touch: who reads or writes behind its end, or once the call is
//! over, is at fault at once, and is told. Of `passel plugins --check` alone; elsewhere plugins are lent what is there.

// Pages of the system, and another's pointers into them.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many want it now.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// Does work during which whatever plugins are lent has guard pages.
#[cfg_attr(not(feature = "program"), allow(dead_code))]
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> T {
    struct Wanted;
    impl Drop for Wanted {
        fn drop(&mut self) {
            WANTED.fetch_sub(1, Ordering::Relaxed);
        }
    }
    WANTED.fetch_add(1, Ordering::Relaxed);
    let _wanted = Wanted;
    work()
}

/// Lends values to a call, which only reads them.
pub(super) fn lend<T: Copy, R>(values: &[T], call: impl FnOnce(*const T) -> R) -> R {
    match Pages::of(values) {
        None => call(values.as_ptr()),
        Some(pages) => call(pages.start.cast_const().cast()),
    }
}

/// Lends values to a call, which may write them.
pub(super) fn lend_mut<T: Copy, R>(values: &mut [T], call: impl FnOnce(*mut T) -> R) -> R {
    let Some(pages) = Pages::of(values) else {
        return call(values.as_mut_ptr());
    };
    let start: *mut T = pages.start.cast();
    let result = call(start);
    // SAFETY: as many values as were put there, of a type of which the contract's numbers and pointers are values.
    unsafe { std::ptr::copy_nonoverlapping(start, values.as_mut_ptr(), values.len()) };
    result
}

/// A copy of values that ends where a page does, behind which there is one that cannot be touched. Dropped, nor can it.
struct Pages {
    start: *mut u8,
    #[cfg(unix)]
    whole: system::Range,
}

impl Pages {
    /// None where nobody wants it, or the system has no pages.
    fn of<T: Copy>(values: &[T]) -> Option<Self> {
        if WANTED.load(Ordering::Relaxed) == 0 {
            return None;
        }
        Self::copied(values)
    }

    #[cfg(not(unix))]
    fn copied<T: Copy>(_: &[T]) -> Option<Self> {
        None
    }

    #[cfg(unix)]
    fn copied<T: Copy>(values: &[T]) -> Option<Self> {
        let bytes = size_of_val(values);
        let whole = system::Range::new(bytes)?;
        let start = whole.end_of_data().wrapping_sub(bytes);
        // SAFETY: room for these bytes, aligned, for a page is and sizes are multiples of alignments.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr().cast(), start, bytes) };
        Some(Self { start, whole })
    }
}

#[cfg(unix)]
impl Drop for Pages {
    fn drop(&mut self) {
        self.whole.close();
    }
}

#[cfg(unix)]
mod system {
    use std::{
        collections::VecDeque,
        ptr,
        sync::{Mutex, PoisonError},
    };

    /// Ranges that stay closed; those before them are given back.
    const CLOSED: usize = 8192;

    /// Pages of data, then one that cannot be touched.
    pub(super) struct Range {
        address: usize,
        data: usize,
        page: usize,
    }

    impl Range {
        /// Room for so many bytes.
        pub(super) fn new(bytes: usize) -> Option<Self> {
            // SAFETY: asks for a number.
            let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
            let data = bytes.max(1).next_multiple_of(page);
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            // SAFETY: new pages, wherever there is room; then the first of them are opened.
            let address = unsafe {
                let all = libc::mmap(ptr::null_mut(), data + page, libc::PROT_NONE, flags, -1, 0);
                if all == libc::MAP_FAILED {
                    return None;
                }
                if libc::mprotect(all, data, libc::PROT_READ | libc::PROT_WRITE) != 0 {
                    libc::munmap(all, data + page);
                    return None;
                }
                all.expose_provenance()
            };
            Some(Self {
                address,
                data,
                page,
            })
        }

        pub(super) fn end_of_data(&self) -> *mut u8 {
            ptr::with_exposed_provenance_mut(self.address + self.data)
        }

        /// Nobody may touch it from now on.
        pub(super) fn close(&self) {
            static CLOSED_ONES: Mutex<VecDeque<(usize, usize)>> = Mutex::new(VecDeque::new());
            let (start, bytes) = (self.address, self.data + self.page);
            let mut all = CLOSED_ONES.lock().unwrap_or_else(PoisonError::into_inner);
            let oldest = (all.len() == CLOSED).then(|| all.pop_front()).flatten();
            all.push_back((start, bytes));
            let at = ptr::with_exposed_provenance_mut::<libc::c_void>;
            // SAFETY: pages that were made above, which nothing of passel uses any longer.
            unsafe {
                // Their memory goes back.
                libc::madvise(at(start), self.data, libc::MADV_DONTNEED);
                libc::mprotect(at(start), self.data, libc::PROT_NONE);
                if let Some((start, bytes)) = oldest {
                    libc::munmap(at(start), bytes);
                }
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_lent_is_a_copy_at_the_end_of_a_page_that_comes_back() {
        let mut values = [1.0_f64, 2.0, 3.0];
        let own = values.as_ptr();
        lend(&values, |there| assert_eq!(there, own));
        guarded(|| {
            lend(&values, |there| {
                assert_ne!(there, own);
                assert_eq!((there.addr() + 24) % 4096, 0);
                // SAFETY: three values.
                assert_eq!(unsafe { there.add(2).read() }, 3.0);
            });
            // SAFETY: as above.
            lend_mut(&mut values, |there| unsafe { there.add(1).write(7.0) });
        });
        assert_eq!(values, [1.0, 7.0, 3.0]);
        // Some have no bytes, and more than stay closed are lent.
        guarded(|| {
            lend(&[0_u8; 0], |there| assert_eq!(there.addr() % 4096, 0));
            for at in 0..9000_u32 {
                // SAFETY: a value.
                lend(&[at], |there| assert_eq!(unsafe { there.read() }, at));
            }
        });
        lend_mut(&mut values, |there| assert_eq!(there.cast_const(), own));
    }
}
