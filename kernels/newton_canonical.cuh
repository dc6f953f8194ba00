// Rows of logistic and Poisson regression, whose links are canonical: expected and observed second derivatives are the same.

// The state of a row: writes its score, or where a start is projected what its linear predictor should be, weighted, and its
// working weight; adds to half of a deviance.
__device__ __forceinline__ void row_of(const NewtonArgs& all, const Fit& m, long long row, double eta, bool is_start,
                                       double& sum, double& apart)
{
    const double y = all.y[row], weight = all.weights[row], offset = all.offset[row];
    if (!(weight > 0.0)) {
        m.working[row] = m.scores[row] = 0.0;
        return;
    }
    double mean, slope;
    if (all.is_binomial) {
        const double e = exp(-fabs(eta)), one = 1.0 / (1.0 + e);
        mean = fmin(fmax(eta < 0.0 ? e * one : one, EPSILON), 1.0 - EPSILON);
        slope = fmax(e * one * one, EPSILON);
        sum += weight * ((fmax(eta, 0.0) - y * eta) + log1p(e));
        const double own = y > 0.5 ? eta - offset : offset - eta;
        apart = fmin(apart, own - MARGIN * (1.0 + fabs(offset)));
    } else {
        mean = slope = exp(eta);
        sum += weight * (mean - y * eta);
        apart = -1.0;
    }
    const double score = weight * (y - mean);
    m.working[row] = weight * slope;
    m.scores[row] = is_start ? weight * slope * (eta - offset) + score : score;
}

// The working weights of a fit that is done: it has them.
__device__ __forceinline__ void expect(const NewtonArgs&, const Fit&)
{
}
