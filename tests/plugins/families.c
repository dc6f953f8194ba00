/* A family in C: what each function computes is defined where it is compiled. Poisson's otherwise. */
#include <math.h>
#include <stdlib.h>

#include "passel.h"

#ifndef RESPONSE
#define RESPONSE y >= 0 && floor(y) == y
#endif
#ifndef VARIANCE
#define VARIANCE m
#endif
#ifndef DEVIANCE
#define DEVIANCE 2 * ((y > 0 ? y * log(y / m) : 0) - (y - m))
#endif
#ifndef SATURATED
#define SATURATED (y > 0 ? y * log(y) : 0) - y - lgamma(y + 1)
#endif
#ifndef START
#define START y + 0.1
#endif
#ifndef DISPERSION
#define DISPERSION 0
#endif
#ifndef LINK
#define LINK "log"
#endif
#ifdef MEAN
#define MEANS means_of
#define PREDICTORS predictor_of
#else
#define MEAN exp(e)
#endif
#ifndef SLOPE
#define SLOPE exp(e)
#endif
#ifndef PREDICTOR
#define PREDICTOR log(m)
#endif
#ifndef MEANS
#define MEANS 0
#define PREDICTORS 0
#endif
#ifndef TWIN
#define TWIN 0
#endif
#ifndef NAME
#define NAME "c-counts"
#endif
#ifndef VARIANCES
#define VARIANCES variances_of
#endif

#define EACH for (size_t i = 0; i < count; i++)
#define UNUSED (void)family, (void)values

static int32_t is_response(const passel_family *family, const double *values, double y)
{
    UNUSED;
    return RESPONSE;
}

static void means_of(const passel_family *family, const double *values, size_t count,
                     const double *predictors, double *means, double *slopes)
{
    UNUSED;
    EACH {
        double e = predictors[i];
        means[i] = MEAN;
        slopes[i] = SLOPE;
    }
}

static double predictor_of(const passel_family *family, const double *values, double m)
{
    UNUSED;
    return PREDICTOR;
}

static void variances_of(const passel_family *family, const double *values, size_t count,
                         const double *means, double *variances)
{
    UNUSED;
    EACH {
        double m = means[i];
        variances[i] = VARIANCE;
    }
}

static void deviances_of(const passel_family *family, const double *values, size_t count,
                         const double *responses, const double *means, double *deviances)
{
    UNUSED;
    EACH {
        double y = responses[i], m = means[i];
        deviances[i] = DEVIANCE;
    }
}

static void saturated_of(const passel_family *family, const double *values, size_t count,
                         const double *responses, double *logs)
{
    UNUSED;
    EACH {
        double y = responses[i];
        logs[i] = SATURATED;
    }
}

static void start_of(const passel_family *family, const double *values, size_t count,
                     const double *responses, double *means)
{
    UNUSED;
    EACH {
        double y = responses[i];
        means[i] = START;
    }
}

static const passel_parameter power = {
    sizeof(passel_parameter), "power", "As the test needs it", 1.0, 0.0, 10.0};
static const passel_parameter *const parameters[] = {&power};

static const passel_family family = {
    sizeof(passel_family), {NAME, "a family", "of the mean", "a test", parameters, 1},
    "whole numbers, say", LINK, DISPERSION, is_response, MEANS, PREDICTORS, VARIANCES, deviances_of,
    saturated_of, start_of, 0, TWIN};
static const passel_family *const families[] = {&family};
static const passel_plugin plugin = {
    sizeof(passel_plugin), PASSEL_ABI_VERSION, 0, "families", "1.5", "a family", 0, 0, 0, 0, 0, 0,
    families, 1};

PASSEL_ENTRY(families)
{
    (void)engine;
    (void)means_of, (void)predictor_of, (void)variances_of;
    return &plugin;
}
