// Counts columns of at most four levels against few joint codes: rows are bits, and a cell is counted 32 rows
// at a time.

// Bits follow the layout of the codes, as a warp reads them: in a tile of 128 vectors of 16 rows, lane l
// has the vectors l, 32 + l, 64 + l, 96 + l; bit p of half h is row p / 4 + 8h of its vector p % 4.
#define TILE 128
// Warps of a block of `tiny`.
#define WARPS 8

struct PlanesArgs {
    const unsigned char* joint; // of a batch, `joint_stride` bytes per anchor
    i64 joint_stride;
    i64 rows, tiles;
    unsigned wide;              // number of planes: the most joint codes there may be
    uint2* planes;              // by batch: `wide` planes of `tiles` * 32
    unsigned* totals;           // by batch: `wide` counts, 0 before
};

struct TinyArgs {
    const unsigned char* codes; // 4 bits each, `stride` bytes per column
    i64 stride;
    const unsigned char* excluded;
    unsigned columns;
    unsigned places;            // columns of all packs: the stride from one anchor's sums to the next
    i64 vectors, tiles;
    const uint2* planes;
    const unsigned* totals;
    const AnchorSums* anchors;      // one per batch
    unsigned classes;
    unsigned wide;              // number of planes
    unsigned parts;             // blocks that share columns
    unsigned* partial;          // counts of the parts, by batch and group, 0 before and after
    unsigned* arrived;          // one counter per group, 0 before and after
    const i64* terms;
    i64* xw;
    i64* xwy;
    unsigned* occurring;        // number of cells (x, w) that are not 0, unless null
};

static_assert(sizeof(PlanesArgs) == 56 && sizeof(TinyArgs) == 136, "drift");

// Each warp makes one tile of one joint code at a time.
extern "C" __global__ void planes(const __grid_constant__ PlanesArgs given)
{
    __shared__ unsigned totals[32];
    const unsigned all = 0xffffffffu, lane = threadIdx.x % 32, batch = blockIdx.y;
    const unsigned char* const joint = given.joint + batch * given.joint_stride;
    uint2* const to = given.planes + batch * given.tiles * 32 * given.wide;
    if (threadIdx.x < 32) {
        totals[threadIdx.x] = 0;
    }
    __syncthreads();
    for (i64 at = first() / 32; at < given.tiles * given.wide; at += stride() / 32) {
        const i64 tile = at / given.wide;
        const unsigned code = at % given.wide;
        uint2 own = {0, 0};
        unsigned total = 0;
#pragma unroll 8
        for (unsigned whose = 0; whose < 32; whose++) {
            const i64 vector = tile * TILE + lane % 4 * 32 + whose;
            const i64 row = 16 * vector + lane / 4;
            const bool low = row < given.rows && joint[row] == code;
            const bool high = row + 8 < given.rows && joint[row + 8] == code;
            const uint2 bits = {__ballot_sync(all, low), __ballot_sync(all, high)};
            if (lane == whose) {
                own = bits;
            }
            total += __popc(bits.x) + __popc(bits.y);
        }
        to[(code * given.tiles + tile) * 32 + lane] = own;
        if (lane == 0) {
            atomicAdd(totals + code, total);
        }
    }
    __syncthreads();
    if (threadIdx.x < given.wide && totals[threadIdx.x] != 0) {
        atomicAdd(given.totals + batch * given.wide + threadIdx.x, totals[threadIdx.x]);
    }
}

// Bits that mark the rows of the codes 1 … X - 1, from half of each of four vectors.
template <int X>
__device__ __forceinline__ void bits_of(const unsigned (&codes)[4], unsigned (&bits)[X - 1])
{
    unsigned low = 0, high = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const unsigned mask = 0x11111111u << k;
        low |= codes[k] << k & mask;
        high |= (k == 0 ? codes[k] >> 1 : codes[k] << (k - 1)) & mask;
    }
    bits[0] = X == 4 ? low & ~high : low;
    if (X > 2) {
        bits[1 % (X - 1)] = X == 4 ? high & ~low : high;
    }
    if (X > 3) {
        bits[2 % (X - 1)] = low & high;
    }
}

// The codes of four vectors of a column.
struct Codes {
    uint2 of[4];

    __device__ __forceinline__ void load(const uint2* codes, i64 first, i64 vectors)
    {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const i64 vector = first + 32 * k;
            of[k] = vector < vectors ? __ldg(codes + vector) : uint2{0, 0};
        }
    }
};

// Each warp of a block counts COLUMNS columns of up to X levels against up to W joint codes, over all rows or
// a part of them. The warps go over the same rows together, so that the bits of the joint codes are in
// L1. Code 0 has what remains of the totals.
template <int X, int W, int COLUMNS>
__device__ __forceinline__ void tiny(const TinyArgs& given)
{
    constexpr int CELLS = (X - 1) * W, EACH = COLUMNS * CELLS;
    __shared__ unsigned table[WARPS * EACH];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned group = blockIdx.x / given.parts, part = blockIdx.x % given.parts;
    const unsigned first = (group * WARPS + warp) * COLUMNS, batch = blockIdx.y;
    const uint2* codes[COLUMNS];
    bool open = false;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        const i64 column = min(first + c, given.columns - 1);
        codes[c] = (const uint2*)(given.codes + column * given.stride);
        const bool free = given.excluded == nullptr || given.excluded[column] == 0;
        open = open || (first + c < given.columns && free);
    }
    const uint2* planes = given.planes + batch * given.tiles * 32 * given.wide + lane;
    const i64 share = (given.tiles + given.parts - 1) / given.parts;
    const i64 begin = part * share, end = open ? min(given.tiles, begin + share) : begin;
    unsigned counts[COLUMNS][X - 1][W] = {};
    Codes next[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        next[c].load(codes[c], begin * TILE + lane, given.vectors);
    }
    for (i64 tile = begin; tile < end; tile++) {
        unsigned low[COLUMNS][X - 1], high[COLUMNS][X - 1];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const Codes& own = next[c];
            bits_of<X>({own.of[0].x, own.of[1].x, own.of[2].x, own.of[3].x}, low[c]);
            bits_of<X>({own.of[0].y, own.of[1].y, own.of[2].y, own.of[3].y}, high[c]);
            // The codes of the next tile are loaded while these are counted.
            next[c].load(codes[c], (tile + 1) * TILE + lane, given.vectors);
        }
#pragma unroll
        for (int j = 0; j < W; j++) {
            uint2 plane = {0, 0};
            if (j < given.wide) {
                plane = __ldg(planes + (j * given.tiles + tile) * 32);
            }
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
#pragma unroll
                for (int x = 0; x < X - 1; x++) {
                    counts[c][x][j] += __popc(low[c][x] & plane.x) + __popc(high[c][x] & plane.y);
                }
            }
        }
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
#pragma unroll
        for (int x = 0; x < X - 1; x++) {
#pragma unroll
            for (int j = 0; j < W; j++) {
                const unsigned count = warp_count(counts[c][x][j]);
                if (lane == 0) {
                    table[warp * EACH + c * CELLS + x * W + j] = count;
                }
            }
        }
    }
    __syncthreads();
    if (given.parts > 1) {
        const i64 own = (i64)batch * (gridDim.x / given.parts) + group;
        unsigned* const all = given.partial + own * WARPS * EACH;
        for (unsigned at = threadIdx.x; at < WARPS * EACH; at += blockDim.x) {
            if (table[at] != 0) {
                atomicAdd(all + at, table[at]);
            }
        }
        if (!last_of(given.parts, given.arrived + own)) {
            return;
        }
        for (unsigned at = threadIdx.x; at < WARPS * EACH; at += blockDim.x) {
            table[at] = __ldcg(all + at);
            all[at] = 0;
        }
        __syncthreads();
    }
    if (!open) {
        return;
    }
    const unsigned levels = given.anchors[batch].levels, classes = given.classes;
    const unsigned* const totals = given.totals + batch * given.wide;
    for (unsigned c = 0; c < COLUMNS && first + c < given.columns; c++) {
        i64 sums[2] = {0, 0};
        unsigned occurring = 0;
        for (unsigned pair = lane; pair < X * levels; pair += 32) {
            const unsigned x = pair / levels, w = pair % levels;
            unsigned both = 0;
            for (unsigned y = 0; y < classes; y++) {
                const unsigned* const cells =
                    table + warp * EACH + c * CELLS + w * classes + y;
                unsigned count = x == 0 ? totals[w * classes + y] : cells[(x - 1) * W];
                if (x == 0) {
                    for (unsigned other = 0; other < X - 1; other++) {
                        count -= cells[other * W];
                    }
                }
                sums[1] += given.terms[count];
                both += count;
            }
            sums[0] += given.terms[both];
            occurring += both != 0;
        }
        sums[0] = warp_sum(sums[0]);
        sums[1] = warp_sum(sums[1]);
        occurring = warp_count(occurring);
        if (lane == 0) {
            const i64 place = (i64)batch * given.places + first + c;
            given.xw[place] = sums[0];
            if (classes > 1) {
                given.xwy[place] = sums[1];
            }
            if (given.occurring != nullptr) {
                atomicAdd(given.occurring + first + c, occurring);
            }
        }
    }
}

#define TINY(x, w, columns)                                                                \
    extern "C" __global__ void tiny_##x##_##w(const __grid_constant__ TinyArgs given)          \
    {                                                                                      \
        tiny<x, w, columns>(given);                                                        \
    }

// tiny.rs has the same list.
TINY(2, 2, 4)
TINY(2, 4, 4)
TINY(2, 8, 2)
TINY(2, 12, 2)
TINY(3, 2, 4)
TINY(3, 4, 2)
TINY(3, 6, 2)
TINY(3, 8, 2)
TINY(3, 12, 2)
TINY(4, 2, 2)
TINY(4, 4, 2)
TINY(4, 8, 2)
