// Raises the floor, below which a pair cannot be among the best, from the pairs found so far.

struct PairBounds {
    unsigned a, b;              // places
    float least, most;          // bounds of the score
};

struct PairFloorArgs {
    PairBounds* found;
    unsigned* found_count;             // number of pairs; more than `room` if some were lost
    unsigned room;
    unsigned kept;              // number of pairs before this wave
    u64 wanted;                 // number of best pairs wanted
    float* floor;
    unsigned* out;              // number of pairs found, number that stay, and the floor
    const unsigned* floors;     // the floor of each place, ordered; null if there are none
};

static_assert(sizeof(PairFloorArgs) == 56, "drift");

#define THREADS 1024

// One block. Raises the floor to the `wanted`-th largest lower bound. The pairs stay, in their order, whose
// upper bound reaches the floor, or the floor of one of their variables. If some pairs were lost, only
// those from before this wave stay.
extern "C" __global__ void __launch_bounds__(THREADS) pair_floor(const __grid_constant__ PairFloorArgs given)
{
    __shared__ unsigned counts[256], warps[THREADS / 32], base, digit;
    __shared__ u64 left;
    const unsigned found_count = *given.found_count, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned all = min(found_count, given.room);
    if (all >= given.wanted && given.wanted > 0) {
        unsigned prefix = 0;
        if (threadIdx.x == 0) {
            left = given.wanted;
        }
        for (int shift = 24; shift >= 0; shift -= 8) {
            for (unsigned at = threadIdx.x; at < 256; at += THREADS) {
                counts[at] = 0;
            }
            __syncthreads();
            for (unsigned at = threadIdx.x; at < all; at += THREADS) {
                const unsigned key = ordered_32(given.found[at].least);
                if (shift == 24 || key >> (shift + 8) == prefix >> (shift + 8)) {
                    atomicAdd(counts + (key >> shift & 255), 1u);
                }
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                unsigned at = 255;
                while (at > 0 && counts[at] < left) {
                    left -= counts[at];
                    at--;
                }
                digit = at;
            }
            __syncthreads();
            prefix |= digit << shift;
        }
        if (threadIdx.x == 0) {
            *given.floor = fmaxf(*given.floor, number_32(prefix));
        }
    }
    __syncthreads();
    const float floor = *(volatile float*)given.floor;
    const unsigned stay = found_count > given.room ? given.kept : all;
    if (threadIdx.x == 0) {
        base = 0;
    }
    __syncthreads();
    for (unsigned begin = 0; begin < stay; begin += THREADS) {
        const unsigned at = begin + threadIdx.x;
        PairBounds own = {};
        if (at < stay) {
            own = given.found[at];
        }
        float least = floor;
        if (at < stay && given.floors != nullptr) {
            least = fminf(least, number_32(given.floors[own.a]));
            least = fminf(least, number_32(given.floors[own.b]));
        }
        const bool stays = at < stay && own.most >= least;
        const unsigned mask = __ballot_sync(0xffffffffu, stays);
        if (lane == 0) {
            warps[warp] = __popc(mask);
        }
        __syncthreads();
        unsigned to = base + __popc(mask & ((1u << lane) - 1));
        for (unsigned other = 0; other < warp; other++) {
            to += warps[other];
        }
        // Pairs only move towards the front, to places that have been read.
        if (stays) {
            given.found[to] = own;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (unsigned other = 0; other < THREADS / 32; other++) {
                base += warps[other];
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        *given.found_count = base;
        given.out[0] = found_count;
        given.out[1] = base;
        given.out[2] = __float_as_uint(floor);
    }
}
