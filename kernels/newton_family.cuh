// Rows of a plugin's family.

// Whether there is such a mean, as the CPU has it.
__device__ __forceinline__ bool is_there(const Moments& at)
{
    return isfinite(at.mean) && isfinite(at.slope) && at.slope != 0.0 && at.variance > 0.0 && isfinite(at.variance);
}

// dμ/dη over the variance.
__device__ __forceinline__ double share_at(const double* values, double eta)
{
    const Moments at = moments_of(values, eta);
    return at.slope / at.variance;
}

// What a row adds: half of its deviance, which is none where there is no such mean; its score and its working weight.
struct RowState {
    double deviance;
    double score;
    double working;
};

// The working weight is the expected one of a start, and else the observed one. Called, for a plugin's functions may be long.
__device__ __noinline__ RowState row_state(const double* values, double y, double weight, double eta, bool is_start)
{
    const Moments at = moments_of(values, eta);
    RowState own = {infinity() - infinity(), 0.0, 0.0};
    if (!is_there(at)) {
        return own;
    }
    if (!(weight > 0.0)) {
        own.deviance = 0.0;
        return own;
    }
    own.deviance = weight * (0.5 * passel_deviance(values, y, at.mean));
    const double share = weight * at.slope / at.variance, score = share * (y - at.mean), expected = share * at.slope;
    // A mean at the end of its range says nothing more.
    if (isfinite(score) && isfinite(expected)) {
        own.score = score;
        own.working = expected;
    }
    if (!is_start) {
        // By differences, as the CPU has it.
        const double width = 6e-6 * fmax(fabs(eta), 1.0);
        const double change = (share_at(values, eta + width) - share_at(values, eta - width)) / (2.0 * width);
        const double observed = own.working - weight * (y - at.mean) * change;
        own.working = isfinite(observed) && observed > 0.0 ? observed : own.working;
    }
    return own;
}

// The state of a row: writes its score, or where a start is projected what its linear predictor should be, weighted, and its
// working weight; adds to half of a deviance.
__device__ __forceinline__ void row_of(const NewtonArgs& all, const Fit& m, long long row, double eta, bool is_start,
                                       double& sum, double& apart)
{
    const RowState own = row_state(all.values, all.y[row], all.weights[row], eta, is_start);
    sum += own.deviance;
    apart = -1.0;
    m.working[row] = own.working;
    m.scores[row] = is_start ? own.working * (eta - all.offset[row]) + own.score : own.score;
}

// Makes the working weights of a fit that is done the expected ones, which costs and standard errors are by.
__device__ void expect(const NewtonArgs& all, const Fit& m)
{
    for (long long row = threadIdx.x; row < m.n; row += T) {
        const Moments at = moments_of(all.values, m.predictors[row]);
        const double expected = all.weights[row] * at.slope / at.variance * at.slope;
        m.working[row] = all.weights[row] > 0.0 && isfinite(expected) ? expected : 0.0;
    }
    __syncthreads();
}
