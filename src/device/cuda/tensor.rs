//! Matrices in the memory of a GPU that are not passel's: of CuPy, PyTorch and others. Their columns are read in blocks, and no
//! copy of the whole is made on the host.

#![allow(unsafe_code)]

use std::{
    any::Any,
    fmt, io,
    ops::Range,
    path::{Path, PathBuf},
    ptr,
    sync::{Arc, Mutex, PoisonError},
};

use cudarc::driver::{CudaContext, CudaStream, sys};

use super::library;
use crate::{device::DeviceError, table::ColumnReader, threads::map_each};

/// A matrix in the memory of a GPU, which nobody changes while it is used.
pub struct DeviceMatrix {
    source: PathBuf,
    ordinal: usize,
    address: u64,
    /// Bytes of an element: 8 of f64, 4 of f32.
    size: usize,
    shape: (usize, usize),
    /// Bytes from a line to the next, and whether lines are rows.
    pitch: usize,
    by_row: bool,
    stream: Arc<CudaStream>,
    /// Elements of a block as they lie there.
    staged: Mutex<Vec<u8>>,
    _owner: Box<dyn Any + Send + Sync>,
}

impl fmt::Debug for DeviceMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = (self.ordinal, self.shape);
        f.debug_tuple("DeviceMatrix").field(&shape).finish()
    }
}

const READING: &str = "reading a tensor";

impl DeviceMatrix {
    /// A matrix of f64 or f32 (`size` bytes an element) at an address of a GPU's memory, which `owner` keeps. What `stream` has
    /// still to do is waited for: a handle of the driver, or none where nothing is.
    ///
    /// *Shapes:* `strides` are bytes from a row to the next, and from a column to the next, one of which is `size`.
    ///
    /// # Errors
    /// The driver is missing, or the address is none of a GPU's; strides that are none of a matrix by rows or by columns.
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
        let context = CudaContext::new(ordinal).map_err(failed)?;
        context.bind_to_thread().map_err(failed)?;
        if let Some(stream) = stream {
            // SAFETY: a handle of a stream that its owner keeps, or one of the driver's own two.
            unsafe { sys::cuStreamSynchronize(stream as sys::CUstream) }
                .result()
                .map_err(failed)?;
        }
        let (rows, width) = shape;
        let by_row = strides.1 == size && width > 1 || strides.0 != size;
        let pitch = match by_row {
            true => strides.0,
            false => strides.1,
        };
        let (line, lines) = match by_row {
            true => (width * size, rows),
            false => (rows * size, width),
        };
        let is_matrix = (!by_row || strides.1 == size) && (lines <= 1 || pitch >= line);
        if !is_matrix {
            return Err(DeviceError::Failed {
                device: format!("cuda:{ordinal}"),
                during: READING.to_owned(),
                reason: "neither its rows nor its columns are contiguous".to_owned(),
            });
        }
        Ok(Self {
            source: PathBuf::from(format!("the tensor on cuda:{ordinal}")),
            ordinal,
            address,
            size,
            shape,
            pitch: pitch.max(line),
            by_row,
            stream: context.new_stream().map_err(failed)?,
            staged: Mutex::default(),
            _owner: owner,
        })
    }

    /// Copies a part of the matrix as it lies: some rows of some columns.
    fn copy(&self, rows: Range<usize>, columns: Range<usize>, to: &mut Vec<u8>) -> io::Result<()> {
        let (line, lines) = match self.by_row {
            true => (&columns, &rows),
            false => (&rows, &columns),
        };
        let (wide, high) = (line.len() * self.size, lines.len());
        to.resize(wide * high, 0);
        if to.is_empty() {
            return Ok(());
        }
        let from = self.address + (lines.start * self.pitch + line.start * self.size) as u64;
        let failed = |error| {
            let name = format!("cuda:{}", self.ordinal);
            io::Error::other(library::failed(&name, READING, error))
        };
        self.stream.context().bind_to_thread().map_err(failed)?;
        let copy = sys::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
            srcHost: ptr::null(),
            srcDevice: from,
            srcArray: ptr::null_mut(),
            srcPitch: self.pitch,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            dstHost: to.as_mut_ptr().cast(),
            dstDevice: 0,
            dstArray: ptr::null_mut(),
            dstPitch: wide,
            WidthInBytes: wide,
            Height: high,
        };
        // SAFETY: the matrix has these lines, `to` has room for them, and both stay until the stream is done.
        let copied = unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, self.stream.cu_stream()) };
        copied.result().map_err(failed)?;
        self.stream.synchronize().map_err(failed)
    }

    fn number(&self, bytes: &[u8], at: usize) -> f64 {
        let from = &bytes[at * self.size..][..self.size];
        match from.try_into() {
            Ok(single) => f32::from_ne_bytes(single).into(),
            Err(_) => from.try_into().map_or(f64::NAN, f64::from_ne_bytes),
        }
    }
}

impl ColumnReader for DeviceMatrix {
    fn source(&self) -> &Path {
        &self.source
    }

    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn read(&self, columns: Range<usize>, numbers: &mut [f64]) -> io::Result<()> {
        let (n, count) = (self.shape.0, columns.len());
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        self.copy(0..n, columns, &mut staged)?;
        let bytes = &staged[..];
        let (each, step) = match self.by_row {
            true => (1, count),
            false => (n, 1),
        };
        let to = numbers.chunks_mut(n.max(1)).take(count).enumerate();
        map_each(to.collect(), |(column, to): (usize, &mut [f64])| {
            for (row, to) in to.iter_mut().enumerate() {
                *to = self.number(bytes, column * each + row * step);
            }
        });
        Ok(())
    }

    fn row(&self, row: usize) -> io::Result<Vec<f64>> {
        let width = self.shape.1;
        let mut bytes = Vec::new();
        self.copy(row..row + 1, 0..width, &mut bytes)?;
        Ok((0..width)
            .map(|column| self.number(&bytes, column))
            .collect())
    }
}
