// My selector.
#include "passel.h"

#include <cstddef>
#include <cstdint>

namespace {

// Informations by the margins of the counts of x, the candidate, w, a chosen variable, and y, the
// response: n·I(x;y) = S(n) − S(x) − S(y) + S(xy), and so on. passel.h has more of it.
constexpr passel_combination x_y{.n = 1, .x = -1, .y = -1, .xy = 1};
constexpr passel_combination x_y_given_w{.w = 1, .xw = -1, .wy = -1, .xwy = 1};
constexpr passel_combination x_w{.n = 1, .x = -1, .w = -1, .xw = 1};

// I(x;y) + the mean over the chosen w of I(x;y|w) − a·I(x;w). No exception may leave it.
std::int32_t declare(const passel_selector *, const double *values, passel_score *score, char *,
                     std::size_t) noexcept
{
    score->relevance.over = x_y;
    score->terms[0].weight = 1.0;
    score->terms[0].quantity.over = x_y_given_w;
    score->terms[1].weight = -values[0];
    score->terms[1].quantity.over = x_w;
    score->term_count = 2;
    score->gather = PASSEL_GATHER_MEAN;
    score->join = PASSEL_JOIN_ADDED;
    return 0;
}

const passel_parameter a{
    .size = sizeof a,
    .name = "a",
    .help = "What redundancy takes away",
    .default_value = 0.5,
    .least = 0.0,
    .most = 10.0,
};
const passel_parameter *const parameters[] = {&a};

// Members that are left out are zero.
const passel_selector selector{
    .size = sizeof selector,
    .method{
        .name = "my-score",
        .title = "what is new, less what is known",
        .formula = "I(x;y) + (1/|S|)·Σ [I(x;y|w) − a·I(x;w)]",
        .source = "unpublished",
        .parameters = parameters,
        .parameter_count = 1,
    },
    .declare = declare,
};
const passel_selector *const selectors[] = {&selector};

const passel_plugin plugin{
    .size = sizeof plugin,
    .abi_version = PASSEL_ABI_VERSION,
    .name = "my-score",
    .version = "0.1.0",
    .description = "My selector",
    .selectors = selectors,
    .selector_count = 1,
    .licence = "MIT",
};

} // namespace

PASSEL_ENTRY(my_score)
{
    (void)engine;
    return &plugin;
}
