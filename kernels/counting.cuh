// Stands before the kernels of counting.

typedef long long i64;
typedef __int128 i128;

// What columns are counted against, of each anchor of a batch.
struct AnchorSums {
    i64 w, wy;            // its own sums
    unsigned levels;      // its levels
    unsigned place;       // of its column, among those of all packs
};

// Where a column's codes lie.
struct ColumnCodes {
    u64 address;     // of dense codes, or of the rows of its entries
    u64 codes;       // of the codes of its entries
    unsigned length; // entries, places not filled among them; of 8 bits from row to row
    unsigned most;   // its most frequent code, where it lists entries
    unsigned levels;
    unsigned bits;   // of a dense code; 0 where it lists entries
};

// A column and an anchor that are to be counted.
struct WorkItem {
    unsigned place, anchor;
};

// All sums of a table of some rows.
struct TableSums {
    i64 of[8];
    i64 left; // how many they are
};

// As in counting.rs, which has every struct again.
static_assert(sizeof(AnchorSums) == 24 && sizeof(ColumnCodes) == 32 && sizeof(TableSums) == 72, "drift");
static_assert(sizeof(WorkItem) == 8, "drift");

// One row's joint code is w * classes + y. Sums of integers, so no order shows.

__device__ __forceinline__ i64 warp_sum(i64 value)
{
    for (int half = 16; half > 0; half /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, half);
    }
    return value;
}

// Of which every thread of the warp has the sum.
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

// Sums over the block, which its first thread has after. `partial` is shared: 32 of each.
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

// Whether this block is the last of `blocks` that comes here; whatever the others wrote
// before they came can then be read. The counter is 0 again after.
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
