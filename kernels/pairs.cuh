// Tiles of pairs, 128 rows of bits of some variables by 128 rows of others: from counts to bounds of scores
// and the pairs that are kept. Shared by the kernels of all pairs; included after bits.cuh.

#define TINY 1e-30f

__device__ __forceinline__ float inverse(float value)
{
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(value));
    return inverse;
}

// Consecutive variables with the same number of rows of bits.
struct ColumnGroup {
    const unsigned char* rows;  // bits of the first tile
    const float* facts;         // of each variable; the kernel defines them
    const unsigned* numbers;    // the number of each among all columns
    unsigned count;             // variables
    unsigned first;             // the place of the first
    unsigned planes;            // rows of bits of each
    unsigned each;              // variables of a tile
};

// A value of a pair, in bits times n: own + x(later) + w(earlier) + xw·T(xw) + xwy·T(xwy).
struct PairValue {
    float own, xw, xwy;
    float off;                  // bound of the error of the value
};

// An upper bound of a score by sums without logarithms: own + x + w + scale · sum. With an infinite scale it
// bounds nothing.
struct QuickBound {
    float own, scale;
    float share;                // for two classes: the share of the rows in the first
    float filler;

    // Σ (c − share·m)² / m, over cells of m rows, c of them in the first class.
    __device__ __forceinline__ float add(float sum, float one, float all) const
    {
        const float off = __fmaf_rn(-share, all, one);
        // A cell without rows adds nothing.
        return __fmaf_rn(off * off, inverse(all + TINY), sum);
    }

    __device__ __forceinline__ float score(float sum, float own_of_both) const
    {
        return __fmaf_rn(scale, sum, own + own_of_both);
    }
};

struct PairBounds {
    unsigned a, b;              // places
    float least, most;          // bounds of the score
};

struct PairArgs {
    ColumnGroup a, b;
    const unsigned* edges;      // the chunk where each class begins, and the end
    unsigned chunks;            // the end of the last class
    unsigned classes;           // number of classes in the tables
    float per_row;              // 1 / rows
    int is_ratio;
    PairValue over, under;
    QuickBound quick;
    int sided;                  // whether the score depends on which of the two is x
    int same;                   // whether both groups are the same
    const unsigned* supers;     // super-tiles of 16 × 16 tiles: index of a, index of b
    i64 first;                  // the tile of the first block, counted over the super-tiles
    const float* floor;         // pairs below it are wanted only because of `floors`
    unsigned* floors;           // of each place a lower bound of its best pair's score, ordered: a
                                // pair that reaches that of either is wanted; null if unused
    PairBounds* found;
    unsigned* found_count;             // number of pairs found; may exceed `room`
    unsigned room;
};

static_assert(sizeof(ColumnGroup) == 40 && sizeof(PairValue) == 16 && sizeof(QuickBound) == 16, "drift");
static_assert(sizeof(PairBounds) == 16, "drift");
static_assert(sizeof(PairArgs) == 216, "drift");

// The bits of one side of a tile: chunk by chunk, in the layout of a stage. For a tile beyond the last one,
// those of the last.
__device__ __forceinline__ const unsigned char* side(const ColumnGroup& group, const PairArgs& given,
                                                     unsigned tile)
{
    return group.rows + (i64)min(tile, (group.count - 1) / group.each) * given.chunks * PIECES;
}

__device__ __forceinline__ bool is_tile(const PairArgs& given, unsigned a, unsigned b)
{
    return a * given.a.each < given.a.count && b * given.b.each < given.b.count
        && (!given.same || a <= b);
}

// The tile of this block; false if there is none. Four blocks have two by two tiles.
__device__ __forceinline__ bool tile_of(const PairArgs& given, unsigned& a, unsigned& b)
{
    const i64 at = given.first + blockIdx.x;
    const unsigned* super = given.supers + 2 * (at / 256);
    const unsigned four = at % 256 / 4, own = at % 4;
    a = super[0] * 16 + four / 8 * 2 + own / 2;
    b = super[1] * 16 + four % 8 * 2 + own % 2;
    return is_tile(given, a, b);
}

// Whether this block has to work: if it has a tile or, in a cluster, if any of the four blocks has one.
__device__ __forceinline__ bool is_any_tile(const PairArgs& given, unsigned a, unsigned b)
{
#ifdef GROUPED
    return is_tile(given, a & ~1u, b & ~1u);
#else
    return is_tile(given, a, b);
#endif
}

__device__ __forceinline__ float log_2(float value)
{
    float log;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(log) : "f"(value));
    return log;
}

// Converts an integer below 2²³.
__device__ __forceinline__ float small(unsigned value)
{
    return __uint_as_float(0x4b000000u | value) - 8388608.0f;
}

// Adds count · log2(count / expected); `inverse` is 1 / expected.
__device__ __forceinline__ float add_cell(float sum, float count, float inverse)
{
    return __fmaf_rn(count, log_2(__fmaf_rn(count, inverse, TINY)), sum);
}

__device__ __forceinline__ float value_of(const PairValue& value, float x, float w, float xw, float xwy)
{
    return __fmaf_rn(value.xwy, xwy, __fmaf_rn(value.xw, xw, x + w + value.own));
}

// The floor for pairs of a variable.
__device__ __forceinline__ float floor_of(const PairArgs& given, const ColumnGroup& group, unsigned at,
                                          float floor)
{
    if (given.floors == nullptr) {
        return floor;
    }
    const volatile unsigned* own = given.floors + group.first + min(at, group.count - 1);
    return fminf(floor, number_32(*own));
}

// Keeps a pair if it may be wanted. `of_a` and `of_b` are x and w of the score and of its denominator, for
// each variable.
__device__ __forceinline__ void tell(const PairArgs& given, float floor, unsigned a, unsigned b,
                                     const float* of_a, const float* of_b, float xw, float xwy)
{
    // The later column is x.
    const bool before = !given.sided || given.a.numbers[a] < given.b.numbers[b];
    const float* x = before ? of_b : of_a;
    const float* w = before ? of_a : of_b;
    const float over = value_of(given.over, x[0], w[1], xw, xwy);
    float least = over - given.over.off, most = over + given.over.off;
    if (given.is_ratio) {
        const float under = value_of(given.under, x[2], w[3], xw, xwy);
        const float sure = fabsf(under) - given.under.off, ratio = over / under;
        const float off = (given.over.off + fabsf(ratio) * given.under.off) / sure * 1.001f
            + fabsf(ratio) * 1e-6f;
        const bool known = sure > 0.0f;
        least = known ? ratio - off : -__int_as_float(0x7f800000);
        most = known ? ratio + off : __int_as_float(0x7f800000);
    }
    floor = fminf(floor_of(given, given.a, a, floor), floor_of(given, given.b, b, floor));
    if (most >= floor) {
        if (given.floors != nullptr) {
            atomicMax(given.floors + given.a.first + a, ordered_32(least));
            atomicMax(given.floors + given.b.first + b, ordered_32(least));
        }
        const unsigned at = atomicAdd(given.found_count, 1u);
        if (at < given.room) {
            given.found[at] = {given.a.first + a, given.b.first + b, least, most};
        }
    }
}
