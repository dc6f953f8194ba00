// Counts any column against any anchor in tables in global memory, over the rows where neither value is
// missing: for whatever does not fit or suit the other kernels.

struct WideArgs {
    const ColumnCodes* places;        // of each column
    const unsigned* left_out;   // the code of its missing values; above all codes if none are missing
    const unsigned* levels;
    const unsigned char* excluded;
    unsigned columns;
    i64 rows;
    const unsigned* w;          // by batch, of each row; w_levels if missing
    const unsigned* y;
    unsigned w_levels, y_levels;
    i64 w_stride, y_stride;     // from one anchor of a batch to the next
    unsigned all_places;        // columns of all packs
    unsigned short* spreads;    // for each block, room for every row's code
    unsigned char* scratch;     // for each block `scratch_stride` bytes, all 0 before and after
    i64 scratch_stride;
    u64 slots;                  // slots of a hash table, a power of two
    u64 direct;                 // most cells of a table without keys
    u64 room[7];                // bytes of each table
    const i64* terms;
    i64* xw;                    // if no value is missing
    i64* xwy;
    TableSums* whole;               // otherwise
    unsigned* tables;           // unless null: whole tables, `cells` each, instead of sums
    i64 cells;
};

static_assert(sizeof(WideArgs) == 240, "drift");

// Counts of cells: direct, or hashed if there are many, with a slot for each cell that occurs.
struct Counts {
    u64* keys; // null if a cell's number is its slot
    unsigned* counts;
    u64 slots;
};

__device__ __forceinline__ u64 mixed(u64 key)
{
    key = (key ^ key >> 31) * 0x9e3779b97f4a7c15ull;
    return key ^ key >> 32;
}

// Increments a cell; returns its count before.
__device__ __forceinline__ unsigned one_more(const Counts& of, u64 cell)
{
    if (of.keys == nullptr) {
        return atomicAdd(of.counts + cell, 1u);
    }
    for (u64 slot = mixed(cell) & (of.slots - 1);; slot = (slot + 1) & (of.slots - 1)) {
        // 0 is an empty slot.
        const u64 there = atomicCAS(of.keys + slot, 0ull, cell + 1);
        if (there == 0 || there == cell + 1) {
            return atomicAdd(of.counts + slot, 1u);
        }
    }
}

__device__ __forceinline__ void clear(const Counts& of, u64 cells)
{
    const u64 slots = of.keys == nullptr ? cells : of.slots;
    for (u64 slot = threadIdx.x; slot < slots; slot += blockDim.x) {
        of.counts[slot] = 0;
        if (of.keys != nullptr) {
            of.keys[slot] = 0;
        }
    }
}

__device__ __forceinline__ unsigned code_of(const ColumnCodes& place, const unsigned short* spread,
                                            i64 row)
{
    const unsigned char* codes = (const unsigned char*)place.address;
    switch (place.bits) {
    case 4:
        return codes[row / 2] >> 4 * (row % 2) & 15;
    case 8:
        return codes[row * place.length];
    case 16:
        return ((const unsigned short*)codes)[row];
    default:
        return spread[row];
    }
}

extern "C" __global__ void wide(const __grid_constant__ WideArgs given)
{
    __shared__ i64 partial[8 * 32];
    const unsigned batch = blockIdx.y;
    const unsigned* w_codes = given.w + batch * given.w_stride;
    const unsigned* y_codes = given.y + batch * given.y_stride;
    unsigned char* scratch =
        given.scratch + ((i64)batch * gridDim.x + blockIdx.x) * given.scratch_stride;
    unsigned short* spread =
        given.spreads + ((i64)batch * gridDim.x + blockIdx.x) * given.rows;
    const i64* terms = given.terms;
    const u64 w_levels = given.w_levels, y_levels = given.y_levels;
    for (unsigned column = blockIdx.x; column < given.columns; column += gridDim.x) {
        if (given.excluded != nullptr && given.excluded[column]) {
            continue;
        }
        const ColumnCodes place = given.places[column];
        if (place.bits == 0) {
            for (i64 row = threadIdx.x; row < given.rows; row += blockDim.x) {
                spread[row] = place.most;
            }
            __syncthreads();
            const unsigned* rows = (const unsigned*)place.address;
            const unsigned short* codes = (const unsigned short*)place.codes;
            for (unsigned entry = threadIdx.x; entry < place.length; entry += blockDim.x) {
                if (codes[entry] != 0xffffu) {
                    spread[rows[entry]] = codes[entry];
                }
            }
            __syncthreads();
        }
        const unsigned left_out = given.left_out[column];
        if (given.tables != nullptr) {
            unsigned* const table = given.tables + (i64)column * given.cells;
            for (i64 row = threadIdx.x; row < given.rows; row += blockDim.x) {
                const unsigned code = code_of(place, spread, row);
                if (code != left_out && w_codes[row] != given.w_levels) {
                    atomicAdd(table + (code * w_levels + w_codes[row]) * y_levels + y_codes[row],
                              1u);
                }
            }
            __syncthreads();
            continue;
        }
        const u64 x_levels = given.levels[column];
        // x, w, y, xw, xy, wy, xwy
        const u64 cells[7] = {x_levels, w_levels, y_levels, x_levels * w_levels,
                              x_levels * y_levels, w_levels * y_levels,
                              x_levels * w_levels * y_levels};
        Counts counts[7];
        unsigned char* from = scratch;
#pragma unroll
        for (int table = 0; table < 7; table++) {
            const bool direct = cells[table] <= given.direct;
            counts[table].keys = direct ? nullptr : (u64*)from;
            counts[table].counts = (unsigned*)(direct ? from : from + 8 * given.slots);
            counts[table].slots = given.slots;
            from += given.room[table];
        }
        // left, x, w, y, xw, xy, wy, xwy
        i64 sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (i64 row = threadIdx.x; row < given.rows; row += blockDim.x) {
            const u64 x = code_of(place, spread, row), w = w_codes[row], y = y_codes[row];
            if (x == left_out || w == given.w_levels) {
                continue;
            }
            sums[0] += 1;
            const u64 cell[7] = {x, w, y, x * w_levels + w, x * y_levels + y, w * y_levels + y,
                                 (x * w_levels + w) * y_levels + y};
#pragma unroll
            for (int table = 0; table < 7; table++) {
                if (given.whole == nullptr && table != 3 && table != 6) {
                    continue;
                }
                const unsigned before = one_more(counts[table], cell[table]);
                sums[1 + table] += terms[before + 1] - terms[before];
            }
        }
        __syncthreads();
#pragma unroll
        for (int table = 0; table < 7; table++) {
            if (given.whole != nullptr || table == 3 || table == 6) {
                clear(counts[table], cells[table]);
            }
        }
        block_sum(sums, partial);
        if (threadIdx.x == 0) {
            const i64 out = (i64)batch * given.all_places + column;
            if (given.whole == nullptr) {
                given.xw[out] = sums[4];
                given.xwy[out] = sums[7];
            } else {
                given.whole[out] = {{terms[sums[0]], sums[1], sums[2], sums[3], sums[4], sums[5],
                                     sums[6], sums[7]},
                                    sums[0]};
            }
        }
    }
}
