/* A plugin in C, whole, or with one fault for each name that is defined. */
#include "passel.h"
#include <stdio.h>

#ifndef ENTRY
#define ENTRY passel_plugin_plain
#endif
#ifndef NAME
#define NAME "c-jmi"
#endif
#ifndef DEFAULT
#define DEFAULT 1.0
#endif
#ifndef ABOUT
#define ABOUT 0, 0, 0, 0
#endif
#ifndef VERSION
#define VERSION PASSEL_ABI_VERSION
#endif
#ifndef PLUGIN
#define PLUGIN "plain"
#endif
#ifndef PARAMETER
#define PARAMETER "weight"
#endif
#ifndef TITLE
#define TITLE "joint mutual information"
#endif
#ifndef SELECTOR_SIZE
#define SELECTOR_SIZE sizeof(passel_selector)
#endif
#ifndef PLUGIN_SIZE
#define PLUGIN_SIZE sizeof(passel_plugin)
#endif
#ifndef SELECTORS
#define SELECTORS selectors
#endif
#ifndef COUNT
#define COUNT 1
#endif
#ifndef DECLARE
#define DECLARE declare
#endif
#ifndef FAULT
#define FAULT
#endif
#ifndef PAIR
#define PAIR {1, 0, 0, -1, -1, 0, 0, 1}
#endif

#ifndef PAIR_NAME
#define PAIR_NAME "c-mi3"
#endif
#ifndef FUNCTION_SIZE
#define FUNCTION_SIZE sizeof(passel_function)
#endif
#ifndef TOLERANCE
#define TOLERANCE 1e-9
#endif
#ifndef VALUE
#define VALUE value
#endif

#ifdef UNRESOLVED
double a_function_of_no_library(void);
#endif

/* Observations on the first level of all. */
static double value(const passel_function *function, const double *values, size_t count,
                    const passel_table *table)
{
    return table->counts[0];
}
static const passel_function coded = {FUNCTION_SIZE, VALUE, 0, TOLERANCE, 0};

#ifndef FINISH_SIZE
#define FINISH_SIZE sizeof(passel_finish)
#endif
#ifndef FINISH_TOLERANCE
#define FINISH_TOLERANCE 1e-12
#endif
#ifndef SCORE
#define SCORE quotient
#endif

/* Relevance less a share of what the chosen had and of what the candidate has, or never. */
static double quotient(const passel_finish *finish, const double *values, size_t count,
                       const passel_gathered *own)
{
    if (own->size != sizeof(passel_gathered) || count != 1 || own->value_count != 1)
        return -1e9;
    return own->relevance
        - values[0] * (own->values[0] + own->chosen_values[0]) / (double)(own->chosen + 1)
        + 1e-6 * own->chosen_relevance - 1e-7 * (double)own->steps;
}
static const passel_finish finish = {FINISH_SIZE, SCORE, FINISH_TOLERANCE, 0};

static int32_t declare(const passel_selector *selector, const double *values,
                       passel_score *score, char *error, size_t error_size)
{
    const passel_combination x_y = {1, -1, 0, -1, 0, 1, 0, 0};
    const passel_combination xw_y = {1, 0, 0, -1, -1, 0, 0, 1};
    if (values[0] == 2.0) {
        snprintf(error, error_size, "%s knows\nno 2", selector->method.name);
        return 7;
    }
#ifdef UNRESOLVED
    values = (a_function_of_no_library(), values);
#endif
    score->relevance.over = x_y;
    score->terms[0].weight = values[0];
    score->terms[0].quantity.over = xw_y;
    score->term_count = 1;
    score->join = PASSEL_JOIN_ALONE;
    if (score->size != sizeof(passel_score))
        return 1;
    FAULT;
    return 0;
}

static const passel_parameter weight = {
    sizeof(passel_parameter), PARAMETER, "What the sum is multiplied by", DEFAULT, 0.0, 8.0};
static const passel_parameter *const parameters[] = {&weight};
static const passel_selector jmi = {
    SELECTOR_SIZE, {NAME, TITLE, "weight*sum I((x,w);y)", "a test", parameters, 1}, DECLARE, 0, 0, 0};
static const passel_selector *const selectors[] = {&jmi, &jmi};
static const passel_pair_score mi3 = {
    sizeof(passel_pair_score), {PAIR_NAME, "mutual information", "I((x,w);y)", "a test", 0, 0},
    {PAIR, {0, 0, 0, 0, 0, 0, 0, 0}}, 0};
static const passel_pair_score *const pairs[] = {&mi3};
/* What a later version of the contract appends is not looked at. */
static const struct { passel_plugin known; size_t more[4]; } plugin = {
    {PLUGIN_SIZE, VERSION, 0, PLUGIN, "1.2", "a plugin in C", SELECTORS, COUNT, pairs, 1, 0, 0, 0, 0, ABOUT},
    {1, 2, 3, 4}};

const passel_plugin *ENTRY(const passel_engine *engine)
{
#ifdef LOGGED
    engine->log(engine, PASSEL_LOG_ERROR, "the weather");
#endif
#ifdef GIVES_UP
    return 0;
#endif
    if (engine->size != sizeof(passel_engine) || engine->abi_version != PASSEL_ABI_VERSION)
        return 0;
    engine->log(engine, PASSEL_LOG_WARNING, "entered");
    return &plugin.known;
}
