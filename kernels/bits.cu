// Converts codes of columns to rows of bits, one row for each level but the last, and counts the bits
// that are set.

struct BitsArgs {
    const unsigned char* codes; // 8 bits each, column by column
    i64 stride;                 // bytes from one column to the next
    const unsigned* order;      // the row of each bit; `rows` or more where there is none
    unsigned rows;
    unsigned chunks;            // chunks of a tile
    unsigned planes;            // rows of bits of a column
    unsigned each;              // columns of a tile
    unsigned first;             // number in the group of the first column
    unsigned columns;
    unsigned char* tiles;       // the first tile of the group
    const unsigned* edges;      // the chunk where each class begins, and the end
    unsigned classes;
    unsigned* margins;          // by column of the group, then class, then plane
};

static_assert(sizeof(BitsArgs) == 80, "drift");

__device__ __forceinline__ unsigned char* tile_of(const BitsArgs& given, unsigned column)
{
    return given.tiles + (i64)(column / given.each) * given.chunks * PIECES;
}

// Each warp makes 32 words of a row at a time.
extern "C" __global__ void bits(const __grid_constant__ BitsArgs given)
{
    const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32, words = 16 * given.chunks;
    const unsigned column = given.first + blockIdx.x;
    const unsigned char* codes = given.codes + blockIdx.x * given.stride;
    unsigned char* const tile = tile_of(given, column);
    for (unsigned from = 32 * (blockIdx.y * warps + threadIdx.x / 32); from < words;
         from += 32 * gridDim.y * warps) {
        for (unsigned plane = 0; plane < given.planes; plane++) {
            unsigned own = 0;
            for (unsigned word = 0; word < 32 && from + word < words; word++) {
                const unsigned row = given.order[32 * (from + word) + lane];
                const bool set = row < given.rows && codes[row] == plane;
                const unsigned all = __ballot_sync(0xffffffffu, set);
                own = lane == word ? all : own;
            }
            if (from + lane < words) {
                const unsigned row = row_of(column % given.each, plane, given.planes);
                *(unsigned*)(tile + word_at(row, from + lane)) = own;
            }
        }
    }
}

// Each warp counts one row at a time.
extern "C" __global__ void margins(const __grid_constant__ BitsArgs given)
{
    const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const i64 rows = (i64)given.columns * given.planes;
    for (i64 at = (i64)blockIdx.x * warps + threadIdx.x / 32; at < rows;
         at += (i64)gridDim.x * warps) {
        const unsigned column = given.first + at / given.planes, plane = at % given.planes;
        const unsigned row = row_of(column % given.each, plane, given.planes);
        const unsigned char* tile = tile_of(given, column);
        for (unsigned k = 0; k < given.classes; k++) {
            unsigned count = 0;
            for (unsigned word = 16 * given.edges[k] + lane; word < 16 * given.edges[k + 1];
                 word += 32) {
                count += __popc(*(const unsigned*)(tile + word_at(row, word)));
            }
            count = warp_count(count);
            if (lane == 0) {
                given.margins[((i64)column * given.classes + k) * given.planes + plane] = count;
            }
        }
    }
}
