// Fits of Cox's model by Newton's method, one model per block; see cox.rs.

struct CoxArgs {
    RiskRows rows;
    const double* weights;
    const double* offset;
    double shift;
    double least_change;
    double of_scores;
    double of_costs;
    const double* first;
    double* room;
    long long room_each;
};

// Passed by value; cox.rs has the same struct.
static_assert(sizeof(CoxArgs) == 120, "");

// What a model has beside a fit. By row θ = weight·exp(η − the largest η) and running sums, those of each warp of its own; by
// group, with a and e the sums of θx over who is at risk and over the events, what its forms a − share·e and e are times, and
// what rows at risk and events add up. `forms` are of each column of the model.
struct Risk {
    double* theta;
    double* sums;
    double* all;
    double* events;
    double* of_all;
    double* share;
    double* of_events;
    double* forms;
    // Minus ones, and zeros, as many as forms a column.
    double* minus;
    double* zeros;
    u64* addresses;
    long long count;
};

// Scales all linear predictors by the same number: where they are further apart, sums lose what is small in the range of f64.
#define FARTHEST 300.0

// What is left of a column's square beside its part without risk sets.
#define LEAST_INFORMATION 1e-8

__device__ Risk lay_out(const CoxArgs& all, double* from)
{
    const long long n = all.rows.n, groups = all.rows.count;
    Risk r;
    r.count = all.rows.has_ties ? 2 * groups : groups;
    r.theta = from;
    r.sums = r.theta + n;
    r.all = r.sums + WARPS * n;
    r.events = r.all + groups;
    r.of_all = r.events + groups;
    r.share = r.of_all + groups;
    r.of_events = r.share + groups;
    r.minus = r.of_events + groups;
    r.zeros = r.minus + r.count;
    r.forms = r.zeros + r.count;
    return r;
}

// What a group adds up for who is at risk at it, and for its events beside.
__device__ __forceinline__ double of_row(const RiskRows& rows, const Risk& r, long long row, bool& is_event)
{
    const unsigned group = rows.group[row];
    if (group >= (unsigned)rows.count) {
        is_event = false;
        return 0.0;
    }
    is_event = row >= rows.groups[group].start;
    return is_event ? r.all[group] + r.events[group] : r.all[group];
}

// The state at the linear predictors: writes scores and the diagonal of the second derivatives. Infinite where sums have left the
// range of f64.
__device__ __noinline__ double state_of(const CoxArgs& all, const Fit& m, const Risk& r)
{
    const RiskRows& rows = all.rows;
    const int warp = threadIdx.x / 32;
    double most = -infinity(), least = -infinity();
    for (long long row = threadIdx.x; row < m.n; row += T) {
        if (all.weights[row] > 0.0) {
            most = fmax(most, m.predictors[row]);
            least = fmax(least, -m.predictors[row]);
        }
    }
    most = block_most(most, m.partial);
    least = -block_most(least, m.partial);
    if (!(most - least < FARTHEST)) {
        return infinity();
    }
    double sums[1] = {0.0};
    for (long long row = threadIdx.x; row < m.n; row += T) {
        const unsigned at = rows.order[row] & OBSERVATION, group = rows.group[row];
        const double weight = all.weights[at], eta = m.predictors[at] - most;
        r.theta[row] = weight > 0.0 ? weight * exp(eta) : 0.0;
        if (group < (unsigned)rows.count && row >= rows.groups[group].start) {
            sums[0] -= weight * eta;
        }
    }
    __syncthreads();
    if (warp == 0) {
        sums_of_rows(rows, [&](long long row, unsigned) { return r.theta[row]; }, r.sums);
    }
    __syncthreads();
    for (int g = threadIdx.x; g < rows.count; g += T) {
        const RiskGroup group = rows.groups[g];
        double2 own = of_group(group, r.sums);
        const int d = group.end - group.start;
        if (d == 1) {
            own.y = r.theta[group.start];
        }
        const double each = group.weight / d, at_risk = fmax(own.x, own.y);
        double hazard = 0.0, of_events = 0.0, f = 0.0, g1 = 0.0, g2 = 0.0, logs = 0.0;
        for (int l = 0; l < d; l++) {
            const double share = rows.is_efron ? (double)l / d : 0.0, left = at_risk - share * own.y;
            const double inverse = 1.0 / left, square = inverse * inverse;
            hazard += inverse;
            of_events += share * inverse;
            f += square;
            g1 += share * square;
            g2 += share * share * square;
            logs += log(left);
        }
        sums[0] += each * logs;
        r.all[g] = each * hazard;
        r.events[g] = -each * of_events;
        r.of_all[g] = sqrt(each * f);
        r.share[g] = g1 / f;
        r.of_events[g] = sqrt(fmax(each * (g2 - g1 * g1 / f), 0.0));
    }
    __syncthreads();
    if (warp == 0) {
        sums_of_groups(rows, r.all);
    }
    __syncthreads();
    for (long long row = threadIdx.x; row < m.n; row += T) {
        const unsigned at = rows.order[row] & OBSERVATION;
        bool is_event;
        const double diagonal = r.theta[row] * fmax(of_row(rows, r, row, is_event), 0.0);
        m.working[at] = diagonal;
        m.scores[at] = (is_event ? all.weights[at] : 0.0) - diagonal;
    }
    block_sum<T>(sums, m.partial);
    const double deviance = 2.0 * (sums[0] + all.shift);
    return deviance < infinity() ? fmax(deviance, 0.0) : infinity();
}

// Adds to the scores what the second derivatives make of linear predictors less their offsets: what those of the nearest model
// should be, weighted.
__device__ __noinline__ void add_image(const CoxArgs& all, const Fit& m, const Risk& r)
{
    const RiskRows& rows = all.rows;
    if (threadIdx.x < 32) {
        const auto value = [&](long long row, unsigned at) {
            return r.theta[row] * (m.predictors[at] - all.offset[at]);
        };
        sums_of_rows(rows, value, r.sums);
    }
    __syncthreads();
    for (int g = threadIdx.x; g < rows.count; g += T) {
        const double2 own = of_group(rows.groups[g], r.sums);
        const double first = r.of_all[g] * r.of_all[g] * (own.x - r.share[g] * own.y);
        r.all[g] = first;
        r.events[g] = r.of_events[g] * r.of_events[g] * own.y - r.share[g] * first;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sums_of_groups(rows, r.all);
    }
    __syncthreads();
    for (long long row = threadIdx.x; row < m.n; row += T) {
        const unsigned at = rows.order[row] & OBSERVATION;
        const double eta = m.predictors[at] - all.offset[at];
        bool is_event;
        m.scores[at] += m.working[at] * eta - r.theta[row] * of_row(rows, r, row, is_event);
    }
    __syncthreads();
}

// XᵀHX and the products with the scores, factored; false where a column has little information of its own.
__device__ __noinline__ bool products(const CoxArgs& all, const Fit& m, const Risk& r)
{
    weighted_products(m);
    for (int i = threadIdx.x; i < m.size; i += T) {
        m.step[i] = m.matrix[i * (m.size + 1) + i];
    }
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double* sums = r.sums + warp * m.n;
    for (int a = warp; a < m.k; a += WARPS) {
        const double* x = column_of(m, a);
        sums_of_rows(all.rows, [&](long long row, unsigned at) { return r.theta[row] * x[at]; }, sums);
        double* to = r.forms + a * r.count;
        for (int g = lane; g < all.rows.count; g += 32) {
            const RiskGroup group = all.rows.groups[g];
            double2 own = of_group(group, sums);
            if (group.end - group.start == 1) {
                own.y = r.theta[group.start] * x[all.rows.order[group.start] & OBSERVATION];
            }
            to[g] = r.of_all[g] * (own.x - r.share[g] * own.y);
            if (all.rows.has_ties) {
                to[all.rows.count + g] = r.of_events[g] * own.y;
            }
        }
        __syncwarp();
    }
    __syncthreads();
    Fit forms = m;
    forms.n = r.count;
    forms.addresses = r.addresses;
    forms.working = r.minus;
    forms.scores = r.zeros;
    weighted_products(forms, true);
    bool is_told = true;
    for (int i = 0; i < m.size; i++) {
        is_told &= m.matrix[i * (m.size + 1) + i] > LEAST_INFORMATION * m.step[i];
    }
    __syncthreads();
    return is_told && factor(m);
}

// The state at the coefficients, whose linear predictors come in place of those before, and their largest move.
__device__ __noinline__ double move(const CoxArgs& all, const Fit& m, const Risk& r, double& moved)
{
    moved = 0.0;
    double shift[1] = {0.0};
    // About their mean: a constant changes nothing.
    for (long long row = threadIdx.x; row < m.n; row += T) {
        double eta = all.offset[row];
        for (int a = 0; a < m.k; a++) {
            eta += m.coefficients[a] * column_of(m, a)[row];
        }
        m.working[row] = m.predictors[row];
        shift[0] += eta - m.predictors[row];
        m.predictors[row] = eta;
    }
    block_sum<T>(shift, m.partial);
    shift[0] /= m.n;
    for (long long row = threadIdx.x; row < m.n; row += T) {
        const double before = m.working[row];
        moved = fmax(moved, fabs(m.predictors[row] - before - shift[0]) / (1.0 + fabs(before)));
    }
    moved = block_most(moved, m.partial);
    return state_of(all, m, r);
}

// Fits a model; false where that is left to others.
extern "C" __device__ __noinline__ bool climb(const CoxArgs& all, const Fit& m, const Risk& r, const double* start, double& deviance, int& steps)
{
    for (long long row = threadIdx.x; row < m.n; row += T) {
        m.predictors[row] = start[row];
    }
    __syncthreads();
    const double before = state_of(all, m, r);
    if (!(before < infinity())) {
        return false;
    }
    add_image(all, m, r);
    if (!products(all, m, r)) {
        return false;
    }
    solve(m);
    for (int i = threadIdx.x; i < m.size; i += T) {
        m.coefficients[i] = m.step[i];
    }
    __syncthreads();
    double moved;
    deviance = move(all, m, r, moved);
    if (!(deviance < FAR * (1.0 + before))) {
        return false;
    }
    for (steps = 1; steps <= STEPS; steps++) {
        if (!products(all, m, r)) {
            return false;
        }
        // By so much twice the log-likelihood of the quadratic rises.
        double promised = 0.0;
        for (int i = 0; i < m.size; i++) {
            const double z = m.matrix[i * (m.size + 1) + m.size];
            promised += z * z;
        }
        const double least_change = all.least_change + CONVERGED * deviance;
        const bool is_still = promised <= least_change;
        solve(m);
        for (int i = threadIdx.x; i < m.size; i += T) {
            m.coefficients[i] += m.step[i];
        }
        __syncthreads();
        const double least = deviance + least_change;
        deviance = move(all, m, r, moved);
        // Rising deviances and predictors without end are for who has the time.
        if (!(deviance <= least) || (is_still && moved > MOVES)) {
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
cox(CoxArgs all, const NewtonJob* __restrict__ jobs, int count, double* __restrict__ answers)
{
    __shared__ double partial[WARPS];
    const long long n = all.rows.n;
    double* own = all.room + all.room_each * blockIdx.x;
    Risk r = lay_out(all, own + 3 * n);
    for (long long i = threadIdx.x; i < r.count; i += T) {
        r.minus[i] = -1.0;
        r.zeros[i] = 0.0;
    }
    for (int at = blockIdx.x; at < count; at += gridDim.x) {
        const NewtonJob job = jobs[at];
        Fit m;
        m.n = n;
        m.k = (int)job.k;
        m.first = 0;
        m.size = m.k;
        m.addresses = job.addresses;
        m.predictors = job.predictors ? job.predictors : own;
        m.scores = job.scores ? job.scores : own + n;
        m.working = own + 2 * n;
        m.matrix = room;
        m.coefficients = room + m.size * (m.size + 1);
        m.step = m.coefficients + m.size;
        m.squares = m.step + m.size;
        m.partial = partial;
        r.addresses = (u64*)(r.forms + m.k * r.count);
        for (int a = threadIdx.x; a < m.k; a += T) {
            r.addresses[a] = (u64)(r.forms + a * r.count);
        }
        __syncthreads();
        double deviance = 0.0;
        int steps = 0;
        bool is_done = climb(all, m, r, job.start, deviance, steps);
        double sums[1] = {0.0};
        if (is_done && job.costs) {
            // By the second derivatives of the fit itself.
            is_done = products(all, m, r);
            if (is_done) {
                costs(m, all.of_costs, job.costs);
            }
        }
        if (is_done) {
            for (long long row = threadIdx.x; row < n; row += T) {
                const double score = all.of_scores * m.scores[row];
                m.scores[row] = score;
                sums[0] += score * score;
            }
        }
        block_sum<T>(sums, partial);
        if (threadIdx.x == 0) {
            answers[4 * at] = deviance;
            answers[4 * at + 1] = sums[0];
            answers[4 * at + 2] = is_done ? IS_CONVERGED : IS_LEFT;
            answers[4 * at + 3] = steps;
        }
        __syncthreads();
    }
}
