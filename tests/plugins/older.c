/* A plugin laid out before members were appended, or after more were: what lies behind its
 * structs is not to be read, and what lies in them behind the known members must be zero. */
#include "passel.h"

#ifdef NEWER
#define SIZE(type, last) sizeof(type) + 3 * sizeof(size_t)
#else
#define SIZE(type, last) offsetof(type, last)
#endif

/* Members that a later contract appended; the second may have a meaning. */
#ifndef LATER
#define LATER 0
#endif
#define APPENDED {0, LATER, 0}

#ifdef NEWER
#define POISON APPENDED
#else
#define POISON {1, 2, 3}
#endif

#ifndef NEEDS
#define NEEDS 0
#endif
#ifndef VERSION
#define VERSION PASSEL_ABI_VERSION
#endif

/* As far as any library had them. */
typedef struct { size_t size; passel_method method; void *declare; void *run; } early_selector;
typedef struct { size_t size; passel_method method; passel_quantity quantity; } early_pair;
typedef struct { size_t size; void *value; const char *cuda; double tolerance; } early_function;
typedef struct { size_t size; passel_method method; void *value; } early_criterion;
typedef struct {
    size_t size; uint32_t abi_version, needs; const char *name, *version, *description;
    const passel_selector *const *selectors; size_t selector_count;
} early_plugin;

#ifdef NEWER
#define LAID(early, now) now
#else
#define LAID(early, now) early
#endif

static double counted(const passel_function *function, const double *values, size_t count,
                      const passel_table *table)
{
    (void)function, (void)values, (void)count;
    return table->counts[0];
}

static double value(const passel_criterion *criterion, const double *values,
                    const passel_model *model)
{
    (void)criterion, (void)values;
    return (double)model->parameters + model->rss;
}

static const struct { LAID(early_function, passel_function) own; size_t more[3]; } function = {
    {.size = SIZE(passel_function, data), .value = counted, .tolerance = 1e-9}, POISON};

static int32_t declare(const passel_selector *selector, const double *values,
                       passel_score *score, char *error, size_t error_size)
{
    (void)selector, (void)values, (void)error, (void)error_size;
    score->function = (const void *)&function;
    return 0;
}

static const struct { LAID(early_selector, passel_selector) own; size_t more[3]; } selector = {
    {.size = SIZE(passel_selector, over), .method = {"early", "t", "f", "s", 0, 0},
     .declare = declare}, POISON};
static const struct { LAID(early_pair, passel_pair_score) own; size_t more[3]; } pair = {
    {.size = SIZE(passel_pair_score, function), .method = {"early-pair", "t", "f", "s", 0, 0},
     .quantity = {{1, 0, 0, -1, -1, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0}}}, POISON};
static const struct { LAID(early_criterion, passel_criterion) own; size_t more[3]; } criterion = {
    {.size = SIZE(passel_criterion, data), .method = {"early-price", "t", "f", "s", 0, 0},
     .value = value}, POISON};

static const passel_selector *const selectors[] = {(const void *)&selector};
static const passel_pair_score *const pairs[] = {(const void *)&pair};
static const passel_criterion *const criteria[] = {(const void *)&criterion};

#ifdef ALONE
static const struct { early_plugin own; size_t more[3]; } plugin = {
    {offsetof(passel_plugin, pair_scores), PASSEL_ABI_VERSION, 0, "older", "1", "d", selectors, 1},
    POISON};
#else
static const struct { passel_plugin own; size_t more[3]; } plugin = {
    {.size = sizeof(passel_plugin) + 3 * sizeof(size_t), .abi_version = VERSION, .needs = NEEDS,
     .name = "older", .version = "1", .description = "d", .selectors = selectors,
     .selector_count = 1, .pair_scores = pairs, .pair_score_count = 1, .criteria = criteria,
     .criterion_count = 1}, APPENDED};
#endif

const void *passel_plugin_older(const passel_engine *engine)
{
    (void)engine, (void)pairs, (void)criteria;
    return &plugin;
}
