// Counts columns that have a code for every row in tables in shared memory, and sums c·L(c) over their
// cells.

// The codes of sixteen rows, of 4, 8 or 16 bits each.
template <int BITS> struct Codes;

template <> struct Codes<4> {
    uint2 of;
    __device__ __forceinline__ void load(const unsigned char* codes, i64 vector)
    {
        of = __ldg((const uint2*)codes + vector);
    }
    __device__ __forceinline__ unsigned get(int k) const
    {
        return ((k < 8 ? of.x : of.y) >> 4 * (k % 8)) & 15;
    }
};

template <> struct Codes<8> {
    uint4 of;
    __device__ __forceinline__ void load(const unsigned char* codes, i64 vector)
    {
        of = __ldg((const uint4*)codes + vector);
    }
    __device__ __forceinline__ unsigned get(int k) const
    {
        const unsigned word = k < 4 ? of.x : k < 8 ? of.y : k < 12 ? of.z : of.w;
        return (word >> 8 * (k % 4)) & 255;
    }
};

template <> struct Codes<16> {
    uint4 low, high;
    __device__ __forceinline__ void load(const unsigned char* codes, i64 vector)
    {
        low = __ldg((const uint4*)codes + 2 * vector);
        high = __ldg((const uint4*)codes + 2 * vector + 1);
    }
    __device__ __forceinline__ unsigned get(int k) const
    {
        const uint4& of = k < 8 ? low : high;
        const int at = k % 8 / 2;
        const unsigned word = at == 0 ? of.x : at == 1 ? of.y : at == 2 ? of.z : of.w;
        return (word >> 16 * (k % 2)) & 65535;
    }
};

// The same for joint codes, which are read again for every column.
template <int BITS> struct Joint;

template <> struct Joint<8> : Codes<8> {
    __device__ __forceinline__ void load(const unsigned char* codes, i64 vector)
    {
        of = __ldg((const uint4*)codes + vector);
    }
};

template <> struct Joint<16> : Codes<16> {
    __device__ __forceinline__ void load(const unsigned char* codes, i64 vector)
    {
        low = __ldg((const uint4*)codes + 2 * vector);
        high = __ldg((const uint4*)codes + 2 * vector + 1);
    }
};

// The count of a cell. Cells have 32 bits, each in 2^copies copies to spread the lanes of a warp over
// banks; with HALF they have 16 bits, two per word, for fewer than 65,536 rows.
template <bool HALF>
__device__ __forceinline__ unsigned cell_of(const unsigned* table, unsigned cell, int copies)
{
    if (HALF) {
        return (table[cell / 2] >> 16 * (cell % 2)) & 65535;
    }
    unsigned sum = 0;
    for (int copy = 0; copy < 1 << copies; copy++) {
        // Each lane begins at another copy, so that no two lanes read the same bank.
        sum += table[(cell << copies) + ((copy + threadIdx.x) & ((1 << copies) - 1))];
    }
    return sum;
}

struct DenseArgs {
    const unsigned char* codes; // of a pack, `stride` bytes per column
    i64 stride;
    const unsigned* levels;     // of each column
    const unsigned char* excluded; // not 0 if the column is not a candidate
    unsigned columns;
    unsigned places;            // columns of all packs: the stride from one anchor's sums to the next
    i64 rows, vectors;
    const unsigned char* joint; // of a batch, `joint_stride` bytes per anchor
    i64 joint_stride;
    const AnchorSums* anchors;
    unsigned classes;
    int copies;                 // log 2
    unsigned parts;             // blocks that share a column
    unsigned words;             // words of one column's table in shared memory
    unsigned* partial;          // counts of the parts: `words` per column of the batch, 0 before and after
    unsigned* arrived;          // one counter per column, 0 before and after
    const i64* terms;
    i64* xw;
    i64* xwy;
    unsigned* occurring;        // number of cells (x, w) that are not 0, unless null
    unsigned* tables;           // unless null: whole tables, `cells` each, instead of sums
    i64 cells;
    const WorkItem* items;          // for lists: what is counted
    const u64* listed;          // number of items wanted; at most `capacity` are listed
    u64 capacity;
    const ColumnCodes* all;           // for lists: the columns of all packs
};

static_assert(sizeof(DenseArgs) == 192, "drift");

// Counts the columns of a block or, if LISTED, one item of a list.
template <int BITS, int JOINT, bool HALF, int COLUMNS, bool LISTED>
__device__ __forceinline__ void dense(const DenseArgs& given, unsigned turn)
{
    extern __shared__ uint4 shared[];
    __shared__ i64 partial[64];
    unsigned* const table = (unsigned*)shared;
    const WorkItem item = LISTED ? given.items[turn] : WorkItem{0, blockIdx.y};
    const unsigned group = LISTED ? 0 : blockIdx.x / given.parts;
    const unsigned part = LISTED ? 0 : blockIdx.x % given.parts;
    const unsigned first = group * COLUMNS, batch = item.anchor;
    bool all_excluded = given.excluded != nullptr;
    for (int c = 0; c < COLUMNS && all_excluded; c++) {
        all_excluded = first + c >= given.columns || given.excluded[first + c];
    }
    if (all_excluded) {
        return;
    }
    const unsigned w_levels = given.anchors[batch].levels, wide = w_levels * given.classes;
    const int copies = HALF ? 0 : given.copies;
    const unsigned* const levels = LISTED ? &given.all[item.place].levels : given.levels;
    const unsigned words = given.words;
    // The table of an item may be much smaller than the largest one.
    unsigned cleared = COLUMNS * words;
    if (LISTED) {
        const unsigned cells = *levels * wide;
        cleared = min(words, (HALF ? cells / 2 : cells << copies) + 4);
    }
    // Rows that pad the last vector have code 0 in both: that cell starts below 0, modulo 2^32, so
    // that no cell ever exceeds the number of rows.
    const unsigned begin = part == 0 ? (unsigned)(given.rows - 16 * given.vectors) : 0;
    for (unsigned at = threadIdx.x; at < cleared / 4; at += blockDim.x) {
        const unsigned of_column = COLUMNS == 1 ? at : at % (words / 4);
        shared[at] = make_uint4(of_column == 0 ? begin : 0, 0, 0, 0);
    }
    __syncthreads();
    const unsigned char* codes[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        codes[c] = given.codes + min(first + c, given.columns - 1) * given.stride;
    }
    if (LISTED) {
        codes[0] = (const unsigned char*)given.all[item.place].address;
    }
    const unsigned char* joint = given.joint + batch * given.joint_stride;
    const i64 share = (given.vectors + given.parts - 1) / given.parts;
    const i64 end = min(given.vectors, (part + 1) * share);
    unsigned* const mine = table + (threadIdx.x & ((1 << copies) - 1));
    for (i64 vector = part * share + threadIdx.x; vector < end; vector += blockDim.x) {
        Joint<JOINT> anchor;
        anchor.load(joint, vector);
        Codes<BITS> column[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            column[c].load(codes[c], vector);
        }
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const unsigned at = anchor.get(k);
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                const unsigned cell = column[c].get(k) * wide + at;
                if (HALF) {
                    atomicAdd(table + cell / 2, 1u << 16 * (cell % 2));
                } else {
                    atomicAdd(mine + c * words + (cell << copies), 1u);
                }
            }
        }
    }
    __syncthreads();
#pragma unroll 1
    for (int c = 0; c < COLUMNS; c++) {
        if (first + c >= given.columns) {
            break;
        }
        unsigned* const own = table + c * words;
        const unsigned column = first + c;
        const unsigned cells = levels[column] * wide;
        const bool shared_out = !HALF && given.parts > 1;
        unsigned* const all = shared_out
            ? given.partial + ((i64)batch * given.columns + column) * (words >> copies)
            : nullptr;
        if (shared_out) {
            for (unsigned cell = threadIdx.x; cell < cells; cell += blockDim.x) {
                const unsigned count = cell_of<HALF>(own, cell, copies);
                if (count != 0) {
                    atomicAdd(all + cell, count);
                }
            }
            if (!last_of(given.parts, given.arrived + (i64)batch * given.columns + column)) {
                continue;
            }
            for (unsigned cell = threadIdx.x; cell < cells; cell += blockDim.x) {
                own[cell] = __ldcg(all + cell);
                all[cell] = 0;
            }
            __syncthreads();
        }
        const int copied = shared_out ? 0 : copies;
        if (given.tables != nullptr) {
            unsigned* const out = given.tables + column * given.cells;
            for (unsigned cell = threadIdx.x; cell < cells; cell += blockDim.x) {
                out[cell] = cell_of<HALF>(own, cell, copied);
            }
            continue;
        }
        i64 sums[2] = {0, 0};
        unsigned occurring = 0;
        const unsigned pairs = levels[column] * w_levels, classes = given.classes;
        for (unsigned pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
            unsigned both = 0;
            if (HALF && classes == 2) {
                // One word has the counts of both classes.
                const unsigned word = own[pair];
                sums[1] += given.terms[word & 65535] + given.terms[word >> 16];
                both = (word & 65535) + (word >> 16);
            } else {
                for (unsigned y = 0; y < classes; y++) {
                    const unsigned cell = pair * classes + y;
                    const unsigned count = cell_of<HALF>(own, cell, copied);
                    if (classes > 1) {
                        sums[1] += given.terms[count];
                    }
                    both += count;
                }
            }
            sums[0] += given.terms[both];
            occurring += both != 0;
        }
        if (given.occurring != nullptr && occurring != 0) {
            atomicAdd(given.occurring + column, occurring);
        }
        block_sum(sums, partial);
        if (threadIdx.x == 0) {
            const i64 place = LISTED ? turn : (i64)batch * given.places + column;
            given.xw[place] = sums[0];
            if (classes > 1) {
                given.xwy[place] = sums[1];
            }
        }
    }
}

#ifdef LISTING
// The items of a list, in turn over the blocks.
#define LIST(name, bits, joint, half)                                                      \
    extern "C" __global__ void name(const __grid_constant__ DenseArgs given)                   \
    {                                                                                      \
        const unsigned items = (unsigned)min(*given.listed, given.capacity);               \
        for (unsigned turn = blockIdx.x; turn < items; turn += gridDim.x) {                \
            dense<bits, joint, half, 1, true>(given, turn);                                \
        }                                                                                  \
    }
#define DENSES(bits, joint)                                                                \
    LIST(list_##bits##_##joint, bits, joint, false)                                        \
    LIST(list_##bits##_##joint##_half, bits, joint, true)
#else
#define DENSE(name, bits, joint, half, columns)                                            \
    extern "C" __global__ void name(const __grid_constant__ DenseArgs given)                   \
    {                                                                                      \
        dense<bits, joint, half, columns, false>(given, 0);                                \
    }
#define DENSES(bits, joint)                                                                \
    DENSE(dense_##bits##_##joint, bits, joint, false, 1)                                   \
    DENSE(dense_##bits##_##joint##_half, bits, joint, true, 1)                             \
    DENSE(dense_##bits##_##joint##_two, bits, joint, false, 2)
#endif

// dense.rs appends the instances, from which the host takes their names.
