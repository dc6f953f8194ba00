// The candidates that a product cannot tell from the strongest: see strongest.rs.

// Columns a block looks through.
#define SPAN 4096

__device__ __forceinline__ float not_a_number(float)
{
    return __int_as_float(0x7fffffff);
}

__device__ __forceinline__ double not_a_number(double)
{
    return __longlong_as_double(0x7fffffffffffffffll);
}

template <typename T>
__device__ void mask_them(T* e, long long rows, unsigned from, const unsigned* which,
                          const unsigned* support, const int* sizes, int capacity)
{
    const long long model = which[blockIdx.x];
    for (int i = threadIdx.x; i < sizes[model]; i += blockDim.x) {
        const unsigned at = support[model * capacity + i] - from;
        if (at < rows) {
            e[blockIdx.x * rows + at] = not_a_number(T());
        }
    }
}

// The largest |e| of each model so far, as the bits of an f64: numbers from 0 on are
// ordered as their bits are.
template <typename T>
__device__ void largest_of(const T* e, long long rows, u64* most)
{
    __shared__ double partial[32];
    const T* mine = e + blockIdx.y * rows;
    const long long begin = (long long)blockIdx.x * SPAN;
    const long long end = begin + SPAN < rows ? begin + SPAN : rows;
    double large = 0.0;
    for (long long at = begin + threadIdx.x; at < end; at += blockDim.x) {
        // NaN is no larger than anything.
        large = fmax(large, fabs((double)mine[at]));
    }
    for (int half = 16; half > 0; half /= 2) {
        large = fmax(large, __shfl_down_sync(0xffffffffu, large, half));
    }
    if (threadIdx.x % 32 == 0) {
        partial[threadIdx.x / 32] = large;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned warp = 1; warp < blockDim.x / 32; warp++) {
            large = fmax(large, partial[warp]);
        }
        atomicMax(most + blockIdx.y, (u64)__double_as_longlong(large));
    }
}

// Lists (model of the batch, column) whose |e| is within `off` * ‖r‖ of the largest so far.
template <typename T>
__device__ void collect_near(const T* e, long long rows, unsigned from, const u64* most,
                             const unsigned* which, const double* rss, double off, u64* list,
                             u64* listed, u64 capacity)
{
    const u64 model = blockIdx.y;
    const T* mine = e + model * rows;
    const double least = __longlong_as_double((long long)most[model]) - off * sqrt(rss[which[model]]);
    const long long begin = (long long)blockIdx.x * SPAN;
    const long long end = begin + SPAN < rows ? begin + SPAN : rows;
    for (long long at = begin + threadIdx.x; at < end; at += blockDim.x) {
        if (fabs((double)mine[at]) >= least) {
            const u64 place = atomicAdd(listed, 1ull);
            if (place < capacity) {
                list[place] = model << 32 | (from + (unsigned)at);
            }
        }
    }
}

#define FOR_BOTH(T, SUFFIX)                                                                     \
    extern "C" __global__ void mask##SUFFIX(T* e, long long rows, unsigned from,                \
                                            const unsigned* which, const unsigned* support,    \
                                            const int* sizes, int capacity)                    \
    {                                                                                           \
        mask_them(e, rows, from, which, support, sizes, capacity);                             \
    }                                                                                           \
    extern "C" __global__ void largest##SUFFIX(const T* e, long long rows, u64* most)          \
    {                                                                                           \
        largest_of(e, rows, most);                                                             \
    }                                                                                           \
    extern "C" __global__ void collect##SUFFIX(                                                 \
        const T* e, long long rows, unsigned from, const u64* most, const unsigned* which,     \
        const double* rss, double off, u64* list, u64* listed, u64 capacity)                   \
    {                                                                                           \
        collect_near(e, rows, from, most, which, rss, off, list, listed, capacity);            \
    }

FOR_BOTH(double, _f64)
FOR_BOTH(float, _f32)

// |xᵀr| of each pair listed, summed in a fixed order. Columns outside [from, from + count)
// are left for another call.
extern "C" __global__ void __launch_bounds__(512)
score(const double* __restrict__ columns, long long n, unsigned from, unsigned count,
      const unsigned* __restrict__ which, const double* __restrict__ residual,
      const u64* __restrict__ list, const u64* __restrict__ listed, u64 capacity,
      double* __restrict__ scores)
{
    __shared__ double partial[512 / 32];
    const u64 end = *listed < capacity ? *listed : capacity;
    for (u64 at = blockIdx.x; at < end; at += gridDim.x) {
        const unsigned column = (unsigned)list[at];
        if (column - from >= count) {
            continue;
        }
        const double* x = columns + (column - from) * n;
        const double* r = residual + which[list[at] >> 32] * n;
        double sum[1] = {0.0};
        for (long long row = threadIdx.x; row < n; row += 512) {
            sum[0] += x[row] * r[row];
        }
        block_sum<512>(sum, partial);
        if (threadIdx.x == 0) {
            scores[at] = fabs(sum[0]);
        }
    }
}

// X or R in single precision.
extern "C" __global__ void narrow(const double* __restrict__ from, long long count,
                                  float* __restrict__ to)
{
    for (long long at = first(); at < count; at += stride()) {
        to[at] = (float)from[at];
    }
}
