// Tiles of pairs: 128 rows of bits of some variables beside 128 of others; from counts to what is
// told. Stands before the kernels of all pairs, behind bits.cuh.

#define TINY 1e-30f

__device__ __forceinline__ float inverse(float value)
{
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(value));
    return inverse;
}

// Variables that have as many rows each, one behind the other.
struct ColumnGroup {
    const unsigned char* rows;  // of the first tile
    const float* facts;         // of each variable, as the kernel says
    const unsigned* numbers;    // of each among all columns
    unsigned count;             // variables
    unsigned first;             // the place of the first
    unsigned planes;            // rows of each
    unsigned each;              // variables of a tile
};

// A value of a pair, in bits times rows: own + x(later) + w(earlier) + xw·T(xw) + xwy·T(xwy).
struct PairValue {
    float own, xw, xwy;
    float off;                  // no value is farther from its own than this
};

// What a score is not above, of sums without logarithms: own + x + w + scale · sum. A scale that is
// infinite says nothing.
struct QuickBound {
    float own, scale;
    float share;                // of two classes: of the rows that are of the first
    float filler;

    // Σ (c − share·m)² / m, of cells of m rows, c of them of the first class.
    __device__ __forceinline__ float add(float sum, float one, float all) const
    {
        const float off = __fmaf_rn(-share, all, one);
        // What has no rows adds nothing.
        return __fmaf_rn(off * off, inverse(all + TINY), sum);
    }

    __device__ __forceinline__ float score(float sum, float own_of_both) const
    {
        return __fmaf_rn(scale, sum, own + own_of_both);
    }
};

struct PairBounds {
    unsigned a, b;              // places
    float least, most;          // the score is neither below nor above
};

struct PairArgs {
    ColumnGroup a, b;
    const unsigned* edges;      // the chunk where each class begins, and the end
    unsigned chunks;            // the end
    unsigned classes;           // that are told apart
    float per_row;              // 1 / rows
    int is_ratio;
    PairValue over, under;
    QuickBound quick;
    int sided;                  // whether it matters which of the two is x
    int same;                   // whether both groups are one
    const unsigned* supers;     // of 16 × 16 tiles each: that of a, that of b
    i64 first;                  // tile of theirs, of the first block
    const float* floor;         // what is below is wanted by `floors` alone
    unsigned* floors;           // of each place what its best pair is not below, ordered: what
                                // reaches that of one of both is wanted; null where not wanted
    PairBounds* found;
    unsigned* found_count;             // how many are found, more than there is room for maybe
    unsigned room;
};

static_assert(sizeof(ColumnGroup) == 40 && sizeof(PairValue) == 16 && sizeof(QuickBound) == 16, "drift");
static_assert(sizeof(PairBounds) == 16, "drift");
static_assert(sizeof(PairArgs) == 216, "drift");

// The bits of a tile's side: chunk by chunk, as a stage has them. Of a tile that is not there the
// last one's.
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

// The tile of this block; false where there is none. Four blocks have two by two.
__device__ __forceinline__ bool tile_of(const PairArgs& given, unsigned& a, unsigned& b)
{
    const i64 at = given.first + blockIdx.x;
    const unsigned* super = given.supers + 2 * (at / 256);
    const unsigned four = at % 256 / 4, own = at % 4;
    a = super[0] * 16 + four / 8 * 2 + own / 2;
    b = super[1] * 16 + four % 8 * 2 + own % 2;
    return is_tile(given, a, b);
}

// Whether one of those four has a tile, for which the others have to work too where they work
// together.
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

// An integer below 2²³.
__device__ __forceinline__ float small(unsigned value)
{
    return __uint_as_float(0x4b000000u | value) - 8388608.0f;
}

// count · log2(count / expected), with the inverse of what is expected.
__device__ __forceinline__ float add_cell(float sum, float count, float inverse)
{
    return __fmaf_rn(count, log_2(__fmaf_rn(count, inverse, TINY)), sum);
}

__device__ __forceinline__ float value_of(const PairValue& value, float x, float w, float xw, float xwy)
{
    return __fmaf_rn(value.xwy, xwy, __fmaf_rn(value.xw, xw, x + w + value.own));
}

// The floor of a variable.
__device__ __forceinline__ float floor_of(const PairArgs& given, const ColumnGroup& group, unsigned at,
                                          float floor)
{
    if (given.floors == nullptr) {
        return floor;
    }
    const volatile unsigned* own = given.floors + group.first + min(at, group.count - 1);
    return fminf(floor, number_32(*own));
}

// Keeps a pair that may be wanted. `of_a` and `of_b` are x and w of the score and of its
// denominator.
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
