// The functions of a plugin's family at linear predictors, a thread an observation: means, their slopes, variances and the
// deviances of responses at these means, `count` numbers each behind one another.
extern "C" __global__ void family_values(const double* __restrict__ values, const double* __restrict__ predictors,
                                         const double* __restrict__ responses, long long count,
                                         double* __restrict__ out)
{
    for (long long at = first(); at < count; at += stride()) {
        const Moments own = moments_of(values, predictors[at]);
        out[at] = own.mean;
        out[count + at] = own.slope;
        out[2 * count + at] = own.variance;
        out[3 * count + at] = passel_deviance(values, responses[at], own.mean);
    }
}
