// Counts columns of few entries off their most frequent code, several columns a warp, without
// tables: entries are compared with one another.

// Short columns, by the places 2^0 … 2^5 that each of them has.
struct Shorts {
    const unsigned* rows[6];
    const unsigned short* codes[6];
    unsigned columns[6]; // 0 where there are none of a kind
    unsigned first[6];   // where their sums begin, among all places
};

static_assert(sizeof(Shorts) == 144, "drift");

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

#define SHORT(joint)                                                                       \
    extern "C" __global__ void short_##joint(const __grid_constant__ Entries given,        \
                                             const __grid_constant__ Shorts shorts)        \
    {                                                                                      \
        if (given.classes > 1) {                                                           \
            short_columns<joint, true>(given, shorts);                                     \
        } else {                                                                           \
            short_columns<joint, false>(given, shorts);                                    \
        }                                                                                  \
    }

SHORT(8)
SHORT(16)
