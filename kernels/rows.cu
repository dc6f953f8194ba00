// Counts columns of few rows without tables: every row is compared with the earlier rows of the same anchor
// level, in four columns at once.

// A row in the order of the joint codes.
struct SortedRow {
    unsigned short row;   // its number
    unsigned short level; // place of the first row of the same level
    unsigned short both;  // place of the first row of the same level and class
    unsigned short unused;
};

// One block: stably sorts at most 4,096 rows by joint code.
template <int JOINT>
__device__ __forceinline__ void order(const unsigned char* joint, unsigned rows,
                                      unsigned classes, SortedRow* out)
{
    __shared__ unsigned short codes[4096];
    joint += (i64)blockIdx.y * ((rows + 15) / 16 * 16) * (JOINT / 8);
    out += (i64)blockIdx.y * rows;
    for (unsigned row = threadIdx.x; row < rows; row += blockDim.x) {
        codes[row] = JOINT == 8 ? joint[row] : ((const unsigned short*)joint)[row];
    }
    __syncthreads();
    for (unsigned row = threadIdx.x; row < rows; row += blockDim.x) {
        const unsigned mine = codes[row], from = mine / classes * classes;
        unsigned place = 0, level = 0, both = 0;
        for (unsigned other = 0; other < rows; other++) {
            const unsigned code = codes[other];
            level += code < from;
            both += code < mine;
            place += code < mine || (code == mine && other < row);
        }
        out[place] = {(unsigned short)row, (unsigned short)level, (unsigned short)both, 0};
    }
}

struct RowsArgs {
    const unsigned* codes;      // row-major, one byte per column, `stride` words per row
    i64 stride;
    unsigned columns;
    unsigned places;            // columns of all packs: the stride from one anchor's sums to the next
    unsigned rows;
    unsigned classes;
    const SortedRow* order;           // of each anchor of a batch
    const i64* terms;
    i64* xw;
    i64* xwy;
    unsigned* occurring;        // number of rows that are the first of their cell (x, w), unless null
};

static_assert(sizeof(SortedRow) == 8 && sizeof(RowsArgs) == 72, "drift");

// Blocks of 32 × slices threads: each lane has four columns, each warp every slices-th row.
extern "C" __global__ void rows(const __grid_constant__ RowsArgs given)
{
    extern __shared__ uint4 shared[];
    // For 128 columns the sums of xw and of xwy, then the number of cells that occur.
    u64* const sums = (u64*)shared;
    unsigned* const firsts = (unsigned*)(sums + 256);
    i64* const steps = (i64*)(firsts + 128);
    for (unsigned at = threadIdx.x; at < 256; at += blockDim.x) {
        sums[at] = 0;
    }
    for (unsigned at = threadIdx.x; at < 128; at += blockDim.x) {
        firsts[at] = 0;
    }
    // The increase of c*L(c) by one more row, for the first 256 counts.
    for (unsigned at = threadIdx.x; at < 256 && at < given.rows; at += blockDim.x) {
        steps[at] = given.terms[at + 1] - given.terms[at];
    }
    __syncthreads();
    const unsigned lane = threadIdx.x % 32, slice = threadIdx.x / 32, slices = blockDim.x / 32;
    const i64 word = (i64)blockIdx.x * 32 + lane;
    const SortedRow* order = given.order + (i64)blockIdx.y * given.rows;
    i64 of_xw[4] = {0, 0, 0, 0}, of_xwy[4] = {0, 0, 0, 0};
    unsigned first_ones[4] = {0, 0, 0, 0};
    const bool there = word * 4 < given.columns;
    const unsigned* codes = given.codes + (there ? word : 0);
    const auto code = [&](unsigned place) { return codes[order[place].row * given.stride]; };
    for (unsigned place = slice; place < given.rows; place += slices) {
        const SortedRow row = order[place];
        const unsigned mine = code(place);
        unsigned before[4] = {0, 0, 0, 0}, with_class[4] = {0, 0, 0, 0};
        unsigned other = row.level;
        while (other < place) {
            // Counts have a byte per column, so at most 255 rows at a time.
            const unsigned end = min(place, other + 255);
            unsigned level = 0, both = 0;
            for (; other < end; other++) {
                const unsigned equal = __vcmpeq4(mine, code(other)) & 0x01010101u;
                level += equal;
                both += other >= row.both ? equal : 0;
            }
#pragma unroll
            for (int k = 0; k < 4; k++) {
                before[k] += level >> 8 * k & 255;
                with_class[k] += both >> 8 * k & 255;
            }
        }
        const auto step = [&](unsigned count) {
            return count < 256 ? steps[count] : given.terms[count + 1] - given.terms[count];
        };
#pragma unroll
        for (int k = 0; k < 4; k++) {
            // The first row of a cell adds nothing.
            if (before[k] != 0) {
                of_xw[k] += step(before[k]);
                if (with_class[k] != 0) {
                    of_xwy[k] += step(with_class[k]);
                }
            } else {
                first_ones[k] += 1;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        atomicAdd(sums + 4 * lane + k, (u64)of_xw[k]);
        atomicAdd(sums + 128 + 4 * lane + k, (u64)of_xwy[k]);
        if (given.occurring != nullptr) {
            atomicAdd(firsts + 4 * lane + k, first_ones[k]);
        }
    }
    __syncthreads();
    for (unsigned at = threadIdx.x; at < 128; at += blockDim.x) {
        const i64 column = (i64)blockIdx.x * 128 + at;
        if (column < given.columns) {
            const i64 out = (i64)blockIdx.y * given.places + column;
            given.xw[out] = (i64)sums[at];
            if (given.classes > 1) {
                given.xwy[out] = (i64)sums[128 + at];
            }
            if (given.occurring != nullptr) {
                given.occurring[column] = firsts[at];
            }
        }
    }
}

extern "C" __global__ void order_8(const unsigned char* joint, unsigned rows, unsigned classes,
                                   SortedRow* out)
{
    order<8>(joint, rows, classes, out);
}

extern "C" __global__ void order_16(const unsigned char* joint, unsigned rows,
                                    unsigned classes, SortedRow* out)
{
    order<16>(joint, rows, classes, out);
}
