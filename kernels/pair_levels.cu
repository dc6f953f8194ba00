// Bounds the scores of pairs of variables with any number of levels and classes: the counts go through shared
// memory, from where one or several lanes score a pair.

#define THREADS 256
// Blocks per multiprocessor, for the use of registers: Hopper's shared memory has room for two.
#if __CUDA_ARCH__ == 900
#define BLOCKS 2
#else
#define BLOCKS 1
#endif

// The layout of a tile's counts: rows are padded so that the pieces of a warp have no bank conflicts.
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

// One variable of a pair.
struct Part {
    const float* facts;         // n / (rows of each level), then rows of each level by class
    unsigned planes;
    unsigned from, step;        // its rows of bits in the tile
    unsigned first, count;      // the range of classes that are counted

    __device__ __forceinline__ Part(const float* facts, const ColumnGroup& group, unsigned variable,
                                    unsigned first, unsigned count)
        : facts(facts), planes(group.planes), from(row_of(variable, 0, group.planes)),
          step(group.planes == 2 ? 8 : 1), first(first), count(count)
    {
    }

    // Number of rows of a level in those classes.
    __device__ __forceinline__ float margin(unsigned level) const
    {
        const float* at = facts + (first + 1) * (planes + 1) + level;
        float sum = *at;
        for (unsigned k = 1; k < count; k++) {
            at += planes + 1;
            sum += *at;
        }
        return sum;
    }

    // Number of rows of a level in the first of them.
    __device__ __forceinline__ float one(unsigned level) const
    {
        return facts[(first + 1) * (planes + 1) + level];
    }
};

// Counts of a cell: in all classes counted, and in the first of two.
template <bool TWO>
struct Cell {
    float all, one;

    __device__ __forceinline__ Cell(float all, float one) : all(all), one(one) {}

    __device__ __forceinline__ Cell(const Part& part, unsigned level)
        : all(part.margin(level)), one(TWO ? part.one(level) : 0.0f)
    {
    }

    __device__ __forceinline__ void without(const Cell& other)
    {
        all -= other.all;
        if (TWO) {
            one -= other.one;
        }
    }
};

// Σ c·log2(c / e) over all classes counted together, and over each of two.
template <bool TWO>
struct Sum {
    float all = 0.0f, each = 0.0f;

    __device__ __forceinline__ void add(const Cell<TWO>& cell, float inverse)
    {
        all = add_cell(all, cell.all, inverse);
        if (TWO) {
            each = add_cell(each, cell.one, inverse);
            each = add_cell(each, cell.all - cell.one, inverse);
        }
    }

    __device__ __forceinline__ void add(const Sum& other)
    {
        all += other.all;
        each += other.each;
    }
};

// The lanes that share a pair.
struct Lanes {
    unsigned count, own, mask;
};

// The counts of a pair.
template <bool LARGE>
struct Pair {
    using Count = typename Table<LARGE>::Count;
    const Count *all, *one;     // in all classes counted, in the first of two
    const Part &a, &b;
    float per_row;
};

// The sums of a pair. Each lane takes every `count`-th row and column; the first of the lanes gets the
// result.
template <bool LARGE, bool TWO>
__device__ __forceinline__ Sum<TWO> pair_sums(const Pair<LARGE>& pair, const Lanes& lanes)
{
    constexpr unsigned ROW = Table<LARGE>::ROW;
    const Part &a = pair.a, &b = pair.b;
    const unsigned from = a.from * ROW + b.from;
    const auto cell_at = [&](unsigned at) {
        return Cell<TWO>(small(pair.all[at]), TWO ? small(pair.one[at]) : 0.0f);
    };
    Sum<TWO> sum;
    for (unsigned i = lanes.own; i < a.planes; i += lanes.count) {
        const float inverse = a.facts[i] * pair.per_row;
        unsigned at = from + i * a.step * ROW;
        Cell<TWO> left(a, i);
        Sum<TWO> row;
#pragma unroll 3
        for (unsigned j = 0; j < b.planes; j++) {
            const Cell<TWO> cell = cell_at(at);
            left.without(cell);
            row.add(cell, inverse * b.facts[j]);
            at += b.step;
        }
        row.add(left, inverse * b.facts[b.planes]);
        sum.add(row);
    }
    const float inverse = a.facts[a.planes] * pair.per_row;
    Cell<TWO> last(0.0f, 0.0f);
    Sum<TWO> row;
    for (unsigned j = lanes.own; j < b.planes; j += lanes.count) {
        unsigned at = from + j * b.step, all = 0, one = 0;
#pragma unroll 3
        for (unsigned i = 0; i < a.planes; i++) {
            all += pair.all[at];
            one += TWO ? pair.one[at] : 0;
            at += a.step * ROW;
        }
        Cell<TWO> left(b, j);
        left.without({small(all), small(one)});
        // Negative: the corner is the last row's margin less the rest of the row.
        last.without(left);
        row.add(left, inverse * b.facts[j]);
    }
    sum.add(row);
    for (unsigned half = lanes.count / 2; half > 0; half /= 2) {
        sum.all += __shfl_down_sync(lanes.mask, sum.all, half);
        sum.each += __shfl_down_sync(lanes.mask, sum.each, half);
        last.all += __shfl_down_sync(lanes.mask, last.all, half);
        last.one += __shfl_down_sync(lanes.mask, last.one, half);
    }
    const Cell<TWO> corner(a, a.planes);
    sum.add(Cell<TWO>(corner.all + last.all, corner.one + last.one),
            inverse * b.facts[b.planes]);
    return sum;
}

// Writes a warp's counts to `to`; with LESS the differences from `before`, which is then replaced.
template <bool LARGE, bool LESS>
__device__ __forceinline__ void lay(const Counts<THREADS>& counts,
                                    typename Table<LARGE>::Count* to,
                                    typename Table<LARGE>::Count* before)
{
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int piece = 0; piece < 16; piece++) {
        const int i = piece / counts.COLUMNS, j = piece % counts.COLUMNS;
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const unsigned place = (counts.row(i) + g + e / 2 * 8) * Table<LARGE>::ROW
                + counts.column(j) + 2 * t + e % 2;
            const unsigned all = counts.of[i][j][e];
            to[place] = LESS ? all - before[place] : all;
            if (LESS) {
                before[place] = all;
            }
        }
    }
}

// One block per tile. Shared memory: the stages, then the counts; other counts; for each pair the sum over
// classes; the facts of both sides; barriers. With two classes the counts of the first are kept until those
// of both are complete; with more, one class is summed at a time.
template <bool LARGE>
__device__ __forceinline__ void levels(const PairArgs& given)
{
    using Count = typename Table<LARGE>::Count;
    constexpr unsigned COUNTS = SIDE * Table<LARGE>::ROW * sizeof(Count);
    constexpr unsigned STAGED = STAGES * STAGE;
    extern __shared__ __align__(1024) unsigned char shared[];
    Count* const now = (Count*)shared;
    Count* const before = (Count*)(shared + (COUNTS > STAGED ? COUNTS : STAGED));
    float* const sums = (float*)((unsigned char*)before + COUNTS);
    unsigned tile_a, tile_b;
    const bool is_tile = tile_of(given, tile_a, tile_b);
    if (!is_tile && !is_any_tile(given, tile_a, tile_b)) {
        return;
    }
    const ColumnGroup &a = given.a, &b = given.b;
    const unsigned pairs = a.each * b.each, classes = given.classes;
    const unsigned first_a = tile_a * a.each, first_b = tile_b * b.each;
    // Floats per variable: those of `Part`, then x and w of the score and of its denominator.
    const unsigned wide_a = (a.planes + 1) * (classes + 1) + 4;
    const unsigned wide_b = (b.planes + 1) * (classes + 1) + 4;
    float* const facts_a = sums + pairs;
    float* const facts_b = facts_a + a.each * wide_a;
    // Barriers are aligned to eight bytes.
    unsigned char* const behind = (unsigned char*)(facts_b + b.each * wide_b);
    Chunks<THREADS> chunks(side(a, given, tile_a), side(b, given, tile_b), shared,
                           behind + (unsigned)-(shared_address(behind)) % 8);
    const bool at_once = classes <= 2;
    const auto begin_of = [&](unsigned k) { return at_once ? 0 : given.edges[k]; };
    const auto end_of = [&](unsigned k) { return at_once ? given.chunks : given.edges[k + 1]; };
    const unsigned passes = at_once ? 1 : classes;
    if (chunks.is_bringer()) {
        for (unsigned k = 0; k < passes; k++) {
            chunks.bring_all(begin_of(k), end_of(k));
        }
        chunks.leave();
        return;
    }
    for (unsigned at = threadIdx.x; at < a.each * wide_a; at += THREADS) {
        const unsigned in = min(first_a + at / wide_a, a.count - 1);
        facts_a[at] = a.facts[(i64)in * wide_a + at % wide_a];
    }
    for (unsigned at = threadIdx.x; at < b.each * wide_b; at += THREADS) {
        const unsigned in = min(first_b + at / wide_b, b.count - 1);
        facts_b[at] = b.facts[(i64)in * wide_b + at % wide_b];
    }
    for (unsigned at = threadIdx.x; at < pairs; at += THREADS) {
        sums[at] = 0.0f;
    }
    // As many lanes share a pair as the number of threads allows.
    unsigned lanes = 1;
    while (lanes < 32 && 2 * lanes * pairs <= THREADS) {
        lanes *= 2;
    }
    const Lanes own = {lanes, threadIdx.x % lanes,
                       lanes == 32 ? 0xffffffffu
                                   : ((1u << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes)};
    Counts<THREADS> counts;
    counts.clear();
    for (unsigned k = 0; k < passes; k++) {
        const unsigned begin = begin_of(k), end = end_of(k);
        const unsigned edge = classes == 2 ? given.edges[1] : end;
        chunks.begin(begin, end);
        for (unsigned chunk = begin; chunk < end; chunk++) {
            if (chunk == edge) {
                counts.settle(chunks);
                lay<LARGE, false>(counts, before, nullptr);
            }
            counts.add(chunks);
        }
        counts.settle(chunks);
        chunks.sync();
        if (at_once) {
            // The second class may have no rows.
            if (edge == end && classes == 2) {
                lay<LARGE, false>(counts, before, nullptr);
            }
            lay<LARGE, false>(counts, now, nullptr);
            break;
        }
        if (k == 0) {
            lay<LARGE, false>(counts, now, nullptr);
            lay<LARGE, false>(counts, before, nullptr);
        } else {
            lay<LARGE, true>(counts, now, before);
        }
        chunks.sync();
        for (unsigned pair = threadIdx.x / lanes; pair < pairs && is_tile;
             pair += THREADS / lanes) {
            const unsigned in_a = pair / b.each, in_b = pair % b.each;
            const Part of_x(facts_a + in_a * wide_a, a, in_a, k, 1);
            const Part of_w(facts_b + in_b * wide_b, b, in_b, k, 1);
            const Pair<LARGE> counted = {now, nullptr, of_x, of_w, given.per_row};
            const float sum = pair_sums<LARGE, false>(counted, own).all;
            if (own.own == 0) {
                sums[pair] += sum;
            }
        }
    }
    chunks.sync();
    const float floor = *(const volatile float*)given.floor;
    for (unsigned pair = threadIdx.x / lanes; pair < pairs && is_tile;
         pair += THREADS / lanes) {
        const unsigned in_a = pair / b.each, in_b = pair % b.each;
        const Part of_x(facts_a + in_a * wide_a, a, in_a, 0, classes);
        const Part of_w(facts_b + in_b * wide_b, b, in_b, 0, classes);
        const float* const behind_a = facts_a + (in_a + 1) * wide_a - 4;
        const float* const behind_b = facts_b + (in_b + 1) * wide_b - 4;
        const Pair<LARGE> counted = {at_once ? now : before, before, of_x, of_w, given.per_row};
        float all, each = sums[pair];
        if (classes == 2) {
            const Sum<true> sum = pair_sums<LARGE, true>(counted, own);
            all = sum.all;
            each = sum.each;
        } else {
            all = pair_sums<LARGE, false>(counted, own).all;
        }
        const unsigned at_a = first_a + in_a, at_b = first_b + in_b;
        if (own.own == 0 && at_a < a.count && at_b < b.count && (!given.same || at_a < at_b)) {
            tell(given, floor, at_a, at_b, behind_a, behind_b, all, each);
        }
    }
}

extern "C" __global__ void FOUR __launch_bounds__(THREADS + BRINGERS, BLOCKS)
    pair_levels_16(const __grid_constant__ PairArgs given)
{
    HERE(levels<false>(given));
}

extern "C" __global__ void FOUR __launch_bounds__(THREADS + BRINGERS, BLOCKS)
    pair_levels_32(const __grid_constant__ PairArgs given)
{
    HERE(levels<true>(given));
}
