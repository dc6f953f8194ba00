// Counts columns that list only their entries, the rows off their most frequent code. The cells of the most
// frequent code follow from the anchor's own counts.

// Each block counts one column at a time, with cells of CELL bits in shared memory; a second pass over the
// entries clears the cells. The increase of c*L(c) by each row is summed as it is counted. Most entries
// have the anchor's most frequent level. They are counted in registers and added up at the end, because
// a cell for them would serialise their additions. With two classes the cells of a level are adjacent, so
// that one addition returns the counts of (x, w) and of (x, w, y). `partial` and `off_most` are shared.
template <int JOINT, int CELL, int CLASSES>
__device__ __forceinline__ void few(const EntriesArgs& given, unsigned most_levels, i64* partial,
                                    unsigned* off_most)
{
    extern __shared__ uint4 shared[];
    const unsigned batch = blockIdx.y, lane = threadIdx.x % 32;
    const AnchorSums anchor = given.anchors[batch];
    const unsigned levels = anchor.levels, classes = CLASSES != 0 ? CLASSES : given.classes;
    const unsigned wide = levels * classes;
    unsigned* const words = (unsigned*)shared;
    // Offsets of the cells (w, y), (x, w, y) and, if levels have separate cells, w and (x, w).
    const unsigned of_xwy = wide, of_w = of_xwy + most_levels * wide, of_xw = of_w + levels;
    const unsigned cells = CLASSES != 0 ? of_w : of_xw + most_levels * levels;
    for (unsigned at = threadIdx.x; at < (cells * CELL + 127) / 128; at += blockDim.x) {
        shared[at] = make_uint4(0, 0, 0, 0);
    }
    const unsigned char* joint = given.joint + batch * given.joint_stride;
    const unsigned *const by_level = given.by_level, *const by_joint = given.by_joint;
    const i64* terms = given.terms;
    // Any level would give the same result.
    const unsigned level_most = min(given.all[anchor.place].most, levels - 1);
    const unsigned joint_most = level_most * classes + given.y_most;
    const unsigned mask = (1u << CELL) - 1;
    // Increments a cell; returns its count before, and `both`, which includes the other class.
    const auto one_more = [&](unsigned cell, unsigned& both) {
        const unsigned shift = CELL * (cell % (32 / CELL));
        const unsigned word = atomicAdd(words + cell / (32 / CELL), 1u << shift);
        const unsigned own = word >> shift & mask;
        both = CLASSES == 2 ? own + (word >> (shift ^ CELL) & mask) : own;
        return own;
    };
    const auto forth = [&](unsigned before) { return terms[before + 1] - terms[before]; };
    const auto back = [&](unsigned before) { return terms[before - 1] - terms[before]; };
    for (unsigned column = blockIdx.x; column < given.columns; column += gridDim.x) {
        if (given.excluded != nullptr && given.excluded[column]) {
            continue;
        }
        const u64 start = given.starts[column], end = given.starts[column + 1];
        i64 sums[2] = {0, 0};
        // Entries of the most frequent level; the upper 16 bits count those of class 1 (two classes)
        // or of its most frequent joint code.
        unsigned most = 0;
        __syncthreads();
        for (u64 at = start + threadIdx.x; at < end; at += blockDim.x) {
            const unsigned code = given.codes[at], both = joint_of<JOINT>(joint, given.rows[at]);
            const unsigned level = level_of<CLASSES>(given, both);
            unsigned of_level;
            const unsigned of_joint = one_more(of_xwy + code * wide + both, of_level);
            if (CLASSES != 1) {
                sums[1] += forth(of_joint);
            }
            if (CLASSES == 0) {
                one_more(of_xw + code * levels + level, of_level);
            }
            sums[0] += forth(of_level);
            if (CLASSES == 0) {
                if (both == joint_most) {
                    most += 1u << 16;
                } else {
                    const unsigned of_joint = one_more(both, of_level);
                    sums[1] += back(by_joint[both] - of_joint);
                }
            }
            if (level == level_most) {
                most += CLASSES == 2 && both % 2 != 0 ? 1u << 16 : 1;
                continue;
            }
            const unsigned off = one_more(CLASSES == 0 ? of_w + level : both, of_level);
            sums[0] += back(by_level[level] - of_level);
            if (CLASSES == 2) {
                sums[1] += back(by_joint[both] - off);
            }
        }
        most = warp_count(most);
        if (lane == 0) {
            off_most[threadIdx.x / 32] = most;
        }
        __syncthreads();
        // After the last column of a block the cells are not cleared.
        for (u64 at = start + threadIdx.x; at < end && column + gridDim.x < given.columns;
             at += blockDim.x) {
            const unsigned code = given.codes[at], both = joint_of<JOINT>(joint, given.rows[at]);
            const auto empty = [&](unsigned cell) {
                if (CELL == 8) {
                    ((unsigned char*)shared)[cell] = 0;
                } else {
                    ((unsigned short*)shared)[cell] = 0;
                }
            };
            empty(of_xwy + code * wide + both);
            empty(both);
            if (CLASSES == 0) {
                const unsigned level = level_of<CLASSES>(given, both);
                empty(of_xw + code * levels + level);
                empty(of_w + level);
            }
        }
        block_sum(sums, partial);
        if (threadIdx.x == 0) {
            for (unsigned warp = 1; warp < blockDim.x / 32; warp++) {
                most += off_most[warp];
            }
            const i64 place = (i64)batch * given.places + column;
            const unsigned of_joint = most >> 16, rest = most & 0xffff;
            const unsigned of_level = CLASSES == 2 ? of_joint + rest : rest;
            given.xw[place] = anchor.w + sums[0] + left(terms, by_level[level_most], of_level);
            if (CLASSES == 2) {
                given.xwy[place] = anchor.wy + sums[1] +
                                   left(terms, by_joint[2 * level_most], rest) +
                                   left(terms, by_joint[2 * level_most + 1], of_joint);
            } else if (CLASSES == 0) {
                given.xwy[place] =
                    anchor.wy + sums[1] + left(terms, by_joint[joint_most], of_joint);
            }
        }
    }
}

// Each block counts one column at a time, and sums over all cells at the end.
template <int JOINT>
__device__ __forceinline__ void many(const EntriesArgs& given)
{
    extern __shared__ uint4 shared[];
    __shared__ i64 partial[64];
    unsigned* const table = (unsigned*)shared;
    const unsigned batch = blockIdx.y;
    const AnchorSums anchor = given.anchors[batch];
    const unsigned levels = anchor.levels, classes = given.classes, wide = levels * classes;
    const unsigned char* joint = given.joint + batch * given.joint_stride;
    const unsigned* by_joint = given.by_joint;
    for (unsigned column = blockIdx.x; column < given.columns; column += gridDim.x) {
        if (given.excluded != nullptr && given.excluded[column]) {
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
            if (code != UNFILLED) {
                atomicAdd(table + code * wide + joint_of<JOINT>(joint, given.rows[at]), 1u);
            }
        }
        __syncthreads();
        for (unsigned at = threadIdx.x; at < wide; at += blockDim.x) {
            unsigned off = 0;
            for (unsigned x = 0; x < x_levels; x++) {
                off += table[x * wide + at];
            }
            // No entry has the most frequent code: its cells are what remains.
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

#define FEW(joint, cell, name)                                                             \
    extern "C" __global__ void name(const __grid_constant__ EntriesArgs given,                 \
                                    unsigned most_levels)                                  \
    {                                                                                      \
        __shared__ i64 partial[64];                                                        \
        __shared__ unsigned off_most[32];                                                  \
        if (given.classes == 1) {                                                          \
            few<joint, cell, 1>(given, most_levels, partial, off_most);                    \
        } else if (given.classes == 2) {                                                   \
            few<joint, cell, 2>(given, most_levels, partial, off_most);                    \
        } else {                                                                           \
            few<joint, cell, 0>(given, most_levels, partial, off_most);                    \
        }                                                                                  \
    }
#define ENTRIES(joint)                                                                     \
    FEW(joint, 8, few_##joint)                                                             \
    FEW(joint, 16, some_##joint)                                                           \
    extern "C" __global__ void many_##joint(const __grid_constant__ EntriesArgs given)         \
    {                                                                                      \
        many<joint>(given);                                                                \
    }

ENTRIES(8)
ENTRIES(16)
