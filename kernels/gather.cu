// Column i of out = the n numbers at from[i], on this GPU or one that it reaches. The
// addresses may lie in the host's memory: one thread a block reads them.
extern "C" __global__ void gather(const u64* __restrict__ addresses, long long n,
                                  double* __restrict__ out)
{
    __shared__ u64 address;
    if (threadIdx.x == 0) {
        address = addresses[blockIdx.y];
    }
    __syncthreads();
    const double* from = (const double*)address;
    double* to = out + blockIdx.y * n;
    for (long long row = first(); row < n; row += stride()) {
        to[row] = from[row];
    }
}

// Each pair: a column from one address, of this GPU or another, to an address of this one.
// The pairs may lie in the host's memory.
extern "C" __global__ void fetch(const u64* __restrict__ pairs, long long n)
{
    __shared__ u64 pair[2];
    if (threadIdx.x < 2) {
        pair[threadIdx.x] = pairs[2 * blockIdx.y + threadIdx.x];
    }
    __syncthreads();
    const double* from = (const double*)pair[0];
    double* to = (double*)pair[1];
    for (long long row = first(); row < n; row += stride()) {
        to[row] = from[row];
    }
}
