// passel's plugin contract, version 0. Made from lib.rs by PASSEL_BLESS=1 cargo test.
//
// A plugin is a shared library with one entry,
//
//     const struct passel_plugin *passel_plugin_NAME(const struct passel_engine *engine);
//
// NAME is the library's file name without `lib`, `passel_` and what follows the dot, with `_`
// for `-`: libfoo.so and libpassel_foo.so have passel_plugin_foo. Called by the thread that
// loads the library; where it is loaded again it returns the same again. Null refuses to work,
// after a log of PASSEL_LOG_ERROR that says why. In C++ it is extern "C", and no exception
// leaves it or any other function here.
//
// What the plugin hands out is the plugin's and stays valid and unchanged as long as the
// process lives: the engine never unloads a library and never frees what is not its own.
// Strings are UTF-8 and end with a zero byte; none is null.
//
// A struct that may grow has its size in bytes first, as its maker compiled it (sizeof), and
// grows at its end only: who reads takes no more than that, and what is missing is zero.

#ifndef PASSEL_H
#define PASSEL_H

#include <stddef.h>
#include <stdint.h>

// The contract's version. Version 0 may break; from 1 on it only grows.
#define PASSEL_ABI_VERSION 0

// The room for terms in a passel_score, in terms.
#define PASSEL_TERMS 8

// passel_term.part: all of the term.
#define PASSEL_PART_WHOLE 0

// passel_term.part: min(0, term).
#define PASSEL_PART_BELOW_ZERO 1

// passel_score.gather: the sum of what the steps gave.
#define PASSEL_GATHER_SUM 0

// passel_score.gather: their sum, divided by how many they are.
#define PASSEL_GATHER_MEAN 1

// passel_score.gather: the least of them.
#define PASSEL_GATHER_MINIMUM 2

// passel_score.gather: the last.
#define PASSEL_GATHER_LAST 3

// passel_score.join: relevance plus the gathered value.
#define PASSEL_JOIN_ADDED 0

// passel_score.join: the gathered value alone.
#define PASSEL_JOIN_ALONE 1

// passel_score.join: the lesser of the two.
#define PASSEL_JOIN_LEAST 2

// passel_score.against: the anchor is the variable chosen last.
#define PASSEL_AGAINST_LAST 0

// passel_score.against: the anchor is all chosen variables joined, a level for each
// combination of theirs.
#define PASSEL_AGAINST_JOINT 1

// passel_engine.log: why the entry is about to return null.
#define PASSEL_LOG_ERROR 0

// passel_engine.log: worth a line on standard error.
#define PASSEL_LOG_WARNING 1

// What the engine lends a plugin; valid as long as the process lives.
typedef struct passel_engine {
    // As the engine was compiled.
    size_t size;
    // The engine's PASSEL_ABI_VERSION.
    uint32_t abi_version;
    // The engine's version, as in `0.1.0`.
    const char *version;
    // Tells the user a text, copied before the call returns; level is PASSEL_LOG_…. To be
    // called with the very pointer that the entry was given, from any thread.
    void (*log)(const struct passel_engine *engine, uint32_t level, const char *text);
    // The engine's own.
    const void *data;
} passel_engine;

// A number that a selector's score depends on.
typedef struct passel_parameter {
    // sizeof(passel_parameter).
    size_t size;
    // The name in `selector:name=number`: a small letter, then small letters, digits, `-`;
    // neither `name` nor `plugin`.
    const char *name;
    // What it does, on one line.
    const char *help;
    // The value where none is given.
    double default_value;
    // The smallest value allowed; finite.
    double least;
    // The largest value allowed; finite.
    double most;
} passel_parameter;

// With c the counts of the cells of one contingency table and S = Σ c·ln c over the cells of
// a margin, an integer for each S: of the candidate x, the anchor w, the response y. The
// combination is their scalar product, in nats times the number of observations. So
// n·I(x;y) = S(xy) − S(x) − S(y) + S(n). The integers of one sign sum to 64 at most. Never
// grows.
typedef struct passel_combination {
    // Of n·ln n, the table with one cell.
    int32_t n;
    // Of the candidate's margin.
    int32_t x;
    // Of the anchor's margin.
    int32_t w;
    // Of the response's margin.
    int32_t y;
    // Of the table of candidate and anchor.
    int32_t xw;
    // Of the table of candidate and response.
    int32_t xy;
    // Of the table of anchor and response.
    int32_t wy;
    // Of the whole table.
    int32_t xwy;
} passel_combination;

// A combination, or the ratio of two. Never grows.
typedef struct passel_quantity {
    // The combination, or the ratio's numerator.
    struct passel_combination over;
    // The ratio's denominator, and the ratio is 0 where this is; all zero for no ratio.
    struct passel_combination under;
} passel_quantity;

// One summand of what a step gives. Never grows.
typedef struct passel_term {
    // What the part that counts is multiplied by; −1,048,576 … 1,048,576.
    double weight;
    // Of the table of candidate, anchor and response.
    struct passel_quantity quantity;
    // PASSEL_PART_…
    uint32_t part;
} passel_term;

// A selector's score of a candidate; larger is better. The engine makes it, all zero beside
// size and terms, and a plugin fills it in: zero is relevance of nothing, no terms,
// PASSEL_GATHER_SUM, PASSEL_JOIN_ADDED, PASSEL_AGAINST_LAST.
typedef struct passel_score {
    // As the engine was compiled: what lies behind it is not to be written.
    size_t size;
    // Of candidate and response alone; the score of the first step.
    struct passel_quantity relevance;
    // Room for PASSEL_TERMS terms, all zero: the engine's, lent until the call returns.
    struct passel_term *terms;
    // How many were filled in; what a step gives is their sum.
    size_t term_count;
    // How the values of the steps become one: PASSEL_GATHER_…
    uint32_t gather;
    // What the gathered value makes with relevance: PASSEL_JOIN_…
    uint32_t join;
    // The anchor of a step: PASSEL_AGAINST_…
    uint32_t against;
    // 1 for a selection that ends where no candidate's score is above 0, else 0.
    uint32_t ends_at_zero;
} passel_score;

// A method that chooses variables one by one, by a declared score.
typedef struct passel_selector {
    // sizeof(passel_selector).
    size_t size;
    // The name it is asked for by: a small letter, then small letters, digits, `-`. No other
    // selector's, nor `pass`.
    const char *name;
    // What it is called in full.
    const char *title;
    // Its score, on one line.
    const char *formula;
    // Where it was published.
    const char *source;
    // Its parameters; may be null where there are none.
    const struct passel_parameter *const *parameters;
    // How many; at most 64.
    size_t parameter_count;
    // Fills in the score for these values of the parameters, one each, in their order and
    // range, lent until the call returns. Returns 0; or else another number, with a reason in
    // `error`, the engine's room of `error_size` bytes, the ending zero included. The same
    // values give the same score. Called from any thread, from several at once, and once at
    // load with the default values.
    int32_t (*declare)(const struct passel_selector *selector,
                       const double *values,
                       struct passel_score *score,
                       char *error,
                       size_t error_size);
    // The plugin's own: the engine does not look at it. May be left out, size and all.
    const void *data;
} passel_selector;

// A score of every pair of variables with the response, larger is better: x and w stand for
// the two, and exchanging them must not change it.
typedef struct passel_pair_score {
    // sizeof(passel_pair_score).
    size_t size;
    // The name it is asked for by, as a selector's; no other pair score's.
    const char *name;
    // What it is called in full.
    const char *title;
    // The score, on one line.
    const char *formula;
    // Where it was published.
    const char *source;
    // Of the table of both variables and the response.
    struct passel_quantity quantity;
} passel_pair_score;

// What a plugin brings; its entry returns it.
typedef struct passel_plugin {
    // sizeof(passel_plugin).
    size_t size;
    // The PASSEL_ABI_VERSION it was compiled with; the engine takes its own only.
    uint32_t abi_version;
    // The NAME of its entry, with `-` for `_`.
    const char *name;
    // Its own version, as it likes.
    const char *version;
    // What it is, on one line.
    const char *description;
    // Its selectors; may be null where there are none.
    const struct passel_selector *const *selectors;
    // How many; at most 1024.
    size_t selector_count;
    // Its pair scores; may be null where there are none. May be left out, size and all.
    const struct passel_pair_score *const *pair_scores;
    // How many; at most 1024.
    size_t pair_score_count;
} passel_plugin;

#endif  /* PASSEL_H */
