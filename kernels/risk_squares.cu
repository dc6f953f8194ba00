// Squares of columns by the second derivatives of partial likelihoods; see risk_squares.rs.

// Passed by address; risk_squares.rs has the same struct.
struct RiskModel {
    const double* theta;
    const double* of_all;
    const double* share;
    const double* of_events;
};

static_assert(sizeof(RiskModel) == 32, "");

// A square that is a smaller share of its part without risk sets is rounding.
#define LEAST_INFORMATION 1e-13

#define T 256

// A warp a column at a time; `room` has n numbers for each warp of the grid.
extern "C" __global__ void __launch_bounds__(T)
risk_squares(RiskRows rows, const double* __restrict__ columns, long long count, const RiskModel* __restrict__ models,
             int model_count, double* room, double* __restrict__ to)
{
    const int lane = threadIdx.x % 32;
    const long long warp = first() / 32;
    double* sums = room + warp * rows.n;
    for (long long column = warp; column < count; column += stride() / 32) {
        const double* x = columns + column * rows.n;
        for (int number = 0; number < model_count; number++) {
            const RiskModel m = models[number];
            sums_of_rows(rows, [&](long long row, unsigned at) { return m.theta[row] * x[at]; }, sums);
            double less = 0.0;
            for (int g = lane; g < rows.count; g += 32) {
                const RiskGroup group = rows.groups[g];
                double2 own = of_group(group, sums);
                if (group.end - group.start == 1) {
                    own.y = m.theta[group.start] * x[rows.order[group.start] & OBSERVATION];
                }
                const double all = m.of_all[g] * (own.x - m.share[g] * own.y), events = m.of_events[g] * own.y;
                less += all * all + events * events;
            }
            less = warp_sum(less);
            if (lane == 0) {
                double* own = to + number * count + column;
                const double square = *own - less;
                *own = square > LEAST_INFORMATION * *own ? square : 0.0;
            }
            __syncwarp();
        }
    }
}
