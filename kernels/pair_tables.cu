// Bounds the scores of pairs of variables with many levels: counts each pair in a table in shared memory.

struct PairTablesArgs {
    PairArgs tiles;
    const unsigned char* codes_a; // 8 bits each, variable by variable
    const unsigned char* codes_b;
    const unsigned char* y;
    i64 stride;                   // bytes per variable: rows, padded to a multiple of 16
    unsigned rows;
};

static_assert(sizeof(PairTablesArgs) == 256, "drift");

#define THREADS 1024

// Counts a pair. Cell (x, w) of class k has the index (k · levels of a + x) · levels of b + w.
__device__ __forceinline__ void count(const PairTablesArgs& given, const unsigned char* a,
                                      const unsigned char* b, unsigned down, unsigned across,
                                      unsigned* table)
{
    const bool by_class = given.tiles.classes > 1;
    for (unsigned from = 16 * threadIdx.x; from < given.rows; from += 16 * blockDim.x) {
        const uint4 of_a = *(const uint4*)(a + from), of_b = *(const uint4*)(b + from);
        const uint4 of_y = by_class ? *(const uint4*)(given.y + from) : make_uint4(0, 0, 0, 0);
        const unsigned xs[4] = {of_a.x, of_a.y, of_a.z, of_a.w};
        const unsigned ws[4] = {of_b.x, of_b.y, of_b.z, of_b.w};
        const unsigned ys[4] = {of_y.x, of_y.y, of_y.z, of_y.w};
#pragma unroll
        for (unsigned row = 0; row < 16; row++) {
            const unsigned shift = 8 * (row % 4);
            const unsigned x = xs[row / 4] >> shift & 255, w = ws[row / 4] >> shift & 255;
            const unsigned k = ys[row / 4] >> shift & 255;
            if (from + row < given.rows) {
                atomicAdd(table + (k * down + x) * across + w, 1u);
            }
        }
    }
}

// One block per tile, one pair at a time. Shared memory: the table of the pair.
extern "C" __global__ void __launch_bounds__(THREADS) pair_tables(const __grid_constant__ PairTablesArgs given)
{
    extern __shared__ unsigned table[];
    __shared__ float partial[2][THREADS / 32];
    const ColumnGroup &a = given.tiles.a, &b = given.tiles.b;
    unsigned tile_a, tile_b;
    if (!tile_of(given.tiles, tile_a, tile_b)) {
        return;
    }
    const unsigned down = a.planes + 1, across = b.planes + 1, classes = given.tiles.classes;
    const unsigned wide_a = down * (classes + 1) + 4, wide_b = across * (classes + 1) + 4;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned pair = 0; pair < a.each * b.each; pair++) {
        const unsigned in_a = tile_a * a.each + pair / b.each;
        const unsigned in_b = tile_b * b.each + pair % b.each;
        if (in_a >= a.count || in_b >= b.count || (given.tiles.same && in_a >= in_b)) {
            continue;
        }
        for (unsigned at = threadIdx.x; at < classes * down * across; at += blockDim.x) {
            table[at] = 0;
        }
        __syncthreads();
        count(given, given.codes_a + in_a * given.stride, given.codes_b + in_b * given.stride,
              down, across, table);
        __syncthreads();
        const float* of_a = a.facts + (i64)in_a * wide_a;
        const float* of_b = b.facts + (i64)in_b * wide_b;
        float sums[2] = {0.0f, 0.0f};
        for (unsigned at = threadIdx.x; at < down * across; at += blockDim.x) {
            const float inverse = of_a[at / across] * given.tiles.per_row * of_b[at % across];
            unsigned all = 0;
            for (unsigned k = 0; k < classes; k++) {
                const unsigned own = table[k * down * across + at];
                all += own;
                sums[1] = add_cell(sums[1], small(own), inverse);
            }
            sums[0] = add_cell(sums[0], small(all), inverse);
        }
#pragma unroll
        for (int which = 0; which < 2; which++) {
            for (int half = 16; half > 0; half /= 2) {
                sums[which] += __shfl_down_sync(0xffffffffu, sums[which], half);
            }
            if (lane == 0) {
                partial[which][warp] = sums[which];
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (unsigned other = 1; other < blockDim.x / 32; other++) {
                sums[0] += partial[0][other];
                sums[1] += partial[1][other];
            }
            const float floor = *(const volatile float*)given.tiles.floor;
            tell(given.tiles, floor, in_a, in_b, of_a + wide_a - 4, of_b + wide_b - 4, sums[0],
                 sums[1]);
        }
    }
}
