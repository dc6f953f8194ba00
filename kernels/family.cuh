// A family's functions of one observation. Before comes the twin of a plugin's family, and MEAN: its own link, or one of those
// below, which src/family/link.rs has.

#define LEAST_PROBABILITY 2.220446049250313e-16
#define LEAST_NUMBER 2.2250738585072014e-308

__device__ __forceinline__ double probability(double mean)
{
    return fmin(fmax(mean, LEAST_PROBABILITY), 1.0 - LEAST_PROBABILITY);
}

__device__ __forceinline__ void identity_mean(const double*, double eta, double* mean, double* slope)
{
    *mean = eta;
    *slope = 1.0;
}

__device__ __forceinline__ void logit_mean(const double*, double eta, double* mean, double* slope)
{
    const double e = exp(-fabs(eta)), whole = 1.0 + e;
    *mean = probability(eta < 0.0 ? e / whole : 1.0 / whole);
    *slope = fmax(e / (whole * whole), LEAST_PROBABILITY);
}

__device__ __forceinline__ void probit_mean(const double*, double eta, double* mean, double* slope)
{
    *mean = probability(erfc(-eta / 1.4142135623730951) / 2.0);
    *slope = fmax(exp(-eta * eta / 2.0) / 2.5066282746310002, LEAST_PROBABILITY);
}

__device__ __forceinline__ void cloglog_mean(const double*, double eta, double* mean, double* slope)
{
    const double e = exp(fmin(eta, 700.0));
    *mean = probability(-expm1(-e));
    *slope = fmax(e * exp(-e), LEAST_PROBABILITY);
}

__device__ __forceinline__ void log_mean(const double*, double eta, double* mean, double* slope)
{
    *mean = *slope = fmax(exp(eta), LEAST_NUMBER);
}

__device__ __forceinline__ void inverse_mean(const double*, double eta, double* mean, double* slope)
{
    *mean = 1.0 / eta;
    *slope = -1.0 / (eta * eta);
}

// What a linear predictor makes.
struct Moments {
    double mean;
    double slope;
    double variance;
};

__device__ __forceinline__ Moments moments_of(const double* values, double eta)
{
    Moments own;
    MEAN(values, eta, &own.mean, &own.slope);
    own.variance = passel_variance(values, own.mean);
    return own;
}
