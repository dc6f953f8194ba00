/* A plugin that does what the variable HARM asks for, `WHERE WHAT`: in its entry, in `declare`, in a function of a table, in a
   criterion, in `run`, or in a thread of its own. */
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "passel.h"

static const char *asked(const char *here)
{
    const char *told = getenv("HARM");
    size_t length = strlen(here);
    return told && !strncmp(told, here, length) && told[length] == ' ' ? told + length + 1 : "";
}

static int is(const char *here, const char *what) { return !strcmp(asked(here), what); }

static volatile int sink, goes_on = 1;

static int deeper(int depth)
{
    volatile char room[4096];
    room[0] = (char)depth;
    return goes_on ? deeper(depth + 1) + room[0] : 0;
}

/* Kept, so that nothing else comes to lie there. */
static const char *unreadable(void)
{
    char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(page, 4096, PROT_NONE);
    return page;
}

static void harm(const char *here)
{
    if (is(here, "exit"))
        exit(0);
    if (is(here, "later-exit")) {
        while (access("waits", F_OK));
        exit(0);
    }
    if (is(here, "_exit"))
        _exit(0);
    if (is(here, "abort"))
        abort();
    if (is(here, "kill"))
        kill(getpid(), SIGKILL);
    if (is(here, "fault"))
        *(volatile int *)8 = 1;
    if (is(here, "stack"))
        sink = deeper(0);
    if (is(here, "loop"))
        for (;;)
            sink++;
    if (is(here, "throw")) {
        /* As C++ throws what nobody catches. */
        static struct _Unwind_Exception thrown;
        _Unwind_RaiseException(&thrown);
        abort();
    }
    if (is(here, "memory")) {
        char *volatile room = malloc((size_t)PTRDIFF_MAX);
        *(volatile char *)room = 1;
    }
    if (is(here, "print")) {
        printf("noise\n");
        fflush(stdout);
    }
    if (is(here, "rounding"))
        fesetround(FE_UPWARD);
#ifdef __x86_64__
    if (is(here, "flushing"))
        __builtin_ia32_ldmxcsr(0x9fc0);
#endif
    if (is(here, "handlers")) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGINT, SIG_IGN);
        signal(SIGPIPE, SIG_DFL);
    }
    if (is(here, "directory"))
        sink = chdir("/");
    if (is(here, "descriptors"))
        for (int descriptor = 0; descriptor < 3; descriptor++)
            close(descriptor);
}

static double number(const char *here, double ordinary)
{
    harm(here);
    if (is(here, "nan"))
        return NAN;
    if (is(here, "infinity"))
        return INFINITY;
    if (is(here, "minus-infinity"))
        return -INFINITY;
    return ordinary;
}

/* Observations on the first level of all. */
static double value(const passel_function *function, const double *values, size_t count,
                    const passel_table *table)
{
    (void)function, (void)values, (void)count;
    return number("function", table->counts[0]);
}
static const passel_function coded = {sizeof(passel_function), value, 0, 1e-9, 0};
static const passel_function sizeless = {0, value, 0, 1e-9, 0};
static const passel_function empty = {sizeof(passel_function), 0, 0, 1e-9, 0};

static int32_t declare(const passel_selector *selector, const double *values,
                       passel_score *score, char *error, size_t error_size)
{
    (void)selector, (void)values, (void)error, (void)error_size;
    harm("declare");
    score->function = is("declare", "size") ? &sizeless : is("declare", "null") ? &empty : &coded;
    if (is("declare", "count"))
        score->term_count = 1000;
    return is("declare", "code") ? 7 : 0;
}

static void *own(void *nothing)
{
    harm("thread");
    return nothing;
}

static int32_t run(const passel_selector *selector, const double *values,
                   const passel_problem *problem, char *error, size_t error_size)
{
    size_t many[2] = {0, 1};
    double phi;
    (void)selector, (void)values, (void)error, (void)error_size;
    harm("run");
    if (*asked("thread")) {
        pthread_t thread;
        if (!pthread_create(&thread, 0, own, 0))
            pthread_join(thread, 0);
    }
    if (getenv("WAITS")) {
        fclose(fopen("waits", "w"));
        while (!problem->interrupted(problem));
    }
    problem->choose(problem, 0, is("run", "nan") ? NAN : 1.0);
    if (is("run", "size"))
        problem->fit(problem, many, 1000000, 0, &phi);
    if (is("run", "null"))
        problem->numbers(problem, 0, 0);
    if (is("run", "count"))
        problem->choose(problem, 1000000, 1.0);
    return is("run", "code") ? 7 : 0;
}

static double price(const passel_criterion *criterion, const double *values,
                    const passel_model *model)
{
    double n = (double)model->n, ordinary = n * log(model->rss / n) + 10 * (double)model->parameters;
    (void)criterion, (void)values;
    /* With 100 observations the engine asks what it is, before it is used. */
    return model->n == 100 ? ordinary : number("criterion", ordinary);
}

static const passel_selector score = {
    sizeof(passel_selector), {"harm-score", "a function", "none", "a test", 0, 0}, declare, 0, 0, 0};
static const passel_selector runs = {
    sizeof(passel_selector), {"harm-run", "a way of its own", "none", "a test", 0, 0},
    0, run, PASSEL_OVER_REGRESSION, 0};
static const passel_selector *const selectors[] = {&score, &runs};
static const passel_criterion criterion = {
    sizeof(passel_criterion), {"harm-price", "a price", "n ln(rss/n) + 10 k", "a test", 0, 0}, price, 0};
static const passel_criterion *const criteria[] = {&criterion};
static passel_plugin plugin = {
    sizeof(passel_plugin), PASSEL_ABI_VERSION, 0, "harm", "1", "does harm where it is asked to",
    selectors, 2, 0, 0, criteria, 1};

const passel_plugin *passel_plugin_harm(const passel_engine *engine)
{
    (void)engine;
    harm("entry");
    if (is("entry", "size"))
        plugin.size = 0;
    if (is("entry", "null"))
        plugin.version = 0;
    if (is("entry", "dangling"))
        plugin.version = unreadable();
    if (is("entry", "count"))
        plugin.selector_count = 1000000;
    return is("entry", "code") ? 0 : &plugin;
}
