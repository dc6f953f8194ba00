// Fits by Newton's method, one model per block; see newton.rs. What a row is of comes before: newton_canonical.cuh or
// newton_family.cuh.

// What is no number is no deviance that a fit may end at.
__device__ __forceinline__ double deviance_of(double sum, double shift)
{
    const double deviance = 2.0 * (sum + shift);
    return deviance < infinity() ? fmax(deviance, 0.0) : infinity();
}

// ROWS rows of `move` from `row` on: independent loads are in flight together.
template <int ROWS>
__device__ __forceinline__ void move_rows(const NewtonArgs& all, const Fit& m, long long row, double& sum, double& moved,
                                          double& apart)
{
    double eta[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        eta[r] = all.offset[row + r * T] + (m.first ? m.coefficients[0] : 0.0);
    }
#pragma unroll 2
    for (int a = 0; a < m.k; a++) {
        const double* x = column_of(m, a) + row;
        const double b = m.coefficients[m.first + a];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            eta[r] += b * x[r * T];
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const long long at = row + r * T;
        if (all.weights[at] > 0.0) {
            const double before = m.predictors[at];
            moved = fmax(moved, fabs(eta[r] - before) / (1.0 + fabs(before)));
        }
        m.predictors[at] = eta[r];
        row_of(all, m, at, eta[r], false, sum, apart);
    }
}

// The state at the coefficients, whose linear predictors come in place of those before.
__device__ State move(const NewtonArgs& all, const Fit& m)
{
    double sums[1] = {0.0}, moved = 0.0, apart = infinity();
    long long row = threadIdx.x;
    for (; row + 3 * T < m.n; row += 4 * T) {
        move_rows<4>(all, m, row, sums[0], moved, apart);
    }
    for (; row < m.n; row += T) {
        move_rows<1>(all, m, row, sums[0], moved, apart);
    }
    block_sum<T>(sums, m.partial);
    State state;
    state.deviance = deviance_of(sums[0], all.shift);
    state.moved = block_most(moved, m.partial);
    state.apart = -block_most(-apart, m.partial);
    return state;
}

// Fits a model; false where that is left to others.
__device__ bool climb(const NewtonArgs& all, const Fit& m, const double* start, State& state, int& steps)
{
    // The predictors of the model nearest to those of the start, by their weights.
    double sums[1] = {0.0}, apart = infinity();
    for (long long row = threadIdx.x; row < m.n; row += T) {
        const double eta = start[row];
        m.predictors[row] = eta;
        row_of(all, m, row, eta, true, sums[0], apart);
    }
    block_sum<T>(sums, m.partial);
    const double before = deviance_of(sums[0], all.shift);
    weighted_products(m);
    if (!factor(m)) {
        return false;
    }
    solve(m);
    for (int i = threadIdx.x; i < m.size; i += T) {
        m.coefficients[i] = m.step[i];
    }
    __syncthreads();
    state = move(all, m);
    // From nothing no deviance is far.
    const double most = start == all.first ? infinity() : FAR * (1.0 + before);
    if (!(state.deviance < most)) {
        return false;
    }
    for (steps = 1; steps <= STEPS; steps++) {
        weighted_products(m);
        if (!factor(m)) {
            return false;
        }
        // By so much twice the log-likelihood of the quadratic rises.
        double promised = 0.0;
        for (int i = 0; i < m.size; i++) {
            const double z = m.matrix[i * (m.size + 1) + m.size];
            promised += z * z;
        }
        const bool is_still = promised <= all.least_change + CONVERGED * state.deviance;
        solve(m);
        for (int i = threadIdx.x; i < m.size; i += T) {
            m.coefficients[i] += m.step[i];
        }
        __syncthreads();
        const double least = state.deviance * (1.0 + CONVERGED) + all.least_change;
        state = move(all, m);
        // Rising deviances, events that lie apart, and predictors without end are for who has the time.
        if (!(state.deviance <= least) || state.apart > 0.0 || (is_still && state.moved > MOVES)) {
            return false;
        }
        if (is_still) {
            return true;
        }
    }
    return false;
}

extern __shared__ double room[];

// `answers`: deviance, ‖scores‖², what came of it and the steps, four numbers a job.
extern "C" __global__ void __launch_bounds__(T, 2)
newton(NewtonArgs all, const NewtonJob* __restrict__ jobs, int count, double* __restrict__ answers)
{
    __shared__ double partial[WARPS];
    for (int at = blockIdx.x; at < count; at += gridDim.x) {
        const NewtonJob job = jobs[at];
        double* own = all.room + 3 * all.n * blockIdx.x;
        Fit m;
        m.n = all.n;
        m.k = (int)job.k;
        m.first = all.has_intercept;
        m.size = m.k + m.first;
        m.addresses = job.addresses;
        m.predictors = job.predictors ? job.predictors : own;
        m.scores = job.scores ? job.scores : own + all.n;
        m.working = own + 2 * all.n;
        m.matrix = room;
        m.coefficients = room + m.size * (m.size + 1);
        m.step = m.coefficients + m.size;
        m.squares = m.step + m.size;
        m.partial = partial;
        State state = {};
        int steps = 0;
        bool is_done = climb(all, m, job.start, state, steps);
        double sums[1] = {0.0};
        if (is_done && job.costs) {
            // By the expected weights of the fit itself.
            expect(all, m);
            weighted_products(m);
            is_done = factor(m);
            if (is_done) {
                costs(m, all.of_costs, job.costs);
            }
        }
        if (is_done) {
            for (long long row = threadIdx.x; row < m.n; row += T) {
                const double score = all.of_scores * m.scores[row];
                m.scores[row] = score;
                sums[0] += score * score;
            }
        }
        block_sum<T>(sums, partial);
        if (threadIdx.x == 0) {
            answers[4 * at] = state.deviance;
            answers[4 * at + 1] = sums[0];
            answers[4 * at + 2] = is_done ? IS_CONVERGED : IS_LEFT;
            answers[4 * at + 3] = steps;
        }
        __syncthreads();
    }
}
