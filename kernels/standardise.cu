// The columns of a matrix that lies on the GPU in any order, at unit norm; see standardise.rs.

// Threads that share a column: so many parts has a sum of values, and four times as many one of squares.
#define EACH 8
#define ALL 0xffffffffu

struct Matrix {
    u64 address;
    // Bytes from a row to the next, and from a column to the next.
    long long row, column;
    // Which rows; none for all of them.
    const unsigned* rows;
    long long n;
    // Whether elements are f32.
    long long single;
};
static_assert(sizeof(Matrix) == 48, "the layout of the host's struct");

struct Facts {
    // The largest value, what the mean is the sum of, and the norm.
    double largest, mean, rest, norm;
    u64 doubts;
};
static_assert(sizeof(Facts) == 40, "the layout of the host's struct");

__device__ __forceinline__ double element(const Matrix& x, long long row, long long column)
{
    const long long at = x.rows ? (long long)x.rows[row] : row;
    const u64 from = x.address + at * x.row + column * x.column;
    return x.single ? (double)*(const float*)from : *(const double*)from;
}

// A column less two parts of its mean.
struct Centred {
    const Matrix& x;
    long long column;
    double mean, rest;

    __device__ __forceinline__ double operator[](long long row) const
    {
        return element(x, row, column) - mean - rest;
    }
};

// Sum of a column by the threads that share it, in the order of the host.
__device__ double sum(const Centred& values, int lane)
{
    const long long n = values.x.n, whole = n / EACH * EACH;
    double part = 0.0;
#pragma unroll 4
    for (long long row = lane; row < whole; row += EACH) {
        part += values[row];
    }
    double sum = 0.0;
    for (int other = 0; other < EACH; other++) {
        sum += __shfl_sync(ALL, part, other, EACH);
    }
    for (long long row = whole; row < n; row++) {
        sum += values[row];
    }
    return sum;
}

// Sum of squares of a column, in the order of the host's products.
__device__ double squares(const Centred& values, int lane)
{
    const long long n = values.x.n;
    double parts[4] = {};
    for (long long begin = lane; begin < n; begin += 4 * EACH) {
#pragma unroll
        for (int part = 0; part < 4; part++) {
            const long long row = begin + part * EACH;
            if (row < n) {
                const double value = values[row];
                parts[part] += value * value;
            }
        }
    }
    double sum = (parts[0] + parts[2]) + (parts[1] + parts[3]);
    for (int half = EACH / 2; half > 0; half /= 2) {
        sum += __shfl_down_sync(ALL, sum, half, EACH);
    }
    return __shfl_sync(ALL, sum, 0, EACH);
}

// A number that by custom means a missing value.
__device__ __forceinline__ bool is_mark(double value)
{
    return value == -99.0 || value == -999.0 || value == -9999.0 || value == -99999.0;
}

// The columns of this thread's group, all groups of a warp together: the last ones work twice.
#define FOR_EACH_COLUMN(column, count)                                                                         \
    const long long own = first() % 32 / EACH;                                                                 \
    for (long long start = first() / 32 * (32 / EACH), column = min(start + own, count - 1); start < count;    \
         start += stride() / EACH, column = min(start + own, count - 1))

extern "C" __global__ void facts(Matrix x, long long count, int intercept, Facts* out)
{
    const int lane = threadIdx.x % EACH;
    FOR_EACH_COLUMN(column, count)
    {
        const double begin = element(x, 0, column);
        double largest = 0.0;
        bool is_finite = true, is_marked = false, numbers_rows = begin == 0.0 || begin == 1.0;
        for (long long row = lane; row < x.n; row += EACH) {
            const double value = element(x, row, column);
            largest = fabs(value) > largest ? fabs(value) : largest;
            is_finite = is_finite && fabs(value) < infinity();
            is_marked = is_marked || is_mark(value);
            numbers_rows = numbers_rows && value - (double)row == begin;
        }
        u64 doubts = (is_finite ? 0 : 1) | (is_marked ? 2 : 0) | (numbers_rows ? 0 : 4);
        for (int half = EACH / 2; half > 0; half /= 2) {
            largest = fmax(largest, __shfl_xor_sync(ALL, largest, half, EACH));
            doubts |= __shfl_xor_sync(ALL, doubts, half, EACH);
        }
        Centred values = {x, column, 0.0, 0.0};
        if (intercept) {
            values.mean = sum(values, lane) / (double)x.n;
            values.rest = sum(values, lane) / (double)x.n;
        }
        const double norm = sqrt(squares(values, lane));
        if (lane == 0) {
            out[column] = {largest, values.mean, values.rest, norm, doubts};
        }
    }
}

// Writes columns one after another: at unit norm, or without facts as they are.
extern "C" __global__ void columns(Matrix x, const unsigned* places, long long count, const Facts* facts, double* out)
{
    const int lane = threadIdx.x % EACH;
    FOR_EACH_COLUMN(at, count)
    {
        const long long column = places[at];
        const double norm = facts ? facts[column].norm : 1.0;
        const Centred values = {x, column, facts ? facts[column].mean : 0.0, facts ? facts[column].rest : 0.0};
#pragma unroll 4
        for (long long row = lane; row < x.n; row += EACH) {
            out[at * x.n + row] = facts ? values[row] / norm : values[row];
        }
    }
}

// Writes one row, of all columns.
extern "C" __global__ void row(Matrix x, long long at, long long count, double* out)
{
    for (long long column = first(); column < count; column += stride()) {
        out[column] = element(x, at, column);
    }
}
