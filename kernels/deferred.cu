// Deferred evaluation of scores that only fall: chooses, in waves, which candidates are counted against
// which anchors, and gathers the results. Candidates that are not deferred are gathered here too.

// The items of columns whose codes have the same width: one launch counts them.
struct WorkList {
    unsigned first;             // first candidate of this list
    unsigned offset;            // index of its first item
    unsigned capacity;
};

// The state that one wave passes to the next.
struct WaveControl {
    BestCandidate best;                  // the best of the candidates that lack no step
    u64 wanted[3];              // items wanted of each list, maybe more than there is room for
    unsigned arrived;           // a counter of blocks, 0 before and after
    unsigned stalled;           // whether the best is not known yet
    u64 counted;                // items of all waves so far
};

struct DeferredArgs {
    unsigned places;            // number of deferred candidates, which come first
    unsigned base;              // steps that all of them have gathered
    unsigned* done;             // of each, the steps gathered after `base`
    unsigned* start;            // of each, its first item in this wave
    unsigned* many;             // of each, its items in this wave; 0 between waves
    WorkItem* items;                // the items of all lists
    WorkList lists[3];
    AnchorSums* anchors;            // the anchors of the steps after `base`
    const i64* xw;              // the sums of each item
    const i64* xwy;
    BestCandidate* found;                // two per block
    WaveControl* control;
    int wave;                   // see below
    int last;                   // whether the pick is written after it
    int resumes;                // whether it continues after a stall
};

static_assert(sizeof(WaveControl) == 80 && sizeof(DeferredArgs) == 136, "drift");

// The waves. BEST: the candidates with the best bounds, against all anchors they lack. ONE: candidates that
// could still win, against one more anchor. WINNERS: the same, against all anchors they lack.
// EVERYTHING: all candidates, against all anchors they lack.
#define BEST 0
#define ONE 1
#define WINNERS 2
#define EVERYTHING 3

// Number of candidates of the wave BEST.
#define FIRST 32u
// A candidate with more items is gathered by a whole warp.
#define FEW 4u
// The number of a pick that is not known yet.
#define STALLED (NONE - 1)
#define THREADS 256

// A candidate's score so far, which bounds its final score because scores only fall.
__device__ __forceinline__ BestCandidate bound(const ScoreRule& rule, const ScoreArgs& given, const DeferredArgs& lazy,
                                      i64 at, unsigned steps, unsigned& lacks)
{
    BestCandidate none = {0, NONE, NONE};
    lacks = 0;
    if (at >= given.count || given.excluded[at]) {
        return none;
    }
    if (at < lazy.places) {
        lacks = steps - lazy.base - lazy.done[at];
    }
    const BestCandidate best = {total(rule, given.relevance[at], given.gathered[at], steps - lacks),
                       given.numbers[at], (unsigned)at};
    return best.score == NEVER ? none : best;
}

// Appends a candidate's items to its list as far as there is room. Called by whole warps.
__device__ __forceinline__ void append(const DeferredArgs& lazy, unsigned at, unsigned many)
{
    const unsigned all = 0xffffffffu, lane = threadIdx.x % 32;
    for (int l = 0; l < 3; l++) {
        const WorkList list = lazy.lists[l];
        const bool own = at >= list.first && (l == 2 || at < lazy.lists[l + 1].first);
        const unsigned mine = own ? many : 0;
        if (!__any_sync(all, mine != 0)) {
            continue;
        }
        unsigned sum = mine;
        for (int by = 1; by < 32; by *= 2) {
            const unsigned below = __shfl_up_sync(all, sum, by);
            sum += lane >= by ? below : 0;
        }
        u64 start = 0;
        if (lane == 31) {
            start = atomicAdd(&lazy.control->wanted[l], (u64)sum);
        }
        start = __shfl_sync(all, start, 31) + sum - mine;
        if (mine == 0 || start >= list.capacity) {
            continue;
        }
        const unsigned room = min((u64)mine, list.capacity - start);
        const unsigned from = lazy.done[at];
        lazy.start[at] = list.offset + (unsigned)start;
        lazy.many[at] = room;
        for (unsigned k = 0; k < room; k++) {
            lazy.items[list.offset + start + k] = {at, from + k};
        }
    }
}

// Lists what a wave counts. Before the first wave it gathers the candidates that are not deferred.
extern "C" __global__ void select(const __grid_constant__ ScoreArgs given,
                                  const __grid_constant__ DeferredArgs lazy)
{
    __shared__ BestCandidate bests[THREADS];
    if (lazy.control->stalled != 0 && !lazy.resumes) {
        return;
    }
    const ScoreRule& rule = given.rule;
    const unsigned steps = given.steps_known + (given.gathers != 0);
    const i64 at = first();
    unsigned lacks;
    if (lazy.wave != BEST) {
        const BestCandidate mine = bound(rule, given, lazy, at, steps, lacks);
        bool open = mine.number != NONE;
        if (lazy.wave != EVERYTHING) {
            open = better(mine, lazy.control->best);
        }
        const unsigned most = lazy.wave == ONE ? 1 : lacks;
        append(lazy, at, open ? min(lacks, most) : 0);
        return;
    }
    if (given.gathers && at == 0) {
        lazy.anchors[given.steps_known - lazy.base] = *given.anchors;
    }
    if (given.gathers && at >= lazy.places && at < given.count && !given.excluded[at]) {
        const AnchorSums anchor = *given.anchors;
        const i64 xw = given.xw[at], xwy = given.by_class ? given.xwy[at] : xw;
        const Sums sums = {{rule.n, given.x[at], anchor.w, rule.y, xw, given.xy[at], anchor.wy,
                            xwy},
                           given.rows,
                           given.rows};
        given.gathered[at] = gathered(rule, sums, given.gathered[at]);
        if (given.redundancy != nullptr) {
            given.redundancy[at] += xw;
        }
    }
    BestCandidate best = block_best(bound(rule, given, lazy, at, steps, lacks));
    if (threadIdx.x == 0) {
        lazy.found[blockIdx.x] = best;
    }
    if (!last_of(gridDim.x, &lazy.control->arrived)) {
        return;
    }
    // Each thread takes the best of some blocks' bests; the best FIRST of the threads are listed.
    best = {0, NONE, NONE};
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
        if (better(lazy.found[block], best)) {
            best = lazy.found[block];
        }
    }
    bests[threadIdx.x] = best;
    __syncthreads();
    unsigned rank = 0;
    for (unsigned other = 0; other < blockDim.x; other++) {
        rank += better(bests[other], best);
    }
    lacks = 0;
    if (best.number != NONE && rank < FIRST && best.place < lazy.places) {
        lacks = steps - lazy.base - lazy.done[best.place];
    }
    append(lazy, best.place, lacks);
}

__device__ __forceinline__ i128 across(i128 value, int half)
{
    u64 low = (u64)value, high = (u64)(value >> 64);
    low = __shfl_xor_sync(0xffffffffu, low, half);
    high = __shfl_xor_sync(0xffffffffu, high, half);
    return (i128)((unsigned __int128)high << 64 | low);
}

// What a candidate gathers from some of its items.
struct Gathered {
    i128 least, redundancy;
};

__device__ __forceinline__ void gather(Gathered& to, const ScoreRule& rule, const ScoreArgs& given,
                                       const DeferredArgs& lazy, unsigned index)
{
    const WorkItem item = lazy.items[index];
    const AnchorSums anchor = lazy.anchors[item.anchor];
    const i64 xw = lazy.xw[index];
    const Sums sums = {{rule.n, given.x[item.place], anchor.w, rule.y, xw, given.xy[item.place],
                        anchor.wy, lazy.xwy[index]},
                       given.rows,
                       given.rows};
    to.least = gathered(rule, sums, to.least);
    to.redundancy += xw;
}

// Gathers what a wave has counted, and finds the best of the candidates that lack no step. It is the best
// of all if no other candidate's bound is better.
extern "C" __global__ void settle(const __grid_constant__ ScoreArgs given,
                                  const __grid_constant__ DeferredArgs lazy, Pick* pick)
{
    WaveControl& control = *lazy.control;
    if (control.stalled != 0 && !lazy.resumes) {
        return;
    }
    const ScoreRule& rule = given.rule;
    const unsigned all = 0xffffffffu, lane = threadIdx.x % 32;
    const unsigned steps = given.steps_known + (given.gathers != 0);
    const i64 at = first();
    const unsigned many = at < lazy.places ? lazy.many[at] : 0;
    const unsigned start = many != 0 ? lazy.start[at] : 0;
    Gathered mine = {~NEVER, 0};
    for (unsigned k = 0; k < many && many <= FEW; k++) {
        gather(mine, rule, given, lazy, start + k);
    }
    for (unsigned rest = __ballot_sync(all, many > FEW); rest != 0; rest &= rest - 1) {
        const int whose = __ffs(rest) - 1;
        const unsigned from = __shfl_sync(all, start, whose);
        const unsigned end = from + __shfl_sync(all, many, whose);
        Gathered part = {~NEVER, 0};
        for (unsigned index = from + lane; index < end; index += 32) {
            gather(part, rule, given, lazy, index);
        }
        for (int half = 16; half > 0; half /= 2) {
            const i128 other = across(part.least, half);
            part.least = other < part.least ? other : part.least;
            part.redundancy += across(part.redundancy, half);
        }
        if (lane == whose) {
            mine = part;
        }
    }
    if (many != 0) {
        if (mine.least < given.gathered[at]) {
            given.gathered[at] = mine.least;
        }
        if (given.redundancy != nullptr) {
            given.redundancy[at] += mine.redundancy;
        }
        lazy.done[at] += many;
        lazy.many[at] = 0;
    }
    const BestCandidate none = {0, NONE, NONE};
    unsigned lacks;
    const BestCandidate own = bound(rule, given, lazy, at, steps, lacks);
    BestCandidate whole = block_best(lacks == 0 ? own : none);
    BestCandidate open = block_best(lacks == 0 ? none : own);
    if (threadIdx.x == 0) {
        lazy.found[2 * blockIdx.x] = whole;
        lazy.found[2 * blockIdx.x + 1] = open;
    }
    if (!last_of(gridDim.x, &control.arrived)) {
        return;
    }
    whole = open = none;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
        if (better(lazy.found[2 * block], whole)) {
            whole = lazy.found[2 * block];
        }
        if (better(lazy.found[2 * block + 1], open)) {
            open = lazy.found[2 * block + 1];
        }
    }
    whole = block_best(whole);
    open = block_best(open);
    if (threadIdx.x != 0) {
        return;
    }
    for (int l = 0; l < 3; l++) {
        control.counted += min(control.wanted[l], (u64)lazy.lists[l].capacity);
        control.wanted[l] = 0;
    }
    control.best = whole;
    if (!lazy.last) {
        return;
    }
    const bool everything = lazy.wave == EVERYTHING;
    const bool stalled = everything ? open.number != NONE : better(open, whole);
    control.stalled = stalled;
    if (stalled || everything) {
        *pick = {0, 0, 0, 0, 0, NONE, stalled ? STALLED : NONE};
    } else {
        *pick = make_pick(given, 0, whole);
    }
}
