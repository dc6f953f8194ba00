// Products of rows of bits: AND and population count. Included after chunks.cuh.

#if __CUDA_ARCH__ >= 800 && !defined(GROUPED)
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

#ifdef GROUPED
// The descriptor of a matrix of swizzled rows of 64 bytes in shared memory: eight rows take 512 bytes.
__device__ __forceinline__ u64 matrix(unsigned address)
{
    return 2ull << 62 | (u64)(8 * CHUNK / 16) << 32 | 1ull << 16 | (address & 0x3ffff) / 16;
}

// The product of 64 rows by 128 rows of 256 bits each, by a warpgroup, out of shared memory.
__device__ __forceinline__ void product(int (&sum)[16][4], u64 a, u64 b)
{
    asm volatile("{ .reg .pred more; setp.ne.b32 more, %66, 0; "
                 "wgmma.mma_async.sync.aligned.m64n128k256.s32.b1.b1.and.popc {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, more; }"
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
                 : "l"(a), "l"(b), "r"(1));
}
#endif

// The counts of one thread of a block of THREADS: in each piece of 16 × 8, those of rows g and g + 8 and of
// columns 2t and 2t + 1, where g = lane / 4, t = lane % 4.
template <int THREADS>
struct Counts {
#ifdef GROUPED
    static constexpr int ROWS = 256 / THREADS, COLUMNS = 16;
#else
    static constexpr int ROWS = 4, COLUMNS = 1024 / THREADS;
    static constexpr unsigned ACROSS = THREADS / 64; // warps side by side
#endif
    int of[ROWS][COLUMNS][4];

    // The first row in the tile of pieces (i, ·); `column` is the first column of pieces (·, j).
    static __device__ __forceinline__ unsigned row(unsigned i)
    {
#ifdef GROUPED
        return threadIdx.x / 32 * 16 + 64 * i;
#else
        return threadIdx.x / 32 / ACROSS * 64 + 16 * i;
#endif
    }

    static __device__ __forceinline__ unsigned column(unsigned j)
    {
#ifdef GROUPED
        return 8 * j;
#else
        return threadIdx.x / 32 % ACROSS * 8 * COLUMNS + 8 * j;
#endif
    }

    template <typename Work>
    __device__ __forceinline__ void each(const Work& work)
    {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    work(of[i][j][e]);
                }
            }
        }
    }

    __device__ __forceinline__ void clear()
    {
        each([](int& count) { count = 0; });
    }

#ifdef GROUPED
    // Keeps the compiler from moving the counts while products are in flight.
    __device__ __forceinline__ void pin()
    {
        each([](int& count) { asm volatile("" : "+r"(count)::"memory"); });
    }
#endif

    // Adds the counts of the next chunk.
    __device__ __forceinline__ void add(Chunks<THREADS>& chunks)
    {
        const unsigned char* const stage = chunks.stage();
#ifdef GROUPED
        const u64 a = matrix(shared_address(stage) + threadIdx.x / 128 * 64 * CHUNK);
        const u64 b = matrix(shared_address(stage) + PIECES);
        pin();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int step = 0; step < CHUNK / 32; step++) {
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                product(of[i], a + 64 * CHUNK / 16 * i + 2 * step, b + 2 * step);
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        // Once all products but these are complete, the previous stage is free.
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        chunks.release(1);
#else
        multiply(stage);
#endif
    }

    // Waits until all added counts are complete.
    __device__ __forceinline__ void settle(Chunks<THREADS>& chunks)
    {
#ifdef GROUPED
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        pin();
        chunks.release(0);
#endif
    }

#ifndef GROUPED
    __device__ __forceinline__ void multiply(const unsigned char* stage)
    {
#if KIND == WORDS || __CUDA_ARCH__ >= 800
        const unsigned lane = threadIdx.x % 32, top = row(0), left = column(0);
#endif
#if KIND == WORDS
        const unsigned g = lane / 4, t = lane % 4;
        const unsigned char* other = stage + PIECES;
#pragma unroll 1
        for (unsigned word = 0; word < CHUNK / 4; word++) {
            unsigned b[COLUMNS][2];
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
#pragma unroll
                for (int e = 0; e < 2; e++) {
                    const unsigned r = left + 8 * j + 2 * t + e;
                    b[j][e] = *(const unsigned*)(other + swizzled(r, word / 4) + word % 4 * 4);
                }
            }
#pragma unroll
            for (int i = 0; i < 2 * ROWS; i++) {
                const unsigned r = top + 8 * i + g;
                const unsigned a = *(const unsigned*)(stage + swizzled(r, word / 4) + word % 4 * 4);
#pragma unroll
                for (int j = 0; j < COLUMNS; j++) {
                    of[i / 2][j][i % 2 * 2] += __popc(a & b[j][0]);
                    of[i / 2][j][i % 2 * 2 + 1] += __popc(a & b[j][1]);
                }
            }
        }
#elif __CUDA_ARCH__ >= 800
        const unsigned from = shared_address(stage);
#pragma unroll
        for (unsigned step = 0; step < CHUNK / 32; step++) {
            unsigned b[COLUMNS / 2][4];
#pragma unroll
            for (int j = 0; j < COLUMNS / 2; j++) {
                const unsigned r = left + 16 * j + lane / 16 * 8 + lane % 8;
                matrices(b[j], from + PIECES + swizzled(r, 2 * step + lane / 8 % 2));
            }
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                unsigned a[4];
                matrices(a, from + swizzled(top + 16 * i + lane % 16, 2 * step + lane / 16));
#if KIND == BITS
#pragma unroll
                for (int j = 0; j < COLUMNS; j++) {
                    product_bits(of[i][j], a, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
                }
#else
                // Every eighth bit at a time: the order of the observations does not matter.
#pragma unroll 1
                for (int bit = 0; bit < 8; bit++) {
                    unsigned bytes[4];
#pragma unroll
                    for (int e = 0; e < 4; e++) {
                        bytes[e] = a[e] >> bit & 0x01010101u;
                    }
#pragma unroll
                    for (int j = 0; j < COLUMNS; j++) {
                        product_bytes(of[i][j], bytes, b[j / 2][j % 2 * 2] >> bit & 0x01010101u,
                                      b[j / 2][j % 2 * 2 + 1] >> bit & 0x01010101u);
                    }
                }
#endif
            }
        }
#endif
    }
#endif
};
