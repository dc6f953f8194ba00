//! What a plugin's code may change of the process, put back: the state of floating-point arithmetic. And who was called,
//! should that end the process.

// Registers of the processor, and functions of the system.
#![allow(unsafe_code)]

use crate::foreign_calls::{self, Callee};

/// Who is called, as messages have it; it lives as long as the process, as plugins do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Called(Callee);

impl Called {
    /// The entry of a library.
    pub(super) fn entry(plugin: &str) -> Self {
        Self(Callee::named(&format!("plugin {plugin}")))
    }

    /// A method, pair score or criterion of a plugin.
    pub(super) fn method(plugin: &str, name: &str) -> Self {
        Self(Callee::named(&format!("plugin {plugin}, {name}")))
    }

    /// Runs a plugin's code, and puts back what it changed.
    pub(super) fn run<T>(self, call: impl FnOnce() -> T) -> T {
        let state = FloatState::now();
        let outer = foreign_calls::enter(self.0);
        let result = call();
        foreign_calls::leave_to(outer);
        state.restore();
        result
    }

    /// Runs a plugin's code that is left behind by who waits for it, should it not end.
    pub(super) fn run_awaited<T>(self, call: impl FnOnce() -> T) -> T {
        foreign_calls::awaited(|| self.run(call))
    }
}

/// Runs passel's own code on behalf of a plugin that calls it: with the arithmetic that passel has, whatever the plugin has made of
/// its own.
pub(super) fn engine<T>(call: impl FnOnce() -> T) -> T {
    let state = FloatState::now();
    FloatState::DEFAULT.restore();
    let outer = foreign_calls::enter(Callee::PASSEL);
    let result = call();
    foreign_calls::leave_to(outer);
    state.restore();
    result
}

/// How numbers are rounded and what becomes of very small ones: registers of the processor, which a new thread has from the one
/// that starts it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FloatState {
    #[cfg(target_arch = "x86_64")]
    mxcsr: u32,
    #[cfg(target_arch = "x86_64")]
    x87: u16,
    #[cfg(target_arch = "aarch64")]
    fpcr: u64,
}

#[cfg(target_arch = "x86_64")]
impl FloatState {
    /// Of a new process.
    const DEFAULT: Self = Self {
        mxcsr: 0x1f80,
        x87: 0x037f,
    };

    /// Flags that calculations leave, and nothing reads.
    const FLAGS: u32 = 0x3f;

    fn now() -> Self {
        let (mut mxcsr, mut x87) = (0_u32, 0_u16);
        // SAFETY: both write the word that they are given.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack));
            std::arch::asm!("fnstcw [{}]", in(reg) &raw mut x87, options(nostack));
        }
        Self {
            mxcsr: mxcsr & !Self::FLAGS,
            x87,
        }
    }

    fn restore(self) {
        if Self::now() != self {
            // SAFETY: both read the word that they are given, which is one that was there before, or that of a new process.
            unsafe {
                std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const self.mxcsr, options(nostack));
                std::arch::asm!("fldcw [{}]", in(reg) &raw const self.x87, options(nostack));
            }
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl FloatState {
    /// Of a new process.
    const DEFAULT: Self = Self { fpcr: 0 };

    fn now() -> Self {
        let fpcr: u64;
        // SAFETY: reads a register.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) fpcr, options(nomem, nostack)) };
        Self { fpcr }
    }

    fn restore(self) {
        if Self::now() != self {
            // SAFETY: writes what was there before, or what a new process has.
            unsafe { std::arch::asm!("msr fpcr, {}", in(reg) self.fpcr, options(nomem, nostack)) };
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl FloatState {
    const DEFAULT: Self = Self {};

    fn now() -> Self {
        Self {}
    }

    fn restore(self) {}
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::foreign_calls::callee as called;

    #[test]
    fn arithmetic_is_as_it_was_and_passels_own_when_a_plugin_calls_it() {
        let plugin = Called::entry("test");
        let upward = FloatState {
            mxcsr: 0x5f80,
            ..FloatState::DEFAULT
        };
        let flushing = FloatState {
            mxcsr: 0x9fc0,
            x87: 0x027f,
        };
        for changed in [upward, flushing] {
            assert_eq!(FloatState::now(), FloatState::DEFAULT);
            plugin.run(|| {
                changed.restore();
                assert_eq!(called(), "plugin test");
                engine(|| {
                    assert_eq!((FloatState::now(), called()), (FloatState::DEFAULT, ""));
                });
                assert_eq!((FloatState::now(), called()), (changed, "plugin test"));
            });
            assert_eq!((FloatState::now(), called()), (FloatState::DEFAULT, ""));
        }
    }
}
