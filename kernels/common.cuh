// Stands before every kernel: no include path is needed.

// The first row of this thread and its stride over the rows of the grid. 64 bits, for
// n × p passes 2^31 long before memory is full.
__device__ __forceinline__ long long first()
{
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ long long stride()
{
    return (long long)gridDim.x * blockDim.x;
}
