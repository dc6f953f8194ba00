// The squares of columns, and the largest entry of each; see squares.rs.

extern "C" __global__ void __launch_bounds__(256)
squares(const double* __restrict__ columns, long long n, double* __restrict__ to,
        double* __restrict__ largest)
{
    __shared__ double partial[256 / 32];
    const double* x = columns + blockIdx.x * n;
    double* own = to + blockIdx.x * n;
    double most = 0.0;
    for (long long row = threadIdx.x; row < n; row += 256) {
        const double value = x[row];
        own[row] = value * value;
        most = fmax(most, fabs(value));
    }
    for (int half = 16; half > 0; half /= 2) {
        most = fmax(most, __shfl_down_sync(0xffffffffu, most, half));
    }
    if (threadIdx.x % 32 == 0) {
        partial[threadIdx.x / 32] = most;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 256 / 32; warp++) {
            most = fmax(most, partial[warp]);
        }
        largest[blockIdx.x] = most;
    }
}
