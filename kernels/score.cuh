// From margin sums to integer scores and the best candidate. Shared by the kernels that score; included after
// counting.cuh.

struct ScoreTerm {
    i64 weight;
    int over[8];    // factors of the sums n, x, w, y, xw, xy, wy, xwy
    int under[8];
    int is_ratio;
    int below_zero; // only the negative part counts
};

struct ScoreRule {
    int terms;
    int gather;     // sum or mean, minimum, last: 0, 1, 2
    int join;       // added, alone, least, guarded: 0 … 3
    int mean;       // whether relevance is multiplied by the number of steps
    i64 n;          // the sum of n
    i64 y;          // the sum of y
    i64 unit;       // the unit of a ratio
    ScoreTerm term[9];   // the terms of a step, then relevance
};

struct ScoreArgs {
    ScoreRule rule;
    unsigned count;             // candidates; those of a batch are contiguous
    const unsigned* numbers;    // the number of each among all columns
    unsigned char* excluded;
    const i64* x;
    i64* xy;                    // by batch, as are the next five
    i64* xw;
    i64* xwy;
    i64* relevance;
    i128* gathered;
    i128* redundancy;           // sum of xw over the steps; null if not wanted
    const AnchorSums* anchors;      // one per batch
    AnchorSums* next;               // unless null: set to the best
    const unsigned* levels;
    unsigned* steps;            // number gathered so far; null if the host counts them
    unsigned steps_known;       // that number, if the host counts
    const TableSums* whole;         // by batch, for candidates that miss values
    const unsigned char* misses; // whether a candidate misses values; null if none does
    int anchor_misses;          // whether the anchor misses values: then all use `whole`
    i64 rows;
    int gathers;                // whether there are sums of a step to gather
    int begins;                 // whether xwy is xy, from which relevance is computed
    int forgets;                // whether what was gathered is discarded
    int by_class;               // whether there is xwy; otherwise it equals xw
};

// The best of some candidates.
struct BestCandidate {
    i128 score;
    unsigned number;            // among all columns; NONE if there is no candidate
    unsigned place;
};

#define NONE 0xffffffffu
#define NEVER ((i128)1 << 127)

// What the host reads about the best candidate.
struct Pick {
    i128 score;
    i128 redundancy;
    i64 relevance;
    i64 x;
    i64 xy;
    unsigned place;
    unsigned number;
};

static_assert(sizeof(ScoreTerm) == 80 && sizeof(ScoreRule) == 760 && sizeof(ScoreArgs) == 928, "drift");
static_assert(sizeof(BestCandidate) == 32 && sizeof(Pick) == 64, "drift");

struct Sums {
    i64 of[8];
    i64 left, rows;
};

__device__ __forceinline__ i64 combined(const int (&by)[8], const Sums& sums)
{
    // In unsigned arithmetic, which may wrap in between.
    u64 total = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        total += (u64)(i64)by[i] * (u64)sums.of[i];
    }
    return (i64)total;
}

// Rounded to the nearest; equal ratios give equal results.
__device__ __noinline__ i64 ratio(i64 over, i64 under, i64 unit)
{
    if (under == 0) {
        return 0;
    }
    i128 above = over, below = under;
    if (under < 0) {
        above = -above;
        below = -below;
    }
    const i128 twice = 2 * above * unit + below;
    i128 quotient = twice / (2 * below);
    if (twice % (2 * below) < 0) {
        quotient -= 1;
    }
    const i128 most = 0x7fffffffffffffffll, least = -most - 1;
    return (i64)(quotient > most ? most : quotient < least ? least : quotient);
}

// Scales a value of a table with `left` rows to all rows; rounded to the nearest.
__device__ __noinline__ i64 of_all(i64 value, i64 left, i64 rows)
{
    if (left == 0) {
        return 0;
    }
    const i128 twice = 2 * (i128)value * rows + left, by = 2 * (i128)left;
    return (i64)(twice / by - (twice % by < 0));
}

__device__ __forceinline__ i64 quantity(const ScoreTerm& term, const Sums& sums, i64 unit)
{
    const i64 value = combined(term.over, sums);
    if (term.is_ratio) {
        return ratio(value, combined(term.under, sums), unit);
    }
    return sums.left == sums.rows ? value : of_all(value, sums.left, sums.rows);
}

__device__ __forceinline__ i128 saturating(i128 a, i128 b)
{
    const i128 sum = (i128)((unsigned __int128)a + (unsigned __int128)b);
    if ((a < 0) == (b < 0) && (sum < 0) != (a < 0)) {
        return a < 0 ? NEVER : ~NEVER;
    }
    return sum;
}

__device__ __forceinline__ i128 gathered(const ScoreRule& rule, const Sums& sums, i128 before)
{
    i128 step = 0;
    for (int at = 0; at < rule.terms; at++) {
        const ScoreTerm& term = rule.term[at];
        i64 value = quantity(term, sums, rule.unit);
        if (term.below_zero && value > 0) {
            value = 0;
        }
        step += (i128)term.weight * value;
    }
    switch (rule.gather) {
    case 0:
        return saturating(before, step);
    case 1:
        return step < before ? step : before;
    default:
        return step;
    }
}

__device__ __forceinline__ i128 total(const ScoreRule& rule, i64 relevance, i128 gathered,
                                      unsigned steps)
{
    const i64 factor = rule.mean && steps > 1 ? steps : 1;
    const i128 alone = (i128)((unsigned __int128)((i128)relevance * factor) << 32);
    if (steps == 0) {
        return alone;
    }
    switch (rule.join) {
    case 0:
        return saturating(alone, gathered);
    case 1:
        return gathered;
    case 2:
        return alone < gathered ? alone : gathered;
    default:
        return gathered < 0 ? NEVER : alone;
    }
}

// Of equal scores the lowest column is better; no candidate is worse than any.
__device__ __forceinline__ bool better(const BestCandidate& a, const BestCandidate& b)
{
    if (a.number == NONE || b.number == NONE) {
        return b.number == NONE && a.number != NONE;
    }
    return a.score != b.score ? a.score > b.score : a.number < b.number;
}

__device__ __forceinline__ BestCandidate block_best(BestCandidate mine)
{
    __shared__ BestCandidate best[32];
    for (int half = 16; half > 0; half /= 2) {
        BestCandidate other;
        u64 low = (u64)mine.score, high = (u64)(mine.score >> 64);
        low = __shfl_down_sync(0xffffffffu, low, half);
        high = __shfl_down_sync(0xffffffffu, high, half);
        other.score = (i128)((unsigned __int128)high << 64 | low);
        other.number = __shfl_down_sync(0xffffffffu, mine.number, half);
        other.place = __shfl_down_sync(0xffffffffu, mine.place, half);
        if (better(other, mine)) {
            mine = other;
        }
    }
    if (threadIdx.x % 32 == 0) {
        best[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    for (unsigned at = 1; at < blockDim.x / 32 && threadIdx.x == 0; at++) {
        if (better(best[at], mine)) {
            mine = best[at];
        }
    }
    __syncthreads();
    return mine;
}

__device__ __forceinline__ Sums of_whole(const TableSums& whole, i64 rows)
{
    Sums sums;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        sums.of[i] = whole.of[i];
    }
    sums.left = whole.left;
    sums.rows = rows;
    return sums;
}

// The pick of the best candidate; excludes it and makes it the next anchor unless `next` is null.
__device__ __forceinline__ Pick make_pick(const ScoreArgs& given, i64 base, const BestCandidate& best)
{
    Pick pick = {best.score, 0, 0, 0, 0, best.place, best.number};
    if (best.number == NONE) {
        return pick;
    }
    const i64 at = base + best.place;
    pick.relevance = given.relevance[at];
    pick.x = given.x[best.place];
    pick.xy = given.xy[at];
    if (given.redundancy != nullptr) {
        pick.redundancy = given.redundancy[at];
    }
    if (given.next != nullptr) {
        given.excluded[best.place] = 1;
        *given.next = {pick.x, pick.xy, given.levels[best.place], best.place};
    }
    return pick;
}

// Gathers a step and finds the best candidate of a batch (the grid's y). Returns true in the last block to
// arrive, whose first thread then has the best. `found` has a place for each block, `arrived` a counter for
// each batch, 0 before and after.
__device__ __forceinline__ bool scored(const ScoreArgs& given, BestCandidate* found, unsigned* arrived,
                                       BestCandidate& best)
{
    const ScoreRule& rule = given.rule;
    const unsigned batch = blockIdx.y;
    const i64 base = (i64)batch * given.count;
    const AnchorSums anchor = given.anchors[batch];
    const unsigned before = given.steps != nullptr ? *given.steps : given.steps_known;
    const unsigned steps = before + (given.gathers != 0);
    bool uses_xy = false;
    for (int at = 0; at < rule.terms; at++) {
        uses_xy = uses_xy || rule.term[at].over[5] != 0 || rule.term[at].under[5] != 0;
    }
    // If candidates are many, their numbers are read only when needed.
    const bool few = stride() >= given.count;
    best = {0, NONE, NONE};
    for (i64 at = first(); at < given.count; at += stride()) {
        // All loads are in flight before the first is waited for.
        const bool excluded = given.excluded[at];
        const i64 x = given.x[at];
        i128 gather = given.gathered[base + at];
        i64 relevance = given.relevance[base + at];
        const unsigned number = few ? given.numbers[at] : 0;
        i64 xw = 0, xwy = 0, xy = 0;
        i128 redundancy = 0;
        if (given.gathers) {
            xw = given.xw[base + at];
            xwy = given.by_class ? given.xwy[base + at] : xw;
            xy = uses_xy ? given.xy[base + at] : 0;
            redundancy = given.redundancy != nullptr ? given.redundancy[base + at] : 0;
        }
        // The anchor may be another device's, and miss values even if no candidate here does.
        const bool whole =
            given.anchor_misses || (given.misses != nullptr && given.misses[at]);
        if (given.begins) {
            // From a table with one level of w.
            xy = given.by_class ? given.xwy[base + at] : x;
            Sums sums = {{rule.n, x, 0, rule.y, 0, xy, 0, 0}, given.rows, given.rows};
            if (whole) {
                sums = of_whole(given.whole[base + at], given.rows);
            }
            given.xy[base + at] = sums.of[5];
            relevance = quantity(rule.term[rule.terms], sums, rule.unit);
            given.relevance[base + at] = relevance;
        }
        if (given.begins || given.forgets) {
            gather = rule.gather == 1 ? ~NEVER : 0;
            given.gathered[base + at] = gather;
            if (given.redundancy != nullptr) {
                given.redundancy[base + at] = 0;
            }
        }
        if (excluded) {
            continue;
        }
        if (given.gathers) {
            Sums sums = {{rule.n, x, anchor.w, rule.y, xw, xy, anchor.wy, xwy},
                         given.rows,
                         given.rows};
            if (whole) {
                sums = of_whole(given.whole[base + at], given.rows);
            }
            gather = gathered(rule, sums, gather);
            given.gathered[base + at] = gather;
            if (given.redundancy != nullptr) {
                given.redundancy[base + at] = redundancy + xw;
            }
        }
        BestCandidate mine = {total(rule, relevance, gather, steps), 0, (unsigned)at};
        if (mine.score != NEVER && (best.number == NONE || mine.score >= best.score)) {
            mine.number = few ? number : given.numbers[at];
            if (better(mine, best)) {
                best = mine;
            }
        }
    }
    best = block_best(best);
    if (threadIdx.x == 0) {
        found[batch * gridDim.x + blockIdx.x] = best;
    }
    if (!last_of(gridDim.x, arrived + batch)) {
        return false;
    }
    if (threadIdx.x == 0 && given.steps != nullptr) {
        *given.steps = steps;
    }
    best = {0, NONE, NONE};
    for (unsigned at = threadIdx.x; at < gridDim.x; at += blockDim.x) {
        if (better(found[batch * gridDim.x + at], best)) {
            best = found[batch * gridDim.x + at];
        }
    }
    best = block_best(best);
    return true;
}
