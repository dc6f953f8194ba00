//! The GPUs of CUDA: the only place that knows of them.
