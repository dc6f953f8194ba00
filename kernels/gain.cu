// The exact gain of candidates; see gain.rs.

// Computes [r, Q] of each model, Q = X_A * T, to out + offsets[model]: models are grid layers (z), columns
// grid rows (y).
extern "C" __global__ void orthonormal(ModelsArgs all, const unsigned* __restrict__ which,
                                       const u64* __restrict__ offsets, double* __restrict__ out)
{
    const u64 number = which[blockIdx.z];
    const int k = all.sizes[number];
    const long long capacity = all.capacity;
    const double* inverse = all.inverse + number * (capacity * (capacity + 1) / 2);
    const u64* addresses = all.addresses + number * capacity;
    for (int c = blockIdx.y; c <= k; c += gridDim.y) {
        double* to = out + offsets[blockIdx.z] + c * all.n;
        for (long long row = first(); row < all.n; row += stride()) {
            double sum = 0.0;
            if (c == 0) {
                sum = all.residual[number * all.n + row];
            } else {
                const double* t = inverse + (long long)(c - 1) * c / 2;
                for (int i = 0; i < c; i++) {
                    sum += t[i] * ((const double*)addresses[i])[row];
                }
            }
            to[row] = sum;
        }
    }
}

// The exact gain of each listed (model, column): e² / s, where z is the part of the column that the model
// does not explain, e = zᵀr and s = ‖z‖²; 0 for a collinear column. Columns outside [from, from + count)
// are skipped, for another call.
extern "C" __global__ void __launch_bounds__(512, 1)
gain(ModelsArgs all, const double* __restrict__ columns, unsigned from, unsigned count,
     const unsigned* __restrict__ which, const u64* __restrict__ list,
     const u64* __restrict__ listed, u64 capacity, double* __restrict__ scores)
{
    __shared__ double partial[TOGETHER * 512 / 32];
    const u64 end = *listed < capacity ? *listed : capacity;
    for (u64 at = blockIdx.x; at < end; at += gridDim.x) {
        const unsigned column = (unsigned)list[at];
        if (column - from >= count) {
            continue;
        }
        Model<512> m = model_of<512>(all, which[list[at] >> 32], words_of(all), partial);
        __syncthreads();
        const Left left = project(m, columns + (column - from) * all.n);
        if (threadIdx.x == 0) {
            const bool collinear = left.square < PIVOT * PIVOT;
            scores[at] = collinear ? 0.0 : left.product * left.product / left.square;
        }
        __syncthreads();
    }
}

// Bounds of the exact gain of each column from its products with [r, Q], Q of so many `vectors`: writes the
// upper bounds and keeps the largest lower bound. `squares` are those of the columns, or null where they are 1;
// `off` bounds the error of a product with r, `error` that of s.
extern "C" __global__ void bounds(const double* __restrict__ products, int vectors,
                                  const double* __restrict__ squares,
                                  const unsigned* __restrict__ support, int k, long long rows,
                                  unsigned from, double off, double error,
                                  double* __restrict__ upper, u64* __restrict__ most)
{
    for (long long row = first(); row < rows; row += stride()) {
        const unsigned column = from + (unsigned)row;
        double s = squares ? squares[row] : 1.0;
        for (int i = 0; i < vectors; i++) {
            const double w = products[(i + 1) * rows + row];
            s -= w * w;
        }
        bool member = false;
        for (int i = 0; i < k; i++) {
            member |= support[i] == column;
        }
        const double e = fabs(products[row]);
        const double low = fmax(e - off, 0.0), high = e + off;
        upper[row] = member ? -infinity() : high * high / fmax(s - error, PIVOT * PIVOT);
        if (!member) {
            atomicMax(most, ordered(low * low / (s + error)));
        }
    }
}

// Lists each (model, column) whose gain may be the largest.
extern "C" __global__ void collect_gains(const double* __restrict__ upper, long long rows,
                                         unsigned from, u64 model, const u64* __restrict__ most,
                                         u64* __restrict__ list, u64* __restrict__ listed,
                                         u64 capacity)
{
    // Twice the relative tie, because columns of other GPUs may decide.
    const double least = *most == 0 ? -infinity() : number(*most) * (1.0 - 2e-9);
    for (long long row = first(); row < rows; row += stride()) {
        if (upper[row] > -infinity() && upper[row] >= least) {
            const u64 at = atomicAdd(listed, 1ull);
            if (at < capacity) {
                list[at] = model << 32 | (from + (unsigned)row);
            }
        }
    }
}
