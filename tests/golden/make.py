#!/usr/bin/env python3
"""Makes the golden sets of this folder: data, and the answers of a plain implementation.

    python3 tests/golden/make.py

Nothing but Python's standard library, and nothing of passel: every number follows from the
definitions H(v) = -sum (c/n) log2(c/n) over the counts c of the distinct values of v, and
I(a;b) = H(a) + H(b) - H(a,b). Logarithms are to base 2. Scores within TIE of the best are equal,
and the variable that stands first is chosen of them.
"""

import gzip
import json
import math
import random
from collections import Counter
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).parent
TIE = 1e-10
CHOSEN = 8


def breast_cancer():
    """The codes of examples/data/breast_cancer.csv.gz (its README names the source)."""
    with gzip.open(HERE / "../../examples/data/breast_cancer.csv.gz", "rt") as file:
        rows = [[int(code) for code in line.split(",")] for line in file.read().split()[1:]]
    *columns, response = [list(column) for column in zip(*rows)]
    return columns, response


def simulated():
    """150 observations of 24 variables: of the class, copies of others, a constant, noise."""
    draw = random.Random(26)
    columns = []
    for j in range(24):
        levels = 2 + j % 5
        columns.append([int(levels * draw.random()) for _ in range(150)])
    columns[9] = list(columns[4])
    columns[20] = [1 - code for code in columns[0]]
    columns[17] = [0] * 150
    response = []
    for row in range(150):
        # An exclusive or of two variables, a sum of two others, and noise.
        signal = (columns[0][row] + columns[5][row]) % 2
        signal += columns[2][row] + columns[8][row] > 4
        response.append(int(3 * draw.random()) if draw.random() < 0.25 else signal)
    return columns, response


def sparse():
    """120 observations of 80 variables of which 95 % of the codes are 0."""
    draw = random.Random(3000)
    columns = [[0 if draw.random() < 0.95 else 1 + int(3 * draw.random()) for _ in range(120)]
               for _ in range(80)]
    return columns, [int(2 * draw.random()) for _ in range(120)]


class Set:
    """Entropies and informations of a set's variables; the response is number -1."""

    def __init__(self, columns, response):
        self.columns = columns
        self.response = response
        self.n = len(response)
        self.p = len(columns)

    def column(self, j):
        return self.response if j == -1 else self.columns[j]

    @lru_cache(maxsize=None)
    def entropy_of(self, variables):
        counts = Counter(zip(*(self.column(j) for j in variables)))
        return -math.fsum(c / self.n * math.log2(c / self.n) for c in counts.values())

    def entropy(self, *variables):
        return self.entropy_of(tuple(sorted(set(variables)))) if variables else 0.0

    def information(self, a, b, given=()):
        """I(a;b|given), each a tuple of variables."""
        return math.fsum([
            self.entropy(*a, *given), self.entropy(*b, *given),
            -self.entropy(*a, *b, *given), -self.entropy(*given),
        ])

    def relevance(self, j):
        return self.information((j,), (-1,))

    def redundancy(self, s, j):
        return self.information((s,), (j,))

    def conditional_redundancy(self, s, j):
        return self.information((s,), (j,), (-1,))

    def uncertainty(self, a, b):
        entropies = self.entropy(a) + self.entropy(b)
        return 2 * self.information((a,), (b,)) / entropies if entropies > 0 else 0.0


def betagamma(beta, gamma):
    def score(data, j, chosen):
        return data.relevance(j) - math.fsum(
            beta * data.redundancy(s, j) - gamma * data.conditional_redundancy(s, j)
            for s in chosen)
    return score


def ratio(data, s, j):
    entropy = data.entropy(s, j, -1)
    return data.information((s, j), (-1,)) / entropy if entropy > TIE else 0.0


# The score of candidate j after `chosen`, by the name of the method.
METHODS = {
    "mim": lambda d, j, chosen: d.relevance(j),
    "mrmr_d": lambda d, j, chosen: d.relevance(j)
    - math.fsum(d.redundancy(s, j) for s in chosen) / len(chosen),
    "mifs_b1": betagamma(1.0, 0.0),
    "mifs_b0.5": betagamma(0.5, 0.0),
    "cmim": lambda d, j, chosen: min(
        [d.relevance(j)] + [d.information((j,), (-1,), (s,)) for s in chosen]),
    "jmi": lambda d, j, chosen: math.fsum(d.information((s, j), (-1,)) for s in chosen),
    "disr": lambda d, j, chosen: math.fsum(ratio(d, s, j) for s in chosen),
    "cife": betagamma(1.0, 1.0),
    "icap": lambda d, j, chosen: d.relevance(j) + math.fsum(
        min(0.0, d.conditional_redundancy(s, j) - d.redundancy(s, j)) for s in chosen),
    "condred": betagamma(0.0, 1.0),
    "cmi": lambda d, j, chosen: d.information((j,), (-1,), tuple(chosen)),
    "betagamma_0.5_0.5": betagamma(0.5, 0.5),
    "jmim": lambda d, j, chosen: min(d.information((s, j), (-1,)) for s in chosen),
    "njmim": lambda d, j, chosen: min(ratio(d, s, j) for s in chosen),
}


def select(data, score, ends=False, count=CHOSEN):
    order, scores = [], []
    while len(order) < count:
        candidates = [j for j in range(data.p) if j not in order]
        values = {j: score(data, j, order) if order else data.relevance(j) for j in candidates}
        best = max(values.values())
        if ends and best <= TIE:
            break
        first = min(j for j in candidates if values[j] >= best - TIE)
        order.append(first)
        scores.append(values[first])
    return {"canonical_order": order, "canonical_scores": scores}


def fcbf(data, threshold):
    """Yu and Liu: by SU(j;y); each chosen f drops the variables j of which SU(f;j) > SU(j;y)."""
    to_class = [data.uncertainty(j, -1) for j in range(data.p)]
    left = [j for j in range(data.p) if to_class[j] > threshold + TIE]
    order = []
    while left:
        best = max(to_class[j] for j in left)
        first = min(j for j in left if to_class[j] >= best - TIE)
        order.append(first)
        left = [j for j in left
                if j != first and data.uncertainty(first, j) <= to_class[j] + TIE]
    return order


def relief(data):
    """Kira and Rendell's Relief as FEAST has it: around each row the others in the order of their
    Euclidean distance, equal ones by row, until a hit and a miss were met; of each the last."""
    rows = list(zip(*data.columns))
    ranges = [max(column) - min(column) for column in data.columns]
    gained = [[] for _ in data.columns]
    for at, row in enumerate(rows):
        distance = lambda to: (sum((a - b) ** 2 for a, b in zip(row, rows[to])), to)
        hit = miss = None
        for to in sorted((to for to in range(data.n) if to != at), key=distance):
            if data.response[to] == data.response[at]:
                hit = to
            else:
                miss = to
            if hit is not None and miss is not None:
                break
        for j, (x, scale) in enumerate(zip(row, ranges)):
            if scale:
                apart = lambda to: 0.0 if to is None else ((x - rows[to][j]) / scale) ** 2
                gained[j] += [apart(miss), -apart(hit)]
    weights = [math.fsum(gains) / data.n if gains else None for gains in gained]
    order = sorted((j for j in range(data.p) if weights[j] is not None), key=lambda j: -weights[j])
    return {"weights": weights, "order": order}


def selections(data):
    methods = {name: select(data, score, name == "cmi") for name, score in METHODS.items()}
    return {
        "n": data.n, "p": data.p, "k": CHOSEN, "methods": methods,
        "fcbf": {text: {"order": fcbf(data, float(text))} for text in ("0", "0.01", "0.05")},
        "relief": relief(data),
        "fast_mrmr_cpu": {"order": methods["mrmr_d"]["canonical_order"]},
    }


def pairs(data):
    """I((a,b);y) of all pairs, and what it exceeds I(a;y) + I(b;y) by."""
    single = [data.relevance(j) for j in range(data.p)]
    both = {(n, m): data.information((n, m), (-1,)) for m in range(data.p) for n in range(m)}
    listed = lambda values: [{"n": n, "m": m, "value": value} for (n, m), value in values]
    best = sorted(both.items(), key=lambda pair: -pair[1])
    beyond = {(n, m): value - single[n] - single[m] for (n, m), value in both.items()}
    interaction = sorted(beyond.items(), key=lambda pair: -pair[1])
    return {
        "n": data.n, "p": data.p, "pairs": len(both), "bivariate": single,
        "three_variate_all": list(both.values()),
        "three_variate_top100": listed(best[:100]),
        "three_variate_sum": math.fsum(both.values()),
        "three_variate_max": best[0][1], "three_variate_min": best[-1][1],
        "interaction_top100": listed(interaction[:100]),
        "interaction_bottom20": listed(interaction[:-21:-1]),
    }


def write(name, content):
    # Without a time, so that the same content is the same file.
    with open(HERE / name, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(content)


def text(columns, response):
    lines = [",".join([f"f{j}" for j in range(len(columns))] + ["class"])]
    lines += [",".join(map(str, row)) for row in zip(*columns, response)]
    return ("\n".join(lines) + "\n").encode()


def mrmr(columns, response):
    """fast-mRMR's: observations and columns as u32, then a byte a code by rows, the class first."""
    head = len(response).to_bytes(4, "little") + (1 + len(columns)).to_bytes(4, "little")
    return head + b"".join(map(bytes, zip(response, *columns)))


def rounded(value):
    """Fourteen digits: more than any test compares."""
    if isinstance(value, float):
        return float(f"{value:.14g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list) else value


def main():
    write("sparse.csv.gz", text(*sparse()))
    write("simulated.csv.gz", text(*simulated()))
    for name, made in [("breast_cancer", breast_cancer()), ("simulated", simulated())]:
        data = Set(*made)
        write(f"{name}.mrmr.gz", mrmr(*made))
        for kind, answers in [("golden", selections(data)), ("mi", pairs(data))]:
            answers = json.dumps(rounded(answers), separators=(",", ":"))
            (HERE / f"{kind}_{name}.json").write_text(answers + "\n")


if __name__ == "__main__":
    main()
