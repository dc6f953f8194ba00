// How strong terms of several columns are; see term_scores.rs.

#define EACH 256

struct TermFacts {
    const double* to_orthonormal; // packed by columns; null for a term of one column
    const unsigned* parents;      // terms that it needs
    unsigned first, width;        // its columns
    unsigned needs;               // how many parents
    unsigned kind;                // the number of its width among all widths
};

// term_scores.rs has the same struct.
static_assert(sizeof(TermFacts) == 32, "drift");

enum { ANY_PARENT, ALL_PARENTS };

__device__ __forceinline__ bool is_member(unsigned term, const unsigned* begin, const unsigned* end)
{
    for (; begin < end; begin++) {
        if (*begin == term) {
            return true;
        }
    }
    return false;
}

// Whether a term is outside a model that admits it.
__device__ bool may_join(unsigned number, const TermFacts& term, int rule, const unsigned* begin,
                         const unsigned* end)
{
    if (is_member(number, begin, end)) {
        return false;
    }
    unsigned held = 0;
    for (unsigned parent = 0; parent < term.needs; parent++) {
        held += is_member(term.parents[parent], begin, end);
    }
    return term.needs == 0 || held == term.needs || (rule == ANY_PARENT && held > 0);
}

// ‖products with orthonormal columns of the term's span‖. `e` has those with its own columns.
template <typename T>
__device__ double norm(const TermFacts& term, const T* e)
{
    double sum = 0.0;
    if (!term.to_orthonormal) {
        return fabs((double)e[0]);
    }
    const double* t = term.to_orthonormal;
    for (unsigned a = 0; a < term.width; a++) {
        double q = 0.0;
        for (unsigned b = 0; b <= a; b++) {
            q += t[b] * (double)e[b];
        }
        t += a + 1;
        sum += q * q;
    }
    return sqrt(sum);
}

template <typename T>
__device__ void scores_of(const T* e, long long rows, unsigned from, const TermFacts* terms, unsigned begin,
                          unsigned count, unsigned kind, int rule, const u64* offsets, const unsigned* members,
                          double* scores)
{
    const unsigned at = blockIdx.x * EACH + threadIdx.x;
    if (at >= count) {
        return;
    }
    const u64 model = blockIdx.y;
    const TermFacts term = terms[begin + at];
    double score = __longlong_as_double(0x7fffffffffffffffll);
    if (term.kind == kind
        && may_join(begin + at, term, rule, members + offsets[model], members + offsets[model + 1])) {
        score = norm(term, e + model * rows + (term.first - from));
    }
    scores[model * count + at] = score;
}

extern "C" __global__ void __launch_bounds__(EACH)
term_scores_f64(const double* e, long long rows, unsigned from, const TermFacts* terms, unsigned begin,
                unsigned count, unsigned kind, int rule, const u64* offsets, const unsigned* members,
                double* scores)
{
    scores_of(e, rows, from, terms, begin, count, kind, rule, offsets, members, scores);
}

extern "C" __global__ void __launch_bounds__(EACH)
term_scores_f32(const float* e, long long rows, unsigned from, const TermFacts* terms, unsigned begin,
                unsigned count, unsigned kind, int rule, const u64* offsets, const unsigned* members,
                double* scores)
{
    scores_of(e, rows, from, terms, begin, count, kind, rule, offsets, members, scores);
}

extern __shared__ double products[];

// Computes the scores of the listed pairs (model, term) that are still near the largest of their kind, from
// products in a fixed order of summation. As `score` in strongest.cu, by terms.
extern "C" __global__ void __launch_bounds__(512, 1)
score_terms(const double* __restrict__ columns, long long n, unsigned from, unsigned count,
            const TermFacts* __restrict__ terms, const double* __restrict__ residuals,
            const double* __restrict__ rss, double off, const u64* __restrict__ most, u64 models,
            const u64* __restrict__ list, const double* __restrict__ scores, u64 places,
            u64* __restrict__ counters, u64* __restrict__ answers, u64 answer_places)
{
    __shared__ double partial[512 / 32];
    const u64 listed = counters[0];
    const u64 end = listed < places ? listed : places;
    for (u64 at = blockIdx.x; at < end; at += gridDim.x) {
        const u64 model = list[at] >> 32;
        const TermFacts term = terms[(unsigned)list[at]];
        const double largest = __longlong_as_double((long long)most[term.kind * models + model]);
        if (term.first - from >= count || scores[at] < largest - off * sqrt(rss[model])) {
            continue;
        }
        const double* r = residuals + model * n;
        for (unsigned column = 0; column < term.width; column++) {
            const double* x = columns + (term.first - from + column) * n;
            double sum[1] = {0.0};
            for (long long row = threadIdx.x; row < n; row += 512) {
                sum[0] += x[row] * r[row];
            }
            block_sum<512>(sum, partial);
            if (threadIdx.x == 0) {
                products[column] = sum[0];
            }
        }
        if (threadIdx.x == 0) {
            const u64 place = atomicAdd(counters + 1, 1ull);
            if (place < answer_places) {
                answers[2 + 2 * place] = list[at];
                answers[3 + 2 * place] = (u64)__double_as_longlong(norm(term, products));
            }
        }
    }
    // The last block to end writes the numbers.
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(counters + 2, 1ull) == gridDim.x - 1) {
            answers[0] = listed;
            answers[1] = atomicAdd(counters + 1, 0ull);
            counters[2] = 0;
        }
    }
}
