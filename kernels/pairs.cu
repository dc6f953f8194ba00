// Pairs of variables of two or of three levels, of one or of two classes: of each pair a thread
// has the whole table.

#define THREADS 128
// Blocks of a multiprocessor, as far as registers go: shared memory has room for three of Hopper's.
#if __CUDA_ARCH__ == 900
#define BLOCKS 3
#else
#define BLOCKS 1
#endif
// Floats of a variable: rows / rows of each level, 0 where that does not occur; rows of each level
// of each class; x and w of the score, x and w of its denominator.
#define WIDE(Q, C) ((Q + 1) * (C + 1) + 4)

// What tables are made of.
template <int Q, int C>
struct Facts {
    float inverse[Q + 1];
    float margin[C][Q + 1];
    float own;

    __device__ __forceinline__ void read(const float* from, float by, int which)
    {
#pragma unroll
        for (int l = 0; l <= Q; l++) {
            inverse[l] = from[l] * by;
#pragma unroll
            for (int k = 0; k < C; k++) {
                margin[k][l] = from[(k + 1) * (Q + 1) + l];
            }
        }
        own = from[(C + 1) * (Q + 1) + which];
    }
};

// Σ c·log2(c / e) of (x, w, y) and of (x, w), from the counts of the levels but the last.
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
#pragma unroll
        for (int i = 0; i < Q; i++) {
            float left = a.margin[k][i];
#pragma unroll
            for (int j = 0; j < Q; j++) {
                cell[i][j] = counts[k][i][j];
                left -= cell[i][j];
            }
            cell[i][Q] = left;
        }
        float last = a.margin[k][Q];
#pragma unroll
        for (int j = 0; j < Q; j++) {
            float left = b.margin[k][j];
#pragma unroll
            for (int i = 0; i < Q; i++) {
                left -= cell[i][j];
            }
            cell[Q][j] = left;
            last -= left;
        }
        cell[Q][Q] = last;
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

// Four counts of a thread, of a class: of 16 bits two in a word.
template <bool LARGE>
__device__ __forceinline__ void keep(unsigned* kept, unsigned piece, const int (&counts)[4])
{
    unsigned* to = kept + piece * (LARGE ? 4 : 2) * THREADS + threadIdx.x;
    if (LARGE) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            to[e * THREADS] = counts[e];
        }
    } else {
        to[0] = counts[0] | counts[1] << 16;
        to[THREADS] = counts[2] | counts[3] << 16;
    }
}

template <bool LARGE>
__device__ __forceinline__ void kept(const unsigned* kept, unsigned piece, float (&counts)[4])
{
    const unsigned* from = kept + piece * (LARGE ? 4 : 2) * THREADS + threadIdx.x;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        if (LARGE) {
            counts[e] = small(from[e * THREADS]);
        } else {
            // The mantissa of 2²³ + count.
            const unsigned bits = __byte_perm(from[e / 2 * THREADS], 0x4b000000u,
                                              e % 2 ? 0x7632 : 0x7610);
            counts[e] = __uint_as_float(bits) - 8388608.0f;
        }
    }
}

// A block has a tile. Shared: the stages, or the counts of the last class, if that is more; the
// counts of the class before; the facts of both sides; barriers.
//
// Rows of a tile: of variables of two rows eight have their first, then the same eight their
// second, so that a thread has whole tables.
template <int Q, int C, bool LARGE>
__device__ __forceinline__ void pairs(const Tiles& given)
{
    constexpr int COUNTS = SIDE * SIDE * (LARGE ? 4 : 2), WIDTH = WIDE(Q, C), EACH = SIDE / Q;
    constexpr int STAGED = STAGES * STAGE > COUNTS ? STAGES * STAGE : COUNTS;
    extern __shared__ __align__(1024) unsigned char shared[];
    unsigned* const last = (unsigned*)shared;
    unsigned* const before = (unsigned*)(shared + STAGED);
    float* const facts = (float*)(shared + STAGED + (C > 1 ? COUNTS : 0));
    unsigned tile_a, tile_b;
    const bool is_tile = tile_of(given, tile_a, tile_b);
    if (!is_tile && !is_any_tile(given, tile_a, tile_b)) {
        return;
    }
    const unsigned first_a = tile_a * EACH, first_b = tile_b * EACH;
    const unsigned lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const unsigned edge = C > 1 ? given.edges[1] : 0, end = given.chunks;
    Chunks<THREADS> chunks(side(given.a, given, tile_a), side(given.b, given, tile_b), shared,
                           facts + 2 * EACH * WIDTH);
    chunks.begin(0, end);
    for (unsigned at = threadIdx.x; at < EACH * WIDTH; at += THREADS) {
        const unsigned own = at / WIDTH, of = at % WIDTH;
        const unsigned in_a = min(first_a + own, given.a.count - 1);
        const unsigned in_b = min(first_b + own, given.b.count - 1);
        facts[at] = given.a.facts[(i64)in_a * WIDTH + of];
        facts[EACH * WIDTH + at] = given.b.facts[(i64)in_b * WIDTH + of];
    }
    using Own = Counts<THREADS>;
    constexpr int ROWS = Own::ROWS, COLUMNS = Own::COLUMNS, ALL = ROWS * COLUMNS;
    Own counts;
    counts.clear();
    for (unsigned chunk = 0; chunk < end; chunk++) {
        if (C > 1 && chunk == edge) {
#pragma unroll
            for (int piece = 0; piece < ALL; piece++) {
                keep<LARGE>(before, piece, counts.of[piece / COLUMNS][piece % COLUMNS]);
            }
            counts.clear();
        }
        counts.add(chunks);
    }
    chunks.over();
    chunks.last();
#pragma unroll
    for (int piece = 0; piece < ALL; piece++) {
        keep<LARGE>(last, piece, counts.of[piece / COLUMNS][piece % COLUMNS]);
    }
    const float floor = *(const volatile float*)given.floor;
    const bool plain = !given.is_ratio && !given.sided;
    const float* const facts_b = facts + EACH * WIDTH;
    // Of one row a variable a piece has two of either side here; of two rows two pieces side by
    // side have one of a and two of b.
    constexpr int DOWN = Q == 1 ? 2 : 1;
    constexpr bool HELD = Q == 1;
    Facts<Q, C> own[HELD ? ROWS : 1][DOWN];
    const auto read_own = [&](int i) {
#pragma unroll
        for (int d = 0; d < DOWN; d++) {
            Facts<Q, C>& to = own[HELD ? i : 0][d];
            to.read(facts + (Own::row(i) / Q + 8 * d + g) * WIDTH, given.per_row, 0);
            to.own += given.over.own;
        }
    };
    if (HELD) {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            read_own(i);
        }
    }
#pragma unroll 1
    for (unsigned j = 0; j < COLUMNS && is_tile; j += Q) {
        const unsigned in_b = Own::column(j) / Q + 2 * t;
        Facts<Q, C> other[2];
        other[0].read(facts_b + in_b * WIDTH, 1.0f, 1);
        other[1].read(facts_b + (in_b + 1) * WIDTH, 1.0f, 1);
#pragma unroll HELD ? ROWS : 1
        for (int i = 0; i < ROWS; i++) {
            float of[C][Q][4];
            if (!HELD) {
                read_own(i);
            }
#pragma unroll
            for (int q = 0; q < Q; q++) {
                if (C > 1) {
                    kept<LARGE>(before, COLUMNS * i + j + q, of[0][q]);
                }
                kept<LARGE>(last, COLUMNS * i + j + q, of[C - 1][q]);
            }
#pragma unroll
            for (int d = 0; d < DOWN; d++) {
#pragma unroll
                for (int e = 0; e < 2; e++) {
                    float table[C][Q][Q];
#pragma unroll
                    for (int k = 0; k < C; k++) {
#pragma unroll
                        for (int p = 0; p < Q; p++) {
#pragma unroll
                            for (int q = 0; q < Q; q++) {
                                table[k][p][q] = of[k][q][2 * (Q == 1 ? d : p) + e];
                            }
                        }
                    }
                    const Facts<Q, C>& here = own[HELD ? i : 0][d];
                    const float2 found = sums<Q, C>(table, here, other[e]);
                    const float score = __fmaf_rn(
                        given.over.xwy, found.x,
                        __fmaf_rn(given.over.xw, found.y, here.own + other[e].own));
                    if (plain && !(score + given.over.off >= floor)) {
                        continue;
                    }
                    const unsigned of_a = Own::row(i) / Q + 8 * d + g, of_b = in_b + e;
                    const unsigned at_a = first_a + of_a, at_b = first_b + of_b;
                    if (at_a < given.a.count && at_b < given.b.count
                        && (!given.same || at_a < at_b)) {
                        tell(given, floor, at_a, at_b, facts + of_a * WIDTH + WIDTH - 4,
                             facts_b + of_b * WIDTH + WIDTH - 4, found.y, found.x);
                    }
                }
            }
        }
    }
    chunks.leave();
}

#define PAIRS(LEVELS, CLASSES)                                                             \
    extern "C" __global__ void FOUR __launch_bounds__(THREADS, BLOCKS)                     \
        pairs_##LEVELS##_##CLASSES(const __grid_constant__ Tiles given)                    \
    {                                                                                      \
        pairs<LEVELS - 1, CLASSES, false>(given);                                          \
    }

PAIRS(2, 1)
PAIRS(2, 2)
PAIRS(3, 1)
PAIRS(3, 2)
