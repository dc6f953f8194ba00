//! x
mod jmi;
pub use jmi::JMI;
passel_sdk::plugin! { name: information, selectors: [JMI], pair_scores: [] }
