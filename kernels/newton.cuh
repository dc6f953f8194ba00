// What fits by Newton's method are made of: products of columns under working weights, and the factor of these.

#define T 256
#define WARPS (T / 32)
#define CONVERGED 1e-12
#define FAR 4.0
#define LEAST_PIVOT 1e-3
#define MOVES 1e-3
#define MARGIN 1e-9
#define STEPS 25
#define EPSILON 2.220446049250313e-16

enum { IS_CONVERGED, IS_LEFT };

struct NewtonJob {
    const u64* addresses;
    const double* start;
    double* predictors;
    double* scores;
    double* costs;
    long long k;
};

// newton.rs has the same struct.
static_assert(sizeof(NewtonJob) == 48, "");

// One fit as its block sees it. Columns are those of the model behind ones, if it has an intercept; `matrix` is
// `size` rows of `size` + 1: the upper triangle of their weighted products, then those with the scores.
struct Fit {
    long long n;
    int k;
    int first;
    int size;
    const u64* addresses;
    double* predictors;
    double* scores;
    double* working;
    double* matrix;
    double* coefficients;
    double* step;
    double* squares;
    double* partial;
};

__device__ __forceinline__ const double* column_of(const Fit& m, int position)
{
    return (const double*)m.addresses[position];
}

// The largest number of the block; every thread gets it.
__device__ __forceinline__ double block_most(double value, double* partial)
{
    for (int half = 16; half > 0; half /= 2) {
        value = fmax(value, __shfl_xor_sync(0xffffffffu, value, half));
    }
    if (threadIdx.x % 32 == 0) {
        partial[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = partial[0];
    for (int warp = 1; warp < WARPS; warp++) {
        value = fmax(value, partial[warp]);
    }
    __syncthreads();
    return value;
}

// A product of fragments of 8 × 4 and 4 × 8 numbers, added to 8 × 8.
__device__ __forceinline__ void multiply(double (&sum)[2], double a, double b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum[0]), "+d"(sum[1])
        : "d"(a), "d"(b));
#else
    const int lane = threadIdx.x % 32, row = lane / 4, column = 2 * (lane % 4);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const double left = __shfl_sync(0xffffffffu, a, 4 * row + i);
        sum[0] += left * __shfl_sync(0xffffffffu, b, 4 * column + i);
        sum[1] += left * __shfl_sync(0xffffffffu, b, 4 * column + 4 + i);
    }
#endif
}

// The entries of TILES tiles of 8 columns from tile `tile` on in four rows: this lane's column of each, at row
// `row`; ones, the columns, then nothing.
template <int TILES>
__device__ __forceinline__ void load(const Fit& m, int tile, long long row, bool inside,
                                     double (&out)[TILES])
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int t = 0; t < TILES; t++) {
        const int at = 8 * (tile + t) + lane / 4 - m.first;
        double value = 0.0;
        if (inside) {
            if (at >= 0 && at < m.k) {
                value = column_of(m, at)[row];
            } else if (at == -1) {
                value = 1.0;
            }
        }
        out[t] = value;
    }
}

// Products of TILES tiles of columns, from tile `down` on, with as many from `across` on under the working weights; the
// column behind the last is the scores. Adds them to the matrix, or puts them there.
template <int TILES>
__device__ void gram(const Fit& m, int down, int across, bool adds)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double sums[TILES][TILES][2] = {};
    for (long long base = 4 * warp; base < m.n; base += 4 * WARPS) {
        const long long row = base + lane % 4;
        const bool inside = row < m.n;
        const double weight = inside ? m.working[row] : 0.0;
        const double score = inside ? m.scores[row] : 0.0;
        double a[TILES], b[TILES];
        load<TILES>(m, down, row, inside, a);
        if (down == across) {
#pragma unroll
            for (int t = 0; t < TILES; t++) {
                b[t] = a[t];
            }
        } else {
            load<TILES>(m, across, row, inside, b);
        }
#pragma unroll
        for (int t = 0; t < TILES; t++) {
            b[t] = 8 * (across + t) + lane / 4 == m.size ? score : weight * b[t];
        }
#pragma unroll
        for (int i = 0; i < TILES; i++) {
#pragma unroll
            for (int j = 0; j < TILES; j++) {
                if (down < across || i <= j) {
                    multiply(sums[i][j], a[i], b[j]);
                }
            }
        }
    }
    // One warp after the other, so that the order of the sums is fixed.
    for (int turn = 0; turn < WARPS; turn++) {
        if (turn == warp) {
#pragma unroll
            for (int i = 0; i < TILES; i++) {
#pragma unroll
                for (int j = 0; j < TILES; j++) {
                    const int row = 8 * (down + i) + lane / 4;
#pragma unroll
                    for (int c = 0; c < 2; c++) {
                        const int column = 8 * (across + j) + 2 * (lane % 4) + c;
                        if (row <= column && row < m.size && column <= m.size) {
                            double* to = m.matrix + row * (m.size + 1) + column;
                            *to = turn == 0 && !adds ? sums[i][j][c] : *to + sums[i][j][c];
                        }
                    }
                }
            }
        }
        __syncthreads();
    }
}

__device__ void weighted_products(const Fit& m, bool adds = false)
{
    const int tiles = (m.size + 8) / 8;
    switch (tiles) {
    case 1: gram<1>(m, 0, 0, adds); break;
    case 2: gram<2>(m, 0, 0, adds); break;
    case 3: gram<3>(m, 0, 0, adds); break;
    default:
        for (int down = 0; down < tiles; down += 3) {
            for (int across = down; across < tiles; across += 3) {
                gram<3>(m, down, across, adds);
            }
        }
    }
}

// The factor R of the matrix, in its place, and R⁻ᵀ of its last column; false where a column is nearly explained.
__device__ bool factor(const Fit& m)
{
    const int size = m.size, width = size + 1;
    for (int i = threadIdx.x; i < size; i += T) {
        m.squares[i] = m.matrix[i * width + i];
    }
    __syncthreads();
    for (int j = 0; j < size; j++) {
        const double rest = m.matrix[j * width + j];
        // False where it is no number.
        if (!(rest > LEAST_PIVOT * LEAST_PIVOT * m.squares[j])) {
            return false;
        }
        const double pivot = sqrt(rest);
        __syncthreads();
        for (int c = j + threadIdx.x; c < width; c += T) {
            m.matrix[j * width + c] = c == j ? pivot : m.matrix[j * width + c] / pivot;
        }
        __syncthreads();
        const int left = size - 1 - j;
        for (int at = threadIdx.x; at < left * (left + 1); at += T) {
            const int i = j + 1 + at / (left + 1), c = j + 1 + at % (left + 1);
            if (c >= i) {
                m.matrix[i * width + c] -= m.matrix[j * width + i] * m.matrix[j * width + c];
            }
        }
        __syncthreads();
    }
    return true;
}

// step = R⁻¹ of the last column, by the first warp.
__device__ void solve(const Fit& m)
{
    const int size = m.size, width = size + 1, lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = size - 1; i >= 0; i--) {
            double sum = 0.0;
            for (int c = i + 1 + lane; c < size; c += 32) {
                sum += m.matrix[i * width + c] * m.step[c];
            }
            sum = warp_sum(sum);
            if (lane == 0) {
                m.step[i] = (m.matrix[i * width + size] - sum) / m.matrix[i * width + i];
            }
            __syncwarp();
        }
    }
    __syncthreads();
}

// Writes what dropping each column costs: its coefficient squared over its place in the inverse of the products.
__device__ void costs(const Fit& m, double scale, double* to)
{
    const int size = m.size, width = size + 1;
    // The inverse of R in its lower triangle, its diagonal in `squares`: each thread a column.
    for (int c = threadIdx.x; c < size; c += T) {
        m.squares[c] = 1.0 / m.matrix[c * width + c];
        for (int i = c - 1; i >= 0; i--) {
            double sum = m.matrix[i * width + c] * m.squares[c];
            for (int a = i + 1; a < c; a++) {
                sum += m.matrix[i * width + a] * m.matrix[c * width + a];
            }
            m.matrix[c * width + i] = -sum / m.matrix[i * width + i];
        }
    }
    __syncthreads();
    for (int i = m.first + threadIdx.x; i < size; i += T) {
        double diagonal = m.squares[i] * m.squares[i];
        for (int c = i + 1; c < size; c++) {
            const double t = m.matrix[c * width + i];
            diagonal += t * t;
        }
        to[i - m.first] = scale * m.coefficients[i] * m.coefficients[i] / diagonal;
    }
}
