/* Forward selection by the largest |xᵀr|, as long as the criterion falls: of every family, and of terms. */
#include <math.h>
#include <stdlib.h>

#include "passel.h"

#ifndef LIKELIHOODS
#define LIKELIHOODS 1
#endif

static size_t term_of(const passel_problem *problem, size_t column)
{
    return PASSEL_HAS(problem, term) ? problem->term(problem, column) : column;
}

static int32_t run(const passel_selector *selector, const double *values,
                   const passel_problem *problem, char *error, size_t error_size)
{
    size_t p = problem->p, n = problem->n, count = 0, *columns, *found;
    double *residuals, *products, best, value;
    (void)selector, (void)values, (void)error, (void)error_size;
    columns = calloc(p, sizeof *columns);
    found = malloc(p * sizeof *found);
    products = malloc(p * sizeof *products);
    residuals = malloc(n * sizeof *residuals);
    problem->fit(problem, columns, 0, residuals, &best);
    while (count < problem->most && !problem->interrupted(problem)) {
        size_t next = p;
        if (problem->sweep(problem, residuals, 1, p, found, products))
            break;
        for (size_t i = 0; i < p && next == p; i++) {
            next = found[i];
            if (problem->kept(problem, next))
                next = p;
            for (size_t j = 0; j < count && next < p; j++)
                if (term_of(problem, columns[j]) == term_of(problem, next))
                    next = p;
        }
        if (next == p)
            break;
        columns[count] = next;
        if (problem->fit(problem, columns, count + 1, residuals, &value) || !(value < best))
            break;
        count++;
        best = value;
    }
    for (size_t j = 0; j < count; j++)
        if (problem->choose(problem, columns[j], best))
            break;
    if (PASSEL_HAS(problem, family))
        problem->tell(problem, problem->family, best);
    free(columns), free(found), free(products), free(residuals);
    return 0;
}

static const passel_selector forward = {
    .size = sizeof(passel_selector),
    .method = {"forward", "forward by the gradient", "arg max |x'r|", "a test", 0, 0},
    .run = run,
    .over = PASSEL_OVER_REGRESSION,
    .likelihoods = LIKELIHOODS,
};
static const passel_selector *const selectors[] = {&forward};
static const passel_plugin plugin = {
    .size = sizeof(passel_plugin), .abi_version = PASSEL_ABI_VERSION, .name = "forward", .version = "1",
    .description = "forward", .selectors = selectors, .selector_count = 1};

PASSEL_ENTRY(forward)
{
    (void)engine;
    return &plugin;
}
