/* A criterion in C.
 *
 *     cc -shared -fPIC -I PASSEL/plugins/abi mbic.c -o libmbic.so -lm
 */
#include <math.h>

#include "passel.h"

/* n·ln(rss/n) + k·(ln n + 2·ln(p/c)), c the number of variables expected beforehand. */
static double value(const struct passel_criterion *criterion, const double *values, size_t n,
                    size_t p, size_t k, double rss)
{
    (void)criterion;
    double observations = (double)n, candidates = (double)p;
    double rare = fmax(0.0, log(candidates / values[0]));
    return observations * log(rss / observations) + (double)k * (log(observations) + 2.0 * rare);
}

static const struct passel_parameter expected = {
    .size = sizeof expected,
    .name = "expected",
    .help = "True variables expected beforehand",
    .default_value = 4.0,
    .least = 0.1,
    .most = 1000.0,
};

static const struct passel_parameter *const parameters[] = {&expected};

static const struct passel_criterion mbic = {
    .size = sizeof mbic,
    .method =
        {
            .name = "mbic",
            .title = "modified BIC",
            .formula = "n·ln(rss/n) + k·(ln n + 2·ln(p / expected))",
            .source = "M. Bogdan, J. K. Ghosh and R. W. Doerge, Modifying the Schwarz Bayesian "
                      "information criterion to locate multiple interacting quantitative trait "
                      "loci, Genetics 167 (2004) 989–999",
            .parameters = parameters,
            .parameter_count = 1,
        },
    .value = value,
};

static const struct passel_criterion *const criteria[] = {&mbic};

static const struct passel_plugin plugin = {
    .size = sizeof plugin,
    .abi_version = PASSEL_ABI_VERSION,
    .name = "mbic",
    .version = "0.1.0",
    .description = "Modified BIC",
    .criteria = criteria,
    .criterion_count = 1,
};

const struct passel_plugin *passel_plugin_mbic(const struct passel_engine *engine)
{
    (void)engine;
    return &plugin;
}
