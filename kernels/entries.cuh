// Shared by the kernels that count columns of entries. Included after counting.cuh.

struct EntriesArgs {
    const unsigned* rows;       // of the entries of all columns of a pack
    const unsigned short* codes;
    const u64* starts;          // columns + 1; null if all columns have the same number of places
    const unsigned* most;       // the most frequent code of each column
    const unsigned* levels;
    const unsigned char* excluded;
    unsigned columns;
    unsigned places;            // columns of all packs: the stride from one anchor's sums to the next
    unsigned each;              // log2 of the places of a short column
    i64 rows_all;
    const unsigned char* joint; // of a batch, `joint_stride` bytes per anchor
    i64 joint_stride;
    bool copied;                // whether the joint codes are copied to shared memory
    const AnchorSums* anchors;      // `place` is the anchor's column in `all`
    const ColumnCodes* all;
    unsigned classes;
    unsigned reciprocal;        // ⌈2^32 / classes⌉; unused if there is one class
    unsigned y_most;            // the most frequent class; any class is valid
    const unsigned* by_joint;   // rows of each joint code, the same for the whole batch
    const unsigned* by_level;   // rows of each level
    const i64* terms;
    i64* xw;
    i64* xwy;
    unsigned* tables;           // unless null: whole tables, `cells` each, instead of sums
    i64 cells;
};

static_assert(sizeof(EntriesArgs) == 184, "drift");

// The code of an unfilled place of a short column.
#define UNFILLED 0xffffu

template <int JOINT>
__device__ __forceinline__ unsigned joint_of(const unsigned char* joint, unsigned row)
{
    return JOINT == 8 ? joint[row] : ((const unsigned short*)joint)[row];
}

// The level of a joint code. CLASSES is 1, 2, or 0 for any number, which `classes` has.
template <int CLASSES>
__device__ __forceinline__ unsigned level_of(const EntriesArgs& given, unsigned joint)
{
    return CLASSES == 1 ? joint : CLASSES == 2 ? joint / 2 : __umulhi(joint, given.reciprocal);
}

// The change of c*L(c) when `excluded` rows are taken from a cell of `all` rows.
__device__ __forceinline__ i64 left(const i64* terms, unsigned all, unsigned excluded)
{
    return terms[all - excluded] - terms[all];
}
