// Column i of out = column which[i] of columns.
extern "C" __global__ void gather(const double* __restrict__ columns, long long n,
                                  const unsigned* __restrict__ which, double* __restrict__ out)
{
    const double* from = columns + which[blockIdx.y] * n;
    double* to = out + blockIdx.y * n;
    for (long long row = first(); row < n; row += stride()) {
        to[row] = from[row];
    }
}

// Each pair: a column from one address, of this card or another, to an address of this one.
extern "C" __global__ void fetch(const u64* __restrict__ pairs, long long n)
{
    const double* from = (const double*)pairs[2 * blockIdx.y];
    double* to = (double*)pairs[2 * blockIdx.y + 1];
    for (long long row = first(); row < n; row += stride()) {
        to[row] = from[row];
    }
}
