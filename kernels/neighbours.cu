// The fall in RSS by adding each column to a model, or by exchanging a variable for it; see neighbours.rs.

#define GROUPS 1024
#define LEAST 1e-10
#define TIE 1e-9

// One column per thread. `products` are e = xᵀr, then the `vectors` rows of Qᵀx, of which the last k are W;
// `squares` are those of the columns, or null where they are 1; `exchanged` has the k rows of U = T * W;
// `places` has three numbers per position, the first NaN if it may not be replaced. Groups of columns keep
// their largest falls: the count-th largest of these bounds the count-th largest fall from below.
extern "C" __global__ void changes(const double* __restrict__ products, int vectors,
                                   const double* __restrict__ squares,
                                   const double* __restrict__ exchanged,
                                   const double* __restrict__ places,
                                   const unsigned* __restrict__ support, int k, long long rows,
                                   unsigned from, double* __restrict__ joining,
                                   double* __restrict__ replacing, unsigned* __restrict__ place,
                                   u64* __restrict__ groups)
{
    for (long long row = first(); row < rows; row += stride()) {
        const unsigned column = from + (unsigned)row;
        const double e = products[row];
        double s = squares ? squares[row] : 1.0;
        for (int i = 0; i < vectors; i++) {
            const double w = products[(i + 1) * rows + row];
            s -= w * w;
        }
        bool member = false;
        double best = -infinity();
        unsigned where = 0;
        for (int i = 0; i < k; i++) {
            member |= support[i] == column;
            const double step = places[3 * i];
            const double u = exchanged[i * rows + row];
            const double with = e + step * u;
            const double left = s + u * u * places[3 * i + 1];
            const double fall = with * with / left - places[3 * i + 2];
            // False if the step is NaN.
            if (left > LEAST && fall > best) {
                best = fall;
                where = i;
            }
        }
        double join = e * e / s;
        if (member) {
            join = best = -infinity();
        } else if (s <= LEAST) {
            // Has to be projected separately.
            join = best = infinity();
        } else {
            atomicMax(groups + column % GROUPS, ordered(join));
            if (best > -infinity()) {
                atomicMax(groups + GROUPS + column % GROUPS, ordered(best));
            }
        }
        joining[row] = join;
        replacing[row] = best;
        place[row] = where;
    }
}

// The count-th largest fall of a kind's groups, less the tolerance for ties; one block per kind. −∞ if there
// are fewer.
extern "C" __global__ void __launch_bounds__(GROUPS)
threshold(const u64* __restrict__ groups, unsigned count, double* __restrict__ least)
{
    __shared__ u64 keys[GROUPS];
    const u64 mine = groups[blockIdx.x * GROUPS + threadIdx.x];
    keys[threadIdx.x] = mine;
    __syncthreads();
    unsigned rank = 0;
    for (unsigned i = 0; i < GROUPS; i++) {
        rank += keys[i] > mine || (keys[i] == mine && i < threadIdx.x);
    }
    if (rank == count - 1) {
        const double fall = number(mine);
        least[blockIdx.x] = mine == 0 ? -infinity() : fall - TIE * fabs(fall);
    }
}

// Lists (column, place) with both falls if one of them may be among the largest.
extern "C" __global__ void collect(const double* __restrict__ joining,
                                   const double* __restrict__ replacing,
                                   const unsigned* __restrict__ place, long long rows,
                                   unsigned from, const double* __restrict__ least,
                                   u64* __restrict__ list, double* __restrict__ falls,
                                   u64* __restrict__ listed, u64 capacity)
{
    for (long long row = first(); row < rows; row += stride()) {
        const double join = joining[row], best = replacing[row];
        const bool exchange = best > -infinity() && best >= least[1];
        if (join == -infinity() || !(join >= least[0] || exchange)) {
            continue;
        }
        const u64 at = atomicAdd(listed, 1ull);
        if (at < capacity) {
            list[at] = (u64)place[row] << 32 | (from + (unsigned)row);
            falls[2 * at] = join;
            falls[2 * at + 1] = best;
        }
    }
}
