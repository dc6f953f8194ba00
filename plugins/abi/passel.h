// passel's plugin contract, version 1. Made from lib.rs by PASSEL_BLESS=1 cargo test.
//
// A plugin is a shared library with one entry,
//
//     const struct passel_plugin *passel_plugin_NAME(const struct passel_engine *engine);
//
// NAME is the library's file name without `lib`, `passel_` and its end `.so`, with `_`
// for `-`: libfoo.so and libpassel_foo.so have passel_plugin_foo. Called by the thread that
// loads the library; where it is loaded again it returns the same again. Null refuses to work,
// after a log of PASSEL_LOG_ERROR that says why. In C++ it is extern "C", and no exception
// leaves it or any other function here.
//
// What the plugin hands out is the plugin's and stays valid and unchanged as long as the
// process lives: the engine never unloads a library and never frees what is not its own.
// Strings are UTF-8 and end with a zero byte; none is null. Those that are shown are a line of at
// most 4096 bytes, without control characters.
//
// A struct that may grow has its size in bytes first, as its maker compiled it (sizeof), and
// grows at its end only: who reads takes no more than that, and what is missing is zero. What a
// reader does not know must be zero, or it refuses: so no member with a meaning is ever dropped.
// Its `data` is its maker's own, which nobody else looks at.
//
// Around every call the engine saves and restores the state of floating-point arithmetic (x86-64
// and aarch64). What a plugin prints goes to standard error. A call that calls exit, or faults, ends
// the process with an error that names it; _exit, or a thread of the plugin's own, ends it unnamed.
// The working directory, open files and handlers of signals are to be left alone.

#ifndef PASSEL_H
#define PASSEL_H

#include <stddef.h>
#include <stdint.h>

// In front of an entry, so that it is seen from outside: PASSEL_ENTRY(foo) { … return &plugin; }
#if defined(__cplusplus)
#define PASSEL_EXTERN extern "C"
#else
#define PASSEL_EXTERN extern
#endif
#if defined(_WIN32)
#define PASSEL_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define PASSEL_EXPORT __attribute__((visibility("default")))
#else
#define PASSEL_EXPORT
#endif
#define PASSEL_ENTRY(NAME) \
    PASSEL_EXTERN PASSEL_EXPORT const struct passel_plugin *passel_plugin_##NAME( \
        const struct passel_engine *engine); \
    const struct passel_plugin *passel_plugin_##NAME(const struct passel_engine *engine)

// Whether what is lent has a member: if (PASSEL_HAS(problem, nominal)) …
#define PASSEL_HAS(THERE, MEMBER) \
    ((THERE)->size >= (size_t)((const char *)(&(THERE)->MEMBER + 1) - (const char *)(THERE)))

// The contract's version. It only grows: members are appended, and each time it is one more.
#define PASSEL_ABI_VERSION 1

#define PASSEL_OVER_LEVELS 0       // passel_selector.over: levels of candidates and response.
#define PASSEL_OVER_REGRESSION 1   // passel_selector.over: a linear regression.

#define PASSEL_LOG_ERROR 0         // passel_engine.log: why the entry is about to return null.
#define PASSEL_LOG_WARNING 1       // passel_engine.log: worth a line on standard error.

#define PASSEL_TERMS 8             // passel_score.terms: the room for them; never changes.

#define PASSEL_PART_WHOLE 0        // passel_term.part: all of the term.
#define PASSEL_PART_BELOW_ZERO 1   // passel_term.part: min(0, term).

#define PASSEL_COMBINE_SUM 0       // passel_score.combine: what a step gives is the sum of its terms.
#define PASSEL_COMBINE_PRODUCT 1   // passel_score.combine: their product.
#define PASSEL_COMBINE_LEAST 2     // passel_score.combine: the least of them.
#define PASSEL_COMBINE_LARGEST 3   // passel_score.combine: the largest of them.
#define PASSEL_COMBINE_APART 4     // passel_score.combine: each is gathered by itself, for `finish`.

#define PASSEL_GATHER_SUM 0        // passel_score.gather: the sum of what the steps gave.
#define PASSEL_GATHER_MEAN 1       // passel_score.gather: their sum, divided by how many they are.
#define PASSEL_GATHER_MINIMUM 2    // passel_score.gather: the least of them.
#define PASSEL_GATHER_LAST 3       // passel_score.gather: the last.
#define PASSEL_GATHER_MAXIMUM 4    // passel_score.gather: the largest of them.
#define PASSEL_GATHER_PRODUCT 5    // passel_score.gather: their product.

#define PASSEL_JOIN_ADDED 0        // passel_score.join: relevance plus the gathered value.
#define PASSEL_JOIN_ALONE 1        // passel_score.join: the gathered value alone.
#define PASSEL_JOIN_LEAST 2        // passel_score.join: the lesser of the two.
#define PASSEL_JOIN_GUARDED 3      // passel_score.join: relevance; never, where the gathered is < 0.

#define PASSEL_AGAINST_LAST 0      // passel_score.against: of the chosen variables the last.
#define PASSEL_AGAINST_JOINT 1     // passel_score.against: all of them, joined.
#define PASSEL_AGAINST_PAIRS 2     // passel_score.against: each two of them, joined.

// What the engine lends a plugin; valid as long as the process lives.
typedef struct passel_engine {
    size_t size;
    uint32_t abi_version;
    // The engine's version, as in `0.1.0`.
    const char *version;
    // Tells the user a text, copied before the call returns; level is PASSEL_LOG_…. To be
    // called with the very pointer that the entry was given, from any thread.
    void (*log)(const struct passel_engine *engine, uint32_t level, const char *text);
    const void *data;
    // Writes the path of the file that a parameter's value stands for, as the system spells it. Returns 0, or
    // another number where there is none (0) or `path_size`, the ending zero included, is too small.
    int32_t (*path)(const struct passel_engine *engine, double value, char *path, size_t path_size);
} passel_engine;

// A number that a method depends on.
typedef struct passel_parameter {
    size_t size;
    // The name in `method:name=number`: a small letter, then small letters, digits, `-`;
    // neither `name` nor `value`, nor one that begins with `plugin`.
    const char *name;
    // What it does, on one line.
    const char *help;
    // The value where none is given.
    double default_value;
    // The smallest value allowed; finite.
    double least;
    // The largest value allowed; finite.
    double most;
    // Null, or names that a user writes for 0, 1, …: `least` is 0, `most` their number less one.
    const char *const *choices;
    // How many; at most 64.
    size_t choice_count;
    // 1 where only whole numbers are allowed, else 0.
    size_t whole;
    // 1 where a file is named (selectors and pair scores), else 0. Its value is 0 where none is given, as
    // are `default_value`, `least` and `most`, or what passel_engine.path takes; another once the file has
    // changed. A method that has one is not tried with its default values at load.
    size_t file;
} passel_parameter;

// What a user asks for by its name: a selector, a pair score, a criterion; its title is the name
// in full. Never grows.
typedef struct passel_method {
    // As a parameter's; no other's of its kind, and no selector is called `pass`.
    const char *name;
    const char *title;
    // What it computes, on one line.
    const char *formula;
    // Where it was published.
    const char *source;
    // Its parameters; may be null where there are none. Below, `values` has one number for
    // each, in this order and in their ranges, lent until the call returns.
    const struct passel_parameter *const *parameters;
    // How many; at most 64.
    size_t parameter_count;
} passel_method;

// With c the counts of the cells of one contingency table and S = Σ c·ln c over the cells of a
// margin, an integer for each S: of the candidate x, the anchor w, the response y, n·ln n for n.
// The combination is their scalar product, in nats times the number of observations n: n·I(x;y) =
// S(xy) − S(x) − S(y) + S(n). Its integers sum to 0, those of one sign to 64 at most. Never grows.
typedef struct passel_combination {
    int32_t n;
    int32_t x;
    int32_t w;
    int32_t y;
    int32_t xw;
    int32_t xy;
    int32_t wy;
    int32_t xwy;
} passel_combination;

// A combination, or the ratio of two. Never grows.
typedef struct passel_quantity {
    // The combination, or the ratio's numerator.
    struct passel_combination over;
    // The ratio's denominator, and the ratio is 0 where this is; all zero for no ratio.
    struct passel_combination under;
} passel_quantity;

// One summand of what a step gives: a combination is divided by n, a ratio stands. Never grows.
typedef struct passel_term {
    // What the part that counts is multiplied by; −1,048,576 … 1,048,576.
    double weight;
    struct passel_quantity quantity;
    // PASSEL_PART_…
    uint32_t part;
} passel_term;

// One contingency table, lent until the call returns.
typedef struct passel_table {
    size_t size;
    // x·w·y counts: level i of x, j of w, l of y have counts[(i·w + j)·y + l] observations; of
    // those that miss none of the three, one at least.
    const uint32_t *counts;
    // Levels of the candidate x, some maybe without observations; so of w and y.
    size_t x;
    // Of the anchor; 1 where there is none, and of a constant.
    size_t w;
    size_t y;
    // 0 for relevance, without an anchor; else the step that the anchor is of, from 1. Of pairs 1.
    size_t step;
} passel_table;

// What no combination says of a table.
typedef struct passel_function {
    size_t size;
    // Its value, larger is better: finite, or −∞ for never. `values` are those of the method,
    // `count` in number. Called from any thread, from several at once.
    double (*value)(const struct passel_function *function, const double *values, size_t count,
        const struct passel_table *table);
    // The same in CUDA C for GPUs, or null: a text with `__device__ double passel_value(const
    // double *values, const unsigned *counts, unsigned x, unsigned w, unsigned y, unsigned step)`.
    // C++17 without headers; other names are static and begin with the plugin's.
    const char *cuda;
    // Scores that differ by this share are equal, and the two above agree to it; 0 … 0.01.
    double tolerance;
    const void *data;
} passel_function;

// What a candidate has before its score, lent until the call returns. In nats; ratios and functions
// in their own unit.
typedef struct passel_gathered {
    size_t size;
    double relevance;
    // Steps so far; before the first all values are 0.
    size_t steps;
    // What they gathered: one value, or of PASSEL_COMBINE_APART one a term.
    const double *values;
    size_t value_count;
    // Variables chosen before, the sum of their relevance, and of the values each had when chosen.
    size_t chosen;
    double chosen_relevance;
    const double *chosen_values;
} passel_gathered;

// The last word on a score, for quotients and what depends on all that were chosen.
typedef struct passel_finish {
    size_t size;
    // The score: finite, or −∞ for never. `values` are those of the method, `count` in number. Called
    // from any thread, from several at once; on GPUs too by the host.
    double (*score)(const struct passel_finish *finish, const double *values, size_t count,
        const struct passel_gathered *gathered);
    // Scores that differ by this share are equal; 0 … 0.01.
    double tolerance;
    const void *data;
} passel_finish;

// A selector's score of a candidate; larger is better. The engine makes it, all zero beside
// size and terms, and a plugin fills it in: zero is relevance of nothing, no terms, their sum,
// PASSEL_GATHER_SUM, PASSEL_JOIN_ADDED, PASSEL_AGAINST_LAST. What is made of sums of terms by
// PASSEL_GATHER_SUM … LAST is counted in integers, so that equal scores tie exactly; the rest in floats.
typedef struct passel_score {
    // As the engine was compiled: what lies behind it is not to be written.
    size_t size;
    // Of candidate and response alone; the score of the first step.
    struct passel_quantity relevance;
    // Room for PASSEL_TERMS terms, all zero: the engine's, lent until the call returns.
    struct passel_term *terms;
    // How many were filled in; what a step gives is made of them by `combine`.
    size_t term_count;
    // How the values of the steps become one: PASSEL_GATHER_…
    uint32_t gather;
    // What the gathered value makes with relevance: PASSEL_JOIN_…
    uint32_t join;
    // The anchors of a step: PASSEL_AGAINST_…; variables joined have a level for each
    // combination of theirs. While one is chosen, that one is the anchor of PAIRS too, for its
    // only step; then come the last with each before it.
    uint32_t against;
    // 1 for a selection that ends where no candidate's score is above `floor`, else 0.
    uint32_t ends;
    // In nats where scores are.
    double floor;
    // Null, or what takes the place of relevance and of terms: relevance is its value of the
    // table of candidate and response, a step gives that of the whole table. The plugin's.
    const struct passel_function *function;
    // Null, or what takes the place of the join. The plugin's.
    const struct passel_finish *finish;
    // What the terms of a step make: PASSEL_COMBINE_…; of a function SUM.
    uint32_t combine;
    uint32_t reserved;
} passel_score;

// What a selector that runs is lent until it returns: functions to be called from any thread,
// each with this very pointer. They return 0, or another number where an argument is wrong, which
// ends the selection as an error. Rooms are the plugin's, of the size said, and overlap nothing.
typedef struct passel_problem {
    size_t size;
    size_t n;
    // Candidates, numbered from 0; p stands for the response.
    size_t p;
    // Variables that may be chosen; those that the user keeps may be as well, and do not count.
    size_t most;
    // Takes a variable, the best first, with its score, finite: of a regression, the model's.
    int32_t (*choose)(const struct passel_problem *problem, size_t column, double score);
    // Writes the n numbers of a column: of levels, as the file has them, NaN where missing, a
    // text's level by its number; of a regression, centred, weighted, of norm 1.
    int32_t (*numbers)(const struct passel_problem *problem, size_t column, double *numbers);
    // Over levels: writes the n codes of a column, and their number, which stands for none.
    int32_t (*codes)(const struct passel_problem *problem, size_t column, uint32_t *codes,
        size_t *levels);
    // Over a regression: for each of `count` anchors r, n finite numbers each, the `wanted` ≤ p
    // candidates of largest |xᵀr|, the largest first, of equal ones the lowest: their numbers
    // and xᵀr, count·wanted of both. On every device at once: many anchors cost little more.
    int32_t (*sweep)(const struct passel_problem *problem, const double *anchors, size_t count,
        size_t wanted, size_t *columns, double *products);
    // Over a regression: fits the kept variables and these, each once, in this order of entry.
    // Writes the n residuals and the criterion asked for, each unless null; where a variable is
    // collinear with those before it, +∞, and the residuals of those.
    int32_t (*fit)(const struct passel_problem *problem, const size_t *columns, size_t count,
        double *residuals, double *criterion);
    // Calls `work` with 0 … count − 1, in any order, on the engine's threads; returns when all
    // are done. No lock that `work` takes is to be held meanwhile.
    void (*each)(const struct passel_problem *problem, size_t count,
        void (*work)(size_t at, void *context), void *context);
    // Writes `count` random words of a stream, the same for the same seed, from its beginning.
    void (*random)(const struct passel_problem *problem, uint32_t stream, uint32_t *words,
        size_t count);
    // 1 once the user wants the end, else 0: to be asked many times a second. Return 0 then, what
    // was chosen is reported. Who does not heed it is left behind, and the process ends under it.
    int32_t (*interrupted)(const struct passel_problem *problem);
    // Shows how far it is.
    void (*progress)(const struct passel_problem *problem, size_t done, size_t of);
    const void *data;
    // 1 for a column of text, whose numbers are equal or not and no more; else 0.
    int32_t (*nominal)(const struct passel_problem *problem, size_t column);
    // 1 for a column that the user keeps, and every model holds; else 0.
    int32_t (*kept)(const struct passel_problem *problem, size_t column);
    // Writes the name of a column, cut to `name_size` bytes, the ending zero included.
    int32_t (*name)(const struct passel_problem *problem, size_t column, char *name,
        size_t name_size);
    // Over levels: writes for each candidate x, of all p, the quantity of its table with an anchor w
    // and the response, in nats. The anchor is n codes below `levels`, which itself stands for none;
    // null for no anchor. Costs what a step of a declared score does.
    int32_t (*measure)(const struct passel_problem *problem, const struct passel_quantity *quantity,
        const uint32_t *anchor, size_t levels, double *values);
    // Puts a finite number into the report, under a name as parameters have; the last of a name stays.
    int32_t (*tell)(const struct passel_problem *problem, const char *name, double value);
    // The number of a column's term, from 0. Columns of a factor or of another term of several
    // columns follow one another and are one: who chooses or fits a column does so with its term's
    // others, and `most` counts terms. All others are terms of their own.
    size_t (*term)(const struct passel_problem *problem, size_t column);
    // As --family names it: "gaussian" of a linear regression, and where there is none.
    const char *family;
} passel_problem;

// What chooses variables: one of `declare` and `run`, the other null.
typedef struct passel_selector {
    size_t size;
    struct passel_method method;
    // Fills in a score, by which the engine chooses variables one by one. Returns 0; or else
    // another number, with a reason in `error`, the engine's room of `error_size` bytes, the
    // ending zero included. The same values give the same score. Called from any thread,
    // from several at once, and once at load with the default values.
    int32_t (*declare)(const struct passel_selector *selector, const double *values,
        struct passel_score *score, char *error, size_t error_size);
    // Chooses variables itself. Returns as `declare` does, when all are chosen. Called from any
    // thread, from several at once for problems of their own, with 2 MiB of stack.
    int32_t (*run)(const struct passel_selector *selector, const double *values,
        const struct passel_problem *problem, char *error, size_t error_size);
    // What `run` is lent: PASSEL_OVER_…
    uint32_t over;
    const void *data;
    // Null, or refuses values that do not go together for `run`, before data are read. Returns as
    // `declare` does.
    int32_t (*check)(const struct passel_selector *selector, const double *values, char *error,
        size_t error_size);
    // 1 where `run` chooses models of every family but multinomial: `fit` then maximises the likelihood, and its
    // residuals, as the numbers of the response, are scores, the derivatives of it by the linear
    // predictors, all times one number. 0 for linear regressions alone; another --family is refused.
    size_t likelihoods;
} passel_selector;

// A score of every pair of variables with the response, larger is better: x and w stand for
// the two, and exchanging them must not change it.
typedef struct passel_pair_score {
    size_t size;
    struct passel_method method;
    // Of the table of both variables and the response.
    struct passel_quantity quantity;
    // Null, or what takes its place.
    const struct passel_function *function;
} passel_pair_score;

// A model as a criterion is told of it, lent until the call returns.
typedef struct passel_model {
    size_t size;
    // Observations; of survival times the events.
    size_t n;
    // Variables p that may be chosen or not; before a screening, where there was one.
    size_t candidates;
    // Those chosen, k ≤ p. A variable may be a term of several columns, such as a factor.
    size_t chosen;
    // Coefficients of variables that every model holds, m; neither p nor k counts these.
    size_t kept;
    // All coefficients but intercepts: kept and those of the chosen variables, k of them unless
    // terms have several.
    size_t parameters;
    // 1 for a model with an intercept, else 0.
    size_t intercept;
    // Residual sum of squares of a linear regression, > 0; NaN of other families.
    double rss;
    // n·ln(rss/n) of a linear regression; of other families −2ℓ, with all constants, ℓ the
    // largest log-likelihood, over `dispersion`.
    double misfit;
    // The family as --family names it: "gaussian" of a linear regression, "binomial", …
    const char *family;
    // Estimates beside parameters and intercept: 1 for an error variance, a dispersion, a shape; 0
    // of binomial and Poisson responses and survival times; the thresholds of ordered levels, the
    // intercepts of levels without order.
    size_t scatter;
    // The dispersion of a quasi-likelihood (--dispersion); else 1.
    double dispersion;
} passel_model;

// What models are compared by; smaller is better.
typedef struct passel_criterion {
    size_t size;
    struct passel_method method;
    // The value of a model; +∞ where there is none, or NaN, with a warning. It does not fall when
    // rss or misfit rises. Called by many threads, a million times a second; at load with n =
    // 100, candidates = 20, chosen = 0 … 3 and rss = 50 and 100, and where `likelihoods` is 1
    // also with misfit = 50 and 100 of "binomial": NaN, or a value that falls, refuses it.
    double (*value)(const struct passel_criterion *criterion, const double *values,
        const struct passel_model *model);
    const void *data;
    // 1 where it is defined for models of maximum likelihood, too: for every family. 0 for
    // linear regressions alone: with another family it is refused before data are read.
    size_t likelihoods;
} passel_criterion;

// A distribution of the response y about its mean μ, and the link g: g(μ) = η is the linear
// predictor. The engine fits, searches, tests and reports as for its own families. `values` are
// those of the parameters. Functions are called from any thread, from several at once; arrays have
// `count` numbers, one an observation, overlap nothing, and are the engine's until the call returns.
// A number that does not exist, such as the deviance of a mean that none has, is NaN: a fit then
// turns back. What contradicts itself is refused, at load and with the responses of the data.
typedef struct passel_family {
    size_t size;
    // Its name is none of --family's own.
    struct passel_method method;
    // Which responses it takes, for messages: "whole numbers from 0 on".
    const char *responses;
    // The link's name: one of the engine's, "identity", "logit", "probit", "cloglog", "log" or
    // "inverse", and `mean` and `predictor` are null; or another, and both are given.
    const char *link;
    // 1 where the variance is φV(μ), φ estimated by Pearson's χ² over its degrees of freedom; 0
    // where it is V(μ).
    size_t dispersion;
    // 1 where y may be a response, else 0.
    int32_t (*is_response)(const struct passel_family *family, const double *values, double y);
    // g⁻¹(η), and its derivative: nowhere 0, and of one sign.
    void (*mean)(const struct passel_family *family, const double *values, size_t count,
        const double *predictors, double *means, double *slopes);
    // g(μ).
    double (*predictor)(const struct passel_family *family, const double *values, double mean);
    // V(μ) > 0.
    void (*variance)(const struct passel_family *family, const double *values, size_t count,
        const double *means, double *variances);
    // 2(ℓ(y; y) − ℓ(y; μ)) ≥ 0 at φ = 1, whose derivative by μ is −2(y − μ)/V(μ).
    void (*deviance)(const struct passel_family *family, const double *values, size_t count,
        const double *responses, const double *means, double *deviances);
    // ℓ(y; y), with all constants; where φ is estimated without −½ ln 2πφ: −½ ln V(y) is the
    // saddlepoint approximation. Null for 0.
    void (*saturated)(const struct passel_family *family, const double *values, size_t count,
        const double *responses, double *log_likelihoods);
    // The means that a fit begins at; null for the responses themselves.
    void (*start)(const struct passel_family *family, const double *values, size_t count,
        const double *responses, double *means);
    const void *data;
    // The same in CUDA C, to 10⁻⁹, by which GPUs fit; or null, and the CPU fits: a text with `__device__
    // double passel_variance(const double *values, double mean)`, `__device__ double
    // passel_deviance(const double *values, double y, double mean)` and, of a link of its own, `__device__
    // void passel_mean(const double *values, double predictor, double *mean, double *slope)`. As that of a function.
    const char *cuda;
} passel_family;

// What a plugin brings; its entry returns it. Lists may be null where they are empty.
typedef struct passel_plugin {
    size_t size;
    // The PASSEL_ABI_VERSION it was compiled with.
    uint32_t abi_version;
    // The least PASSEL_ABI_VERSION that it works with; 0 for 1. An earlier engine reads no further.
    uint32_t needs;
    // The NAME of its entry, with `-` for `_`.
    const char *name;
    // Its own version, as it likes.
    const char *version;
    // What it is, on one line.
    const char *description;
    const struct passel_selector *const *selectors;
    // How many; at most 1024, as of those below.
    size_t selector_count;
    // Its pair scores. May be left out, size and all, and so may what follows.
    const struct passel_pair_score *const *pair_scores;
    size_t pair_score_count;
    const struct passel_criterion *const *criteria;
    size_t criterion_count;
    const struct passel_family *const *families;
    size_t family_count;
    // Its licence by SPDX, authors, page and DOI as in `10.1000/182`: each a line, or null.
    const char *licence;
    const char *authors;
    const char *url;
    const char *doi;
} passel_plugin;

// An entry.
typedef const struct passel_plugin *(*passel_entry)(const struct passel_engine *engine);

#endif  /* PASSEL_H */
