//! A stage whose parts are not counted, or not yet: that it goes on is shown meanwhile.

use std::{
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::Instant,
};

use serde_json::json;

use super::{Progress, bars::Place, write_json, write_line};
use crate::machine;

/// Shows that a stage goes on, after a pause and as often as a kind of progress allows, until this is dropped.
#[derive(Debug)]
pub(super) struct Waiting(Option<(Sender<()>, JoinHandle<()>)>);

impl Waiting {
    pub(super) fn start(kind: Progress, place: Place, stage: &'static str) -> Option<Self> {
        let pause = kind.pause()?;
        let (end, ended) = mpsc::channel();
        let show = move || {
            let (started, mut bar) = (Instant::now(), None);
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let elapsed = started.elapsed().as_secs_f64();
                match kind {
                    Progress::Auto => bar.get_or_insert_with(|| place.spinner(stage)).tick(),
                    Progress::Json => write_json(&json!({
                        "time": machine::now(),
                        "stage": stage,
                        "elapsed_seconds": elapsed,
                    })),
                    _ => write_line(&format!("{} {stage}, {elapsed:.1} s", machine::now())),
                }
            }
            if let Some(bar) = bar {
                bar.finish();
            }
        };
        // Without a thread nothing is shown, and the work goes on.
        let thread = thread::Builder::new().spawn(show).ok()?;
        Some(Self(Some((end, thread))))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}
