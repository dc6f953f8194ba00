//! Bars on a terminal.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// Where the bar of a job goes: among those of other jobs, with its name, or alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Place(Option<(MultiProgress, String)>);

/// The bar of one job.
#[derive(Debug)]
pub(super) struct Bar(ProgressBar);

impl Place {
    /// A bar of so many things; above the last where it is among others.
    pub(super) fn bar(&self, of: usize, what: &str) -> Bar {
        let template = format!("{{prefix}}{{bar:30}} {{pos}}/{{len}} {what}s{{msg}}, {{eta}} left");
        self.put(ProgressBar::new(of as u64), &template)
    }

    /// A sign that a stage goes on.
    pub(super) fn spinner(&self, stage: &str) -> Bar {
        let template = format!("{{prefix}}{{spinner}} {stage}, {{elapsed}} gone");
        self.put(ProgressBar::new_spinner(), &template)
    }

    fn put(&self, bar: ProgressBar, template: &str) -> Bar {
        let (bar, name) = match &self.0 {
            Some((bars, name)) => (bars.insert_from_back(1, bar), format!("{name} ")),
            None => (bar, String::new()),
        };
        Bar(styled(bar.with_prefix(name), template))
    }
}

impl Bar {
    pub(super) fn set(&self, number: usize, message: String) {
        self.0.set_message(message);
        self.0.set_position(number as u64);
    }

    pub(super) fn tick(&self) {
        self.0.tick();
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    // The text is fixed: a plain bar if it should ever be wrong.
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The bars of many jobs, and below them one of how many are done.
#[derive(Debug)]
pub(super) struct Bars {
    bars: MultiProgress,
    jobs: ProgressBar,
}

impl Bars {
    pub(super) fn new(done: usize, of: usize) -> Self {
        let (bars, jobs) = (MultiProgress::new(), ProgressBar::new(of as u64));
        let template = "{bar:30} {pos}/{len} jobs, {elapsed} gone, {eta} left";
        let jobs = bars.add(styled(jobs, template));
        jobs.set_position(done as u64);
        Self { bars, jobs }
    }

    /// Where the bar of a job goes.
    pub(super) fn place(&self, id: &str) -> Place {
        Place(Some((self.bars.clone(), id.to_owned())))
    }

    pub(super) fn set(&self, done: usize) {
        self.jobs.set_position(done as u64);
    }

    /// Prints a line above the bars.
    pub(super) fn print(&self, line: &str) {
        let _ = self.bars.println(line);
    }

    pub(super) fn finish(&self) {
        self.jobs.finish_and_clear();
        let _ = self.bars.clear();
    }
}
