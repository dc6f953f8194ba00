// Prepended to every kernel, so no include path is needed.

typedef unsigned long long u64;

// T is the number of threads of a block that works on one item together. It is a template parameter so
// that loops over rows are unrolled and keep many loads in flight.

// The first row of this thread, and the stride of the grid over the rows. 64 bits, because n × p exceeds
// 2^31 long before memory is full.
__device__ __forceinline__ long long first()
{
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ long long stride()
{
    return (long long)gridDim.x * blockDim.x;
}

// Sum over the warp in a fixed order; lane 0 gets the sum.
__device__ __forceinline__ double warp_sum(double value)
{
    for (int half = 16; half > 0; half /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, half);
    }
    return value;
}

// Sums over the block, COUNT at a time, in a fixed order; every thread gets them.
// `partial` is shared memory for COUNT * T / 32 numbers.
template <int T, int COUNT>
__device__ __forceinline__ void block_sum(double (&sums)[COUNT], double* partial)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
        const double sum = warp_sum(sums[c]);
        if (lane == 0) {
            partial[c * (T / 32) + warp] = sum;
        }
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
        double sum = partial[c * (T / 32)];
#pragma unroll
        for (int w = 1; w < T / 32; w++) {
            sum += partial[c * (T / 32) + w];
        }
        sums[c] = sum;
    }
    __syncthreads();
}

// Maps numbers to unsigned integers in the same order; 0 is below all of them.
__device__ __forceinline__ u64 ordered(double value)
{
    const u64 bits = (u64)__double_as_longlong(value);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

__device__ __forceinline__ double number(u64 key)
{
    const u64 bits = key >> 63 ? key & ~(1ull << 63) : ~key;
    return __longlong_as_double((long long)bits);
}

// The same mapping for 32-bit numbers.
__device__ __forceinline__ unsigned ordered_32(float value)
{
    const unsigned bits = __float_as_uint(value);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

__device__ __forceinline__ float number_32(unsigned key)
{
    return __uint_as_float(key >> 31 ? key & ~(1u << 31) : ~key);
}

__device__ __forceinline__ double infinity()
{
    return __longlong_as_double(0x7ff0000000000000ll);
}
