/* A method, a criterion and a family with a choice each; what is wrong with the second is defined where it is compiled. */
#include <math.h>
#include <stdio.h>

#include "passel.h"

#ifndef CELL
#define CELL 1
#endif
#ifndef PRICE
#define PRICE m->misfit + 2 * m->chosen
#endif
#ifndef VARIANCE
#define VARIANCE mu
#endif
#ifndef RESPONSE
#define RESPONSE 1
#endif
#ifndef OBJECTS
#define OBJECTS 0
#endif

#define IS_TAU (values[0] == 1)
#define EACH for (size_t i = 0; i < count; i++)

static const char *const ways[] = {"gain", "tau"};
static const passel_parameter how = {
    .size = sizeof how, .name = "how", .help = "Which of two", .most = 1, .choices = ways, .choice_count = 2};
static const passel_parameter *const parameters[] = {&how};
#define OF(NAME) {NAME, "a test", "of its choice", "a test", parameters, 1}

static double squares(const passel_function *function, const double *values, size_t count, const passel_table *table)
{
    (void)function, (void)count;
    double sum = 0;
    for (size_t i = 0; i < table->x; i++)
        for (size_t j = 0; j < table->w; j++)
            for (size_t k = 0; k < table->y; k++) {
                double own = table->counts[(i * table->w + j) * table->y + k];
                sum += own * own;
            }
    return IS_TAU ? CELL * sqrt(sum) : sum;
}
static const passel_function function = {.size = sizeof function, .value = squares, .tolerance = 1e-12};

static int32_t declare(const passel_selector *selector, const double *values, passel_score *score, char *reason, size_t size)
{
    (void)selector;
    if (OBJECTS && IS_TAU) {
        snprintf(reason, size, "tau is not of today");
        return 1;
    }
    score->function = &function;
    score->gather = PASSEL_GATHER_MEAN;
    score->join = PASSEL_JOIN_ALONE;
    return 0;
}
static const passel_selector selector = {.size = sizeof selector, .method = OF("chosen-by"), .declare = declare};
static const passel_selector *const selectors[] = {&selector};

static double price(const passel_criterion *criterion, const double *values, const passel_model *m)
{
    (void)criterion;
    return IS_TAU ? PRICE : m->misfit + 4 * m->chosen;
}
static const passel_criterion criterion = {.size = sizeof criterion, .method = OF("priced-by"), .value = price};
static const passel_criterion *const criteria[] = {&criterion};

/* Poisson's, or that over a mean of a half. */
static int32_t is_response(const passel_family *family, const double *values, double y)
{
    (void)family;
    return y >= 0 && floor(y) == y && (!IS_TAU || RESPONSE);
}
static void means(const passel_family *family, const double *values, size_t count, const double *eta, double *mean, double *slope)
{
    (void)family, (void)values;
    EACH mean[i] = slope[i] = exp(eta[i]);
}
static double predictor(const passel_family *family, const double *values, double mean)
{
    (void)family, (void)values;
    return log(mean);
}
static void variances(const passel_family *family, const double *values, size_t count, const double *means, double *to)
{
    (void)family;
    EACH {
        double mu = means[i];
        to[i] = IS_TAU ? VARIANCE : mu;
    }
}
static void deviances(const passel_family *family, const double *values, size_t count, const double *y, const double *mu, double *to)
{
    (void)family, (void)values;
    EACH to[i] = 2 * ((y[i] > 0 ? y[i] * log(y[i] / mu[i]) : 0) - (y[i] - mu[i]));
}
static void saturated(const passel_family *family, const double *values, size_t count, const double *y, double *to)
{
    (void)family, (void)values;
    EACH to[i] = (y[i] > 0 ? y[i] * log(y[i]) : 0) - y[i] - lgamma(y[i] + 1);
}
static void start(const passel_family *family, const double *values, size_t count, const double *y, double *mu)
{
    (void)family, (void)values;
    EACH mu[i] = y[i] + 0.1;
}
static const passel_family family = {
    .size = sizeof family, .method = OF("counted-by"), .responses = "whole numbers", .link = "own-log", .is_response = is_response,
    .mean = means, .predictor = predictor, .variance = variances, .deviance = deviances, .saturated = saturated, .start = start};
static const passel_family *const families[] = {&family};

static const passel_plugin plugin = {
    .size = sizeof plugin, .abi_version = PASSEL_ABI_VERSION, .name = "choices", .version = "1", .description = "choices",
    .selectors = selectors, .selector_count = 1, .criteria = criteria, .criterion_count = 1, .families = families, .family_count = 1};

PASSEL_ENTRY(choices)
{
    (void)engine;
    return &plugin;
}
