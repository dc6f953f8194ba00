// Copies chunks of two tiles of bits to shared memory, where they are multiplied. Included after
// bits.cuh.

// The kinds of products: tensor cores on bits, by warpgroups or by warps; tensor cores on bytes; ordinary
// cores on words. KIND is one of them.
#define GROUPS 0
#define BITS 1
#define BYTES 2
#define WORDS 3

// Warpgroups multiply out of shared memory; only Hopper can. The four blocks of a cluster share two tiles
// of either side, and each tile is copied once for the two blocks that need it.
#if KIND == GROUPS && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define GROUPED
#define FOUR __cluster_dims__(4, 1, 1)
#define STAGES 4
#define BRINGERS 32 // threads that copy, in addition to those that multiply
#else
#define FOUR
#define BRINGERS 0
#if __CUDA_ARCH__ >= 800
#define STAGES 2
#else
#define STAGES 1
#endif
#endif

// A kernel that may not be launched on this architecture is not compiled.
#if KIND == GROUPS && !defined(GROUPED)
#define HERE(work) __trap()
#else
#define HERE(work) work
#endif

#define STAGE (2 * PIECES)      // bytes: a chunk of both tiles
#ifdef GROUPED
#define BARRIERS (16 * STAGES)  // bytes: two barriers per stage
#else
#define BARRIERS 0
#endif

#ifdef GROUPED

__device__ __forceinline__ unsigned rank_of_block()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// Copies bytes to the same offset in all blocks of a mask and signals their barriers.
__device__ __forceinline__ void bring(unsigned to, const void* from, unsigned bytes,
                                      unsigned barrier, unsigned short blocks)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier), "h"(blocks)
                 : "memory");
}

// The chunks of one block of a cluster of four. By rank, blocks 0 and 1 have one tile of a, 2 and 3 the
// next; 0 and 2 have one tile of b, 1 and 3 the next. Each block copies half of each of its tiles, also
// for the other block that has the tile. A stage is full when all four halves have arrived, and empty
// when the three blocks that a block copies for, including itself, have multiplied its content.
template <int THREADS>
struct Chunks {
    const unsigned char *a, *b;
    unsigned char* stages;
    unsigned full, empty;       // addresses of the barriers, one per stage
    unsigned rank;
    unsigned used, released;    // chunks used, and released, so far

    __device__ __forceinline__ Chunks(const unsigned char* a, const unsigned char* b,
                                      unsigned char* stages, void* barriers)
        : a(a), b(b), stages(stages), full(shared_address(barriers)), empty(full + 8 * STAGES),
          rank(rank_of_block()), used(0), released(0)
    {
        if (threadIdx.x == 0) {
            for (unsigned s = 0; s < STAGES; s++) {
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * s));
                asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(empty + 8 * s),
                             "r"(3 * THREADS / 32));
            }
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
    }

    // Begins a run of chunks. The stages may have held other data before.
    __device__ __forceinline__ void begin(unsigned, unsigned)
    {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        cluster_sync();
    }

    // Whether this warp copies instead of multiplying.
    static __device__ __forceinline__ bool is_bringer()
    {
        return threadIdx.x >= THREADS;
    }

    // Copies the chunks from `first` to before `behind`, each as soon as a stage is empty.
    __device__ __forceinline__ void bring_all(unsigned first, unsigned behind)
    {
        begin(first, behind);
        const unsigned half = PIECES / 2, of_a = rank % 2 * half, of_b = rank / 2 * half;
        for (unsigned chunk = first; chunk < behind; chunk++) {
            const unsigned s = used % STAGES, barrier = full + 8 * s;
            const unsigned to = shared_address(stages) + s * STAGE;
            if (threadIdx.x == THREADS) {
                if (used >= STAGES) {
                    await_phase(empty + 8 * s, (used / STAGES - 1) % 2);
                }
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                                 barrier),
                             "r"(STAGE)
                             : "memory");
                bring(to + of_a, a + (i64)chunk * PIECES + of_a, half, barrier, 3 << rank / 2 * 2);
                bring(to + PIECES + of_b, b + (i64)chunk * PIECES + of_b, half, barrier,
                      5 << rank % 2);
            }
            used++;
        }
    }

    // Waits until no other block will signal a barrier of this block any more.
    __device__ __forceinline__ void leave()
    {
        for (unsigned use = used > STAGES ? used - STAGES : 0; use < used; use++) {
            await_phase(empty + 8 * (use % STAGES), use / STAGES % 2);
        }
    }

    // The stage with the next chunk, once it has arrived.
    __device__ __forceinline__ const unsigned char* stage()
    {
        const unsigned s = used % STAGES;
        await_phase(full + 8 * s, used / STAGES % 2);
        used++;
        return stages + s * STAGE;
    }

    // Releases stages: this warp has multiplied all chunks but the last `but`.
    __device__ __forceinline__ void release(unsigned but)
    {
        if (used - released > but) {
            const unsigned lane = threadIdx.x % 32, s = released % STAGES;
            if (lane < 3) {
                asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
                             "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(
                                 empty + 8 * s),
                             "r"(rank ^ lane)
                             : "memory");
            }
            released++;
        }
    }

    // A barrier of the threads that multiply.
    static __device__ __forceinline__ void sync()
    {
        asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory");
    }
};

#else

__device__ __forceinline__ void bring(unsigned to, const void* from, unsigned char* generic)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
#else
    *(uint4*)generic = *(const uint4*)from;
#endif
}

template <int THREADS>
struct Chunks {
    const unsigned char *a, *b;
    unsigned char* stages;
    unsigned next, end, used;

    __device__ __forceinline__ Chunks(const unsigned char* a, const unsigned char* b,
                                      unsigned char* stages, void*)
        : a(a), b(b), stages(stages), next(0), end(0), used(0)
    {
    }

    // Starts to copy the next chunk of both sides, if there is one. Memory has the same layout as a
    // stage.
    __device__ __forceinline__ void bring_next()
    {
        if (next < end) {
            const i64 at = (i64)next * PIECES + threadIdx.x * 16;
            unsigned char* generic = stages + next % STAGES * STAGE + threadIdx.x * 16;
            const unsigned to = shared_address(generic);
#pragma unroll
            for (unsigned part = 0; part < PIECES; part += THREADS * 16) {
                bring(to + part, a + at + part, generic + part);
                bring(to + PIECES + part, b + at + part, generic + PIECES + part);
            }
        }
        next++;
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.commit_group;");
#endif
    }

    // Begins a run of chunks. The stages may have held other data before.
    __device__ __forceinline__ void begin(unsigned first, unsigned behind)
    {
        next = used = first;
        end = behind;
        __syncthreads();
        for (unsigned s = 0; s + 1 < STAGES; s++) {
            bring_next();
        }
    }

    // The stage with the next chunk, once it has arrived; later chunks are in flight.
    __device__ __forceinline__ const unsigned char* stage()
    {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
#endif
        __syncthreads();
        bring_next();
        if (STAGES == 1) {
            __syncthreads();
        }
        return stages + used++ % STAGES * STAGE;
    }

    static __device__ __forceinline__ bool is_bringer()
    {
        return false;
    }

    __device__ __forceinline__ void bring_all(unsigned, unsigned) {}

    __device__ __forceinline__ void leave() {}

    static __device__ __forceinline__ void sync()
    {
        __syncthreads();
    }
};

#endif
