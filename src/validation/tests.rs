//! Measures and splits, held against their definitions.
