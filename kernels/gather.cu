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
