// Makes columns where they lie: a value follows from the seed, its column and its row, or entry.

struct Made {
    u64 seed;
    i64 rows;
    i64 scale;                // entries of column j: scale / (j + 1), within bounds; or 0
    const unsigned* numbers;  // of each column of the pack
    unsigned char* codes;     // of the pack, dense
    i64 stride;               // bytes from one column to the next, or from one row
    unsigned* listed;         // rows of entries
    unsigned short* listed_codes;
    const u64* starts;        // of entries; null where every column has 2^each places
    ColumnCodes* places;            // of each column
    unsigned* of_levels;
    unsigned* of_most;
    unsigned* of_left_out;
    unsigned levels;
    unsigned columns;         // of the pack
    unsigned bits;            // of a dense code; 0 where entries are listed
    unsigned by_row;          // whether a column is a byte of each row
    unsigned each;
};

static_assert(sizeof(Made) == 128, "drift");

#define STEP 0x9e3779b97f4a7c15ull

__device__ __forceinline__ u64 mixed(u64 z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// Of a column.
__device__ __forceinline__ u64 key(const Made& given, unsigned at)
{
    return mixed(given.seed + (given.numbers[at] + 1ull) * STEP);
}

__device__ __forceinline__ u64 word(u64 key, u64 at)
{
    return mixed(key + (at + 1) * STEP);
}

__device__ __forceinline__ unsigned bell(u64 word, unsigned levels)
{
    const u64 sum =
        (word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) + (word >> 48);
    return (unsigned)(sum * levels >> 18);
}

__device__ __forceinline__ u64 length(const Made& given, unsigned at)
{
    const u64 zipf = (u64)given.scale / (given.numbers[at] + 1ull);
    const u64 most = max((u64)given.rows / 2, 1ull);
    return min(max(zipf, 1ull), most);
}

struct Entry {
    unsigned row, code;
};

// One of `length`, each of which has rows of its own.
__device__ __forceinline__ Entry entry(const Made& given, u64 key, u64 at, u64 length)
{
    const u64 mine = word(key, at), rows = (u64)given.rows;
    const u64 from = at * rows / length, to = (at + 1) * rows / length;
    const u64 code = (mine & 0xffffffffull) * (given.levels - 1) >> 32;
    return {(unsigned)(from + ((mine >> 32) * (to - from) >> 32)), 1 + (unsigned)code};
}

// Lines are columns, or rows; a thread makes 32 bits.
extern "C" __global__ void made_bell(const __grid_constant__ Made given)
{
    const unsigned each = 32 / given.bits;
    const i64 words = given.stride / 4;
    const i64 lines = given.by_row ? given.rows : given.columns;
    const i64 along = given.by_row ? given.columns : given.rows;
    for (i64 line = blockIdx.y; line < lines; line += gridDim.y) {
        const u64 own = given.by_row ? 0 : key(given, (unsigned)line);
        for (i64 at = first(); at < words; at += stride()) {
            unsigned bits = 0;
            for (unsigned k = 0; k < each && at * each + k < along; k++) {
                const i64 place = at * each + k;
                const u64 mine = given.by_row ? word(key(given, (unsigned)place), (u64)line)
                                              : word(own, (u64)place);
                bits |= bell(mine, given.levels) << k * given.bits;
            }
            ((unsigned*)(given.codes + line * given.stride))[at] = bits;
        }
    }
}

// Entries among codes that are 0 before; a block has a column at a time.
extern "C" __global__ void made_scattered(const __grid_constant__ Made given)
{
    for (unsigned at = blockIdx.x; at < given.columns; at += gridDim.x) {
        const u64 own = key(given, at), all = length(given, at);
        for (u64 number = threadIdx.x; number < all; number += blockDim.x) {
            const Entry it = entry(given, own, number, all);
            const u64 bit = given.by_row ? ((u64)it.row * given.stride + at) * 8
                                         : (u64)at * given.stride * 8 + (u64)it.row * given.bits;
            atomicOr((unsigned*)given.codes + bit / 32, it.code << bit % 32);
        }
    }
}

// A block has a column at a time.
extern "C" __global__ void made_listed(const __grid_constant__ Made given)
{
    for (unsigned at = blockIdx.x; at < given.columns; at += gridDim.x) {
        const u64 own = key(given, at), all = length(given, at), start = given.starts[at];
        for (u64 number = threadIdx.x; number < all; number += blockDim.x) {
            const Entry it = entry(given, own, number, all);
            given.listed[start + number] = it.row;
            given.listed_codes[start + number] = (unsigned short)it.code;
        }
    }
}

// A thread has a place; they fill up a warp's.
extern "C" __global__ void made_short(const __grid_constant__ Made given)
{
    const u64 places = (((u64)given.columns << given.each) + 31) / 32 * 32;
    for (u64 place = first(); place < places; place += stride()) {
        const u64 at = place >> given.each, number = place - (at << given.each);
        Entry it = {0, 0xffff};
        if (at < given.columns) {
            const u64 all = length(given, (unsigned)at);
            if (number < all) {
                it = entry(given, key(given, (unsigned)at), number, all);
            }
        }
        given.listed[place] = it.row;
        given.listed_codes[place] = (unsigned short)it.code;
    }
}

// What is told of each column.
extern "C" __global__ void made_places(const __grid_constant__ Made given)
{
    for (i64 at = first(); at < given.columns; at += stride()) {
        ColumnCodes place = {0, 0, 1, 0, given.levels, given.bits};
        if (given.bits != 0) {
            place.address = (u64)given.codes + (given.by_row ? 1 : given.stride) * at;
            place.length = given.by_row ? (unsigned)given.stride : 1;
        } else {
            const bool listed = given.starts != nullptr;
            const u64 from = listed ? given.starts[at] : (u64)at << given.each;
            place.address = (u64)(given.listed + from);
            place.codes = (u64)(given.listed_codes + from);
            place.length = listed ? (unsigned)length(given, (unsigned)at) : 1u << given.each;
        }
        given.places[at] = place;
        given.of_levels[at] = given.levels;
        given.of_most[at] = 0;
        given.of_left_out[at] = 0xffffffffu;
    }
}
