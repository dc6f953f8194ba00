// The same as `chi2` in lib.rs, for one thread of a GPU.
__device__ double passel_value(const double *values, const unsigned *counts, unsigned x,
                               unsigned w, unsigned y, unsigned step)
{
    double sum = 0.0, n = 0.0;
    for (unsigned row = 0; row < x * w; row++) {
        double whole = 0.0;
        for (unsigned l = 0; l < y; l++)
            whole += counts[row * y + l];
        n += whole;
        for (unsigned l = 0; l < y; l++) {
            const double count = counts[row * y + l];
            if (count > 0.0) {
                double response = 0.0;
                for (unsigned other = 0; other < x * w; other++)
                    response += counts[other * y + l];
                sum += count * count / (whole * response);
            }
        }
    }
    return n * (sum - 1.0);
}
