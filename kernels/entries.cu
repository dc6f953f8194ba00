// Counts columns that list their entries off their most frequent code; what that code's
// cells are follows from the anchor's own counts.

struct Entries {
    const unsigned* rows;       // of all columns of a pack
    const unsigned short* codes;
    const u64* starts;          // columns + 1; null where all columns have as many places
    const unsigned* most;       // the most frequent code of each column
    const unsigned* levels;
    const unsigned char* taken;
    unsigned columns;
    unsigned places;            // columns of all packs: from one anchor's sums to the next
    unsigned each;              // log 2 of a short column's places
    i64 rows_all;
    const unsigned char* joint; // of a batch, `joint_stride` bytes an anchor
    i64 joint_stride;
    bool copied;                // whether the joint codes have room in shared memory
    const Anchor* anchors;
    unsigned classes;
    const unsigned* by_joint;   // rows of each joint code, `counts_stride` an anchor
    const unsigned* by_level;   // rows of each level
    i64 counts_stride;
    const i64* terms;
    i64* xw;
    i64* xwy;
    unsigned* tables;           // whole tables, `cells` each, instead of sums, unless null
    i64 cells;
};

// Short columns, by the places 2^0 … 2^5 that each of them has.
struct Shorts {
    const unsigned* rows[6];
    const unsigned short* codes[6];
    unsigned columns[6]; // 0 where there are none of a kind
    unsigned first[6];   // where their sums begin, among all places
};

static_assert(sizeof(Entries) == 176 && sizeof(Shorts) == 144, "drift");

// A place of a short column that is not filled.
#define NOTHING 0xffffu

template <int JOINT>
__device__ __forceinline__ unsigned joint_of(const unsigned char* joint, unsigned row)
{
    return JOINT == 8 ? joint[row] : ((const unsigned short*)joint)[row];
}

// What the most frequent code's cell gives less than all rows of the anchor's would.
__device__ __forceinline__ i64 left(const i64* terms, unsigned all, unsigned taken)
{
    return terms[all - taken] - terms[all];
}

// Joint codes and counts of an anchor where this block reads them from.
struct Near {
    const unsigned char* joint;
    const unsigned* by_level;
    const unsigned* by_joint;
};

template <int JOINT>
__device__ __forceinline__ Near near_of(const Entries& given)
{
    extern __shared__ uint4 shared[];
    const unsigned batch = blockIdx.y;
    const unsigned levels = given.anchors[batch].levels, wide = levels * given.classes;
    Near near = {given.joint + batch * given.joint_stride,
                 given.by_level + batch * given.counts_stride,
                 given.by_joint + batch * given.counts_stride};
    if (given.copied) {
        const i64 vectors = (given.rows_all * (JOINT / 8) + 15) / 16;
        for (i64 at = threadIdx.x; at < vectors; at += blockDim.x) {
            shared[at] = __ldg((const uint4*)near.joint + at);
        }
        unsigned* const counts = (unsigned*)(shared + vectors);
        for (unsigned at = threadIdx.x; at < levels; at += blockDim.x) {
            counts[at] = near.by_level[at];
        }
        for (unsigned at = threadIdx.x; at < wide; at += blockDim.x) {
            counts[levels + at] = near.by_joint[at];
        }
        near = {(const unsigned char*)shared, counts, counts + levels};
        __syncthreads();
    }
    return near;
}

// One warp's columns: a lane an entry, a segment of EACH lanes a column.
template <int JOINT, bool CLASSES, int EACH>
__device__ __forceinline__ void segments(const Entries& given, const Shorts& shorts, int kind,
                                         i64 unit, const Near& near, const Anchor& anchor,
                                         i64* xw, i64* xwy)
{
    const unsigned columns = shorts.columns[kind];
    const unsigned char* const joint = near.joint;
    const unsigned *const by_level = near.by_level, *const by_joint = near.by_joint;
    xw += shorts.first[kind];
    xwy += shorts.first[kind];
    const unsigned lane = threadIdx.x % 32, segment = lane / EACH;
    {
        const i64 column = unit * (32 / EACH) + segment;
        unsigned code = NOTHING, row = 0;
        if (column < columns) {
            code = shorts.codes[kind][unit * 32 + lane];
            row = shorts.rows[kind][unit * 32 + lane];
        }
        const bool on = code != NOTHING;
        unsigned at = 0, level = 0;
        if (on) {
            at = joint_of<JOINT>(joint, row);
            level = CLASSES ? at / given.classes : at;
        }
        i64 sums[2] = {0, 0};
        if (EACH == 1) {
            // One entry off: its own cell has one row, which adds nothing.
            if (on) {
                sums[0] = left(given.terms, by_level[level], 1);
                if (CLASSES) {
                    sums[1] = left(given.terms, by_joint[at], 1);
                }
            }
        } else if (EACH <= 8) {
            // Every lane looks at the others of its segment. Joint codes have 16 bits.
            unsigned same[4] = {0, 0, 0, 0};
            bool leads[4] = {on, on, on, on};
#pragma unroll
            for (int d = 1; d < EACH; d++) {
                const unsigned other_code = __shfl_xor_sync(0xffffffffu, code, d);
                const unsigned other_at = __shfl_xor_sync(0xffffffffu, at, d);
                const unsigned other_level =
                    CLASSES ? __shfl_xor_sync(0xffffffffu, level, d) : other_at;
                const bool before = (lane ^ d) < lane, there = other_code != NOTHING;
                const bool equal_level = there && other_level == level;
                const bool equal[4] = {equal_level && other_code == code, equal_level,
                                       there && other_at == at && other_code == code,
                                       there && other_at == at};
#pragma unroll
                for (int q = 0; q < (CLASSES ? 4 : 2); q++) {
                    same[q] += equal[q];
                    leads[q] = leads[q] && !(equal[q] && before);
                }
            }
            if (leads[0] && same[0] != 0) {
                sums[0] += given.terms[same[0] + 1];
            }
            if (leads[1]) {
                sums[0] += left(given.terms, by_level[level], same[1] + 1);
            }
            if (CLASSES && leads[2] && same[2] != 0) {
                sums[1] += given.terms[same[2] + 1];
            }
            if (CLASSES && leads[3]) {
                sums[1] += left(given.terms, by_joint[at], same[3] + 1);
            }
        } else {
            const unsigned present = __ballot_sync(0xffffffffu, on);
            if (on) {
                const u64 mine = (u64)segment << 48;
                const u64 coded = mine | (u64)code << 16;
                // The first of those that agree counts them.
                const auto agree = [&](u64 key) {
                    const unsigned with = __match_any_sync(present, key);
                    return lane == __ffs(with) - 1 ? __popc(with) : 0;
                };
                sums[0] += given.terms[agree(coded | level)];
                if (const unsigned many = agree(mine | level)) {
                    sums[0] += left(given.terms, by_level[level], many);
                }
                if (CLASSES) {
                    sums[1] += given.terms[agree(coded | at)];
                    if (const unsigned many = agree(mine | at)) {
                        sums[1] += left(given.terms, by_joint[at], many);
                    }
                }
            }
            __syncwarp();
        }
#pragma unroll
        for (int half = EACH / 2; half > 0; half /= 2) {
            sums[0] += __shfl_down_sync(0xffffffffu, sums[0], half, EACH);
            if (CLASSES) {
                sums[1] += __shfl_down_sync(0xffffffffu, sums[1], half, EACH);
            }
        }
        if (lane % EACH == 0 && column < columns) {
            xw[column] = anchor.w + sums[0];
            if (CLASSES) {
                xwy[column] = anchor.wy + sums[1];
            }
        }
    }
}

template <int JOINT, bool CLASSES>
__device__ __forceinline__ void short_columns(const Entries& given, const Shorts& shorts)
{
    const Near near = near_of<JOINT>(given);
    const Anchor anchor = given.anchors[blockIdx.y];
    i64* const xw = given.xw + (i64)blockIdx.y * given.places;
    i64* const xwy = given.xwy + (i64)blockIdx.y * given.places;
    // Units of the longest first; a warp has every so many of all kinds together.
    i64 ends[6];
    i64 end = 0;
#pragma unroll
    for (int kind = 5; kind >= 0; kind--) {
        const i64 columns_a_warp = 32 >> kind;
        end += (shorts.columns[kind] + columns_a_warp - 1) / columns_a_warp;
        ends[kind] = end;
    }
    const i64 warps = ((i64)gridDim.x * blockDim.x) / 32;
    for (i64 unit = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32; unit < end; unit += warps) {
        if (unit < ends[5]) {
            segments<JOINT, CLASSES, 32>(given, shorts, 5, unit, near, anchor, xw, xwy);
        } else if (unit < ends[4]) {
            segments<JOINT, CLASSES, 16>(given, shorts, 4, unit - ends[5], near, anchor, xw, xwy);
        } else if (unit < ends[3]) {
            segments<JOINT, CLASSES, 8>(given, shorts, 3, unit - ends[4], near, anchor, xw, xwy);
        } else if (unit < ends[2]) {
            segments<JOINT, CLASSES, 4>(given, shorts, 2, unit - ends[3], near, anchor, xw, xwy);
        } else if (unit < ends[1]) {
            segments<JOINT, CLASSES, 2>(given, shorts, 1, unit - ends[2], near, anchor, xw, xwy);
        } else {
            segments<JOINT, CLASSES, 1>(given, shorts, 0, unit - ends[1], near, anchor, xw, xwy);
        }
    }
}

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
    extern "C" __global__ void short_##joint(const __grid_constant__ Entries given,        \
                                             const __grid_constant__ Shorts shorts)        \
    {                                                                                      \
        if (given.classes > 1) {                                                           \
            short_columns<joint, true>(given, shorts);                                     \
        } else {                                                                           \
            short_columns<joint, false>(given, shorts);                                    \
        }                                                                                  \
    }                                                                                      \
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
