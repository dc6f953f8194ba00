// Lays the next anchor out: the joint code of every row, and how many rows have each.

struct Spread {
    const Anchor* anchor;       // whose `unused` is the column among `places`
    const Place* places;
    i64 rows;                   // and those that fill the last sixteen up, which have 0
    i64 filled;
    const unsigned short* y;    // null where there is one class
    unsigned classes;
    unsigned char* joint;
    unsigned* by_joint;         // null where nobody asks
    unsigned* by_level;
    i64 counts;                 // room of each
};

static_assert(sizeof(Spread) == 80, "drift");

template <int JOINT>
__device__ __forceinline__ void put(const Spread& given, i64 row, unsigned code)
{
    unsigned joint = code * given.classes;
    if (given.y != nullptr) {
        joint += given.y[row];
    }
    if (JOINT == 8) {
        given.joint[row] = joint;
    } else {
        ((unsigned short*)given.joint)[row] = joint;
    }
}

// Dense codes as they are; of entries the most frequent code for every row. Counts begin at 0.
template <int JOINT>
__device__ __forceinline__ void spread(const Spread& given)
{
    const Place place = given.places[given.anchor->unused];
    const unsigned char* codes = (const unsigned char*)place.address;
    for (i64 row = first(); row < given.filled; row += stride()) {
        if (row >= given.rows) {
            if (JOINT == 8) {
                given.joint[row] = 0;
            } else {
                ((unsigned short*)given.joint)[row] = 0;
            }
            continue;
        }
        unsigned code = place.most;
        if (place.bits == 4) {
            code = codes[row / 2] >> 4 * (row % 2) & 15;
        } else if (place.bits == 8) {
            code = codes[row * place.length];
        } else if (place.bits == 16) {
            code = ((const unsigned short*)codes)[row];
        }
        put<JOINT>(given, row, code);
    }
    if (given.by_joint != nullptr) {
        for (i64 at = first(); at < given.counts; at += stride()) {
            given.by_joint[at] = 0;
            given.by_level[at] = 0;
        }
    }
}

template <int JOINT>
__device__ __forceinline__ void scatter(const Spread& given)
{
    const Place place = given.places[given.anchor->unused];
    if (place.bits != 0) {
        return;
    }
    const unsigned* rows = (const unsigned*)place.address;
    const unsigned short* codes = (const unsigned short*)place.codes;
    for (i64 at = first(); at < place.length; at += stride()) {
        if (codes[at] != 0xffffu) {
            put<JOINT>(given, rows[at], codes[at]);
        }
    }
}

// Few codes are counted in shared memory first.
#define NEAR 4096u

template <int JOINT>
__device__ __forceinline__ void tell(const Spread& given)
{
    __shared__ unsigned near[NEAR];
    const unsigned wide = given.anchor->levels * given.classes;
    for (unsigned at = threadIdx.x; at < NEAR && at < wide; at += blockDim.x) {
        near[at] = 0;
    }
    __syncthreads();
    unsigned* const counts = wide <= NEAR ? near : given.by_joint;
    for (i64 row = first(); row < given.rows; row += stride()) {
        const unsigned joint =
            JOINT == 8 ? given.joint[row] : ((const unsigned short*)given.joint)[row];
        atomicAdd(counts + joint, 1u);
        if (wide > NEAR) {
            atomicAdd(given.by_level + joint / given.classes, 1u);
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

// All of it by one block, for so few rows that three launches would take longer.
template <int JOINT>
__device__ __forceinline__ void lay(const Spread& given)
{
    spread<JOINT>(given);
    __syncthreads();
    scatter<JOINT>(given);
    __syncthreads();
    if (given.by_joint != nullptr) {
        tell<JOINT>(given);
    }
}

// Row i of each of a batch = row orders[i] of the anchor; one batch for each y of the grid.
template <int JOINT>
__device__ __forceinline__ void shuffle(const unsigned char* joint, const unsigned* orders,
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
    extern "C" __global__ void spread_##joint(const __grid_constant__ Spread given)        \
    {                                                                                      \
        spread<joint>(given);                                                              \
    }                                                                                      \
    extern "C" __global__ void scatter_##joint(const __grid_constant__ Spread given)       \
    {                                                                                      \
        scatter<joint>(given);                                                             \
    }                                                                                      \
    extern "C" __global__ void tell_##joint(const __grid_constant__ Spread given)          \
    {                                                                                      \
        tell<joint>(given);                                                                \
    }                                                                                      \
    extern "C" __global__ void lay_##joint(const __grid_constant__ Spread given)           \
    {                                                                                      \
        lay<joint>(given);                                                                 \
    }                                                                                      \
    extern "C" __global__ void shuffle_##joint(const unsigned char* codes,                 \
                                               const unsigned* orders, i64 rows,           \
                                               unsigned char* out, i64 out_stride)         \
    {                                                                                      \
        shuffle<joint>(codes, orders, rows, out, out_stride);                              \
    }

SPREAD(8)
SPREAD(16)
