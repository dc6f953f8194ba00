// Gathers a step and finds the best candidate: see the rule of a score.

// One batch for each y of the grid. `found` has a place for each block, `arrived` a counter
// for each batch, 0 before and after.
extern "C" __global__ void __launch_bounds__(256, 2) score(const __grid_constant__ State given, Best* found,
                                 unsigned* arrived, Pick* picks)
{
    const Rule& rule = given.rule;
    const unsigned batch = blockIdx.y;
    const i64 base = (i64)batch * given.count;
    const Anchor anchor = given.anchors[batch];
    const unsigned before = given.steps != nullptr ? *given.steps : given.steps_known;
    const unsigned steps = before + (given.gathers != 0);
    bool uses_xy = false;
    for (int at = 0; at < rule.terms; at++) {
        uses_xy = uses_xy || rule.term[at].over[5] != 0 || rule.term[at].under[5] != 0;
    }
    // Where candidates are many, most of them need not say who they are.
    const bool few = stride() >= given.count;
    Best best = {0, NONE, NONE};
    for (i64 at = first(); at < given.count; at += stride()) {
        // All that is read is under way before any of it is waited for.
        const bool taken = given.taken[at];
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
        // The anchor may be another device's: it misses, and no candidate here does.
        const bool whole =
            given.anchor_misses || (given.misses != nullptr && given.misses[at]);
        if (given.begins) {
            // Of the table with one level of w.
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
        if (taken) {
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
        Best mine = {total(rule, relevance, gather, steps), 0, (unsigned)at};
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
        return;
    }
    best = {0, NONE, NONE};
    for (unsigned at = threadIdx.x; at < gridDim.x; at += blockDim.x) {
        if (better(found[batch * gridDim.x + at], best)) {
            best = found[batch * gridDim.x + at];
        }
    }
    best = block_best(best);
    if (threadIdx.x != 0) {
        return;
    }
    picks[batch] = told(given, base, best);
    if (given.steps != nullptr) {
        *given.steps = steps;
    }
}

// A candidate is none any more.
extern "C" __global__ void take(unsigned char* taken, unsigned place)
{
    taken[place] = 1;
}
