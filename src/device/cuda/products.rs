//! Products of matrices on a GPU, by cuBLAS.

#![allow(unsafe_code)]

use std::ffi::c_void;

use cudarc::cublas::{result as blas, sys as blas_sys};

use super::{super::DeviceError, gpu::Gpu};

/// Bytes of products XᵀB at a time.
pub(super) const PRODUCTS: usize = 256 << 20;

/// A product C = A·B of column-major matrices, `rows` × `inner` and `inner` × `columns`;
/// with `transposed` A lies as `inner` × `rows`.
pub(super) struct MatrixProduct {
    pub(super) transposed: bool,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) inner: usize,
    pub(super) a: u64,
    pub(super) b: u64,
    pub(super) c: u64,
    pub(super) kind: Arithmetic,
}

impl MatrixProduct {
    /// AᵀB in f64: of so many columns each at `a` and `b`, `inner` numbers long, to `c`.
    pub(super) fn of_columns(
        (a, rows): (u64, usize),
        (b, columns): (u64, usize),
        inner: usize,
        c: u64,
    ) -> Self {
        Self {
            transposed: true,
            rows,
            columns,
            inner,
            a,
            b,
            c,
            kind: Arithmetic::F64,
        }
    }
}

/// The arithmetic of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    F64,
    F32,
    Tf32,
}

impl Gpu {
    /// C = Aᵀ·B, or A·B, in f64 or, of f32, on ordinary or tensor cores.
    pub(super) fn product(&self, product: MatrixProduct) -> Result<(), DeviceError> {
        use blas_sys::{
            cublasComputeType_t as compute, cublasGemmAlgo_t::CUBLAS_GEMM_DFALT,
            cublasOperation_t as operation, cudaDataType_t as data,
        };
        let MatrixProduct {
            transposed,
            rows,
            columns,
            inner,
            a,
            b,
            c,
            kind,
        } = product;
        let failed = |reason: String| DeviceError::Failed {
            device: self.name.clone(),
            during: format!("product of {rows} × {inner} and {inner} × {columns}"),
            reason,
        };
        let Some(blas) = &self.blas else {
            return Err(failed("it was not opened for products".to_owned()));
        };
        self.bind()?;
        let int = |size: usize| i32::try_from(size).map_err(|_| failed("too large".to_owned()));
        let (m, n, k) = (int(rows)?, int(columns)?, int(inner)?);
        let (first, lda) = match transposed {
            true => (operation::CUBLAS_OP_T, k),
            false => (operation::CUBLAS_OP_N, m),
        };
        let (ones, zeros) = ((1.0f64, 1.0f32), (0.0f64, 0.0f32));
        let (one, zero, of, by) = match kind {
            Arithmetic::F64 => (
                std::ptr::from_ref(&ones.0).cast(),
                std::ptr::from_ref(&zeros.0).cast(),
                data::CUDA_R_64F,
                compute::CUBLAS_COMPUTE_64F,
            ),
            Arithmetic::F32 | Arithmetic::Tf32 => (
                std::ptr::from_ref(&ones.1).cast(),
                std::ptr::from_ref(&zeros.1).cast(),
                data::CUDA_R_32F,
                match kind {
                    Arithmetic::Tf32 => compute::CUBLAS_COMPUTE_32F_FAST_TF32,
                    _ => compute::CUBLAS_COMPUTE_32F,
                },
            ),
        };
        // SAFETY: the addresses come from buffers of these shapes; the scalars live
        // until the call returns.
        let done = unsafe {
            blas::gemm_ex(
                *blas.handle(),
                first,
                operation::CUBLAS_OP_N,
                m,
                n,
                k,
                one,
                a as *const c_void,
                of,
                lda,
                b as *const c_void,
                of,
                k,
                zero,
                c as *mut c_void,
                of,
                m,
                by,
                CUBLAS_GEMM_DFALT,
            )
        };
        done.map_err(|error| failed(format!("{:?}", error.0)))
    }
}
