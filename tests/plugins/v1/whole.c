/* One of each that contract 1 has, as a plugin of its time writes it. The library beside it was made of this
 * and of the header beside it, and is never made again: every later passel runs it. */
#include <math.h>
#include <stddef.h>

#include "passel.h"

/* Selectors. */

static double finished(const passel_finish *finish, const double *values, size_t count,
                       const passel_gathered *own)
{
    double redundancy = own->values[0];
    (void)finish, (void)count;
    if (own->steps == 0)
        return own->relevance;
    if (values[0] == 1.0)
        return own->relevance - redundancy;
    return own->relevance / (redundancy > 1e-9 ? redundancy : 1e-9);
}
static const passel_finish finish = {.size = sizeof finish, .score = finished, .tolerance = 1e-9};

static int32_t declare(const passel_selector *selector, const double *values, passel_score *score,
                       char *error, size_t error_size)
{
    const passel_combination x_y = {.n = 1, .x = -1, .y = -1, .xy = 1};
    const passel_combination x_w = {.n = 1, .x = -1, .w = -1, .xw = 1};
    (void)selector, (void)values, (void)error, (void)error_size;
    score->relevance.over = x_y;
    score->terms[0].weight = 1.0;
    score->terms[0].quantity.over = x_w;
    score->term_count = 1;
    score->gather = PASSEL_GATHER_MEAN;
    score->finish = &finish;
    return 0;
}

static const char *const ways[] = {"quotient", "difference"};
static const passel_parameter by = {
    .size = sizeof by, .name = "by", .help = "How relevance and redundancy are joined",
    .most = 1.0, .choices = ways, .choice_count = 2};
static const passel_parameter *const parameters[] = {&by};
static const passel_selector declared = {
    .size = sizeof declared,
    .method = {"v1-mrmr", "mRMR", "I(x;y) by mean I(x;w)", "a test", parameters, 1},
    .declare = declare};

/* The share of observations in the largest class of each level, of x and w together. */
static double purity(const passel_function *function, const double *values, size_t count,
                     const passel_table *table)
{
    double all = 0.0, most = 0.0;
    (void)function, (void)values, (void)count;
    for (size_t row = 0; row < table->x * table->w; row++) {
        uint32_t largest = 0;
        for (size_t y = 0; y < table->y; y++) {
            uint32_t own = table->counts[row * table->y + y];
            all += own;
            largest = own > largest ? own : largest;
        }
        most += largest;
    }
    return most / all;
}
static const passel_function of_table = {
    .size = sizeof of_table, .value = purity, .tolerance = 1e-12};

static int32_t declare_function(const passel_selector *selector, const double *values,
                                passel_score *score, char *error, size_t error_size)
{
    (void)selector, (void)values, (void)error, (void)error_size;
    score->function = &of_table;
    score->gather = PASSEL_GATHER_LAST;
    score->join = PASSEL_JOIN_ALONE;
    score->against = PASSEL_AGAINST_JOINT;
    return 0;
}
static const passel_selector functional = {
    .size = sizeof functional,
    .method = {"v1-purity", "purity", "the share of the largest classes", "a test", 0, 0},
    .declare = declare_function};

static int32_t check(const passel_selector *selector, const double *values, char *error,
                     size_t error_size)
{
    (void)selector, (void)values, (void)error, (void)error_size;
    return 0;
}

/* The best by I(x;y), and how much that is. */
static int32_t run(const passel_selector *selector, const double *values,
                   const passel_problem *problem, char *error, size_t error_size)
{
    const passel_quantity x_y = {.over = {.n = 1, .x = -1, .y = -1, .xy = 1}};
    double all[64];
    size_t best = 0;
    char name[64];
    (void)selector, (void)values, (void)error, (void)error_size;
    if (problem->p > 64 || problem->measure(problem, &x_y, NULL, 1, all) != 0)
        return 1;
    for (size_t x = 1; x < problem->p; x++)
        best = all[x] > all[best] ? x : best;
    if (problem->name(problem, best, name, sizeof name) != 0 || problem->kept(problem, best))
        return 1;
    problem->tell(problem, "letters", (double)(name[0] - 'a'));
    return problem->choose(problem, best, all[best]);
}
static const passel_selector running = {
    .size = sizeof running,
    .method = {"v1-run", "the best alone", "max I(x;y)", "a test", 0, 0},
    .run = run, .over = PASSEL_OVER_LEVELS, .check = check};

static const passel_selector *const selectors[] = {&declared, &functional, &running};

/* A pair score, a criterion and a family. */

static const passel_pair_score mi3 = {
    .size = sizeof mi3,
    .method = {"v1-mi3", "I((x,w);y)", "I((x,w);y)", "a test", 0, 0},
    .quantity = {.over = {.n = 1, .y = -1, .xw = -1, .xwy = 1}}};
static const passel_pair_score *const pair_scores[] = {&mi3};

static double bic(const passel_criterion *criterion, const double *values,
                  const passel_model *model)
{
    (void)criterion, (void)values;
    return model->misfit + (double)model->parameters * log((double)model->n);
}
static const passel_criterion price = {
    .size = sizeof price,
    .method = {"v1-bic", "BIC", "-2l + k ln n", "a test", 0, 0},
    .value = bic, .likelihoods = 1};
static const passel_criterion *const criteria[] = {&price};

static int32_t is_response(const passel_family *family, const double *values, double y)
{
    (void)family, (void)values;
    return y >= 0.0 && floor(y) == y;
}
static void variance(const passel_family *family, const double *values, size_t count,
                     const double *means, double *variances)
{
    (void)family, (void)values;
    for (size_t i = 0; i < count; i++)
        variances[i] = means[i];
}
static void deviance(const passel_family *family, const double *values, size_t count,
                     const double *y, const double *means, double *deviances)
{
    (void)family, (void)values;
    for (size_t i = 0; i < count; i++) {
        double own = y[i] > 0.0 ? y[i] * log(y[i] / means[i]) : 0.0;
        deviances[i] = 2.0 * (own - (y[i] - means[i]));
    }
}
static void saturated(const passel_family *family, const double *values, size_t count,
                      const double *y, double *logs)
{
    (void)family, (void)values;
    for (size_t i = 0; i < count; i++)
        logs[i] = (y[i] > 0.0 ? y[i] * log(y[i]) : 0.0) - y[i] - lgamma(y[i] + 1.0);
}
static void start(const passel_family *family, const double *values, size_t count,
                  const double *y, double *means)
{
    (void)family, (void)values;
    for (size_t i = 0; i < count; i++)
        means[i] = y[i] + 0.1;
}
static const passel_family counts = {
    .size = sizeof counts,
    .method = {"v1-poisson", "Poisson", "V(mean) = mean", "a test", 0, 0},
    .responses = "whole numbers from 0 on", .link = "log", .is_response = is_response,
    .variance = variance, .deviance = deviance, .saturated = saturated, .start = start};
static const passel_family *const families[] = {&counts};

static const passel_plugin plugin = {
    .size = sizeof plugin, .abi_version = PASSEL_ABI_VERSION, .needs = 1,
    .name = "whole", .version = "1", .description = "One of each of contract 1",
    .selectors = selectors, .selector_count = 3,
    .pair_scores = pair_scores, .pair_score_count = 1,
    .criteria = criteria, .criterion_count = 1,
    .families = families, .family_count = 1,
    .licence = "MIT OR Apache-2.0"};

PASSEL_ENTRY(whole)
{
    (void)engine;
    return &plugin;
}
