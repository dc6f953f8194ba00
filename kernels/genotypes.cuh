// Products of bytes that stand for genotypes with columns of bytes, on tensor cores; see genotypes.rs.

// People of a stage, whose bytes are in shared memory at a time; variants of a block; stages there is room for, at most.
#define PEOPLE 256
#define VARIANTS 256
#define SLOTS 4

// Only Hopper multiplies registers of a warpgroup with shared memory.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define GROUPED
#endif

#ifdef GROUPED

// Of 64 variants a warpgroup, 16 a warp, and 32 people, with as many columns as `sum` has.
__device__ __forceinline__ void product(int (&sum)[1][4], const unsigned (&a)[4], u64 b)
{
    asm volatile("{ .reg .pred more; setp.ne.b32 more, 1, 0; "
                 "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {"
                 "%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, %8, more; }"
                 : "+r"(sum[0][0]), "+r"(sum[0][1]), "+r"(sum[0][2]), "+r"(sum[0][3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ __forceinline__ void product(int (&sum)[4][4], const unsigned (&a)[4], u64 b)
{
    asm volatile("{ .reg .pred more; setp.ne.b32 more, 1, 0; "
                 "wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
                 "{%16, %17, %18, %19}, %20, more; }"
                 : "+r"(sum[0][0]), "+r"(sum[0][1]), "+r"(sum[0][2]), "+r"(sum[0][3]),
                   "+r"(sum[1][0]), "+r"(sum[1][1]), "+r"(sum[1][2]), "+r"(sum[1][3]),
                   "+r"(sum[2][0]), "+r"(sum[2][1]), "+r"(sum[2][2]), "+r"(sum[2][3]),
                   "+r"(sum[3][0]), "+r"(sum[3][1]), "+r"(sum[3][2]), "+r"(sum[3][3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ __forceinline__ void product(int (&sum)[16][4], const unsigned (&a)[4], u64 b)
{
    asm volatile("{ .reg .pred more; setp.ne.b32 more, 1, 0; "
                 "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, more; }"
                 : "+r"(sum[0][0]), "+r"(sum[0][1]), "+r"(sum[0][2]), "+r"(sum[0][3]),
                   "+r"(sum[1][0]), "+r"(sum[1][1]), "+r"(sum[1][2]), "+r"(sum[1][3]),
                   "+r"(sum[2][0]), "+r"(sum[2][1]), "+r"(sum[2][2]), "+r"(sum[2][3]),
                   "+r"(sum[3][0]), "+r"(sum[3][1]), "+r"(sum[3][2]), "+r"(sum[3][3]),
                   "+r"(sum[4][0]), "+r"(sum[4][1]), "+r"(sum[4][2]), "+r"(sum[4][3]),
                   "+r"(sum[5][0]), "+r"(sum[5][1]), "+r"(sum[5][2]), "+r"(sum[5][3]),
                   "+r"(sum[6][0]), "+r"(sum[6][1]), "+r"(sum[6][2]), "+r"(sum[6][3]),
                   "+r"(sum[7][0]), "+r"(sum[7][1]), "+r"(sum[7][2]), "+r"(sum[7][3]),
                   "+r"(sum[8][0]), "+r"(sum[8][1]), "+r"(sum[8][2]), "+r"(sum[8][3]),
                   "+r"(sum[9][0]), "+r"(sum[9][1]), "+r"(sum[9][2]), "+r"(sum[9][3]),
                   "+r"(sum[10][0]), "+r"(sum[10][1]), "+r"(sum[10][2]), "+r"(sum[10][3]),
                   "+r"(sum[11][0]), "+r"(sum[11][1]), "+r"(sum[11][2]), "+r"(sum[11][3]),
                   "+r"(sum[12][0]), "+r"(sum[12][1]), "+r"(sum[12][2]), "+r"(sum[12][3]),
                   "+r"(sum[13][0]), "+r"(sum[13][1]), "+r"(sum[13][2]), "+r"(sum[13][3]),
                   "+r"(sum[14][0]), "+r"(sum[14][1]), "+r"(sum[14][2]), "+r"(sum[14][3]),
                   "+r"(sum[15][0]), "+r"(sum[15][1]), "+r"(sum[15][2]), "+r"(sum[15][3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// The descriptor of the bytes of 32 people in shared memory: eight columns of 16 people are 128 bytes side by side, the
// next columns behind them, and the other 16 people behind all N.
template <int N>
__device__ __forceinline__ u64 matrix(unsigned address)
{
    return (u64)(128 / 16) << 32 | (u64)(16 * N / 16) << 16 | (address & 0x3ffff) / 16;
}

// The stages of a block, which come one after another: a slot is full when its bytes have arrived, and empty when every
// warp has multiplied them.
template <int N>
struct Stages {
    static constexpr unsigned BYTES = PEOPLE * N;
    const unsigned char* from;
    unsigned ring, full, empty, slots;
    long long count;

    __device__ __forceinline__ Stages(const unsigned char* from, long long count, unsigned slots,
                                      unsigned char* ring, u64* barriers)
        : from(from), ring(shared_address(ring)), full(shared_address(barriers)), empty(full + 8 * SLOTS),
          slots(slots), count(count)
    {
        if (threadIdx.x == 0) {
            for (unsigned slot = 0; slot < slots; slot++) {
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * slot));
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 8;" ::"r"(empty + 8 * slot));
            }
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncthreads();
        for (unsigned stage = 0; stage + 2 < slots; stage++) {
            bring(stage);
        }
    }

    // Orders the bytes of a stage.
    __device__ __forceinline__ void bring(long long stage)
    {
        if (threadIdx.x != 0 || stage >= count) {
            return;
        }
        const unsigned slot = stage % slots, turn = stage / slots;
        if (turn > 0) {
            await_phase(empty + 8 * slot, (turn - 1) & 1);
        }
        const unsigned barrier = full + 8 * slot;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(BYTES)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         ring + slot * BYTES),
                     "l"(from + stage * BYTES), "r"(BYTES), "r"(barrier)
                     : "memory");
    }

    // Where the bytes of a stage are, once they are there. Two stages before may not have been multiplied yet.
    __device__ __forceinline__ unsigned get(long long stage)
    {
        bring(stage + slots - 2);
        const unsigned slot = stage % slots;
        await_phase(full + 8 * slot, stage / slots & 1);
        return ring + slot * BYTES;
    }

    // Says that this warp has multiplied a stage.
    __device__ __forceinline__ void release(long long stage)
    {
        if (threadIdx.x % 32 == 0) {
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty + 8 * (unsigned)(stage % slots))
                         : "memory");
        }
    }
};

#else

__device__ __forceinline__ void product_of_eight(int (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    const unsigned b[2] = {b0, b1};
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int rows = 0; rows < 2; rows++) {
            asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                         : "+r"(sum[2 * rows]), "+r"(sum[2 * rows + 1])
                         : "r"(a[2 * half + rows]), "r"(b[half]));
        }
    }
#endif
}

// Of 16 variants and 32 people, whose bytes begin at an address, with N columns.
template <int N>
__device__ __forceinline__ void product(int (&sum)[N / 8][4], const unsigned (&a)[4], unsigned address)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned from = address + lane / 4 * 16 + lane % 4 * 4;
#pragma unroll
    for (int eight = 0; eight < N / 8; eight++) {
        unsigned b[2];
#pragma unroll
        for (int half = 0; half < 2; half++) {
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(b[half]) : "r"(from + half * 16 * N + eight * 128));
        }
        product_of_eight(sum[eight], a, b[0], b[1]);
    }
}

// The stages of a block, two at a time in shared memory.
template <int N>
struct Stages {
    static constexpr unsigned BYTES = PEOPLE * N;
    const unsigned char* from;
    unsigned char* ring;
    long long count;

    __device__ __forceinline__ Stages(const unsigned char* from, long long count, unsigned, unsigned char* ring, u64*)
        : from(from), ring(ring), count(count)
    {
        bring(0);
    }

    __device__ __forceinline__ void bring(long long stage)
    {
        if (stage < count) {
            unsigned char* to = ring + stage % 2 * BYTES;
            for (unsigned at = 16 * threadIdx.x; at < BYTES; at += 16 * blockDim.x) {
#if __CUDA_ARCH__ >= 800
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to + at)),
                             "l"(from + stage * BYTES + at)
                             : "memory");
#else
                *(uint4*)(to + at) = *(const uint4*)(from + stage * BYTES + at);
#endif
            }
        }
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    }

    // Where the bytes of a stage are, once they are there; those before are multiplied.
    __device__ __forceinline__ unsigned get(long long stage)
    {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
        __syncthreads();
        bring(stage + 1);
        return shared_address(ring + stage % 2 * BYTES);
    }
};

#endif
