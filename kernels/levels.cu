// Pairs of variables of any number of levels and of classes: counts of a class at a time go
// through shared memory, from where some lanes have a pair.

#define THREADS 256
// Blocks of a multiprocessor, as far as registers go: shared memory has room for two of Hopper's.
#if __CUDA_ARCH__ == 900
#define BLOCKS 2
#else
#define BLOCKS 1
#endif

// Counts of a tile; rows of a warp's pieces share no bank.
template <bool LARGE>
struct Table {
    using Count = unsigned short;
    static constexpr unsigned ROW = SIDE + 8;
};

template <>
struct Table<true> {
    using Count = unsigned;
    static constexpr unsigned ROW = SIDE + 4;
};

// Floats of a variable: rows / rows of each level, 0 where that does not occur; rows of each level
// of each class; x and w of the score, x and w of its denominator.
struct Side {
    const float* facts;
    unsigned planes, width, classes;

    __device__ __forceinline__ float inverse(unsigned variable, unsigned level) const
    {
        return facts[variable * width + level];
    }

    __device__ __forceinline__ float margin(unsigned variable, unsigned k, unsigned level) const
    {
        return facts[variable * width + (k + 1) * (planes + 1) + level];
    }

    // Rows of all classes.
    __device__ __forceinline__ float all(unsigned variable, unsigned level) const
    {
        float sum = 0.0f;
        for (unsigned k = 0; k < classes; k++) {
            sum += margin(variable, k, level);
        }
        return sum;
    }

    __device__ __forceinline__ const float* own(unsigned variable) const
    {
        return facts + variable * width + width - 4;
    }
};

// Σ c·log2(c / e) over the cells of a pair, of which every `lanes`-th row and column are this
// lane's; the first of the lanes has it. Of one class, or of all.
template <bool LARGE, bool ALL>
__device__ __forceinline__ float pair_sum(const typename Table<LARGE>::Count* counts,
                                          const Side& a, const Side& b, unsigned in_a,
                                          unsigned in_b, unsigned k, float per_row,
                                          unsigned lane, unsigned lanes, unsigned mask)
{
    const auto at = [&](unsigned i, unsigned j) {
        return small(counts[row_of(in_a, i, a.planes) * Table<LARGE>::ROW
                            + row_of(in_b, j, b.planes)]);
    };
    const auto of_a = [&](unsigned i) { return ALL ? a.all(in_a, i) : a.margin(in_a, k, i); };
    const auto of_b = [&](unsigned j) { return ALL ? b.all(in_b, j) : b.margin(in_b, k, j); };
    float sum = 0.0f, last = 0.0f;
    for (unsigned i = lane; i < a.planes; i += lanes) {
        const float inverse = a.inverse(in_a, i) * per_row;
        float left = of_a(i), row = 0.0f;
        for (unsigned j = 0; j < b.planes; j++) {
            const float cell = at(i, j);
            left -= cell;
            row = add_cell(row, cell, inverse * b.inverse(in_b, j));
        }
        sum += add_cell(row, left, inverse * b.inverse(in_b, b.planes));
    }
    const float inverse = a.inverse(in_a, a.planes) * per_row;
    float row = 0.0f;
    for (unsigned j = lane; j < b.planes; j += lanes) {
        float left = of_b(j);
        for (unsigned i = 0; i < a.planes; i++) {
            left -= at(i, j);
        }
        last += left;
        row = add_cell(row, left, inverse * b.inverse(in_b, j));
    }
    sum += row;
    for (unsigned half = lanes / 2; half > 0; half /= 2) {
        sum += __shfl_down_sync(mask, sum, half);
        last += __shfl_down_sync(mask, last, half);
    }
    return add_cell(sum, of_a(a.planes) - last, inverse * b.inverse(in_b, b.planes));
}

// A block has a tile. Shared: the stages, then the counts of a class; those of all classes before;
// of each pair the sum over them; the facts of both sides.
template <bool LARGE, Kind KIND>
__device__ __forceinline__ void levels(const Tiles& given)
{
    using Count = typename Table<LARGE>::Count;
    constexpr unsigned ROW = Table<LARGE>::ROW;
    constexpr unsigned COUNTS = SIDE * ROW * sizeof(Count), STAGED = STAGES * 2 * PIECES;
    extern __shared__ __align__(1024) unsigned char shared[];
    unsigned char* const stages = shared;
    Count* const own = (Count*)shared;
    Count* const before = (Count*)(shared + (COUNTS > STAGED ? COUNTS : STAGED));
    float* const sums = (float*)((unsigned char*)before + COUNTS);
    unsigned tile_a, tile_b;
    if (!tile_of(given, tile_a, tile_b)) {
        return;
    }
    const Group &a = given.a, &b = given.b;
    const unsigned pairs = a.each * b.each, classes = given.classes;
    float* const facts = sums + pairs;
    const unsigned first_a = tile_a * a.each, first_b = tile_b * b.each;
    const Side side_a = {facts, a.planes, (a.planes + 1) * (classes + 1) + 4, classes};
    const Side side_b = {facts + a.each * side_a.width, b.planes,
                         (b.planes + 1) * (classes + 1) + 4, classes};
    for (unsigned at = threadIdx.x; at < a.each * side_a.width; at += THREADS) {
        const unsigned in = min(first_a + at / side_a.width, a.count - 1);
        facts[at] = a.facts[(i64)in * side_a.width + at % side_a.width];
    }
    for (unsigned at = threadIdx.x; at < b.each * side_b.width; at += THREADS) {
        const unsigned in = min(first_b + at / side_b.width, b.count - 1);
        facts[a.each * side_a.width + at] = b.facts[(i64)in * side_b.width + at % side_b.width];
    }
    for (unsigned at = threadIdx.x; at < pairs; at += THREADS) {
        sums[at] = 0.0f;
    }
    // As many lanes have a pair as there are threads for.
    unsigned lanes = 1;
    while (lanes < 32 && 2 * lanes * pairs <= THREADS) {
        lanes *= 2;
    }
    const unsigned lane = threadIdx.x % lanes, slot = threadIdx.x / lanes;
    const unsigned mask = lanes == 32 ? 0xffffffffu
        : ((1u << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes);
    const unsigned char* of_a = side(a, given, tile_a);
    const unsigned char* of_b = side(b, given, tile_b);
    const unsigned warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const unsigned row = warp / 4 * 64, column = warp % 4 * 32;
    Counts<4, 4> counts;
    counts.clear();
    for (unsigned k = 0; k < classes; k++) {
        const unsigned begin = given.edges[k], end = given.edges[k + 1];
        // What is brought lies where counts lay.
        __syncthreads();
        for (unsigned s = 0; s + 1 < STAGES; s++) {
            if (begin + s < end) {
                fetch<THREADS>(of_a, of_b, begin + s, stages + s * 2 * PIECES);
            }
            brought();
        }
        for (unsigned chunk = begin; chunk < end; chunk++) {
            const unsigned at = chunk - begin;
            if (STAGES > 1) {
                await<STAGES - 2>();
            }
            __syncthreads();
            const unsigned next = at + STAGES - 1;
            if (begin + next < end) {
                fetch<THREADS>(of_a, of_b, begin + next, stages + next % STAGES * 2 * PIECES);
            }
            brought();
            if (STAGES == 1) {
                __syncthreads();
            }
            counts.add<KIND>(stages + at % STAGES * 2 * PIECES, row, column);
        }
        await<0>();
        __syncthreads();
#pragma unroll
        for (int piece = 0; piece < 16; piece++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const unsigned place = (row + piece / 4 * 16 + g + e / 2 * 8) * ROW + column
                    + piece % 4 * 8 + 2 * t + e % 2;
                const unsigned all = counts.of[piece / 4][piece % 4][e];
                own[place] = all - (k > 0 ? before[place] : 0);
                before[place] = all;
            }
        }
        __syncthreads();
        for (unsigned pair = slot; classes > 1 && pair < pairs; pair += THREADS / lanes) {
            const unsigned in_a = pair / b.each, in_b = pair % b.each;
            const float sum = pair_sum<LARGE, false>(own, side_a, side_b, in_a, in_b, k,
                                                     given.per_row, lane, lanes, mask);
            if (lane == 0) {
                sums[pair] += sum;
            }
        }
    }
    const float floor = *(const volatile float*)given.floor;
    for (unsigned pair = slot; pair < pairs; pair += THREADS / lanes) {
        const unsigned in_a = pair / b.each, in_b = pair % b.each;
        const float both = pair_sum<LARGE, true>(before, side_a, side_b, in_a, in_b, 0,
                                                 given.per_row, lane, lanes, mask);
        const unsigned at_a = first_a + in_a, at_b = first_b + in_b;
        if (lane == 0 && at_a < a.count && at_b < b.count && (!given.same || at_a < at_b)) {
            tell(given, floor, at_a, at_b, side_a.own(in_a), side_b.own(in_b), both, sums[pair]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    levels_16(const __grid_constant__ Tiles given)
{
    levels<false, KIND>(given);
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    levels_32(const __grid_constant__ Tiles given)
{
    levels<true, KIND>(given);
}
