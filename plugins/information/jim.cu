// `impurity` of jim.rs, computed by one thread of a GPU.
__device__ double passel_value(const double *values, const unsigned *counts, unsigned x,
                               unsigned w, unsigned y, unsigned step)
{
    const unsigned rows = x * w;
    double n = 0.0, sum = 0.0;
    for (unsigned cell = 0; cell < rows * y; cell++)
        n += counts[cell];
    // Levels of the response outside: a table has more rows than columns, as a rule.
    for (unsigned l = 0; l < y; l++) {
        double response = 0.0;
        for (unsigned row = 0; row < rows; row++)
            response += counts[row * y + l];
        for (unsigned row = 0; row < rows; row++) {
            double whole = 0.0;
            for (unsigned other = 0; other < y; other++)
                whole += counts[row * y + other];
            if (whole > 0.0) {
                const double beyond = n * counts[row * y + l] - whole * response;
                sum += beyond * beyond / whole;
            }
        }
    }
    return sum / (n * n * n);
}
