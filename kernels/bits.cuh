// How bits of variables lie: tiles of 128 rows, of each tile chunks of 64 bytes of every row, as
// kernels have them in shared memory. Stands behind counting.cuh.

#define SIDE 128                // rows of a tile
#define CHUNK 64                // bytes of a row at a time: 512 bits
#define PIECES (SIDE * CHUNK)   // bytes of a chunk of a tile

// Where 16 bytes of a row lie in a chunk: rows that are read together share no bank.
__device__ __forceinline__ unsigned swizzled(unsigned row, unsigned piece)
{
    return row * CHUNK + ((piece ^ (row >> 1 & 3)) << 4);
}

// Where 32 bits of a row lie in a tile.
__device__ __forceinline__ i64 word_at(unsigned row, unsigned word)
{
    return (i64)(word / 16) * PIECES + swizzled(row, word % 16 / 4) + word % 4 * 4;
}

// The row of a variable of a tile. Of two rows a variable eight have their first, then the same
// eight their second, so that one thread has the whole table of two.
__device__ __forceinline__ unsigned row_of(unsigned variable, unsigned plane, unsigned planes)
{
    return planes == 2 ? variable / 8 * 16 + variable % 8 + 8 * plane : variable * planes + plane;
}
