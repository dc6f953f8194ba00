/* Selectors in C that run: what each does is defined where it is compiled. */
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "passel.h"

#ifndef OVER
#define OVER PASSEL_OVER_REGRESSION
#endif
#ifndef AT_END
#define AT_END
#endif
#ifndef BODY
#define BODY
#endif
#ifndef RUN
#define RUN run
#endif
#ifndef DECLARE
#define DECLARE 0
#endif
#ifndef CRITERION
#define CRITERION n * log(rss / n) + k * values[0]
#endif
#ifndef CRITERION_NAME
#define CRITERION_NAME "c-price"
#endif
#ifndef CRITERION_SIZE
#define CRITERION_SIZE sizeof(passel_criterion)
#endif
#ifndef LIKELIHOODS
#define LIKELIHOODS 0
#endif
#ifndef VALUE
#define VALUE value
#endif

#ifndef CHECK
#define CHECK 0
#endif
#ifndef PARAMETERS
#define PARAMETERS 0, 0
#endif
#ifndef KERNELS
#define KERNELS kernels, 2
#endif
#ifndef ROUNDS
#define ROUNDS 20, 1, 100
#endif
#ifndef WHOLE
#define WHOLE 1
#endif

#ifndef ENTRY
#define ENTRY passel_plugin_runs
#endif
#ifndef PLUGIN
#define PLUGIN "runs"
#endif
#ifndef NAME
#define NAME "c-run"
#endif

static void none(size_t at, void *context) { (void)at, (void)context; }

static int32_t run(const passel_selector *selector, const double *values,
                   const passel_problem *problem, char *error, size_t error_size)
{
    double number = 0.0, *numbers = malloc(2 * problem->n * sizeof *numbers);
    uint32_t word = 0, *codes = malloc(problem->n * sizeof *codes);
    size_t column = 0, levels = 0, columns[64] = {0, 1, 2, 3};
    double products[64];
    (void)selector, (void)values, (void)error, (void)error_size, (void)number, (void)word;
    (void)column, (void)levels, (void)products, (void)columns, (void)none;
    for (size_t row = 0; row < 2 * problem->n; row++)
        numbers[row] = 1.0;
    BODY;
    free(numbers);
    free(codes);
    return 0;
}

static double value(const passel_criterion *criterion, const double *values,
                    const passel_model *model)
{
    size_t n = model->n, p = model->candidates, k = model->parameters;
    double rss = model->rss, estimates = (double)(k + model->intercept + model->scatter);
    (void)criterion, (void)p, (void)values, (void)n, (void)k, (void)rss, (void)estimates;
    return CRITERION;
}

/* The second kernel has no odd rounds. */
static int32_t check(const passel_selector *selector, const double *values, char *error,
                     size_t error_size)
{
    if (values[0] == 0 || values[1] / 2 == floor(values[1] / 2))
        return 0;
    snprintf(error, error_size, "%s wants even rounds by gauss", selector->method.name);
    return 1;
}
static const char *const kernels[] = {"box", "gauss"};
static const passel_parameter kernel = {
    sizeof(passel_parameter), "kernel", "Which kernel", 0, 0, 1, KERNELS, 0};
static const passel_parameter rounds = {
    sizeof(passel_parameter), "rounds", "How often", ROUNDS, 0, 0, WHOLE};
static const passel_parameter *const two[] = {&kernel, &rounds};

static const passel_selector selector = {
    sizeof(passel_selector), {NAME, "a way of its own", "none", "a test", PARAMETERS},
    DECLARE, RUN, OVER, 0, CHECK};
static const passel_selector *const selectors[] = {&selector};
static const passel_parameter price = {
    sizeof(passel_parameter), "price", "Of a variable", 10.0, 0.0, 1000.0};
static const passel_parameter *const parameters[] = {&price};
static const passel_criterion criterion = {
    CRITERION_SIZE, {CRITERION_NAME, "a price", "n ln(rss/n) + k price", "a test", parameters, 1},
    VALUE, 0, LIKELIHOODS};
static const passel_criterion *const criteria[] = {&criterion};
static const passel_plugin plugin = {
    .size = sizeof(passel_plugin), .abi_version = PASSEL_ABI_VERSION, .name = PLUGIN, .version = "1",
    .description = "runs by itself", .selectors = selectors, .selector_count = 1,
    .criteria = criteria, .criterion_count = 1};

/* When the process ends, and the library is unloaded. */
__attribute__((destructor)) static void at_end(void)
{
    AT_END;
}

const passel_plugin *ENTRY(const passel_engine *engine)
{
    (void)engine;
    return &plugin;
}
