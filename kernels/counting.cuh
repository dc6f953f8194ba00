// Definitions shared by the counting kernels. Included after common.cuh.

typedef long long i64;
typedef __int128 i128;

// The facts of one anchor of a batch: what columns are counted against.
struct AnchorSums {
    i64 w, wy;            // its margin sums
    unsigned levels;      // its levels
    unsigned place;       // place of its column among those of all packs
};

// The location of a column's codes.
struct ColumnCodes {
    u64 address;     // of the dense codes, or of the rows of the entries
    u64 codes;       // of the codes of the entries
    unsigned length; // entries, including unfilled places; for 8-bit codes bytes from row to row
    unsigned most;   // its most frequent code, if it lists entries
    unsigned levels;
    unsigned bits;   // of a dense code; 0 if it lists entries
};

// A column and an anchor to be counted.
struct WorkItem {
    unsigned place, anchor;
};

// All margin sums of a table that may leave rows out.
struct TableSums {
    i64 of[8];
    i64 left; // number of rows in the table
};

// counting.rs has the same structs.
static_assert(sizeof(AnchorSums) == 24 && sizeof(ColumnCodes) == 32 && sizeof(TableSums) == 72, "drift");
static_assert(sizeof(WorkItem) == 8, "drift");

// The joint code of a row is w * classes + y. Sums are of integers, so their order does not matter.

__device__ __forceinline__ i64 warp_sum(i64 value)
{
    for (int half = 16; half > 0; half /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, half);
    }
    return value;
}

// Sum over the warp; every lane gets it.
__device__ __forceinline__ unsigned warp_count(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, value);
#else
    for (int half = 16; half > 0; half /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, half);
    }
    return value;
#endif
}

// Sums over the block; thread 0 gets them. `partial` is shared memory for 32 of each.
template <int COUNT>
__device__ __forceinline__ void block_sum(i64 (&sums)[COUNT], i64* partial)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
        const i64 sum = warp_sum(sums[c]);
        if (lane == 0) {
            partial[c * 32 + warp] = sum;
        }
    }
    __syncthreads();
    if (warp == 0) {
#pragma unroll
        for (int c = 0; c < COUNT; c++) {
            sums[c] = warp_sum(lane < warps ? partial[c * 32 + lane] : 0);
        }
    }
    __syncthreads();
}

// Whether this block is the last of `blocks` to arrive here; it can then read whatever the others wrote
// before they arrived. The counter is reset to 0.
__device__ __forceinline__ bool last_of(unsigned blocks, unsigned* counter)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(counter, 1u) == blocks - 1;
        if (last) {
            *counter = 0;
        }
    }
    __syncthreads();
    if (last) {
        __threadfence();
    }
    return last;
}
