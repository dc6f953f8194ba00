/* Selectors that a file tells what to choose: the numbers of columns, from 0, in their order. */
#include <stdio.h>

#include "passel.h"

static const passel_engine *engine_of_all;

static int32_t refuse(char *error, size_t error_size, const char *why)
{
    snprintf(error, error_size, "%s", why);
    return 1;
}

static FILE *opened(double value)
{
    char path[4096];
    if (!PASSEL_HAS(engine_of_all, path))
        return 0;
    if (engine_of_all->path(engine_of_all, value, path, sizeof path))
        return 0;
    return fopen(path, "r");
}

static int32_t check(const passel_selector *selector, const double *values, char *error,
                     size_t error_size)
{
    (void)selector;
    if (values[0] == 0.0)
        return refuse(error, error_size, "columns is to be given");
    return 0;
}

static int32_t run(const passel_selector *selector, const double *values,
                   const passel_problem *problem, char *error, size_t error_size)
{
    (void)selector;
    FILE *file = opened(values[0]);
    size_t column;
    if (!file)
        return refuse(error, error_size, "the file of columns cannot be opened");
    for (int rank = 0; fscanf(file, "%zu", &column) == 1; rank++)
        problem->choose(problem, column, -(double)rank);
    fclose(file);
    return 0;
}

/* The weight of relevance, of the first number of the file. */
static int32_t declare(const passel_selector *selector, const double *values, passel_score *score,
                       char *error, size_t error_size)
{
    (void)selector;
    double weight = 1.0;
    if (values[0] != 0.0) {
        FILE *file = opened(values[0]);
        if (!file || fscanf(file, "%lf", &weight) != 1)
            return refuse(error, error_size, "no weight can be read");
        fclose(file);
    }
    const passel_combination i_xy = {1, -1, 0, -1, 0, 1, 0, 0};
    score->relevance.over = i_xy;
    score->terms[0].weight = -weight;
    score->terms[0].quantity.over = i_xy;
    score->term_count = 1;
    return 0;
}

#ifndef LEAST
#define LEAST 0.0
#endif
static const passel_parameter columns = {
    sizeof(passel_parameter), "columns", "Their numbers", 0.0, LEAST, 0.0, 0, 0, 0, 1};
static const passel_parameter *const parameters[] = {&columns};

static const passel_selector listed = {
    sizeof(passel_selector), {"listed", "as a file has them", "none", "a test", parameters, 1},
    0, run, PASSEL_OVER_LEVELS, 0, check};
static const passel_selector weighed = {
    sizeof(passel_selector), {"weighed", "by a weight of a file", "none", "a test", parameters, 1},
    declare, 0, 0, 0, 0};
static const passel_selector *const selectors[] = {&listed, &weighed};

static double value(const passel_criterion *criterion, const double *values,
                    const passel_model *model)
{
    (void)criterion, (void)values;
    return model->rss;
}

static const passel_criterion of_file = {
    sizeof(passel_criterion), {"of-file", "of a file", "none", "a test", parameters, 1}, value, 0, 0};
static const passel_criterion *const criteria[] = {&of_file};

#ifdef CRITERION
#define CRITERIA criteria, 1
#else
#define CRITERIA 0, 0
#endif
static const passel_plugin plugin = {
    sizeof(passel_plugin), PASSEL_ABI_VERSION, 0, "files", "1", "by files", selectors, 2, 0, 0,
    CRITERIA};

PASSEL_ENTRY(files)
{
    (void)criteria;
    engine_of_all = engine;
    return &plugin;
}
