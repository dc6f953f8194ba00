// A plugin's function stands before it: `passel_value`, a number of one contingency table.
// One thread a table; the tables lie one behind another.
extern "C" __global__ void tables(const double* __restrict__ values,
                                  const unsigned* __restrict__ counts, unsigned x, unsigned w,
                                  unsigned y, long long count, double* __restrict__ out)
{
    const long long cells = (long long)x * w * y;
    for (long long table = first(); table < count; table += stride()) {
        out[table] = passel_value(values, counts + table * cells, x, w, y);
    }
}
