// Which columns may lower the loss of a model by more than a number; see joining.rs.

#define LEAST_REST 1e-8
#define ROUNDING (1.0 + 1e-6)
#define THREADS 256

struct JoiningArgs {
    long long n;
    const double* y;
    const double* weights;
    double of_scores;
    double coefficient_scale;
    double loss_scale;
    int is_binomial;
};

// Passed by value; joining.rs has the same struct.
static_assert(sizeof(JoiningArgs) == 56, "");

struct BoundedModel {
    const double* scores;
    const double* weights;
    const double* inverse;
    const double* intercept;
    const u64* addresses;
    const unsigned* support;
    const double* largest;
    double mean;
    double least;
    long long start;
    int k;
    int before;
};

static_assert(sizeof(BoundedModel) == 88, "");

// kappa(c) for 0 <= c < 1, by its series where differences of near numbers have no digits.
__device__ __forceinline__ double kappa(double c)
{
    if (c < 1e-3) {
        return 1.0 + c / 3.0 + c * c / 3.0;
    }
    return 2.0 * ((1.0 - c) * log1p(-c) + c) / (c * c);
}

// (1 + u) ln(1 + u) - u; infinite below -1.
__device__ __forceinline__ double divergence(double u)
{
    if (fabs(u) < 1e-4) {
        return u * u * (0.5 - u / 6.0 + u * u / 12.0);
    }
    if (u < -1.0) {
        return infinity();
    }
    if (u <= -1.0 + 2.220446049250313e-16) {
        return 1.0;
    }
    return (1.0 + u) * log1p(u) - u;
}

// Lists the columns of a block that products alone do not settle. One column per thread, one model per row
// of the grid; `products` has the vectors of all models, `squares` one column a model.
extern "C" __global__ void bound_by_score(const BoundedModel* __restrict__ models, double coefficient_scale,
                                  const double* __restrict__ products,
                                  const double* __restrict__ squares,
                                  const double* __restrict__ largest, long long rows, unsigned from,
                                  u64* __restrict__ list, u64* __restrict__ listed)
{
    const BoundedModel m = models[blockIdx.y];
    const double* own = products + m.start * rows;
    const int width = m.before + m.k;
    if (m.least == infinity()) {
        return;
    }
    for (long long row = first(); row < rows; row += stride()) {
        const unsigned column = from + (unsigned)row;
        bool member = false;
        for (int i = 0; i < m.k; i++) {
            member |= m.support[i] == column;
        }
        if (member) {
            continue;
        }
        const double square = squares[blockIdx.y * rows + row];
        double explained = 0.0;
        for (int i = 1; i < width; i++) {
            const double q = own[i * rows + row];
            explained += q * q;
        }
        const double rest = square - explained, e = own[row];
        bool settled = false;
        if (rest > LEAST_REST * square) {
            // The largest entry of what the model leaves of the column.
            double most = largest[row];
            if (m.before > 1) {
                most += fabs(own[rows + row] * m.mean);
            }
            for (int i = 0; i < m.k; i++) {
                most += fabs(own[(m.before + i) * rows + row]) * m.largest[i];
            }
            const double c = fabs(e / rest) * coefficient_scale * most * ROUNDING;
            settled = c < 1.0 && kappa(c) * e * e / rest * ROUNDING < m.least;
        }
        if (!settled) {
            list[atomicAdd(listed, 1ull)] = (u64)blockIdx.y << 32 | column;
        }
    }
}

// Lists what of a list the divergence itself does not settle: one entry per block at a time. `room` has
// n + `most_columns` numbers per block of the grid.
extern "C" __global__ void __launch_bounds__(THREADS)
bound_by_divergence(JoiningArgs all, const BoundedModel* __restrict__ models,
        const double* __restrict__ columns, const double* __restrict__ products,
        const double* __restrict__ squares, long long rows, unsigned from,
        const u64* __restrict__ list, const u64* __restrict__ listed, long long most_columns,
        double* room, u64* __restrict__ open, u64* __restrict__ opened, u64 capacity)
{
    __shared__ double partial[THREADS / 32];
    const u64 end = *listed;
    double* rest = room + blockIdx.x * (all.n + most_columns);
    double* u = rest + all.n;
    for (u64 at = blockIdx.x; at < end; at += gridDim.x) {
        const u64 number = list[at] >> 32;
        const long long row = (unsigned)list[at] - from;
        const BoundedModel m = models[number];
        const double* own = products + m.start * rows + row;
        // Coefficients of what the model explains of the column, and the constant of it.
        for (int a = threadIdx.x; a < m.k; a += THREADS) {
            double sum = 0.0;
            for (int c = a; c < m.k; c++) {
                sum += own[(m.before + c) * rows] * m.inverse[(long long)c * (c + 1) / 2 + a];
            }
            u[a] = sum;
        }
        double constant = m.before > 1 ? own[rows] * m.mean : 0.0;
        for (int c = 0; m.before > 1 && c < m.k; c++) {
            constant += own[(m.before + c) * rows] * m.intercept[c + 1];
        }
        __syncthreads();
        const double* x = columns + row * all.n;
        double square[1] = {0.0};
        for (long long i = threadIdx.x; i < all.n; i += THREADS) {
            double value = x[i] - constant;
            for (int a = 0; a < m.k; a++) {
                value -= u[a] * ((const double*)m.addresses[a])[i];
            }
            rest[i] = value;
            square[0] += m.weights[i] * value * value;
        }
        block_sum<THREADS>(square, partial);
        const double step = own[0] / square[0] * all.coefficient_scale;
        double sum[1] = {0.0};
        for (long long i = threadIdx.x; i < all.n; i += THREADS) {
            const double weight = all.weights[i];
            if (!(weight > 0.0)) {
                continue;
            }
            const double mean = all.y[i] - m.scores[i] / all.of_scores / weight;
            const double moved = step * rest[i];
            if (all.is_binomial) {
                sum[0] += weight * mean * divergence((1.0 - mean) * moved)
                    + weight * (1.0 - mean) * divergence(-mean * moved);
            } else {
                sum[0] += weight * mean * divergence(moved);
            }
        }
        block_sum<THREADS>(sum, partial);
        if (threadIdx.x == 0) {
            const bool is_clear = square[0] > LEAST_REST * squares[number * rows + row];
            const double bound = 2.0 * sum[0] / all.loss_scale * ROUNDING;
            // False where a mean would leave its range, or nothing is a number.
            if (!(is_clear && bound < m.least)) {
                const u64 place = atomicAdd(opened, 1ull);
                if (place < capacity) {
                    open[place] = list[at];
                }
            }
        }
        __syncthreads();
    }
}
