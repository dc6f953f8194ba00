// Updates the fits of the swarm's models by one step; see update.rs.

// One model per block, and one order after another: (model, kind and 256 times the place of the next order,
// variable, address of its column). Block i begins with order i.
template <int T>
__device__ void update(const ModelsArgs& all, const u64* orders, u64* answers)
{
    __shared__ double partial[TOGETHER * T / 32];
    __shared__ u64 order[4];
    u64 place = blockIdx.x;
    // Orders may be in host memory, so each is read once.
    if (threadIdx.x < 4) {
        order[threadIdx.x] = orders[4 * place + threadIdx.x];
    }
    __syncthreads();
    const u64 number = order[0];
    Model<T> m = model_of<T>(all, number, words_of(all), partial);
    double rss = all.rss[number];
    while (true) {
        const u64 kind = order[1] & 255, next = order[1] >> 8;
        const unsigned variable = (unsigned)order[2];
        unsigned done = NONE;
        __syncthreads();
        if (kind == DROP || kind == DROP_CHEAPEST) {
            int i = 0;
            if (kind == DROP_CHEAPEST) {
                i = cheapest(all, m);
            } else {
                while (i < m.k && m.support[i] != variable) {
                    i++;
                }
            }
            if (i >= 0 && i < m.k) {
                done = m.support[i];
                __syncthreads();
                rss = drop(m, i);
            }
        } else {
            int count = 1;
            if (kind != ADD) {
                count = m.k;
                sort_support(m);
                m.k = 0;
                double sums[2];
                combine(m, all.y, 0.0, nullptr, m.residual, nullptr, sums);
                rss = sums[0];
            }
            for (int i = 0; i < count; i++) {
                const u64 address = kind == ADD ? order[3] : m.addresses[i];
                const unsigned joins = kind == ADD ? variable : m.support[i];
                const Left left = project(m, (const double*)address);
                const double pivot = sqrt(left.square);
                if (kind == REFACTOR || pivot >= PIVOT) {
                    const double least = fmax(pivot, 2.220446049250313e-16);
                    rss = append(m, joins, address, least, left.product);
                    done = joins;
                }
            }
            if (kind != ADD) {
                done = m.k;
            }
        }
        if (threadIdx.x == 0) {
            answers[2 * place] = (u64)__double_as_longlong(rss);
            answers[2 * place + 1] = done;
        }
        if (next == 0) {
            break;
        }
        place = next;
        __syncthreads();
        if (threadIdx.x < 4) {
            order[threadIdx.x] = orders[4 * place + threadIdx.x];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        all.sizes[number] = m.k;
        all.rss[number] = rss;
    }
}

extern "C" __global__ void __launch_bounds__(256, 2)
update_256(ModelsArgs all, const u64* __restrict__ orders, u64* __restrict__ answers)
{
    update<256>(all, orders, answers);
}

extern "C" __global__ void __launch_bounds__(512, 1)
update_512(ModelsArgs all, const u64* __restrict__ orders, u64* __restrict__ answers)
{
    update<512>(all, orders, answers);
}
