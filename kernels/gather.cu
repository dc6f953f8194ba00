// Copies n numbers from addresses[i], on this GPU or a peer, to column i of out. The addresses may be in
// host memory, so one thread per block reads them.
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

// For each pair of addresses, copies a column from the first, on this GPU or a peer, to the second, on this
// GPU. The pairs may be in host memory.
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
