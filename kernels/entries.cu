// Counts columns that list their entries off their most frequent code; what that code's
// cells are follows from the anchor's own counts.

// The most frequent of counts, by all threads of a block.
__device__ __forceinline__ unsigned most_of(const unsigned* counts, unsigned many)
{
    __shared__ u64 most;
    __syncthreads();
    if (threadIdx.x == 0) {
        most = 0;
    }
    __syncthreads();
    for (unsigned at = threadIdx.x; at < many; at += blockDim.x) {
        atomicMax(&most, (u64)counts[at] << 32 | at);
    }
    __syncthreads();
    return (unsigned)most;
}

// A block a column of at most 255 entries at a time; cells are bytes in shared memory, emptied
// by the entries again. What one more row adds to a cell's c*L(c) is summed as it comes. Most
// entries have the anchor's most frequent level: how many is known at the end without a cell
// that all of them would wait for.
template <int JOINT, bool CLASSES>
__device__ __forceinline__ void few(const Entries& given, unsigned most_levels)
{
    extern __shared__ uint4 shared[];
    __shared__ i64 partial[128];
    const unsigned batch = blockIdx.y;
    const Anchor anchor = given.anchors[batch];
    const unsigned levels = anchor.levels, classes = given.classes, wide = levels * classes;
    unsigned* const words = (unsigned*)shared;
    unsigned char* const bytes = (unsigned char*)shared;
    const unsigned of_wy = levels, of_xw = of_wy + (CLASSES ? wide : 0);
    const unsigned of_xwy = of_xw + most_levels * levels;
    const unsigned cells = of_xwy + (CLASSES ? most_levels * wide : 0);
    for (unsigned at = threadIdx.x; at < (cells + 3) / 4; at += blockDim.x) {
        words[at] = 0;
    }
    const unsigned char* joint = given.joint + batch * given.joint_stride;
    const unsigned* by_level = given.by_level + batch * given.counts_stride;
    const unsigned* by_joint = given.by_joint + batch * given.counts_stride;
    const unsigned level_most = most_of(by_level, levels);
    const unsigned joint_most = CLASSES ? most_of(by_joint, wide) : 0;
    const i64* terms = given.terms;
    const auto one_more = [&](unsigned cell) {
        const unsigned shift = 8 * (cell % 4);
        return atomicAdd(words + cell / 4, 1u << shift) >> shift & 255;
    };
    const auto count = [&](unsigned cell) {
        const unsigned before = one_more(cell);
        return terms[before + 1] - terms[before];
    };
    const auto uncount = [&](unsigned cell, unsigned all) {
        const unsigned before = all - one_more(cell);
        return terms[before - 1] - terms[before];
    };
    for (unsigned column = blockIdx.x; column < given.columns; column += gridDim.x) {
        if (given.taken != nullptr && given.taken[column]) {
            continue;
        }
        const u64 start = given.starts[column], end = given.starts[column + 1];
        // Then how many entries are off the most frequent level, and joint code.
        i64 sums[4] = {0, 0, 0, 0};
        __syncthreads();
        for (u64 at = start + threadIdx.x; at < end; at += blockDim.x) {
            const unsigned code = given.codes[at], both = joint_of<JOINT>(joint, given.rows[at]);
            const unsigned level = CLASSES ? both / classes : both;
            sums[0] += count(of_xw + code * levels + level);
            if (level != level_most) {
                sums[0] += uncount(level, by_level[level]);
                sums[2] += 1;
            }
            if (CLASSES) {
                sums[1] += count(of_xwy + code * wide + both);
                if (both != joint_most) {
                    sums[1] += uncount(of_wy + both, by_joint[both]);
                    sums[3] += 1;
                }
            }
        }
        __syncthreads();
        for (u64 at = start + threadIdx.x; at < end; at += blockDim.x) {
            const unsigned code = given.codes[at], both = joint_of<JOINT>(joint, given.rows[at]);
            const unsigned level = CLASSES ? both / classes : both;
            bytes[of_xw + code * levels + level] = 0;
            bytes[level] = 0;
            if (CLASSES) {
                bytes[of_xwy + code * wide + both] = 0;
                bytes[of_wy + both] = 0;
            }
        }
        block_sum(sums, partial);
        if (threadIdx.x == 0) {
            const i64 place = (i64)batch * given.places + column;
            const unsigned many = (unsigned)(end - start);
            const i64 of_level = left(terms, by_level[level_most], many - (unsigned)sums[2]);
            given.xw[place] = anchor.w + sums[0] + of_level;
            if (CLASSES) {
                const i64 of_joint = left(terms, by_joint[joint_most], many - (unsigned)sums[3]);
                given.xwy[place] = anchor.wy + sums[1] + of_joint;
            }
        }
    }
}

// A block a column at a time; all cells are walked at the end.
template <int JOINT>
__device__ __forceinline__ void many(const Entries& given)
{
    extern __shared__ uint4 shared[];
    __shared__ i64 partial[64];
    unsigned* const table = (unsigned*)shared;
    const unsigned batch = blockIdx.y;
    const Anchor anchor = given.anchors[batch];
    const unsigned levels = anchor.levels, classes = given.classes, wide = levels * classes;
    const unsigned char* joint = given.joint + batch * given.joint_stride;
    const unsigned* by_joint = given.by_joint + batch * given.counts_stride;
    for (unsigned column = blockIdx.x; column < given.columns; column += gridDim.x) {
        if (given.taken != nullptr && given.taken[column]) {
            continue;
        }
        const unsigned x_levels = given.levels[column], most = given.most[column];
        const unsigned cells = x_levels * wide;
        __syncthreads();
        for (unsigned cell = threadIdx.x; cell < cells; cell += blockDim.x) {
            table[cell] = 0;
        }
        __syncthreads();
        u64 start, end;
        if (given.starts != nullptr) {
            start = given.starts[column];
            end = given.starts[column + 1];
        } else {
            start = (u64)column << given.each;
            end = start + (1u << given.each);
        }
        for (u64 at = start + threadIdx.x; at < end; at += blockDim.x) {
            const unsigned code = given.codes[at];
            if (code != NOTHING) {
                atomicAdd(table + code * wide + joint_of<JOINT>(joint, given.rows[at]), 1u);
            }
        }
        __syncthreads();
        for (unsigned at = threadIdx.x; at < wide; at += blockDim.x) {
            unsigned off = 0;
            for (unsigned x = 0; x < x_levels; x++) {
                off += table[x * wide + at];
            }
            // No entry has the most frequent code.
            table[most * wide + at] = by_joint[at] - off;
        }
        __syncthreads();
        if (given.tables != nullptr) {
            unsigned* const out = given.tables + column * given.cells;
            for (unsigned cell = threadIdx.x; cell < cells; cell += blockDim.x) {
                out[cell] = table[cell];
            }
            continue;
        }
        i64 sums[2] = {0, 0};
#pragma unroll 4
        for (unsigned pair = threadIdx.x; pair < x_levels * levels; pair += blockDim.x) {
            unsigned both = 0;
            for (unsigned y = 0; y < classes; y++) {
                const unsigned count = table[pair * classes + y];
                if (classes > 1) {
                    sums[1] += given.terms[count];
                }
                both += count;
            }
            sums[0] += given.terms[both];
        }
        block_sum(sums, partial);
        if (threadIdx.x == 0) {
            const i64 place = (i64)batch * given.places + column;
            given.xw[place] = sums[0];
            if (classes > 1) {
                given.xwy[place] = sums[1];
            }
        }
    }
}

#define ENTRIES(joint)                                                                     \
    extern "C" __global__ void few_##joint(const __grid_constant__ Entries given,          \
                                           unsigned most_levels)                           \
    {                                                                                      \
        if (given.classes > 1) {                                                           \
            few<joint, true>(given, most_levels);                                          \
        } else {                                                                           \
            few<joint, false>(given, most_levels);                                         \
        }                                                                                  \
    }                                                                                      \
    extern "C" __global__ void many_##joint(const __grid_constant__ Entries given)         \
    {                                                                                      \
        many<joint>(given);                                                                \
    }

ENTRIES(8)
ENTRIES(16)
