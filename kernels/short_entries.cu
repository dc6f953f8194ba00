// Counts columns with few entries off their most frequent code without tables: the entries of a column are
// compared with one another, several columns per warp.

// Short columns, by kind: each has 2^0 … 2^5 places.
struct ShortEntriesArgs {
    const unsigned* rows[6];
    const unsigned short* codes[6];
    unsigned columns[6]; // 0 if there are none of a kind
    unsigned first[6];   // the place of the first, where their sums begin
};

static_assert(sizeof(ShortEntriesArgs) == 144, "drift");

// Joint codes and counts of an anchor, in shared memory if they were copied.
struct Near {
    const unsigned char* joint;
    const unsigned* by_level;
    const unsigned* by_joint;
};

template <int JOINT>
__device__ __forceinline__ Near near_of(const EntriesArgs& given)
{
    extern __shared__ uint4 shared[];
    const unsigned batch = blockIdx.y;
    const unsigned levels = given.anchors[batch].levels, wide = levels * given.classes;
    Near near = {given.joint + batch * given.joint_stride, given.by_level, given.by_joint};
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

// Counts the columns of one warp: one lane per entry, a segment of EACH lanes per column.
template <int JOINT, int CLASSES, int EACH>
__device__ __forceinline__ void segments(const EntriesArgs& given, const ShortEntriesArgs& shorts, int kind,
                                         i64 unit, const Near& near, const AnchorSums& anchor,
                                         i64* xw, i64* xwy)
{
    const unsigned all = 0xffffffffu, lane = threadIdx.x % 32, segment = lane / EACH;
    const unsigned columns = shorts.columns[kind];
    const unsigned *const by_level = near.by_level, *const by_joint = near.by_joint;
    const i64* const terms = given.terms;
    const i64 column = unit * (32 / EACH) + segment;
    unsigned code = UNFILLED, row = 0;
    if (column < columns) {
        code = shorts.codes[kind][unit * 32 + lane];
        row = shorts.rows[kind][unit * 32 + lane];
    }
    const bool on = code != UNFILLED;
    const unsigned at = on ? joint_of<JOINT>(near.joint, row) : 0;
    const unsigned level = level_of<CLASSES>(given, at);
    i64 sums[2] = {0, 0};
    if (EACH == 1) {
        // A single entry: its own cell has one row, which adds nothing.
        if (on) {
            sums[0] = left(terms, by_level[level], 1);
            if (CLASSES != 1) {
                sums[1] = left(terms, by_joint[at], 1);
            }
        }
    } else if (EACH <= 8) {
        // Every lane is compared with the others of its segment. Joint codes have 16 bits.
        const unsigned key = code << 16 | at;
        unsigned same[4] = {0, 0, 0, 0};
        bool leads[4] = {on, on, on, on};
#pragma unroll
        for (int d = 1; d < EACH; d++) {
            const unsigned other = __shfl_xor_sync(all, key, d), differ = other ^ key;
            const bool before = (lane & (d >= 4 ? 4 : d >= 2 ? 2 : 1)) != 0;
            const bool there = other < UNFILLED << 16, equal_code = differ >> 16 == 0;
            const bool equal_level =
                there && (CLASSES == 0 ? level_of<CLASSES>(given, other & 0xffff) == level
                                       : (differ & (CLASSES == 2 ? 0xfffe : 0xffff)) == 0);
            const bool equal_at = there && (differ & 0xffff) == 0;
            const bool equal[4] = {equal_level && equal_code, equal_level, equal_at && equal_code,
                                   equal_at};
#pragma unroll
            for (int q = 0; q < (CLASSES != 1 ? 4 : 2); q++) {
                same[q] += equal[q];
                leads[q] = leads[q] && !(equal[q] && before);
            }
        }
        if (leads[0] && same[0] != 0) {
            sums[0] += terms[same[0] + 1];
        }
        if (leads[1]) {
            sums[0] += left(terms, by_level[level], same[1] + 1);
        }
        if (CLASSES != 1 && leads[2] && same[2] != 0) {
            sums[1] += terms[same[2] + 1];
        }
        if (CLASSES != 1 && leads[3]) {
            sums[1] += left(terms, by_joint[at], same[3] + 1);
        }
    } else {
        const unsigned own = EACH == 32 ? all : 0xffffu << EACH * segment;
        const unsigned present = __ballot_sync(all, on) & own;
        const unsigned second = __ballot_sync(all, at % 2 != 0);
        if (on) {
            // The first lane of those that agree counts them.
            const auto many = [&](unsigned with) {
                return lane == __ffs(with) - 1 ? __popc(with) : 0;
            };
            const unsigned of_xw = __match_any_sync(present, code << 16 | level);
            const unsigned of_w = __match_any_sync(present, level);
            sums[0] += terms[many(of_xw)];
            if (const unsigned rows = many(of_w)) {
                sums[0] += left(terms, by_level[level], rows);
            }
            if (CLASSES != 1) {
                // With two classes, the lanes of the same class are known.
                const unsigned of_y = at % 2 != 0 ? second : ~second;
                const unsigned of_xwy =
                    CLASSES == 2 ? of_xw & of_y : __match_any_sync(present, code << 16 | at);
                const unsigned of_wy =
                    CLASSES == 2 ? of_w & of_y : __match_any_sync(present, at);
                sums[1] += terms[many(of_xwy)];
                if (const unsigned rows = many(of_wy)) {
                    sums[1] += left(terms, by_joint[at], rows);
                }
            }
        }
        __syncwarp();
    }
#pragma unroll
    for (int half = EACH / 2; half > 0; half /= 2) {
        sums[0] += __shfl_down_sync(all, sums[0], half, EACH);
        if (CLASSES != 1) {
            sums[1] += __shfl_down_sync(all, sums[1], half, EACH);
        }
    }
    if (lane % EACH == 0 && column < columns) {
        xw[shorts.first[kind] + column] = anchor.w + sums[0];
        if (CLASSES != 1) {
            xwy[shorts.first[kind] + column] = anchor.wy + sums[1];
        }
    }
}

template <int JOINT, int CLASSES>
__device__ __forceinline__ void short_columns(const EntriesArgs& given, const ShortEntriesArgs& shorts)
{
    const Near near = near_of<JOINT>(given);
    const AnchorSums anchor = given.anchors[blockIdx.y];
    i64* const xw = given.xw + (i64)blockIdx.y * given.places;
    i64* const xwy = given.xwy + (i64)blockIdx.y * given.places;
    // The units of the longest columns come first; units are dealt out to the warps in turn.
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
#define SEGMENTS(kind, from)                                                               \
    segments<JOINT, CLASSES, 1 << kind>(given, shorts, kind, unit - from, near, anchor, xw, xwy)
        if (unit < ends[5]) {
            SEGMENTS(5, 0);
        } else if (unit < ends[4]) {
            SEGMENTS(4, ends[5]);
        } else if (unit < ends[3]) {
            SEGMENTS(3, ends[4]);
        } else if (unit < ends[2]) {
            SEGMENTS(2, ends[3]);
        } else if (unit < ends[1]) {
            SEGMENTS(1, ends[2]);
        } else {
            SEGMENTS(0, ends[1]);
        }
    }
}

#define SHORT(joint)                                                                       \
    extern "C" __global__ void short_entries_##joint(const __grid_constant__ EntriesArgs given,        \
                                             const __grid_constant__ ShortEntriesArgs shorts)        \
    {                                                                                      \
        if (given.classes == 1) {                                                          \
            short_columns<joint, 1>(given, shorts);                                        \
        } else if (given.classes == 2) {                                                   \
            short_columns<joint, 2>(given, shorts);                                        \
        } else {                                                                           \
            short_columns<joint, 0>(given, shorts);                                        \
        }                                                                                  \
    }

SHORT(8)
SHORT(16)
