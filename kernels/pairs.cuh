// Tiles of pairs: 128 rows of bits of some variables beside 128 of others, products on whatever
// the card has for them, counts in registers. Stands before the kernels of all pairs, behind
// bits.cuh.

// Variables that have as many rows each, one behind the other.
struct Group {
    const unsigned char* rows;  // of the first tile
    const float* facts;         // of each variable, as the kernel says
    const unsigned* numbers;    // of each among all columns
    unsigned count;             // variables
    unsigned first;             // the place of the first
    unsigned planes;            // rows of each
    unsigned each;              // variables of a tile
};

// A value of a pair, in bits times rows: own + x(later) + w(earlier) + xw·T(xw) + xwy·T(xwy).
struct Value {
    float own, xw, xwy;
    float off;                  // no value is farther from its own than this
};

struct Found {
    unsigned a, b;              // places
    float least, most;          // the score is neither below nor above
};

struct Tiles {
    Group a, b;
    const unsigned* edges;      // the chunk where each class begins, and the end
    unsigned chunks;            // the end
    unsigned classes;           // that are told apart
    float per_row;              // 1 / rows
    int is_ratio;
    Value over, under;
    int sided;                  // whether it matters which of the two is x
    int same;                   // whether both groups are one
    const unsigned* supers;     // of 16 × 16 tiles each: that of a, that of b
    i64 first;                  // tile of theirs, of the first block
    const float* floor;         // what is below is not wanted
    Found* found;
    unsigned* told;             // how many are found, more than there is room for maybe
    unsigned room;
};

static_assert(sizeof(Group) == 40 && sizeof(Value) == 16 && sizeof(Found) == 16, "drift");
static_assert(sizeof(Tiles) == 192, "drift");

#define TINY 1e-30f

#if __CUDA_ARCH__ >= 800
#define STAGES 2
#else
#define STAGES 1
#endif

// What makes products: tensor cores of bits, of bytes; words at a time.
enum Kind { BITS, BYTES, WORDS };

__device__ __forceinline__ unsigned shared_address(const void* at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

__device__ __forceinline__ void bring(unsigned to, const void* from, unsigned char* generic)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
#else
    *(uint4*)generic = *(const uint4*)from;
#endif
}

__device__ __forceinline__ void brought()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;");
#endif
}

// All but so many of what was brought last are there.
template <int BUT>
__device__ __forceinline__ void await()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(BUT));
#endif
}

// Brings a chunk of both sides, which lie in memory as they lie in a stage.
template <int THREADS>
__device__ __forceinline__ void fetch(const unsigned char* a, const unsigned char* b,
                                      unsigned chunk, unsigned char* stage)
{
    const i64 at = (i64)chunk * PIECES + threadIdx.x * 16;
    const unsigned to = shared_address(stage) + threadIdx.x * 16;
#pragma unroll
    for (unsigned part = 0; part < PIECES; part += THREADS * 16) {
        bring(to + part, a + at + part, stage + threadIdx.x * 16 + part);
        bring(to + PIECES + part, b + at + part, stage + PIECES + threadIdx.x * 16 + part);
    }
}

#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ void matrices(unsigned (&to)[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from));
}

__device__ __forceinline__ void product_bits(int (&sum)[4], const unsigned (&a)[4],
                                             unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void product_bytes(int (&sum)[4], const unsigned (&a)[4],
                                              unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif

// Counts of a warp: ROWS × COLUMNS pieces of 16 × 8. Of piece (i, j) a thread has rows g and
// g + 8 of columns 2t and 2t + 1, where g = lane / 4, t = lane % 4.
template <int ROWS, int COLUMNS>
struct Counts {
    int of[ROWS][COLUMNS][4];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    of[i][j][e] = 0;
                }
            }
        }
    }

    // Adds those of a stage: of the tile's rows from `row` on, its columns from `column` on.
    template <Kind KIND>
    __device__ __forceinline__ void add(const unsigned char* stage, unsigned row,
                                        unsigned column)
    {
        const unsigned lane = threadIdx.x % 32;
        if constexpr (KIND == WORDS) {
            const unsigned g = lane / 4, t = lane % 4;
            const unsigned char* other = stage + PIECES;
#pragma unroll 1
            for (unsigned word = 0; word < CHUNK / 4; word++) {
                unsigned b[COLUMNS][2];
#pragma unroll
                for (int j = 0; j < COLUMNS; j++) {
#pragma unroll
                    for (int e = 0; e < 2; e++) {
                        const unsigned r = column + 8 * j + 2 * t + e;
                        b[j][e] = *(const unsigned*)(other + swizzled(r, word / 4) + word % 4 * 4);
                    }
                }
#pragma unroll
                for (int i = 0; i < 2 * ROWS; i++) {
                    const unsigned r = row + 8 * i + g;
                    const unsigned a = *(const unsigned*)(stage + swizzled(r, word / 4) + word % 4 * 4);
#pragma unroll
                    for (int j = 0; j < COLUMNS; j++) {
                        of[i / 2][j][i % 2 * 2] += __popc(a & b[j][0]);
                        of[i / 2][j][i % 2 * 2 + 1] += __popc(a & b[j][1]);
                    }
                }
            }
        }
#if __CUDA_ARCH__ >= 800
        if constexpr (KIND == BITS || KIND == BYTES) {
            const unsigned from = shared_address(stage);
#pragma unroll
            for (unsigned step = 0; step < CHUNK / 32; step++) {
                unsigned b[COLUMNS / 2][4];
#pragma unroll
                for (int j = 0; j < COLUMNS / 2; j++) {
                    const unsigned r = column + 16 * j + lane / 16 * 8 + lane % 8;
                    matrices(b[j], from + PIECES + swizzled(r, 2 * step + lane / 8 % 2));
                }
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
                    unsigned a[4];
                    matrices(a, from + swizzled(row + 16 * i + lane % 16, 2 * step + lane / 16));
                    if constexpr (KIND == BITS) {
#pragma unroll
                        for (int j = 0; j < COLUMNS; j++) {
                            product_bits(of[i][j], a, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
                        }
                    } else {
                        // Every eighth bit at a time: the order of the rows is no matter.
#pragma unroll 1
                        for (int bit = 0; bit < 8; bit++) {
                            unsigned bytes[4];
#pragma unroll
                            for (int e = 0; e < 4; e++) {
                                bytes[e] = a[e] >> bit & 0x01010101u;
                            }
#pragma unroll
                            for (int j = 0; j < COLUMNS; j++) {
                                product_bytes(of[i][j], bytes,
                                              b[j / 2][j % 2 * 2] >> bit & 0x01010101u,
                                              b[j / 2][j % 2 * 2 + 1] >> bit & 0x01010101u);
                            }
                        }
                    }
                }
            }
        }
#endif
    }
};

// The bits of a tile's side: chunk by chunk, as a stage has them.
__device__ __forceinline__ const unsigned char* side(const Group& group, const Tiles& given,
                                                     unsigned tile)
{
    return group.rows + (i64)tile * given.chunks * PIECES;
}

// The tile of this block; false where there is none.
__device__ __forceinline__ bool tile_of(const Tiles& given, unsigned& a, unsigned& b)
{
    const i64 at = given.first + blockIdx.x;
    const unsigned* super = given.supers + 2 * (at / 256);
    const unsigned within = at % 256;
    a = super[0] * 16 + within / 16;
    b = super[1] * 16 + within % 16;
    return a * given.a.each < given.a.count && b * given.b.each < given.b.count
        && (!given.same || a <= b);
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

__device__ __forceinline__ float value_of(const Value& value, float x, float w, float xw, float xwy)
{
    return __fmaf_rn(value.xwy, xwy, __fmaf_rn(value.xw, xw, x + w + value.own));
}

// Keeps a pair that may be wanted. `of_a` and `of_b` are x and w of the score and of its
// denominator.
__device__ __forceinline__ void tell(const Tiles& given, float floor, unsigned a, unsigned b,
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
    if (most >= floor) {
        const unsigned at = atomicAdd(given.told, 1u);
        if (at < given.room) {
            given.found[at] = {given.a.first + a, given.b.first + b, least, most};
        }
    }
}
