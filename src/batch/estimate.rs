//! The memory that a job will hold, by the extent of its file and by its method.

use crate::{
    binning::PER_CODED_COLUMN,
    device::{bytes_of_copies, bytes_of_integers},
    family::Distribution,
    job::{Job, Task},
    plugin::MethodKind,
    table::Extent,
};

/// Bytes that resamples side by side may take in all, where no limit is set.
const ROOM: u64 = 4 << 30;

/// Bytes of a variant beside its genotypes, where these are in a file: its names, and what its counts say.
const PER_VARIANT: u64 = 400;

/// About the most bytes that a task holds at once on the CPU, where it has so many threads.
pub(super) fn memory(task: &Task, extent: &Extent, threads: usize) -> u64 {
    let job = task.job();
    let in_memory = Extent {
        bytes: match job.cohort.scratch {
            Some(_) if extent.genotypes => PER_VARIANT.saturating_mul(extent.columns),
            _ => extent.bytes,
        },
        ..*extent
    };
    let extent = &in_memory;
    let estimate = match task {
        Task::Select(_) => of_method(job, extent),
        Task::Stability(stability) => {
            let rows = stability.resampling.rows(extent.rows as usize) as u64;
            of_resamples(job, rows, extent, threads)
        }
        // Models are of about all rows.
        Task::Validate(_) => of_resamples(job, extent.rows, extent, threads),
        Task::Pairs(pairs) => {
            let p = extent.columns.saturating_sub(1);
            let matrix = 8 * p.saturating_mul(p) * u64::from(pairs.matrix.is_some());
            let work = of_codes(extent) + codes(extent);
            let reading = extent.bytes + of_codes(extent);
            reading.max(work.saturating_add(matrix))
        }
    };
    match job.resources.memory_limit {
        Some(limit) if !job.resources.devices.is_cuda() => estimate.min(limit),
        _ => estimate,
    }
}

/// The most that reading, making and working hold.
fn of_method(job: &Job, extent: &Extent) -> u64 {
    let (table, made) = (extent.bytes, of_made(job, extent));
    let method = job.selector.as_ref().map(|method| &method.value);
    let work = match method {
        None | Some(MethodKind::Regression(_)) => {
            let models = (16 * extent.rows).saturating_mul(job.pass.particles as u64);
            let copies = match stays_packed(job, extent) {
                true => bytes_of_integers(extent.rows, extent.columns),
                false => bytes_of_copies(extent.rows, design_columns(job, extent)),
            };
            made.saturating_add(copies).saturating_add(models)
        }
        // A layout as large as the codes.
        Some(MethodKind::Score(_)) => made.saturating_add(codes(extent)),
        // The values, and a copy that the method may change.
        Some(MethodKind::Ranking(_)) => made.saturating_add(2 * table),
    };
    let most = match stays_packed(job, extent) {
        true => work,
        false => work.max(table.saturating_add(made)),
    };
    match job.responses {
        // Where they are observed in different rows, the table stays beside a copy of it.
        Some(_) => most.saturating_add(table),
        None => most,
    }
}

/// The table, and either what is made of it to look for mistakes or the resamples of so many rows side by side.
fn of_resamples(job: &Job, rows: u64, extent: &Extent, threads: usize) -> u64 {
    let share = rows as f64 / extent.rows.max(1) as f64;
    let part = |bytes: u64| (bytes as f64 * share) as u64;
    let resample = Extent {
        rows,
        bytes: part(extent.bytes),
        entries: extent.entries.map(part),
        ..*extent
    };
    let values = rows.saturating_mul(extent.columns).saturating_mul(20);
    let room = job.resources.memory_limit.unwrap_or(ROOM);
    let count = (threads as u64).min(room / values.max(1)).max(1);
    let resamples = of_method(job, &resample).saturating_mul(count);
    let checked = extent.bytes.saturating_add(of_made(job, extent));
    extent.bytes.saturating_add(checked.max(resamples))
}

/// What a table becomes before the work: a design matrix, or columns of codes.
fn of_made(job: &Job, extent: &Extent) -> u64 {
    let method = job.selector.as_ref().map(|method| &method.value);
    match method {
        // The table itself.
        None | Some(MethodKind::Regression(_)) if stays_packed(job, extent) => extent.bytes,
        None | Some(MethodKind::Regression(_)) => {
            (8 * extent.rows).saturating_mul(design_columns(job, extent))
        }
        Some(MethodKind::Score(_) | MethodKind::Ranking(_)) => of_codes(extent),
    }
}

/// The columns of a design matrix.
fn design_columns(job: &Job, extent: &Extent) -> u64 {
    match extent.genotypes && job.is_genotypic() {
        true => extent.design_columns.saturating_mul(2),
        false => extent.design_columns,
    }
}

/// Whether the columns are genotypes that stay at two bits.
fn stays_packed(job: &Job, extent: &Extent) -> bool {
    let terms = &job.terms;
    let is_plain = !terms.has_formula() && terms.groups.is_empty() && terms.groups_file.is_none();
    let has_blocks = job.kind.distribution == Distribution::Multinomial;
    // Genotypes that a word makes missing become numbers.
    let copies = |word: &String| word.parse().is_ok_and(|own| [0.0, 1.0, 2.0].contains(&own));
    let is_plain = is_plain && !job.is_genotypic() && !job.na.iter().any(copies);
    extent.genotypes && is_plain && !has_blocks
}

fn of_codes(extent: &Extent) -> u64 {
    let columns = extent.columns.saturating_mul(PER_CODED_COLUMN);
    codes(extent).saturating_add(columns)
}

/// The codes alone.
fn codes(extent: &Extent) -> u64 {
    match extent.entries {
        Some(entries) => (6 * entries).min(extent.values()),
        None => extent.values(),
    }
}
