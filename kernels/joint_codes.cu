// Lays out the next anchor: the joint code of every row, and the number of rows of each joint code.

struct JointCodesArgs {
    const AnchorSums* anchor;       // `place` is its column in `places`
    const ColumnCodes* places;
    i64 rows;                   // rows, and those including the padding to 16, which has code 0
    i64 filled;
    const unsigned short* y;    // null if there is one class
    unsigned classes;
    unsigned char* joint;
    unsigned* by_joint;         // 0 before; null if not wanted
    unsigned* by_level;
    unsigned* next;             // the other set of counts, which is cleared
    i64 cells;                  // number of those counts
};

static_assert(sizeof(JointCodesArgs) == 88, "drift");

template <int JOINT>
__device__ __forceinline__ void put(const JointCodesArgs& given, i64 row, unsigned code)
{
    unsigned joint = code * given.classes;
    if (given.y != nullptr && row < given.rows) {
        joint += given.y[row];
    }
    if (JOINT == 8) {
        given.joint[row] = joint;
    } else {
        ((unsigned short*)given.joint)[row] = joint;
    }
}

// The index of the first entry whose row is at least `row`; entries are sorted by row. The threads of a
// block search together, each at its own place.
__device__ __forceinline__ unsigned first_from(const unsigned* rows, unsigned length, i64 row)
{
    unsigned low = 0, high = length;
    while (low < high) {
        const unsigned each = (high - low + blockDim.x - 1) / blockDim.x;
        const u64 at = low + (u64)threadIdx.x * each;
        const unsigned below = __syncthreads_count(at < high && rows[at] < row);
        high = below == 0 ? low : (unsigned)min((u64)high, low + (u64)below * each);
        low = below == 0 ? low : low + (below - 1) * each + 1;
    }
    return low;
}

// Up to this many joint codes are counted in shared memory first.
#define NEAR 4096u

// Counts the joint codes of some rows.
template <int JOINT>
__device__ __forceinline__ void tell(const JointCodesArgs& given, i64 from, i64 to)
{
    __shared__ unsigned near[NEAR];
    const unsigned wide = given.anchor->levels * given.classes, lane = threadIdx.x % 32;
    for (unsigned at = threadIdx.x; at < NEAR && at < wide; at += blockDim.x) {
        near[at] = 0;
    }
    __syncthreads();
    unsigned* const counts = wide <= NEAR ? near : given.by_joint;
    for (i64 begin = from; begin < to; begin += blockDim.x) {
        const i64 row = begin + threadIdx.x;
        const unsigned mask = __ballot_sync(0xffffffffu, row < to);
        if (row >= to) {
            continue;
        }
        const unsigned joint =
            JOINT == 8 ? given.joint[row] : ((const unsigned short*)given.joint)[row];
        // Most rows may have the same code: their additions would be serialised.
        const unsigned same = __match_any_sync(mask, joint);
        if (lane == __ffs(same) - 1) {
            const unsigned rows = __popc(same);
            atomicAdd(counts + joint, rows);
            if (wide > NEAR) {
                atomicAdd(given.by_level + joint / given.classes, rows);
            }
        }
    }
    __syncthreads();
    for (unsigned at = threadIdx.x; at < wide && wide <= NEAR; at += blockDim.x) {
        if (near[at] != 0) {
            atomicAdd(given.by_joint + at, near[at]);
            atomicAdd(given.by_level + at / given.classes, near[at]);
        }
    }
}

// The rows [from, to) of dense codes, eight at a time: the column may be on another GPU, from which words
// are faster to read than bytes.
template <int JOINT, int BITS>
__device__ __forceinline__ void put_8(const JointCodesArgs& given, const void* column, i64 from, i64 to)
{
    struct __align__(BITS) Eight {
        unsigned of[BITS / 4];
    };
    for (i64 row = from + 8 * threadIdx.x; row < to; row += 8 * blockDim.x) {
        const Eight codes = ((const Eight*)column)[row / 8];
        uint4 y = {0, 0, 0, 0};
        if (given.y != nullptr) {
            y = *(const uint4*)(given.y + row);
        }
        const unsigned of[4] = {y.x, y.y, y.z, y.w};
        unsigned words[JOINT / 4] = {};
#pragma unroll
        for (int at = 0; at < 8; ++at) {
            const unsigned code = codes.of[at * BITS / 32] >> at * BITS % 32 & ((1u << BITS) - 1);
            const unsigned own = of[at / 2] >> 16 * (at % 2) & 0xffffu;
            words[at * JOINT / 32] |= (code * given.classes + own) << at * JOINT % 32;
        }
        if (JOINT == 8) {
            *(uint2*)(given.joint + row) = {words[0], words[1]};
        } else {
            *(uint4*)(given.joint + 2 * row) = {words[0], words[1], words[JOINT / 4 - 2],
                                                words[JOINT / 4 - 1]};
        }
    }
}

// Each block makes the joint codes of a range of rows. A dense column gives a code for each row; a column
// of entries gives every row its most frequent code, then the entries theirs.
template <int JOINT>
__device__ __forceinline__ void joint_codes(const JointCodesArgs& given)
{
    const i64 each = ((given.filled + gridDim.x - 1) / gridDim.x + 15) / 16 * 16;
    const i64 from = min(given.filled, blockIdx.x * each), to = min(given.filled, from + each);
    for (i64 at = first(); at < given.cells; at += stride()) {
        given.next[at] = 0;
    }
    const ColumnCodes place = given.places[given.anchor->place];
    const unsigned char* codes = (const unsigned char*)place.address;
    // Padding rows are among the last sixteen.
    const bool whole = place.bits != 0 && place.length == 1;
    const i64 full = whole ? max(from, min(to, given.rows / 16 * 16)) : from;
    if (whole && place.bits == 4) {
        put_8<JOINT, 4>(given, codes, from, full);
    } else if (whole && place.bits == 8) {
        put_8<JOINT, 8>(given, codes, from, full);
    } else if (whole) {
        put_8<JOINT, 16>(given, codes, from, full);
    }
    for (i64 row = full + threadIdx.x; row < to; row += blockDim.x) {
        unsigned code = place.most;
        if (row >= given.rows) {
            code = 0;
        } else if (place.bits == 4) {
            code = codes[row / 2] >> 4 * (row % 2) & 15;
        } else if (place.bits == 8) {
            code = codes[row * place.length];
        } else if (place.bits == 16) {
            code = ((const unsigned short*)codes)[row];
        }
        put<JOINT>(given, row, code);
    }
    if (place.bits == 0 && place.length != 0) {
        __syncthreads();
        const unsigned* rows = (const unsigned*)place.address;
        const unsigned short* codes = (const unsigned short*)place.codes;
        // Only short columns have unfilled places.
        const bool few = place.length <= blockDim.x;
        const unsigned begin = few ? 0 : first_from(rows, place.length, from);
        for (u64 at = begin + threadIdx.x; at < place.length; at += blockDim.x) {
            const unsigned row = rows[at];
            if (!few && row >= to) {
                break;
            }
            if (codes[at] != 0xffffu && row >= from && row < to) {
                put<JOINT>(given, row, codes[at]);
            }
        }
    }
    __syncthreads();
    if (given.by_joint != nullptr) {
        tell<JOINT>(given, from, min(to, given.rows));
    }
}

// Permutes joint codes: row i = row orders[i] of the anchor, for each of a batch (the grid's y).
template <int JOINT>
__device__ __forceinline__ void permute(const unsigned char* joint, const unsigned* orders,
                                        i64 rows, unsigned char* out, i64 out_stride)
{
    const unsigned* order = orders + (i64)blockIdx.y * rows;
    unsigned char* to = out + (i64)blockIdx.y * out_stride;
    for (i64 row = first(); row < rows; row += stride()) {
        if (JOINT == 8) {
            to[row] = joint[order[row]];
        } else {
            ((unsigned short*)to)[row] = ((const unsigned short*)joint)[order[row]];
        }
    }
}

#define SPREAD(joint)                                                                      \
    extern "C" __global__ void joint_codes_##joint(const __grid_constant__ JointCodesArgs given)           \
    {                                                                                      \
        joint_codes<joint>(given);                                                                 \
    }                                                                                      \
    extern "C" __global__ void permute_##joint(const unsigned char* codes,                 \
                                               const unsigned* orders, i64 rows,           \
                                               unsigned char* out, i64 out_stride)         \
    {                                                                                      \
        permute<joint>(codes, orders, rows, out, out_stride);                              \
    }

SPREAD(8)
SPREAD(16)
