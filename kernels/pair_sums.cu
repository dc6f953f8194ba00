// The exact sums of the pairs that were found.

struct BitColumn {
    const unsigned char* tile;
    const unsigned* margins;    // by class, then by row
    unsigned planes;            // its rows of bits
    unsigned within;            // its number in the tile
};

struct Candidate {
    unsigned a, b;              // places
    float least, most;
};

struct PairSumsArgs {
    const BitColumn* variables;  // the variable of each place
    const unsigned* sizes;      // rows of each class
    const unsigned* edges;      // the chunk where each class begins, and the end
    unsigned classes;
    unsigned count;             // number of pairs
    const i64* terms;
    const Candidate* found;
    i64* sums;                  // two per pair: xw, then xwy
};

static_assert(sizeof(BitColumn) == 24 && sizeof(Candidate) == 16 && sizeof(PairSumsArgs) == 56, "drift");

// Each block counts one pair at a time. Shared memory: its table, (planes + 1)² cells for each class.
extern "C" __global__ void pair_sums(const __grid_constant__ PairSumsArgs given)
{
    extern __shared__ unsigned cells[];
    __shared__ i64 partial[64];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (unsigned at = blockIdx.x; at < given.count; at += gridDim.x) {
        const BitColumn a = given.variables[given.found[at].a];
        const BitColumn b = given.variables[given.found[at].b];
        const unsigned down = a.planes + 1, across = b.planes + 1, table = down * across;
        for (unsigned job = warp; job < given.classes * a.planes * b.planes; job += warps) {
            const unsigned k = job / (a.planes * b.planes), cell = job % (a.planes * b.planes);
            const unsigned i = cell / b.planes, j = cell % b.planes;
            const unsigned row_a = row_of(a.within, i, a.planes);
            const unsigned row_b = row_of(b.within, j, b.planes);
            unsigned count = 0;
            for (unsigned word = 16 * given.edges[k] + lane; word < 16 * given.edges[k + 1];
                 word += 32) {
                count += __popc(*(const unsigned*)(a.tile + word_at(row_a, word))
                                & *(const unsigned*)(b.tile + word_at(row_b, word)));
            }
            count = warp_count(count);
            if (lane == 0) {
                cells[k * table + i * across + j] = count;
            }
        }
        __syncthreads();
        // The last level has what remains of the margins.
        for (unsigned job = threadIdx.x; job < given.classes * a.planes; job += blockDim.x) {
            const unsigned k = job / a.planes, i = job % a.planes;
            unsigned* line = cells + k * table + i * across;
            unsigned left = a.margins[k * a.planes + i];
            for (unsigned j = 0; j < b.planes; j++) {
                left -= line[j];
            }
            line[b.planes] = left;
        }
        __syncthreads();
        for (unsigned job = threadIdx.x; job < given.classes * across; job += blockDim.x) {
            const unsigned k = job / across, j = job % across;
            unsigned* column = cells + k * table + j;
            unsigned left = j < b.planes ? b.margins[k * b.planes + j] : given.sizes[k];
            for (unsigned other = 0; other < b.planes && j == b.planes; other++) {
                left -= b.margins[k * b.planes + other];
            }
            for (unsigned i = 0; i < a.planes; i++) {
                left -= column[i * across];
            }
            column[a.planes * across] = left;
        }
        __syncthreads();
        i64 sums[2] = {0, 0};
        for (unsigned cell = threadIdx.x; cell < table; cell += blockDim.x) {
            unsigned count = 0;
            for (unsigned k = 0; k < given.classes; k++) {
                const unsigned own = cells[k * table + cell];
                sums[1] += given.terms[own];
                count += own;
            }
            sums[0] += given.terms[count];
        }
        block_sum<2>(sums, partial);
        if (threadIdx.x == 0) {
            given.sums[2 * at] = sums[0];
            given.sums[2 * at + 1] = sums[1];
        }
        __syncthreads();
    }
}
