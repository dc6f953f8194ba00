//! Matrices in the memory of a GPU that are no search's: those of CuPy, PyTorch and others, and one of which many searches use
//! some of the rows. Their columns are brought to unit norm where they lie, and no copy of the whole is made on the host.

#![allow(unsafe_code)]

use std::{
    any::Any,
    fmt, io,
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use cudarc::driver::{CudaContext, sys};
use passel_kernels::standardise::{Facts, KERNEL, MARKED, Matrix, NO_ROW_NUMBERS, NOT_FINITE};

use super::{
    gpu::{Gpu, arguments},
    library,
    memory::Buffer,
};
use crate::{
    design::is_constant,
    device::DeviceError,
    table::{ColumnReader, Scale},
    threads::map_each,
};

const READING: &str = "reading a tensor";

/// Bytes of a matrix that are read or written by the host at a time.
const BLOCK: usize = 1 << 25;

/// What a search takes beside its columns, about.
const RESERVE: u64 = 1 << 30;

/// A matrix in the memory of a GPU, which nobody changes while it is used, or some of its rows.
pub struct DeviceMatrix {
    source: PathBuf,
    ordinal: usize,
    shape: (usize, usize),
    matrix: Matrix,
    worker: Arc<Mutex<Worker>>,
    /// Which rows they are.
    _rows: Option<Buffer<u32>>,
    /// What is known of each column, with or without an intercept.
    facts: Mutex<Option<(bool, Arc<Known>)>>,
    _owner: Arc<dyn Any + Send + Sync>,
}

/// What works on a matrix and all parts of it.
struct Worker {
    gpu: Gpu,
    /// Columns on their way to the host.
    staged: Option<Buffer<f64>>,
}

/// What is known of the columns, here and there.
struct Known {
    all: Vec<Facts>,
    there: Buffer<Facts>,
}

impl fmt::Debug for DeviceMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = (self.ordinal, self.shape);
        f.debug_tuple("DeviceMatrix").field(&shape).finish()
    }
}

impl DeviceMatrix {
    /// A matrix of f64 or f32 (`size` bytes an element) at an address of a GPU's memory, which `owner` keeps. What `stream` has
    /// still to do is waited for: a handle of the driver, or none where nothing is.
    ///
    /// *Shapes:* `strides` are bytes from a row to the next, and from a column to the next.
    ///
    /// # Errors
    /// The driver is missing, or the address is none of a GPU's.
    pub fn new(
        (address, stream): (u64, Option<u64>),
        size: usize,
        shape: (usize, usize),
        strides: (usize, usize),
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Self, DeviceError> {
        library::driver()?;
        let failed = |error| library::failed("cuda", READING, error);
        let mut ordinal: i32 = -1;
        let which = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        // SAFETY: writes one integer; the driver says whether the address is one of a GPU's.
        unsafe { sys::cuPointerGetAttribute((&raw mut ordinal).cast(), which, address) }
            .result()
            .map_err(failed)?;
        let ordinal = usize::try_from(ordinal).unwrap_or_default();
        if let Some(stream) = stream {
            let context = CudaContext::new(ordinal).map_err(failed)?;
            context.bind_to_thread().map_err(failed)?;
            // SAFETY: a handle of a stream that its owner keeps, or one of the driver's own two.
            unsafe { sys::cuStreamSynchronize(stream as sys::CUstream) }
                .result()
                .map_err(failed)?;
        }
        let gpu = Gpu::open(ordinal, &[KERNEL])?;
        let matrix = Matrix {
            address,
            row: strides.0 as i64,
            column: strides.1 as i64,
            rows: 0,
            n: shape.0 as i64,
            single: (size == size_of::<f32>()).into(),
        };
        Ok(Self::of(gpu, ordinal, (matrix, shape), owner.into()))
    }

    fn of(
        gpu: Gpu,
        ordinal: usize,
        (matrix, shape): (Matrix, (usize, usize)),
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Self {
        Self {
            source: PathBuf::from(format!("the tensor on cuda:{ordinal}")),
            ordinal,
            shape,
            matrix,
            worker: Arc::new(Mutex::new(Worker { gpu, staged: None })),
            _rows: None,
            facts: Mutex::default(),
            _owner: owner,
        }
    }

    /// A copy of columns of the host on a GPU; none where it has no room for them beside those of so many searches.
    ///
    /// *Shapes:* n × width; `fill` writes the n values of a column.
    ///
    /// # Errors
    /// The GPU fails.
    pub(crate) fn copy_of(
        ordinal: usize,
        (n, width): (usize, usize),
        searches: usize,
        fill: impl Fn(usize, &mut [f64]) + Sync,
    ) -> Result<Option<Self>, DeviceError> {
        let gpu = Gpu::open(ordinal, &[KERNEL])?;
        let bytes = (8 * n * width) as u64;
        if gpu.free()? < bytes + searches as u64 * (bytes + RESERVE) {
            return Ok(None);
        }
        let values: Buffer<f64> = gpu.buffer(n * width, "keeping X for all splits")?;
        let block = (BLOCK / (8 * n)).clamp(1, width);
        let blocks = (0..width).step_by(block);
        let blocks = blocks.map(|start| start..width.min(start + block));
        let to = |columns: &Range<usize>| values.at(columns.start * n);
        gpu.upload_in_turn(blocks, block * n, to, |columns, staged: &mut [f64]| {
            let count = columns.len();
            let own = staged.chunks_mut(n).zip(columns);
            map_each(own.collect(), |(to, at): (&mut [f64], usize)| fill(at, to));
            Ok(count * n)
        })?;
        let matrix = Matrix {
            address: values.address(),
            row: 8,
            column: 8 * n as i64,
            rows: 0,
            n: n as i64,
            single: 0,
        };
        let shape = (n, width);
        Ok(Some(Self::of(
            gpu,
            ordinal,
            (matrix, shape),
            Arc::new(values),
        )))
    }

    /// Some rows of a whole matrix, repeats allowed.
    ///
    /// # Errors
    /// The GPU fails.
    pub(crate) fn of_rows(&self, rows: &[usize]) -> Result<Self, DeviceError> {
        let own: Vec<u32> = rows.iter().map(|row| *row as u32).collect();
        let there = {
            let gpu = &self.worker().gpu;
            let there = gpu.buffer(own.len(), READING)?;
            gpu.upload(&own, there.address())?;
            gpu.wait(READING)?;
            there
        };
        let matrix = Matrix {
            rows: there.address(),
            n: rows.len() as i64,
            ..self.matrix
        };
        Ok(Self {
            source: self.source.clone(),
            ordinal: self.ordinal,
            shape: (rows.len(), self.shape.1),
            matrix,
            worker: Arc::clone(&self.worker),
            _rows: Some(there),
            facts: Mutex::default(),
            _owner: Arc::clone(&self._owner),
        })
    }

    fn worker(&self) -> MutexGuard<'_, Worker> {
        self.worker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of the columns, with or without an intercept.
    fn known(&self, intercept: bool) -> Result<Arc<Known>, DeviceError> {
        let mut facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = facts.as_ref().filter(|(own, _)| *own == intercept) {
            return Ok(Arc::clone(known));
        }
        let (width, gpu) = (self.shape.1, &self.worker().gpu);
        let there: Buffer<Facts> = gpu.buffer(width, READING)?;
        let (matrix, count, to) = (self.matrix, width as i64, there.address());
        let given = arguments![matrix, count, i32::from(intercept), to];
        gpu.launch(&KERNEL, "facts", grid(gpu, width), 256, 0, given)?;
        let mut all = vec![Facts::default(); width];
        gpu.download(to, &mut all)?;
        gpu.wait(READING)?;
        let known = Arc::new(Known { all, there });
        *facts = Some((intercept, Arc::clone(&known)));
        Ok(known)
    }

    /// Writes columns behind one another to memory of its GPU.
    fn write(
        &self,
        worker: &Worker,
        places: &[usize],
        facts: Option<&Known>,
        to: u64,
    ) -> Result<(), DeviceError> {
        let gpu = &worker.gpu;
        let own: Vec<u32> = places.iter().map(|place| *place as u32).collect();
        let listed: Buffer<u32> = gpu.buffer(own.len(), READING)?;
        gpu.upload(&own, listed.address())?;
        let (matrix, count, listed_at) = (self.matrix, own.len() as i64, listed.address());
        let facts = facts.map_or(0, |facts| facts.there.address());
        let given = arguments![matrix, listed_at, count, facts, to];
        gpu.launch(&KERNEL, "columns", grid(gpu, own.len()), 256, 0, given)?;
        // What is listed stays until it was read.
        gpu.wait(READING)
    }
}

/// Blocks of eight threads a column.
fn grid(gpu: &Gpu, columns: usize) -> (u32, u32, u32) {
    let blocks = columns.div_ceil(32).clamp(1, 64 * gpu.processors as usize);
    (blocks as u32, 1, 1)
}

/// Whether values are of a size whose squares are numbers; others are the host's.
fn is_usual(facts: &Facts) -> bool {
    let is_finite = facts.doubts & NOT_FINITE == 0;
    is_finite && (facts.largest == 0.0 || (1e-100..1e100).contains(&facts.largest))
}

impl ColumnReader for DeviceMatrix {
    fn source(&self) -> &Path {
        &self.source
    }

    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn read(&self, columns: Range<usize>, numbers: &mut [f64]) -> io::Result<()> {
        let places: Vec<usize> = columns.collect();
        let count = places.len() * self.shape.0;
        let mut worker = self.worker();
        let has_room = |own: &Buffer<f64>| own.len() >= count;
        let staged = match worker.staged.take().filter(has_room) {
            Some(staged) => staged,
            None => worker.gpu.buffer(count, READING)?,
        };
        self.write(&worker, &places, None, staged.address())?;
        worker
            .gpu
            .download(staged.address(), &mut numbers[..count])?;
        worker.gpu.wait(READING)?;
        worker.staged = Some(staged);
        Ok(())
    }

    fn row(&self, row: usize) -> io::Result<Vec<f64>> {
        let (width, gpu) = (self.shape.1, &self.worker().gpu);
        let there: Buffer<f64> = gpu.buffer(width, READING)?;
        let (matrix, at, count, to) = (self.matrix, row as i64, width as i64, there.address());
        let given = arguments![matrix, at, count, to];
        let blocks = width.div_ceil(256) as u32;
        gpu.launch(&KERNEL, "row", (blocks, 1, 1), 256, 0, given)?;
        let mut values = vec![0.0; width];
        gpu.download(to, &mut values)?;
        gpu.wait(READING)?;
        Ok(values)
    }

    fn scales(&self, places: &[usize], intercept: bool) -> io::Result<Option<Vec<Scale>>> {
        let (n, known) = (self.shape.0 as f64, self.known(intercept)?);
        let own = places.iter().map(|place| &known.all[*place]);
        if !own.clone().all(is_usual) {
            return Ok(None);
        }
        let scale = |facts: &Facts| {
            let is_constant = is_constant(facts.norm, n, facts.largest);
            (!is_constant).then_some((facts.mean + facts.rest, facts.norm))
        };
        Ok(Some(own.map(scale).collect()))
    }

    fn suspects(&self) -> io::Result<Option<Vec<usize>>> {
        let known = self.known(true)?;
        let is_suspect = |facts: &Facts| {
            let has_no_doubt = facts.doubts & (NOT_FINITE | MARKED) == 0;
            !has_no_doubt || facts.doubts & NO_ROW_NUMBERS == 0
        };
        let all = known.all.iter().enumerate();
        let suspects = all.filter(|(_, facts)| is_suspect(facts));
        Ok(Some(suspects.map(|(at, _)| at).collect()))
    }

    fn lay_out(
        &self,
        ordinal: usize,
        places: &[usize],
        intercept: bool,
        address: u64,
    ) -> io::Result<bool> {
        if ordinal != self.ordinal {
            return Ok(false);
        }
        let known = self.known(intercept)?;
        if !places.iter().all(|place| is_usual(&known.all[*place])) {
            return Ok(false);
        }
        self.write(&self.worker(), places, Some(&known), address)?;
        Ok(true)
    }
}
