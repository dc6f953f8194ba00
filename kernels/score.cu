// Gathers a step and finds the best candidate of each batch; score.cuh has the rule.

extern "C" __global__ void __launch_bounds__(256, 2)
    score(const __grid_constant__ ScoreArgs given, BestCandidate* found, unsigned* arrived, Pick* picks)
{
    const unsigned batch = blockIdx.y;
    BestCandidate best;
    if (scored(given, found, arrived, best) && threadIdx.x == 0) {
        picks[batch] = make_pick(given, (i64)batch * given.count, best);
    }
}

// Excludes a candidate.
extern "C" __global__ void exclude(unsigned char* excluded, unsigned place)
{
    excluded[place] = 1;
}
