// Evaluates a plugin's function, `passel_value`, on contingency tables. The function is prepended to this
// file. One thread per table; the tables are contiguous.
extern "C" __global__ void tables(const double* __restrict__ values,
                                  const unsigned* __restrict__ counts, unsigned x, unsigned w,
                                  unsigned y, unsigned step, long long count,
                                  double* __restrict__ out)
{
    const long long cells = (long long)x * w * y;
    for (long long table = first(); table < count; table += stride()) {
        out[table] = passel_value(values, counts + table * cells, x, w, y, step);
    }
}

// The same for tables that differ in the levels of x. The function is not called for a table without
// observations.
extern "C" __global__ void values(const double* __restrict__ values,
                                  const unsigned* __restrict__ counts, long long cells,
                                  const unsigned* __restrict__ levels, unsigned w, unsigned y,
                                  unsigned step, long long count, double* __restrict__ out,
                                  unsigned char* __restrict__ empty)
{
    for (long long table = first(); table < count; table += stride()) {
        const unsigned* const own = counts + table * cells;
        const long long all = (long long)levels[table] * w * y;
        long long at = 0;
        while (at < all && own[at] == 0) {
            at++;
        }
        empty[table] = at == all;
        out[table] = at == all ? 0.0 : passel_value(values, own, levels[table], w, y, step);
    }
}
