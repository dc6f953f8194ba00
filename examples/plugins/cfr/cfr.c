/* A selector in C: its score is declared.
 *
 *     cc -shared -fPIC -I PASSEL/plugins/abi cfr.c -o libcfr.so
 */
#include "passel.h"

/* What one step gives: 2·I(x;y|w) − I(x;y), with
 * n·I(x;y|w) = S(w) − S(xw) − S(wy) + S(xwy) and n·I(x;y) = S(n) − S(x) − S(y) + S(xy). */
static int32_t declare(const struct passel_selector *selector, const double *values,
                       struct passel_score *score, char *error, size_t error_size)
{
    (void)selector, (void)values, (void)error, (void)error_size;
    struct passel_combination i_xy = {.n = 1, .x = -1, .y = -1, .xy = 1};
    struct passel_combination step = {.w = 2,  .xw = -2, .wy = -2, .xwy = 2,
                                      .n = -1, .x = 1,   .y = 1,   .xy = -1};
    score->relevance.over = i_xy;
    score->terms[0].weight = 1.0;
    score->terms[0].quantity.over = step;
    score->term_count = 1;
    score->gather = PASSEL_GATHER_SUM;
    score->join = PASSEL_JOIN_ALONE;
    return 0;
}

static const struct passel_selector cfr = {
    .size = sizeof cfr,
    .method =
        {
            .name = "cfr",
            .title = "composition of feature relevancy",
            .formula = "Σ [2·I(x;y|w) − I(x;y)]",
            .source = "W. Gao, L. Hu, P. Zhang and J. He, Feature selection considering the "
                      "composition of feature relevancy, Pattern Recognition Letters 112 (2018) "
                      "70–74",
        },
    .declare = declare,
};

static const struct passel_selector *const selectors[] = {&cfr};

static const struct passel_plugin plugin = {
    .size = sizeof plugin,
    .abi_version = PASSEL_ABI_VERSION,
    .name = "cfr",
    .version = "0.1.0",
    .description = "Composition of feature relevancy",
    .selectors = selectors,
    .selector_count = 1,
};

PASSEL_ENTRY(cfr)
{
    (void)engine;
    return &plugin;
}
