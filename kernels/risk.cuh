// Sums over risk sets: rows sorted by stratum and falling time, so that who is at risk at an event time are the rows of a
// stratum up to its events. See cox.rs.

// Of an order's word the observation, and whether it is the first of its stratum.
#define OBSERVATION 0x7fffffffu
#define BEGINS 0x80000000u

// The events at one time of a stratum: the first row of that, and the rows of the events, the end not among them.
struct RiskGroup {
    unsigned begin;
    unsigned start;
    unsigned end;
    unsigned spare;
    double weight;
};

static_assert(sizeof(RiskGroup) == 24, "");

// Passed by value; cox.rs has the same struct.
struct RiskRows {
    long long n;
    const unsigned* order;
    const unsigned* group;
    const RiskGroup* groups;
    int count;
    int is_efron;
    int has_ties;
    int spare;
};

static_assert(sizeof(RiskRows) == 48, "");

// Items that a lane takes at a time.
#define EACH 4

// Running sums over items, by one warp: `value(i)` is added, from nothing on where `begins(i)`, and `write(i, sum)` is told each
// sum. In a fixed order.
template <class Value, class Begins, class Write>
__device__ __forceinline__ void running_sums(long long count, Value value, Begins begins, Write write)
{
    const int lane = threadIdx.x % 32;
    double carry = 0.0;
    for (long long base = 0; base < count; base += 32 * EACH) {
        double own[EACH], sum = 0.0;
        bool fresh[EACH], seen = false;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const long long i = base + lane * EACH + e;
            fresh[e] = i < count && begins(i);
            own[e] = i < count ? value(i) : 0.0;
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            seen |= fresh[e];
            sum = fresh[e] ? own[e] : sum + own[e];
            own[e] = sum;
        }
        int flag = seen;
#pragma unroll
        for (int by = 1; by < 32; by *= 2) {
            const double other = __shfl_up_sync(0xffffffffu, sum, by);
            const int flagged = __shfl_up_sync(0xffffffffu, flag, by);
            if (lane >= by) {
                sum = flag ? sum : other + sum;
                flag |= flagged;
            }
        }
        double before = __shfl_up_sync(0xffffffffu, sum, 1);
        const int flagged = __shfl_up_sync(0xffffffffu, flag, 1);
        before = lane == 0 ? carry : flagged ? before : carry + before;
        bool is_own = false;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const long long i = base + lane * EACH + e;
            is_own |= fresh[e];
            if (i < count) {
                write(i, is_own ? own[e] : before + own[e]);
            }
        }
        const double last = __shfl_sync(0xffffffffu, sum, 31);
        carry = __shfl_sync(0xffffffffu, flag, 31) ? last : carry + last;
    }
    __syncwarp();
}

// Sums of a value, told by row and observation, from the first row of a stratum on; by one warp.
template <class Value>
__device__ __forceinline__ void sums_of_rows(const RiskRows& rows, Value value, double* to)
{
    const unsigned* order = rows.order;
    running_sums(
        rows.n, [=](long long row) { return value(row, order[row] & OBSERVATION); },
        [=](long long row) { return (order[row] & BEGINS) != 0; }, [=](long long row, double sum) { to[row] = sum; });
}

// Sums of a value of groups from the last one of a stratum on, in its place; by one warp.
__device__ __forceinline__ void sums_of_groups(const RiskRows& rows, double* values)
{
    const RiskGroup* groups = rows.groups;
    const long long last = rows.count - 1;
    running_sums(
        rows.count, [=](long long i) { return values[last - i]; },
        [=](long long i) { return i == 0 || groups[last - i].begin != groups[last - i + 1].begin; },
        [=](long long i, double sum) { values[last - i] = sum; });
}

// The sum over a group's risk set, and over its events, of sums of rows.
__device__ __forceinline__ double2 of_group(const RiskGroup& group, const double* sums)
{
    const double all = sums[group.end - 1];
    return {all, group.start > group.begin ? all - sums[group.start - 1] : all};
}
