//! Models of one column more than others, fitted on a GPU.

use std::collections::HashSet;

use passel_kernels::newton::NewtonJob;

use super::{super::DeviceError, Cuda, newton::GpuFits};
use crate::least_squares::FitView;

/// Bytes of columns that are brought at a time, and models of these, at most.
const JOINED_BYTES: usize = 128 << 20;
const JOINED: usize = 4096;

const DURING: &str = "fitting models";

impl Cuda<'_> {
    /// See [`super::super::Device::fit_joined`].
    pub(super) fn joined(
        &mut self,
        fits: &[FitView],
        pairs: &[(usize, u32)],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Option<f64>>, DeviceError> {
        let mut all = vec![None; pairs.len()];
        let Self {
            gpu,
            columns,
            scratch,
            newton,
            y,
            ..
        } = self;
        let own = columns.numbers();
        let own = (0..pairs.len()).filter(|at| own.contains(&pairs[*at].1));
        let own: Vec<usize> = own.collect();
        let Some(GpuFits { newton, .. }) = newton else {
            return Ok(all);
        };
        let (gpu, n) = (&*gpu, y.len());
        let starts = fits.iter().filter_map(|fit| fit.weighted);
        let starts: Vec<f64> = starts.flat_map(|own| own.predictors).copied().collect();
        if own.is_empty() || starts.len() < fits.len() * n {
            return Ok(all);
        }
        let on_gpu = scratch.batch.room(gpu, starts.len(), DURING)?;
        gpu.upload(&starts, on_gpu)?;
        let members: HashSet<u32> = fits.iter().flat_map(|fit| fit.support).copied().collect();
        let at_once = (JOINED_BYTES / (8 * n)).clamp(1, JOINED);
        for places in own.chunks(at_once) {
            if stop() {
                break;
            }
            let asked = places.iter().map(|place| pairs[*place].1);
            match columns.bring(gpu, members.iter().copied().chain(asked), HashSet::new) {
                // The host has room.
                Err(DeviceError::OutOfMemory { .. }) => break,
                brought => brought?,
            }
            let mut addresses: Vec<u64> = Vec::new();
            let mut jobs = Vec::with_capacity(places.len());
            for (at, column) in places.iter().map(|place| &pairs[*place]) {
                let place = addresses.len();
                let support = fits[*at].support.iter().chain([column]);
                for column in support {
                    addresses.push(columns.address(*column).ok_or_else(|| gpu.lacks_column())?);
                }
                jobs.push(NewtonJob {
                    addresses: 8 * place as u64,
                    start: on_gpu + 8 * (at * n) as u64,
                    k: (addresses.len() - place) as i64,
                    ..NewtonJob::default()
                });
            }
            let held = scratch.found.room(gpu, addresses.len(), DURING)?;
            gpu.upload(&addresses, held)?;
            jobs.iter_mut().for_each(|job| job.addresses += held);
            let fitted = newton.fit(gpu, &jobs)?;
            for (place, own) in places.iter().zip(fitted) {
                all[*place] = own.map(|(loss, _)| loss);
            }
        }
        Ok(all)
    }
}
