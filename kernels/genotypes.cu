// Genotypes at two bits: products with columns of numbers, and the numbers they stand for; see genotypes.rs.

// The bytes of 16 genotypes by their codes: of those numbered 0, 2, 4, 6 and 8, 10, 12, 14, then of those between.
__device__ __forceinline__ void spread(unsigned word, unsigned bytes, unsigned (&even)[2], unsigned (&odd)[2])
{
    const unsigned evens = word & 0x33333333u, odds = word >> 2 & 0x33333333u;
    even[0] = __byte_perm(bytes, 0, evens);
    even[1] = __byte_perm(bytes, 0, evens >> 16);
    odd[0] = __byte_perm(bytes, 0, odds);
    odd[1] = __byte_perm(bytes, 0, odds >> 16);
}

__device__ __forceinline__ unsigned word_of(const uint4& words, int at)
{
    return at == 0 ? words.x : at == 1 ? words.y : at == 2 ? words.z : words.w;
}

// The sums of `bytes`, by the genotypes of 256 variants, times N columns of bytes. A thread has those of rows
// 128 · group + 64 i + 16 · warp + 8 · half + lane / 4 and of columns 8 j + 2 (lane % 4) + {0, 1}, as sum[i][j][2 · half + …].
template <int N>
__device__ __forceinline__ void sums_of(const uint4* words, long long stride, long long rows, Stages<N>& stages,
                                        unsigned bytes, int (&sum)[2][N / 8][4])
{
    const unsigned lane = threadIdx.x % 32;
    const long long block = (long long)blockIdx.y * VARIANTS;
    const unsigned top = threadIdx.x / 128 * 128 + threadIdx.x / 32 % 4 * 16 + lane / 4;
    const uint4* from = words + block * stride + lane % 4;
    unsigned at[2][2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const unsigned row = top + 64 * i + 8 * half;
            at[i][half] = (block + row < rows ? row : (unsigned)(rows - block) - 1) * (unsigned)stride;
#pragma unroll
            for (int j = 0; j < N / 8; j++) {
                sum[i][j][2 * half] = sum[i][j][2 * half + 1] = 0;
            }
        }
    }
    uint4 next[2][2];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        next[i / 2][i % 2] = __ldcs(from + at[i / 2][i % 2]);
    }
    // Registers of products that are under way stay as they are.
#ifdef GROUPED
    constexpr int TURNS = 2;
#else
    constexpr int TURNS = 1;
#endif
    unsigned a[TURNS][2][2][4];
#pragma unroll 1
    for (long long stage = 0; stage < stages.count; stage++) {
        uint4 own[2][2];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            own[i / 2][i % 2] = next[i / 2][i % 2];
        }
        from += 4;
        if (stage + 1 < stages.count) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                next[i / 2][i % 2] = __ldcs(from + at[i / 2][i % 2]);
            }
        }
        const unsigned address = stages.get(stage);
#pragma unroll
        for (int t = 0; t < 4; t++) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
#pragma unroll
                for (int half = 0; half < 2; half++) {
                    unsigned even[2], odd[2];
                    spread(word_of(own[i][half], t), bytes, even, odd);
                    a[t % TURNS][0][i][half] = even[0];
                    a[t % TURNS][0][i][2 + half] = even[1];
                    a[t % TURNS][1][i][half] = odd[0];
                    a[t % TURNS][1][i][2 + half] = odd[1];
                }
            }
#ifdef GROUPED
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
#pragma unroll
            for (int step = 0; step < 2; step++) {
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    const unsigned from = address + (2 * t + step) * 32 * N;
#ifdef GROUPED
                    product(sum[i], a[t % TURNS][step][i], matrix<N>(from));
#else
                    product<N>(sum[i], a[t % TURNS][step][i], from);
#endif
                }
            }
#ifdef GROUPED
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            // The registers of the products before are free.
            if (t < 3) {
                asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            } else {
                asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            }
#endif
        }
#ifdef GROUPED
        stages.release(stage);
#endif
    }
}

// e = Xᵀ V of columns cut into S digits each: adds those of a missing genotype to what is there, if wanted.
template <int N, int S>
__device__ __forceinline__ void multiply(const uint4* words, long long stride, long long rows, const double* values,
                                         const unsigned char* digits, long long stages, unsigned slots,
                                         const double* scales, const long long* totals, unsigned m, unsigned missing,
                                         double* e)
{
    extern __shared__ __align__(1024) unsigned char ring[];
    __shared__ u64 barriers[2 * SLOTS];
    // Columns of eight that the digits of one take, and columns of a block.
    constexpr int EIGHTS = S / 2, COLUMNS = N / S;
    if (missing) {
        const long long row = (long long)blockIdx.y * VARIANTS + threadIdx.x;
        if (!__syncthreads_or(row < rows && values[4 * row + 3] != values[4 * row])) {
            return;
        }
    }
    Stages<N> order(digits + blockIdx.x * stages * Stages<N>::BYTES, stages, slots, ring, barriers);
    int sum[2][N / 8][4];
    sums_of<N>(words, stride, rows, order, missing ? 0x01000000u : 0x0001ff00u, sum);
    // The sums of 16 variants at a time go through shared memory, where no warp multiplies any longer.
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    int* const own = (int*)ring + threadIdx.x / 32 * 16 * N;
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int j = 0; j < N / 8; j++) {
            int* const to = own + lane / 4 * N + 8 * j + lane % 4 * 2;
            to[0] = sum[i][j][0];
            to[1] = sum[i][j][1];
            to[8 * N] = sum[i][j][2];
            to[8 * N + 1] = sum[i][j][3];
        }
        __syncwarp();
        const long long top = (long long)blockIdx.y * VARIANTS + threadIdx.x / 128 * 128 + 64 * i + threadIdx.x / 32 % 4 * 16;
        const long long row = top + lane % 16;
        for (unsigned at = lane / 16; at < COLUMNS && row < rows; at += 2) {
            const unsigned column = blockIdx.x * COLUMNS + at;
            if (column >= m) {
                break;
            }
            const int* digit = own + lane % 16 * N + at / 4 * EIGHTS * 8 + at % 4 * 2;
            long long upper = 0, lower = 0;
#pragma unroll
            for (int number = 0; number < S; number++) {
                const int value = digit[number / 2 * 8 + number % 2];
                if (S - number > 4) {
                    upper = 256 * upper + value;
                } else {
                    lower = 256 * lower + value;
                }
            }
            const double one = values[4 * row], scale = scales[column];
            const double factor = missing ? values[4 * row + 3] - one : (values[4 * row + 2] - values[4 * row + 1]) / 2.0;
            const double product = factor * (((double)upper * 4294967296.0 + (double)lower) * scale);
            double* const to = e + column * rows + row;
            if (missing) {
                *to += product;
            } else {
                const double total = (double)totals[2 * column] * 4294967296.0 + (double)totals[2 * column + 1];
                *to = product + one * (total * scale);
            }
        }
        __syncwarp();
    }
}

#define MULTIPLY(name, N, S)                                                                                           \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                               \
        name(const uint4* __restrict__ words, long long stride, long long rows, const double* __restrict__ values,     \
             const unsigned char* __restrict__ digits, long long stages, unsigned slots,                               \
             const double* __restrict__ scales, const long long* __restrict__ totals, unsigned m, unsigned missing,    \
             double* e)                                                                                                \
    {                                                                                                                  \
        multiply<N, S>(words, stride, rows, values, digits, stages, slots, scales, totals, m, missing, e);             \
    }

MULTIPLY(multiply_8_2, 8, 2)
MULTIPLY(multiply_32_2, 32, 2)
MULTIPLY(multiply_128_2, 128, 2)
MULTIPLY(multiply_32_8, 32, 8)
MULTIPLY(multiply_128_8, 128, 8)

// The largest of each column, as the bits of an f64, which are 0 at first. One block in y a column.
extern "C" __global__ void largest(const double* __restrict__ columns, long long n, const double* __restrict__ roots,
                                   u64* __restrict__ most)
{
    const double* x = columns + blockIdx.y * n;
    double large = 0.0;
    for (long long row = first(); row < n; row += stride()) {
        large = fmax(large, fabs(roots ? x[row] * roots[row] : x[row]));
    }
    for (int half = 16; half > 0; half /= 2) {
        large = fmax(large, __shfl_down_sync(0xffffffffu, large, half));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMax(most + blockIdx.y, (u64)__double_as_longlong(large));
    }
}

// Cuts 256 people of N / S columns into digits, the most significant first.
template <int N, int S>
__device__ __forceinline__ void cut_into(const double* columns, long long n, const double* roots, const u64* most,
                                         unsigned m, unsigned char* digits, double* scales, u64* totals)
{
    extern __shared__ __align__(1024) unsigned char ring[];
    constexpr int EIGHTS = S / 2, COLUMNS = N / S;
    const unsigned person = threadIdx.x;
    const long long row = (long long)blockIdx.x * PEOPLE + person;
    // Where a person's byte of column 0 is: see sums_of and spread.
    const unsigned e = person % 16;
    const unsigned place = (person % 64 / 16 * 2 + e % 2) * 32 * N + e / 8 * 16 * N + person / 64 * 4 + e % 8 / 2;
    for (int own = 0; own < COLUMNS; own++) {
        const unsigned column = blockIdx.y * COLUMNS + own;
        long long digits_of = 0;
        if (column < m) {
            const double large = fmax(__longlong_as_double((long long)most[column]), 1e-290);
            // Rounded to the last of two digits; or moved as a whole, so that eight hold all its bits.
            const double scale = S == 2 ? large / 32639.0 : ldexp(1.0, ilogb(large) - 61);
            double value = row < n ? columns[column * n + row] : 0.0;
            if (roots && row < n) {
                value *= roots[row];
            }
            digits_of = llrint(S == 2 ? value * (32639.0 / large) : value / scale);
            long long halves[2] = {digits_of >> 32, digits_of & 0xffffffffll};
#pragma unroll
            for (int half = 0; half < 2; half++) {
                for (int by = 16; by > 0; by /= 2) {
                    halves[half] += __shfl_down_sync(0xffffffffu, halves[half], by);
                }
                if (threadIdx.x % 32 == 0) {
                    atomicAdd(totals + 2 * column + half, (u64)halves[half]);
                }
            }
            if (blockIdx.x == 0 && threadIdx.x == 0) {
                scales[column] = scale;
            }
        }
        // Digits −128 … 127: those of a sum with half of each.
        const u64 half = S == 2 ? 0x8080ull : 0x8080808080808080ull;
        const u64 shifted = ((u64)digits_of + half) ^ half;
#pragma unroll
        for (int digit = 0; digit < S; digit++) {
            const unsigned at = (own / 4 * EIGHTS + digit / 2) * 8 + own % 4 * 2 + digit % 2;
            ring[place + at / 8 * 128 + at % 8 * 16] = (unsigned char)(shifted >> 8 * (S - 1 - digit));
        }
    }
    __syncthreads();
    uint4* to = (uint4*)(digits + ((long long)blockIdx.y * gridDim.x + blockIdx.x) * PEOPLE * N);
    for (unsigned at = threadIdx.x; at < PEOPLE * N / 16; at += PEOPLE) {
        to[at] = ((const uint4*)ring)[at];
    }
}

#define CUT(name, N, S)                                                                                                \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
        name(const double* __restrict__ columns, long long n, const double* __restrict__ roots,                        \
             const u64* __restrict__ most, unsigned m, unsigned char* __restrict__ digits, double* __restrict__ scales, \
             u64* __restrict__ totals)                                                                                 \
    {                                                                                                                  \
        cut_into<N, S>(columns, n, roots, most, m, digits, scales, totals);                                            \
    }

CUT(cut_8_2, 8, 2)
CUT(cut_32_2, 32, 2)
CUT(cut_128_2, 128, 2)
CUT(cut_32_8, 32, 8)
CUT(cut_128_8, 128, 8)

// Makes ‖r‖² of a sweep's models so large that a share `off` of ‖r‖ also covers what cutting into two digits rounds away:
// half a unit for each of n people, which a column of norm `norm` at most multiplies by that.
extern "C" __global__ void widen(double* __restrict__ squares, const double* __restrict__ scales, unsigned m,
                                 long long n, double norm, double off)
{
    for (long long model = first(); model < m; model += stride()) {
        // Twice, as two products are compared.
        const double rounded = norm * sqrt((double)n) * scales[model] * 1.000001;
        const double widened = sqrt(squares[model]) + rounded / off;
        squares[model] = widened * widened;
    }
}

// The numbers of columns of genotypes: of those side by side at `words` one for each block in y; or, where there is a
// list, which may be in the host's memory, of its triples of addresses: of words, of the four values, and where they go.
extern "C" __global__ void unpack(const unsigned* words, long long words_each, const double* values, long long n,
                                  const double* __restrict__ roots, const u64* list, double* to)
{
    __shared__ u64 own[3];
    if (threadIdx.x < 3 && list) {
        own[threadIdx.x] = list[3 * blockIdx.y + threadIdx.x];
    }
    __syncthreads();
    const unsigned* from = list ? (const unsigned*)own[0] : words + blockIdx.y * words_each;
    const double* by_code = list ? (const double*)own[1] : values + 4 * blockIdx.y;
    double* out = list ? (double*)own[2] : to + blockIdx.y * n;
    const double of[4] = {by_code[0], by_code[1], by_code[2], by_code[3]};
    for (long long row = first(); row < n; row += stride()) {
        const unsigned code = from[row / 16] >> 2 * (row % 16) & 3;
        const double low = code & 1 ? of[1] : of[0], high = code & 1 ? of[3] : of[2];
        const double value = code & 2 ? high : low;
        out[row] = roots ? value * roots[row] : value;
    }
}
