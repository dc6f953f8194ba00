// The least squares fit of one model, computed by one block: shared by update.cu and gain.cu.
// src/least_squares.rs explains what a fit keeps and why; the steps here are the same.

#define TOGETHER 8
#define PIVOT 1e-7
#define NONE 0xffffffffu

enum { ADD, DROP, DROP_CHEAPEST, REFACTOR, REBUILD };

struct ModelsArgs {
    long long n;
    int capacity;
    const double* y;
    double* residual;
    double* rest;
    double* inverse;
    double* coefficients;
    unsigned* support;
    u64* addresses;
    int* sizes;
    double* rss;
    const unsigned* keep;
    int kept;
    // 3 * capacity words per block, if they do not fit into shared memory.
    double* spare;
};

// Passed by value; least_squares.rs has the same struct.
static_assert(sizeof(ModelsArgs) == 112, "");

// One model as seen by its block: its arrays, and room for three vectors with an entry per position.
template <int T>
struct Model {
    long long n;
    int k;
    double* residual;
    double* rest;
    double* inverse;
    double* coefficients;
    unsigned* support;
    u64* addresses;
    double* explained;
    double* pass;
    double* column;
    double* partial;
};

template <int T>
__device__ __forceinline__ const double* column_of(const Model<T>& m, int position)
{
    return (const double*)m.addresses[position];
}

// Products of `v` with W columns of the model from position `at` on.
template <int W, int T>
__device__ __forceinline__ void some_products(const Model<T>& m, const double* v, int at, double* out)
{
    const double* x[W];
    double sums[W];
#pragma unroll
    for (int w = 0; w < W; w++) {
        x[w] = column_of(m, at + w);
        sums[w] = 0.0;
    }
    for (long long row = threadIdx.x; row < m.n; row += T) {
        const double value = v[row];
#pragma unroll
        for (int w = 0; w < W; w++) {
            sums[w] += x[w][row] * value;
        }
    }
    block_sum<T>(sums, m.partial);
    if (threadIdx.x == 0) {
#pragma unroll
        for (int w = 0; w < W; w++) {
            out[at + w] = sums[w];
        }
    }
}

template <int T>
__device__ void products(const Model<T>& m, const double* v, double* out)
{
    int at = 0;
    for (; at + TOGETHER <= m.k; at += TOGETHER) {
        some_products<TOGETHER>(m, v, at, out);
    }
    for (; at + 2 <= m.k; at += 2) {
        some_products<2>(m, v, at, out);
    }
    if (at < m.k) {
        some_products<1>(m, v, at, out);
    }
    __syncthreads();
}

// ROWS rows of `combine` from `row` on. All are read before the first is written: input and output may
// overlap, so the compiler cannot reorder them.
template <int ROWS, int T>
__device__ __forceinline__ void combine_rows(const Model<T>& m, long long row, const double* from,
                                             double scale, const double* u, double* to,
                                             const double* with, double (&sums)[2])
{
    double sum[ROWS], start[ROWS], other[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        sum[r] = 0.0;
        start[r] = from[row + r * T];
        other[r] = with ? with[row + r * T] : 0.0;
    }
#pragma unroll 2
    for (int a = 0; a < m.k; a++) {
        const double* x = column_of(m, a) + row;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            sum[r] += u[a] * x[r * T];
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const double value = start[r] + scale * sum[r];
        to[row + r * T] = value;
        sums[0] += value * value;
        sums[1] += value * other[r];
    }
}

// to = from + scale * X_A * u; sums its square, and its product with `with` unless that is null.
template <int T>
__device__ void combine(const Model<T>& m, const double* from, double scale, const double* u,
                        double* to, const double* with, double (&sums)[2])
{
    sums[0] = sums[1] = 0.0;
    long long row = threadIdx.x;
    for (; row + 3 * T < m.n; row += 4 * T) {
        combine_rows<4>(m, row, from, scale, u, to, with, sums);
    }
    for (; row < m.n; row += T) {
        combine_rows<1>(m, row, from, scale, u, to, with, sums);
    }
    block_sum<T>(sums, m.partial);
}

// pass = T Tᵀ pass, using `column` as scratch.
template <int T>
__device__ void solve(const Model<T>& m)
{
    const int lane = threadIdx.x % 32;
    for (int c = threadIdx.x / 32; c < m.k; c += T / 32) {
        const double* t = m.inverse + (long long)c * (c + 1) / 2;
        double sum = 0.0;
        for (int i = lane; i <= c; i += 32) {
            sum += t[i] * m.pass[i];
        }
        sum = warp_sum(sum);
        if (lane == 0) {
            m.column[c] = sum;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < m.k; i += T) {
        double sum = 0.0;
        for (int c = i; c < m.k; c++) {
            sum += m.inverse[(long long)c * (c + 1) / 2 + i] * m.column[c];
        }
        m.pass[i] = sum;
    }
    __syncthreads();
}

// The part of a column that the model does not explain: its square, and its product with the residual.
struct Left {
    double square;
    double product;
};

// Splits a column into X_A * explained and the rest. Projecting twice is enough; once is enough if more
// than half of the unit column remains.
template <int T>
__device__ Left project(const Model<T>& m, const double* x)
{
    for (int i = threadIdx.x; i < m.k; i += T) {
        m.explained[i] = 0.0;
    }
    const double* from = x;
    double sums[2] = {0.0, 0.0};
    for (int round = 0; round == 0 || (round == 1 && sums[0] <= 0.5); round++) {
        if (m.k > 0) {
            products(m, from, m.pass);
            solve(m);
        }
        // It contains a barrier, after which the rest is complete.
        combine(m, from, -1.0, m.pass, m.rest, m.residual, sums);
        for (int i = threadIdx.x; i < m.k; i += T) {
            m.explained[i] += m.pass[i];
        }
        from = m.rest;
    }
    Left left;
    left.square = sums[0];
    left.product = sums[1];
    return left;
}

// Adds the column that was projected last; returns the new RSS.
template <int T>
__device__ double append(Model<T>& m, unsigned variable, u64 address, double pivot, double product)
{
    const double b = product / (pivot * pivot);
    double sums[1] = {0.0};
    // The residual is not read through another pointer.
    double* __restrict__ residual = m.residual;
    const double* __restrict__ rest = m.rest;
#pragma unroll 4
    for (long long row = threadIdx.x; row < m.n; row += T) {
        const double left = residual[row] - b * rest[row];
        residual[row] = left;
        sums[0] += left * left;
    }
    double* t = m.inverse + (long long)m.k * (m.k + 1) / 2;
    for (int i = threadIdx.x; i < m.k; i += T) {
        m.coefficients[i] -= b * m.explained[i];
        t[i] = -m.explained[i] / pivot;
    }
    if (threadIdx.x == 0) {
        m.coefficients[m.k] = b;
        t[m.k] = 1.0 / pivot;
        m.support[m.k] = variable;
        m.addresses[m.k] = address;
    }
    m.k++;
    block_sum<T>(sums, m.partial);
    return sums[0];
}

// Drops position i; returns the new RSS. Givens rotations accumulate row i of T in `pass`.
template <int T>
__device__ double drop(Model<T>& m, int i)
{
    const int k = m.k;
    for (int row = threadIdx.x; row < k; row += T) {
        m.pass[row] = row <= i ? m.inverse[(long long)i * (i + 1) / 2 + row] : 0.0;
    }
    __syncthreads();
    for (int c = i + 1; c < k; c++) {
        const double* from = m.inverse + (long long)c * (c + 1) / 2;
        double* to = m.inverse + (long long)c * (c - 1) / 2;
        const double a = m.pass[i], b = from[i];
        const double norm = sqrt(a * a + b * b);
        const double cosine = a / norm, sine = b / norm;
        // No thread may rotate row i before all have read it.
        __syncthreads();
        for (int row = threadIdx.x; row <= c; row += T) {
            const double t = from[row], g = m.pass[row];
            m.pass[row] = cosine * g + sine * t;
            if (row != i) {
                // Overwrites column c - 1, which is no longer needed.
                to[row - (row > i)] = cosine * t - sine * g;
            }
        }
        __syncthreads();
    }
    const double step = m.coefficients[i] / m.pass[i];
    double sums[2];
    combine(m, m.residual, step, m.pass, m.residual, nullptr, sums);
    for (int a = threadIdx.x; a < k; a += T) {
        m.column[a] = m.coefficients[a] - step * m.pass[a];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int a = i; a + 1 < k; a++) {
            m.support[a] = m.support[a + 1];
            m.addresses[a] = m.addresses[a + 1];
        }
    }
    for (int a = threadIdx.x; a + 1 < k; a += T) {
        m.coefficients[a] = m.column[a + (a >= i)];
    }
    m.k--;
    __syncthreads();
    return sums[0];
}

__device__ bool is_kept(const ModelsArgs& all, unsigned variable)
{
    for (int i = 0; i < all.kept; i++) {
        if (all.keep[i] == variable) {
            return true;
        }
    }
    return false;
}

// The position whose drop raises RSS least, of equal ones that of the lowest variable; -1 if all are
// kept.
template <int T>
__device__ int cheapest(const ModelsArgs& all, const Model<T>& m)
{
    for (int i = threadIdx.x; i < m.k; i += T) {
        double diagonal = 0.0;
        for (int c = i; c < m.k; c++) {
            const double t = m.inverse[(long long)c * (c + 1) / 2 + i];
            diagonal += t * t;
        }
        m.pass[i] = m.coefficients[i] * m.coefficients[i] / diagonal;
    }
    __syncthreads();
    int best = -1;
    for (int i = 0; i < m.k; i++) {
        if (is_kept(all, m.support[i])) {
            continue;
        }
        const double cost = m.pass[i];
        if (best >= 0) {
            const double least = m.pass[best], tie = 1e-10 * fmax(cost, least);
            if (!(cost < least - tie || (cost <= least + tie && m.support[i] < m.support[best]))) {
                continue;
            }
        }
        best = i;
    }
    __syncthreads();
    return best;
}

// Sorts the support by variable. `pass` and `column` are scratch and hold the sorted addresses and variables.
template <int T>
__device__ void sort_support(const Model<T>& m)
{
    u64* addresses = (u64*)m.pass;
    u64* variables = (u64*)m.column;
    for (int i = threadIdx.x; i < m.k; i += T) {
        int rank = 0;
        for (int j = 0; j < m.k; j++) {
            rank += m.support[j] < m.support[i];
        }
        addresses[rank] = m.addresses[i];
        variables[rank] = m.support[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < m.k; i += T) {
        m.addresses[i] = addresses[i];
        m.support[i] = (unsigned)variables[i];
    }
    __syncthreads();
}

template <int T>
__device__ Model<T> model_of(const ModelsArgs& all, u64 number, double* words, double* partial)
{
    const long long capacity = all.capacity;
    Model<T> m;
    m.n = all.n;
    m.k = all.sizes[number];
    m.residual = all.residual + number * all.n;
    m.rest = all.rest + blockIdx.x * all.n;
    m.inverse = all.inverse + number * (capacity * (capacity + 1) / 2);
    m.coefficients = all.coefficients + number * capacity;
    m.support = all.support + number * capacity;
    m.addresses = all.addresses + number * capacity;
    m.explained = words;
    m.pass = words + capacity;
    m.column = words + 2 * capacity;
    m.partial = partial;
    return m;
}

extern __shared__ double room[];

__device__ double* words_of(const ModelsArgs& all)
{
    return all.spare ? all.spare + blockIdx.x * 3ll * all.capacity : room;
}
