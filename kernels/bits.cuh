// The layout of bits of variables: tiles of 128 rows. A tile is stored chunk by chunk, a chunk being 64
// bytes of every row, in the layout that kernels use in shared memory. Included after counting.cuh.

#define SIDE 128                // rows of a tile
#define CHUNK 64                // bytes of a row in a chunk: 512 bits
#define PIECES (SIDE * CHUNK)   // bytes of a chunk of a tile

// Offset of 16 bytes of a row in a chunk, swizzled so that rows read together have no bank conflicts.
__device__ __forceinline__ unsigned swizzled(unsigned row, unsigned piece)
{
    return row * CHUNK + ((piece ^ (row >> 1 & 3)) << 4);
}

// Offset of 32 bits of a row in a tile.
__device__ __forceinline__ i64 word_at(unsigned row, unsigned word)
{
    return (i64)(word / 16) * PIECES + swizzled(row, word % 16 / 4) + word % 4 * 4;
}

// The row of a plane of a variable in its tile. With two planes per variable, the first planes of eight
// variables are followed by the second planes of the same eight, so that one thread has the whole table
// of a pair.
__device__ __forceinline__ unsigned row_of(unsigned variable, unsigned plane, unsigned planes)
{
    return planes == 2 ? variable / 8 * 16 + variable % 8 + 8 * plane : variable * planes + plane;
}
