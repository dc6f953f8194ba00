//! Rankings by nearest observations: a plugin that goes its own way, by what the contract lends
//! any procedure. One file a method: its formula, its paper, how it differs from its neighbour
//! and a number worked by hand.
//!
//! A variable is worth much where observations near each other that differ in class differ in
//! it, and those of one class do not. Variables are judged in the context of all others, which
//! find the near ones; a copy is worth what the original is.
//!
//! Numbers are taken as the file has them; texts are equal or 1 apart. A variable of one value has
//! weight 0.

mod data;
mod distances;
mod ranking;
mod relief;
mod relieff;

pub use data::{Data, Few};
pub use relief::{RELIEF, relief};
pub use relieff::{RELIEFF, relieff};

passel_sdk::plugin! {
    name: relief,
    procedures: [RELIEF, RELIEFF],
}
