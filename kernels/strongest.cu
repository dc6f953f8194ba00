// Finds the candidates that a product cannot distinguish from the strongest; see strongest.rs.

// Columns and threads of a block of near_f64 and near_f32.
#define SPAN 4096
#define EACH 256

__device__ __forceinline__ float not_a_number(float)
{
    return __int_as_float(0x7fffffff);
}

__device__ __forceinline__ double not_a_number(double)
{
    return __longlong_as_double(0x7fffffffffffffffll);
}

// Lists each (model of the batch, column) whose |e| is within `off` * ‖r‖ of the largest so far, skipping the
// model's own columns. The largest are kept as the bits of an f64: numbers ≥ 0 have the order of their
// bits. Early blocks also list what later ones surpass: a few more entries per model.
template <typename T>
__device__ void near_largest(const T* e, long long rows, unsigned from, const double* rss,
                             const u64* offsets, const unsigned* members, double off, u64* most, u64* list, double* scores,
                             u64* listed, u64 places)
{
    __shared__ unsigned own[SPAN / 32];
    __shared__ double partial[EACH / 32];
    __shared__ double floor;
    const u64 model = blockIdx.y;
    const long long begin = (long long)blockIdx.x * SPAN;
    if (threadIdx.x < SPAN / 32) {
        own[threadIdx.x] = 0;
    }
    T values[SPAN / EACH];
#pragma unroll
    for (int v = 0; v < SPAN / EACH; v++) {
        const long long at = begin + v * EACH + threadIdx.x;
        // NaN compares as not larger than anything.
        values[v] = at < rows ? e[model * rows + at] : not_a_number(T());
    }
    __syncthreads();
    for (u64 i = offsets[model] + threadIdx.x; i < offsets[model + 1]; i += EACH) {
        const unsigned at = members[i] - from - (unsigned)begin;
        if (at < SPAN) {
            atomicOr(own + at / 32, 1u << at % 32);
        }
    }
    __syncthreads();
    double large = 0.0;
#pragma unroll
    for (int v = 0; v < SPAN / EACH; v++) {
        const unsigned at = v * EACH + threadIdx.x;
        if (own[at / 32] >> at % 32 & 1) {
            values[v] = not_a_number(T());
        }
        large = fmax(large, fabs((double)values[v]));
    }
    for (int half = 16; half > 0; half /= 2) {
        large = fmax(large, __shfl_down_sync(0xffffffffu, large, half));
    }
    if (threadIdx.x % 32 == 0) {
        partial[threadIdx.x / 32] = large;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < EACH / 32; warp++) {
            large = fmax(large, partial[warp]);
        }
        const u64 before = atomicMax(most + model, (u64)__double_as_longlong(large));
        const double largest = fmax(large, __longlong_as_double((long long)before));
        floor = largest - off * sqrt(rss[model]);
    }
    __syncthreads();
#pragma unroll
    for (int v = 0; v < SPAN / EACH; v++) {
        if (fabs((double)values[v]) >= floor) {
            const u64 place = atomicAdd(listed, 1ull);
            if (place < places) {
                list[place] = model << 32 | (from + (unsigned)begin + v * EACH + threadIdx.x);
                scores[place] = fabs((double)values[v]);
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(EACH)
near_f64(const double* e, long long rows, unsigned from, const double* rss, const u64* offsets,
         const unsigned* members, double off, u64* most, u64* list, double* scores, u64* listed,
         u64 places)
{
    near_largest(e, rows, from, rss, offsets, members, off, most, list, scores, listed, places);
}

extern "C" __global__ void __launch_bounds__(EACH)
near_f32(const float* e, long long rows, unsigned from, const double* rss, const u64* offsets,
         const unsigned* members, double off, u64* most, u64* list, double* scores, u64* listed,
         u64 places)
{
    near_largest(e, rows, from, rss, offsets, members, off, most, list, scores, listed, places);
}

// A column of numbers.
struct Numbers {
    const double* x;

    __device__ __forceinline__ double operator[](long long row) const
    {
        return x[row];
    }
};

// A column of genotypes at two bits, and the numbers that they stand for; see genotypes.rs.
struct Genotypes {
    const unsigned* words;
    const double* values;
    const double* roots;

    __device__ __forceinline__ double operator[](long long row) const
    {
        const double value = values[words[row / 16] >> 2 * (row % 16) & 3];
        return roots ? value * roots[row] : value;
    }
};

// Computes |xᵀr| in a fixed order of summation for the listed pairs that are still near the largest.
// `answers`, which may be in host memory: how many were listed, how many are still near, then these with
// their scores. `counters`: listed, still near, blocks that have ended. Columns outside
// [from, from + count) are skipped, for another call.
template <typename Columns>
__device__ __forceinline__ void score_near(const Columns& columns, long long n, unsigned from, unsigned count,
                                           const double* residuals, const double* rss, double off, const u64* most,
                                           const u64* list, const double* scores, u64 places, u64* counters,
                                           u64* answers, u64 answer_places)
{
    __shared__ double partial[512 / 32];
    const u64 listed = counters[0];
    const u64 end = listed < places ? listed : places;
    for (u64 at = blockIdx.x; at < end; at += gridDim.x) {
        const unsigned column = (unsigned)list[at];
        const u64 model = list[at] >> 32;
        const double largest = __longlong_as_double((long long)most[model]);
        if (column - from >= count || scores[at] < largest - off * sqrt(rss[model])) {
            continue;
        }
        const auto x = columns(column - from);
        const double* r = residuals + model * n;
        double sum[1] = {0.0};
        for (long long row = threadIdx.x; row < n; row += 512) {
            sum[0] += x[row] * r[row];
        }
        block_sum<512>(sum, partial);
        if (threadIdx.x == 0) {
            const u64 place = atomicAdd(counters + 1, 1ull);
            if (place < answer_places) {
                answers[2 + 2 * place] = list[at];
                answers[3 + 2 * place] = (u64)__double_as_longlong(fabs(sum[0]));
            }
        }
    }
    // The last block to end writes the numbers.
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(counters + 2, 1ull) == gridDim.x - 1) {
            answers[0] = listed;
            answers[1] = atomicAdd(counters + 1, 0ull);
            counters[2] = 0;
        }
    }
}

extern "C" __global__ void __launch_bounds__(512, 1)
score(const double* __restrict__ columns, long long n, unsigned from, unsigned count,
      const double* __restrict__ residuals, const double* __restrict__ rss, double off,
      const u64* __restrict__ most,
      const u64* __restrict__ list, const double* __restrict__ scores, u64 places,
      u64* __restrict__ counters, u64* __restrict__ answers, u64 answer_places)
{
    const auto column = [=](long long at) { return Numbers{columns + at * n}; };
    score_near(column, n, from, count, residuals, rss, off, most, list, scores, places, counters, answers,
               answer_places);
}

// The same of genotypes, `words_each` words a column.
extern "C" __global__ void __launch_bounds__(512, 1)
score_genotypes(const unsigned* __restrict__ words, long long words_each, const double* __restrict__ values,
                const double* __restrict__ roots, long long n, unsigned from, unsigned count,
                const double* __restrict__ residuals, const double* __restrict__ rss, double off,
                const u64* __restrict__ most, const u64* __restrict__ list, const double* __restrict__ scores,
                u64 places, u64* __restrict__ counters, u64* __restrict__ answers, u64 answer_places)
{
    const auto column = [=](long long at) { return Genotypes{words + at * words_each, values + 4 * at, roots}; };
    score_near(column, n, from, count, residuals, rss, off, most, list, scores, places, counters, answers,
               answer_places);
}

// Converts X or R to single precision.
extern "C" __global__ void narrow(const double* __restrict__ from, long long count,
                                  float* __restrict__ to)
{
    for (long long at = first(); at < count; at += stride()) {
        to[at] = (float)from[at];
    }
}
