// Updates the fits of the swarm's models; see update.rs.

// One order per block: (model, kind, variable, address of its column).
template <int T>
__device__ void update(const ModelsArgs& all, const u64* orders, u64* answers)
{
    __shared__ double partial[TOGETHER * T / 32];
    __shared__ u64 order[4];
    // Orders may be in host memory, so each is read once.
    if (threadIdx.x < 4) {
        order[threadIdx.x] = orders[4ll * blockIdx.x + threadIdx.x];
    }
    __syncthreads();
    const u64 number = order[0];
    const unsigned variable = (unsigned)order[2];
    Model<T> m = model_of<T>(all, number, words_of(all), partial);
    double rss = all.rss[number];
    unsigned done = NONE;
    __syncthreads();
    switch (order[1]) {
    case ADD: {
        const Left left = project(m, (const double*)order[3]);
        const double pivot = sqrt(left.square);
        if (pivot >= PIVOT) {
            rss = append(m, variable, order[3], pivot, left.product);
            done = variable;
        }
        break;
    }
    case DROP:
        for (int i = 0; i < m.k; i++) {
            if (m.support[i] == variable) {
                __syncthreads();
                rss = drop(m, i);
                done = variable;
                break;
            }
        }
        break;
    case DROP_CHEAPEST: {
        const int i = cheapest(all, m);
        if (i >= 0) {
            done = m.support[i];
            __syncthreads();
            rss = drop(m, i);
        }
        break;
    }
    case REFACTOR: {
        const int k = m.k;
        sort_support(m);
        m.k = 0;
        double sums[2];
        combine(m, all.y, 0.0, nullptr, m.residual, nullptr, sums);
        rss = sums[0];
        while (m.k < k) {
            const u64 address = m.addresses[m.k];
            const unsigned same = m.support[m.k];
            const Left left = project(m, (const double*)address);
            const double pivot = fmax(sqrt(left.square), 2.220446049250313e-16);
            rss = append(m, same, address, pivot, left.product);
        }
        break;
    }
    }
    if (threadIdx.x == 0) {
        all.sizes[number] = m.k;
        all.rss[number] = rss;
        answers[2 * blockIdx.x] = (u64)__double_as_longlong(rss);
        answers[2 * blockIdx.x + 1] = done;
    }
}

// One model per block, and its orders one after another: (model, kind and 256 times the place of the next,
// variable, address of its column). Block i begins with order i. By itself, for with a loop around it the
// compiler keeps fewer loads of `update` in flight.
template <int T>
__device__ void update_terms(const ModelsArgs& all, const u64* orders, u64* answers)
{
    __shared__ double partial[TOGETHER * T / 32];
    __shared__ u64 order[4];
    u64 place = blockIdx.x;
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
        if (kind == DROP) {
            int i = 0;
            while (i < m.k && m.support[i] != variable) {
                i++;
            }
            __syncthreads();
            if (i < m.k) {
                rss = drop(m, i);
                done = variable;
            }
        } else {
            int count = 1;
            if (kind == REBUILD) {
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
                if (pivot >= PIVOT) {
                    rss = append(m, joins, address, pivot, left.product);
                    done = joins;
                }
            }
            if (kind == REBUILD) {
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

extern "C" __global__ void __launch_bounds__(256, 2)
update_terms_256(ModelsArgs all, const u64* __restrict__ orders, u64* __restrict__ answers)
{
    update_terms<256>(all, orders, answers);
}

extern "C" __global__ void __launch_bounds__(512, 1)
update_terms_512(ModelsArgs all, const u64* __restrict__ orders, u64* __restrict__ answers)
{
    update_terms<512>(all, orders, answers);
}
