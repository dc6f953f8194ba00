/* A criterion in C.
 *
 *     cc -shared -fPIC -I PASSEL/plugins/abi mbic.c -o libmbic.so -lm
 */
#include <math.h>

#include "passel.h"

/* misfit + (k + m)·ln n + 2k·ln(p/c): k of p candidates chosen, m variables kept, c the number of
 * true ones expected beforehand. The misfit is n·ln(rss/n), or −2ℓ of a likelihood. */
static double value(const struct passel_criterion *criterion, const double *values,
                    const struct passel_model *model)
{
    (void)criterion;
    double n = (double)model->n;
    double rare = fmax(0.0, log((double)model->candidates / values[0]));
    return model->misfit + (double)model->parameters * log(n) +
           2.0 * (double)model->chosen * rare;
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
            .formula = "misfit + (k + m)·ln n + 2k·ln(p / expected)",
            .source = "M. Bogdan, J. K. Ghosh and R. W. Doerge, Modifying the Schwarz Bayesian "
                      "information criterion to locate multiple interacting quantitative trait "
                      "loci, Genetics 167 (2004) 989–999; of generalized linear models M. "
                      "Żak-Szatkowska and M. Bogdan, Computational Statistics and Data Analysis "
                      "55 (2011) 2908–2924",
            .parameters = parameters,
            .parameter_count = 1,
        },
    .value = value,
    .likelihoods = 1,
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

PASSEL_ENTRY(mbic)
{
    (void)engine;
    return &plugin;
}
