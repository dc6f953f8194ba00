// Gathers a step and finds the best candidate: see the rule of a score.

// One batch for each y of the grid. `found` has a place for each block, `arrived` a counter
// for each batch, 0 before and after.
extern "C" __global__ void score(const __grid_constant__ State given, Best* found,
                                 unsigned* arrived, Pick* picks)
{
    __shared__ Rule rule;
    load(rule, given.rule);
    const unsigned batch = blockIdx.y;
    const i64 base = (i64)batch * given.count;
    const Anchor anchor = given.anchors[batch];
    const unsigned before = given.steps != nullptr ? *given.steps : given.steps_known;
    const unsigned steps = before + (given.gathers != 0);
    Best best = {0, NONE, NONE};
    for (i64 at = first(); at < given.count; at += stride()) {
        // The anchor may be another device's: it misses, and no candidate here does.
        const bool whole =
            given.anchor_misses || (given.misses != nullptr && given.misses[at]);
        if (given.begins) {
            // Of the table with one level of w.
            Sums sums = {{rule.n, given.x[at], 0, rule.y, 0, given.xwy[base + at], 0, 0},
                         given.rows,
                         given.rows};
            if (whole) {
                sums = of_whole(given.whole[base + at], given.rows);
            }
            given.xy[base + at] = sums.of[5];
            const Term& term = rule.term[rule.terms];
            given.relevance[base + at] =
                quantity(term, sums, rule.unit);
        }
        if (given.begins || given.forgets) {
            given.gathered[base + at] = rule.gather == 1 ? ~NEVER : 0;
            if (given.redundancy != nullptr) {
                given.redundancy[base + at] = 0;
            }
        }
        if (given.taken[at]) {
            continue;
        }
        i128 gather = given.gathered[base + at];
        if (given.gathers) {
            const i64 xw = given.xw[base + at];
            Sums sums = {{rule.n, given.x[at], anchor.w, rule.y, xw, given.xy[base + at],
                          anchor.wy, given.xwy[base + at]},
                         given.rows,
                         given.rows};
            if (whole) {
                sums = of_whole(given.whole[base + at], given.rows);
            }
            gather = gathered(rule, sums, gather);
            given.gathered[base + at] = gather;
            if (given.redundancy != nullptr) {
                given.redundancy[base + at] += xw;
            }
        }
        Best mine = {total(rule, given.relevance[base + at], gather, steps), given.numbers[at],
                     (unsigned)at};
        if (mine.score != NEVER && better(mine, best)) {
            best = mine;
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
