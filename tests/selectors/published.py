"""Eight selectors from their papers, by brute force: counts, logarithms and loops, no table kept.

Reads a CSV of codes whose last column is the response, and writes for each method the columns it
chooses, the best first, with their scores, as JSON. Called as published.py FILE COUNT.
"""

import csv
import json
import sys
from collections import Counter
from math import log, sqrt


def entropy(*columns):
    n = len(columns[0])
    return -sum(c / n * log(c / n) for c in Counter(zip(*columns)).values())


def information(a, b):
    return entropy(a) + entropy(b) - entropy(a, b)


def given(a, b, c):
    """I(a;b|c)."""
    return entropy(a, c) + entropy(b, c) - entropy(a, b, c) - entropy(c)


def share(a, b):
    return a / b if abs(b) > 1e-12 else 0.0


def uncertainty(a, b):
    """The symmetrical uncertainty."""
    return share(2 * information(a, b), entropy(a) + entropy(b))


def miq(x, chosen, y):
    relevance = information(x, y)
    if not chosen:
        return relevance
    redundancy = sum(information(x, w) for w in chosen) / len(chosen)
    return relevance / max(redundancy, 1e-9)


def nmifs(x, chosen, y):
    shares = [share(information(x, w), min(entropy(x), entropy(w))) for w in chosen]
    return information(x, y) - (sum(shares) / len(shares) if shares else 0)


def mifs_u(x, chosen, y, beta=0.7):
    common = [share(information(w, y), entropy(w)) * information(x, w) for w in chosen]
    return information(x, y) - beta * sum(common)


def mmifs_u(x, chosen, y):
    common = [share(information(w, y), entropy(w)) * information(x, w) for w in chosen]
    return information(x, y) - max(common, default=0)


def dwfs(x, chosen, y):
    weight = 1.0
    for w in chosen:
        change = 2 * (given(x, y, w) - information(x, y))
        weight *= 1 + change / (entropy(x) + entropy(y))
    return weight * uncertainty(x, y)


def iwfs(x, chosen, y):
    weight = 1.0
    for w in chosen:
        weight *= 1 + (given(x, y, w) - information(x, y)) / (entropy(x) + entropy(w))
    return weight * (1 + uncertainty(x, y))


def ucrfs(x, chosen, y):
    score = information(x, y)
    if chosen:
        score -= sum(information(x, w) for w in chosen) / len(chosen)
    for w in chosen:
        before = entropy(x, y) - entropy(x)
        after = entropy(x, w, y) - entropy(x, w)
        score += share(before - after, before + after)
    return score


def merit(columns, y):
    pairs = sum(
        uncertainty(a, b) for at, a in enumerate(columns) for b in columns[:at]
    )
    relevance = sum(uncertainty(a, y) for a in columns)
    return relevance / sqrt(len(columns) + 2 * pairs)


def cfs(x, chosen, y):
    own = merit([*chosen, x], y)
    if chosen and own <= merit(chosen, y) * (1 + 1e-12):
        return None
    return own


METHODS = {
    "miq": miq,
    "nmifs": nmifs,
    "mifs-u:beta=0.7": mifs_u,
    "mmifs-u": mmifs_u,
    "dwfs": dwfs,
    "iwfs": iwfs,
    "ucrfs": ucrfs,
    "cfs": cfs,
}


def choose(score, columns, y, count):
    chosen, picks = [], []
    while len(picks) < count:
        best = None
        for at, x in enumerate(columns):
            if at in chosen:
                continue
            value = score(x, [columns[at] for at in chosen], y)
            # Equal but for rounding: the first.
            if value is not None and (best is None or value > best[1] + 1e-9 * abs(best[1])):
                best = (at, value)
        if best is None:
            break
        chosen.append(best[0])
        picks.append(best)
    return picks


def main():
    with open(sys.argv[1], newline="") as file:
        rows = list(csv.reader(file))[1:]
    *columns, y = [list(column) for column in zip(*rows)]
    count = int(sys.argv[2])
    json.dump({name: choose(own, columns, y, count) for name, own in METHODS.items()}, sys.stdout)


main()
