// Column i of out = column which[i] of columns. `which` may lie in the host's memory, from
// where one thread a block reads it; `kept`, unless null, is a copy of it on the card.
extern "C" __global__ void gather(const double* __restrict__ columns, long long n,
                                  const unsigned* __restrict__ which, double* __restrict__ out,
                                  unsigned* __restrict__ kept)
{
    __shared__ unsigned column;
    if (threadIdx.x == 0) {
        column = which[blockIdx.y];
        if (kept && blockIdx.x == 0) {
            kept[blockIdx.y] = column;
        }
    }
    __syncthreads();
    const double* from = columns + column * n;
    double* to = out + blockIdx.y * n;
    for (long long row = first(); row < n; row += stride()) {
        to[row] = from[row];
    }
}

// Each pair: a column from one address, of this card or another, to an address of this one.
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
