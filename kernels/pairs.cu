// Bounds the scores of pairs of variables of two or three levels, with one or two classes: one thread has the
// whole table of a pair.

#define THREADS 256
// Blocks per multiprocessor, for the use of registers: Hopper's shared memory has room for two.
#if __CUDA_ARCH__ == 900
#define BLOCKS 2
#else
#define BLOCKS 1
#endif
// Floats per variable: n / (rows of each level), 0 if the level does not occur; rows of each level by class;
// x and w of the score, x and w of its denominator.
#define WIDE(Q, C) ((Q + 1) * (C + 1) + 4)

// Completes a table from the cells of all levels but the last and from the margins.
template <int Q>
__device__ __forceinline__ void complete(float (&cell)[Q + 1][Q + 1], const float (&counts)[Q][Q],
                                         const float (&of_a)[Q + 1], const float (&of_b)[Q + 1])
{
#pragma unroll
    for (int i = 0; i < Q; i++) {
        float left = of_a[i];
#pragma unroll
        for (int j = 0; j < Q; j++) {
            cell[i][j] = counts[i][j];
            left -= cell[i][j];
        }
        cell[i][Q] = left;
    }
    float last = of_a[Q];
#pragma unroll
    for (int j = 0; j < Q; j++) {
        float left = of_b[j];
#pragma unroll
        for (int i = 0; i < Q; i++) {
            left -= cell[i][j];
        }
        cell[Q][j] = left;
        last -= left;
    }
    cell[Q][Q] = last;
}

// The facts of a variable from which tables are completed.
template <int Q, int C>
struct Facts {
    float inverse[Q + 1];
    float margin[C][Q + 1];

    __device__ __forceinline__ Facts(const float* from, float by)
    {
#pragma unroll
        for (int l = 0; l <= Q; l++) {
            inverse[l] = from[l] * by;
#pragma unroll
            for (int k = 0; k < C; k++) {
                margin[k][l] = from[(k + 1) * (Q + 1) + l];
            }
        }
    }
};

// Σ c·log2(c / e) over (x, w, y) and over (x, w), from the counts of all levels but the last.
template <int Q, int C>
__device__ __forceinline__ float2 sums(const float (&counts)[C][Q][Q], const Facts<Q, C>& a,
                                       const Facts<Q, C>& b)
{
    constexpr int L = Q + 1;
    float inverse[L][L], both[L][L], by_class = 0.0f, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < L; i++) {
#pragma unroll
        for (int j = 0; j < L; j++) {
            inverse[i][j] = a.inverse[i] * b.inverse[j];
        }
    }
#pragma unroll
    for (int k = 0; k < C; k++) {
        float cell[L][L];
        complete<Q>(cell, counts[k], a.margin[k], b.margin[k]);
#pragma unroll
        for (int i = 0; i < L; i++) {
#pragma unroll
            for (int j = 0; j < L; j++) {
                both[i][j] = k == 0 ? cell[i][j] : both[i][j] + cell[i][j];
                if (C > 1) {
                    by_class = add_cell(by_class, cell[i][j], inverse[i][j]);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < L; i++) {
#pragma unroll
        for (int j = 0; j < L; j++) {
            sum = add_cell(sum, both[i][j], inverse[i][j]);
        }
    }
    return {by_class, sum};
}

// The facts of a variable for the quick bound.
template <int Q, int C>
struct Glance {
    float inverse[Q + 1];       // for one class
    float one[Q + 1];           // for two classes: rows of the first, and of both
    float all[Q + 1];
    float own;

    __device__ __forceinline__ Glance() {}

    __device__ __forceinline__ Glance(const float* from, float by, int which)
    {
#pragma unroll
        for (int l = 0; l <= Q; l++) {
            inverse[l] = from[l] * by;
            one[l] = from[Q + 1 + l];
            all[l] = C > 1 ? one[l] + from[C * (Q + 1) + l] : one[l];
        }
        own = from[(C + 1) * (Q + 1) + which];
    }
};

// An upper bound of a pair's score without logarithms, by log(t) ≤ t − 1, from the counts of the first class
// and of both.
template <int Q, int C>
__device__ __forceinline__ float at_most(const QuickBound& by, const float (&of_one)[Q][Q],
                                         const float (&of_all)[Q][Q], const Glance<Q, C>& a,
                                         const Glance<Q, C>& b)
{
    constexpr int L = Q + 1;
    float one[L][L], all[L][L], sum = 0.0f;
    complete<Q>(one, of_one, a.one, b.one);
    complete<Q>(all, of_all, a.all, b.all);
#pragma unroll
    for (int i = 0; i < L; i++) {
#pragma unroll
        for (int j = 0; j < L; j++) {
            sum = C > 1 ? by.add(sum, one[i][j], all[i][j])
                        : __fmaf_rn(all[i][j] * all[i][j], a.inverse[i] * b.inverse[j], sum);
        }
    }
    return by.score(sum, a.own + b.own);
}

// Writes the counts of a thread to shared memory, two of 16 bits per word.
__device__ __forceinline__ void lay(const Counts<THREADS>& counts, unsigned* to)
{
    constexpr int COLUMNS = Counts<THREADS>::COLUMNS;
#pragma unroll
    for (int at = 0; at < 2 * counts.ROWS * COLUMNS; at++) {
        const int (&four)[4] = counts.of[at / 2 / COLUMNS][at / 2 % COLUMNS];
        to[at * THREADS + threadIdx.x] =
            __byte_perm(four[at % 2 * 2], four[at % 2 * 2 + 1], 0x5410);
    }
}

// One of the four counts of a piece that a thread has written.
__device__ __forceinline__ float laid(const unsigned* from, unsigned thread, unsigned piece,
                                      unsigned e)
{
    // Makes 2²³ + count, whose mantissa is the count.
    const unsigned word = from[(2 * piece + e / 2) * THREADS + thread];
    const unsigned bits = __byte_perm(word, 0x4b000000u, e % 2 ? 0x7632 : 0x7610);
    return __uint_as_float(bits) - 8388608.0f;
}

// One block per tile. Shared memory: the stages, or the counts of both classes together, whichever is larger;
// the counts of the first class; the facts of both sides; barriers; the queue of each warp.
//
// Rows of a tile: for variables of two rows, the first rows of eight variables are followed by the second
// rows of the same eight, so that a thread has whole tables.
template <int Q, int C>
__device__ __forceinline__ void pairs(const PairArgs& given)
{
    constexpr int COUNTS = SIDE * SIDE * 2, WIDTH = WIDE(Q, C), EACH = SIDE / Q;
    constexpr int STAGED = STAGES * STAGE > COUNTS ? STAGES * STAGE : COUNTS;
    extern __shared__ __align__(1024) unsigned char shared[];
    unsigned* const all = (unsigned*)shared;
    unsigned* const one = (unsigned*)(C > 1 ? shared + STAGED : shared);
    float* const facts = (float*)(shared + STAGED + (C - 1) * COUNTS);
    const float* const facts_b = facts + EACH * WIDTH;
    float* const barriers = facts + 2 * EACH * WIDTH;
    unsigned tile_a, tile_b;
    const bool is_tile = tile_of(given, tile_a, tile_b);
    if (!is_tile && !is_any_tile(given, tile_a, tile_b)) {
        return;
    }
    const unsigned first_a = tile_a * EACH, first_b = tile_b * EACH;
    const unsigned edge = C > 1 ? given.edges[1] : 0, end = given.chunks;
    Chunks<THREADS> chunks(side(given.a, given, tile_a), side(given.b, given, tile_b), shared,
                           barriers);
    if (chunks.is_bringer()) {
        chunks.bring_all(0, end);
        chunks.leave();
        return;
    }
    chunks.begin(0, end);
    for (unsigned at = threadIdx.x; at < EACH * WIDTH; at += THREADS) {
        const unsigned own = at / WIDTH, of = at % WIDTH;
        const unsigned in_a = min(first_a + own, given.a.count - 1);
        const unsigned in_b = min(first_b + own, given.b.count - 1);
        facts[at] = given.a.facts[(i64)in_a * WIDTH + of];
        facts[EACH * WIDTH + at] = given.b.facts[(i64)in_b * WIDTH + of];
    }
    using Own = Counts<THREADS>;
    constexpr int ROWS = Own::ROWS, COLUMNS = Own::COLUMNS;
    Own counts;
    counts.clear();
    for (unsigned chunk = 0; chunk < end; chunk++) {
        if (C > 1 && chunk == edge) {
            counts.settle(chunks);
            lay(counts, one);
        }
        counts.add(chunks);
    }
    counts.settle(chunks);
    // The second class may have no rows.
    if (C > 1 && edge == end) {
        lay(counts, one);
    }
    chunks.sync();
    lay(counts, all);
    if (!is_tile) {
        return;
    }
    const float floor = *(const volatile float*)given.floor;
    const unsigned lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    // With one row per variable, a thread's part of a piece has two variables of either side; with two
    // rows, two adjacent pieces have one of a and two of b. In each step every pair has a bit.
    constexpr int DOWN = Q == 1 ? 2 : 1, BESIDE = 2, BITS_OF = ROWS * DOWN * BESIDE * 2;
    Glance<Q, C> own[ROWS][DOWN];
    float floors[ROWS][DOWN];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int d = 0; d < DOWN; d++) {
            const unsigned in_a = Own::row(i) / Q + 8 * d + g;
            own[i][d] = {facts + in_a * WIDTH, given.per_row, 0};
            floors[i][d] = floor_of(given, given.a, first_a + in_a, floor);
        }
    }
    // Few pairs pass the quick bound: they are queued until each lane has one to score.
    unsigned short* const queue =
        (unsigned short*)((unsigned char*)barriers + BARRIERS)
        + threadIdx.x / 32 * 32 * (BITS_OF + 1);
    unsigned queued = 0;
#pragma unroll 1
    for (unsigned step = 0; step < COLUMNS / (BESIDE * Q); step++) {
        const unsigned j = step * BESIDE * Q;
        unsigned again = 0, bit = 1;
#pragma unroll
        for (int h = 0; h < BESIDE; h++) {
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const unsigned in_b = Own::column(j + h * Q) / Q + 2 * t + e;
                const Glance<Q, C> other(facts_b + in_b * WIDTH, 1.0f, 1);
                const float least = floor_of(given, given.b, first_b + in_b, floor);
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
#pragma unroll
                    for (int d = 0; d < DOWN; d++) {
                        float of_one[Q][Q], of_all[Q][Q];
#pragma unroll
                        for (int p = 0; p < Q; p++) {
#pragma unroll
                            for (int q = 0; q < Q; q++) {
                                const unsigned piece = COLUMNS * i + j + h * Q + q;
                                const unsigned of = 2 * (Q == 1 ? d : p) + e;
                                of_all[p][q] = laid(all, threadIdx.x, piece, of);
                                of_one[p][q] =
                                    C > 1 ? laid(one, threadIdx.x, piece, of) : of_all[p][q];
                            }
                        }
                        const float most =
                            at_most<Q, C>(given.quick, of_one, of_all, own[i][d], other);
                        again |= !(most < fminf(floors[i][d], least)) ? bit : 0u;
                        bit *= 2;
                    }
                }
            }
        }
        while (true) {
            const unsigned who = __ballot_sync(0xffffffffu, again != 0);
            if (who == 0) {
                break;
            }
            if (again != 0) {
                queue[queued + __popc(who & ((1u << lane) - 1))] =
                    step << 10 | (__ffs(again) - 1) << 5 | lane;
                again &= again - 1;
            }
            queued += __popc(who);
        }
        const unsigned least = step + 1 < COLUMNS / (BESIDE * Q) ? 32 : 1;
        while (queued >= least) {
            const unsigned count = min(queued, 32u);
            queued -= count;
            __syncwarp();
            if (lane < count) {
                const unsigned whose = queue[queued + lane], of_lane = whose % 32;
                const unsigned at = whose / 32 % 32, d = at % DOWN, i = at / DOWN % ROWS;
                const unsigned e = at / DOWN / ROWS % 2;
                const unsigned from = (whose / 1024 * BESIDE + at / DOWN / ROWS / 2) * Q;
                const unsigned in_a = Own::row(i) / Q + 8 * d + of_lane / 4;
                const unsigned in_b = Own::column(from) / Q + 2 * (of_lane % 4) + e;
                const unsigned at_a = first_a + in_a, at_b = first_b + in_b;
                const unsigned thread = threadIdx.x - lane + of_lane;
                float table[C][Q][Q];
#pragma unroll
                for (int p = 0; p < Q; p++) {
#pragma unroll
                    for (int q = 0; q < Q; q++) {
                        const unsigned piece = COLUMNS * i + from + q;
                        const unsigned of = 2 * (Q == 1 ? d : p) + e;
                        table[0][p][q] = laid(one, thread, piece, of);
                        if (C > 1) {
                            table[C - 1][p][q] = laid(all, thread, piece, of) - table[0][p][q];
                        }
                    }
                }
                if (at_a < given.a.count && at_b < given.b.count
                    && (!given.same || at_a < at_b)) {
                    const float* const of_a = facts + in_a * WIDTH;
                    const float* const of_b = facts_b + in_b * WIDTH;
                    const float2 found = sums<Q, C>(table, Facts<Q, C>(of_a, given.per_row),
                                                    Facts<Q, C>(of_b, 1.0f));
                    tell(given, floor, at_a, at_b, of_a + WIDTH - 4, of_b + WIDTH - 4, found.y,
                         found.x);
                }
            }
            __syncwarp();
        }
    }
}

#define PAIRS(LEVELS, CLASSES)                                                             \
    extern "C" __global__ void FOUR __launch_bounds__(THREADS + BRINGERS, BLOCKS)          \
        pairs_##LEVELS##_##CLASSES(const __grid_constant__ PairArgs given)                    \
    {                                                                                      \
        HERE((pairs<LEVELS - 1, CLASSES>(given)));                                         \
    }

PAIRS(2, 1)
PAIRS(2, 2)
PAIRS(3, 1)
PAIRS(3, 2)
