/* A family in C: counts of variance μ + μ²/θ, θ given.
 *
 *     cc -shared -fPIC -I PASSEL/plugins/abi nb2.c -o libnb2.so -lm
 *     passel select DATA --response y --family nb2:theta=2 --plugins libnb2.so
 *
 * GPUs fit by the text in CUDA C below; `passel plugins --cuda` compiles it and, where there is one, compares.
 */
#include <math.h>

#include "passel.h"

static int32_t is_response(const struct passel_family *family, const double *values, double y)
{
    (void)family, (void)values;
    return y >= 0.0 && floor(y) == y;
}

static void variance(const struct passel_family *family, const double *values, size_t count,
                     const double *means, double *variances)
{
    (void)family;
    for (size_t i = 0; i < count; i++)
        variances[i] = means[i] + means[i] * means[i] / values[0];
}

/* y·ln(y/μ), 0 for y = 0. */
static double y_ln_ratio(double y, double mean)
{
    return y > 0.0 ? y * log(y / mean) : 0.0;
}

/* 2[y·ln(y/μ) − (y + θ)·ln((y + θ)/(μ + θ))] */
static void deviance(const struct passel_family *family, const double *values, size_t count,
                     const double *y, const double *means, double *deviances)
{
    double theta = values[0];
    (void)family;
    for (size_t i = 0; i < count; i++) {
        double ratio = log1p((y[i] - means[i]) / (means[i] + theta));
        deviances[i] = 2.0 * (y_ln_ratio(y[i], means[i]) - (y[i] + theta) * ratio);
    }
}

/* ln Γ(y + θ) − ln Γ(θ) − ln y! + θ·ln(θ/(θ + y)) + y·ln(y/(θ + y)) */
static void saturated(const struct passel_family *family, const double *values, size_t count,
                      const double *y, double *logs)
{
    double theta = values[0];
    (void)family;
    for (size_t i = 0; i < count; i++)
        logs[i] = lgamma(y[i] + theta) - lgamma(theta) - lgamma(y[i] + 1.0) -
                  theta * log1p(y[i] / theta) + y_ln_ratio(y[i], theta + y[i]);
}

/* Of a count of 0 the logarithm has no end. */
static void start(const struct passel_family *family, const double *values, size_t count,
                  const double *y, double *means)
{
    (void)family, (void)values;
    for (size_t i = 0; i < count; i++)
        means[i] = y[i] > 0.0 ? y[i] : 1.0 / 6.0;
}

/* variance and deviance for one thread of a GPU; the link is passel's. */
static const char cuda[] =
    "__device__ double passel_variance(const double *values, double mean)\n"
    "{\n"
    "    return mean + mean * mean / values[0];\n"
    "}\n"
    "__device__ double passel_deviance(const double *values, double y, double mean)\n"
    "{\n"
    "    const double theta = values[0], ratio = log1p((y - mean) / (mean + theta));\n"
    "    return 2.0 * ((y > 0.0 ? y * log(y / mean) : 0.0) - (y + theta) * ratio);\n"
    "}\n";

static const struct passel_parameter theta = {
    .size = sizeof theta,
    .name = "theta",
    .help = "The shape: the less, the more counts scatter",
    .default_value = 1.0,
    .least = 1e-3,
    .most = 1e6,
};

static const struct passel_parameter *const parameters[] = {&theta};

static const struct passel_family nb2 = {
    .size = sizeof nb2,
    .method =
        {
            .name = "nb2",
            .title = "negative binomial with a given shape",
            .formula = "V(mean) = mean + mean^2/theta",
            .source = "J. M. Hilbe, Negative Binomial Regression, 2nd edition, 2011, chapter 8",
            .parameters = parameters,
            .parameter_count = 1,
        },
    .responses = "whole numbers from 0 on",
    .link = "log",
    .is_response = is_response,
    .variance = variance,
    .deviance = deviance,
    .saturated = saturated,
    .start = start,
    .cuda = cuda,
};

static const struct passel_family *const families[] = {&nb2};

static const struct passel_plugin plugin = {
    .size = sizeof plugin,
    .abi_version = PASSEL_ABI_VERSION,
    .name = "nb2",
    .version = "0.1.0",
    .description = "Negative binomial with a given shape",
    .families = families,
    .family_count = 1,
};

PASSEL_ENTRY(nb2)
{
    (void)engine;
    return &plugin;
}
