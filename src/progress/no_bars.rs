//! A library draws no bars on a terminal.

/// Where a bar would go.
#[derive(Debug, Clone, Default)]
pub(super) struct Place;

/// A bar that is not drawn.
#[derive(Debug)]
pub(super) struct Bar;

impl Place {
    pub(super) fn bar(&self, _of: usize, _what: &str) -> Bar {
        Bar
    }

    pub(super) fn spinner(&self, _stage: &str) -> Bar {
        Bar
    }
}

impl Bar {
    pub(super) fn set(&self, _number: usize, _message: String) {}

    pub(super) fn tick(&self) {}

    pub(super) fn finish(&self) {}
}
