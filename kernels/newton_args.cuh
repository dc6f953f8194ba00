// What a launch of `newton` is given, and where a fit is.

struct NewtonArgs {
    long long n;
    const double* y;
    const double* weights;
    const double* offset;
    double shift;
    double least_change;
    double of_scores;
    double of_costs;
    const double* first;
    double* room;
    const double* values;
    int is_binomial;
    int has_intercept;
};

// Passed by value; newton.rs has the same struct.
static_assert(sizeof(NewtonArgs) == 96, "");

// What follows from linear predictors.
struct State {
    double deviance;
    // The largest move of a predictor, relative to it.
    double moved;
    // By how much the observation that is least on its side is there; below 0 where one is on the other side.
    double apart;
};
