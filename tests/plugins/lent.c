/* A pair score and a declared one that do with what they are lent what they are compiled to do. */
#include "passel.h"

#ifndef BODY
#define BODY
#endif
#ifndef DECLARED
#define DECLARED
#endif
/* Read, whatever a compiler thinks of it. */
#define READ(pointer) ((void)*(const volatile char *)(pointer))

static double value(const passel_function *function, const double *values, size_t count,
                    const passel_table *table)
{
    static const void *volatile kept;
    double sum = 0.0;
    (void)function, (void)values, (void)count, (void)kept;
    for (size_t at = 0; at < table->x * table->w * table->y; at++)
        sum += table->counts[at];
    BODY;
    return sum;
}

static const passel_function function = {sizeof(passel_function), value, 0, 1e-9, 0};

static int32_t declare(const passel_selector *selector, const double *values, passel_score *score,
                       char *error, size_t error_size)
{
    const passel_combination i_xy = {1, -1, 0, -1, 0, 1, 0, 0};
    (void)selector, (void)values, (void)error, (void)error_size;
    score->relevance.over = i_xy;
    score->terms[0].weight = -1.0;
    score->terms[0].quantity.over = i_xy;
    score->term_count = 1;
    DECLARED;
    return 0;
}

static const passel_parameter weight = {
    sizeof(passel_parameter), "weight", "None", 1.0, 0.0, 2.0, 0, 0, 0, 0};
static const passel_parameter *const parameters[] = {&weight};
static const passel_pair_score pair = {
    sizeof(passel_pair_score), {"of-table", "a function", "none", "a test", parameters, 1},
    {{0}, {0}}, &function};
static const passel_pair_score *const pairs[] = {&pair};
static const passel_selector selector = {
    sizeof(passel_selector), {"of-terms", "declared", "none", "a test", parameters, 1}, declare};
static const passel_selector *const selectors[] = {&selector};
static const passel_plugin plugin = {
    sizeof(passel_plugin), PASSEL_ABI_VERSION, 0, "lent", "1", "what it is lent", selectors, 1,
    pairs, 1};

PASSEL_ENTRY(lent)
{
    (void)engine;
    return &plugin;
}
