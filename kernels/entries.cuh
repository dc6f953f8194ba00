// What the kernels of columns that list their entries share.

struct EntriesArgs {
    const unsigned* rows;       // of all columns of a pack
    const unsigned short* codes;
    const u64* starts;          // columns + 1; null where all columns have as many places
    const unsigned* most;       // the most frequent code of each column
    const unsigned* levels;
    const unsigned char* excluded;
    unsigned columns;
    unsigned places;            // columns of all packs: from one anchor's sums to the next
    unsigned each;              // log 2 of a short column's places
    i64 rows_all;
    const unsigned char* joint; // of a batch, `joint_stride` bytes an anchor
    i64 joint_stride;
    bool copied;                // whether the joint codes have room in shared memory
    const AnchorSums* anchors;      // whose `place` is the column among `all`
    const ColumnCodes* all;
    unsigned classes;
    unsigned reciprocal;        // 2^32 / classes, upwards; of no matter where there is one
    unsigned y_most;            // the most frequent class, or one taken for it
    const unsigned* by_joint;   // rows of each joint code, of every anchor of the batch
    const unsigned* by_level;   // rows of each level
    const i64* terms;
    i64* xw;
    i64* xwy;
    unsigned* tables;           // whole tables, `cells` each, instead of sums, unless null
    i64 cells;
};

static_assert(sizeof(EntriesArgs) == 184, "drift");

// A place of a short column that is not filled.
#define UNFILLED 0xffffu

template <int JOINT>
__device__ __forceinline__ unsigned joint_of(const unsigned char* joint, unsigned row)
{
    return JOINT == 8 ? joint[row] : ((const unsigned short*)joint)[row];
}

// The level of a joint code. CLASSES is 1, 2, or 0 where `classes` tells.
template <int CLASSES>
__device__ __forceinline__ unsigned level_of(const EntriesArgs& given, unsigned joint)
{
    return CLASSES == 1 ? joint : CLASSES == 2 ? joint / 2 : __umulhi(joint, given.reciprocal);
}

// What the most frequent code's cell gives less than all rows of the anchor's would.
__device__ __forceinline__ i64 left(const i64* terms, unsigned all, unsigned excluded)
{
    return terms[all - excluded] - terms[all];
}
