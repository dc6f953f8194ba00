// Counts of variance μ + μ²/θ, θ the only parameter: the family that kernels of families are compiled and tried with.

static __device__ double counts_ratio(double y, double mean)
{
    return y > 0.0 ? y * log(y / mean) : 0.0;
}

static __device__ double passel_variance(const double* values, double mean)
{
    return mean + mean * mean / values[0];
}

static __device__ double passel_deviance(const double* values, double y, double mean)
{
    const double theta = values[0];
    return 2.0 * (counts_ratio(y, mean) - (y + theta) * log1p((y - mean) / (mean + theta)));
}
