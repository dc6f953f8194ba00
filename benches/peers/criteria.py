"""What every program's model is judged by, from the definition and the data alone."""

import math

import numpy as np


def ebic(n, p, k):
    """k ln n + 2 ln C(p, k)."""
    subsets = sum(math.log((p - k + i) / i) for i in range(1, k + 1))
    return k * math.log(n) + 2 * subsets


def hdbic(n, p, k):
    """k ln n ln p."""
    return k * math.log(n) * math.log(p)


def hdhqc(n, p, k):
    """2k ln ln n ln p."""
    return 2 * k * math.log(math.log(n)) * math.log(p)


# By the names that `passel select --criterion` knows.
PENALTIES = {"ebic:gamma=1": ebic, "hdbic": hdbic, "hdhqc": hdhqc}


class Judge:
    """φ = n ln(RSS/n) + penalty of any support of one problem."""

    def __init__(self, problem):
        self.problem = problem
        self.y = problem.y - problem.y.mean()
        self.tss = float(self.y @ self.y)
        self.residual_sums = {}

    def rss(self, support):
        """RSS of least squares with an intercept; equal supports give equal bits."""
        support = tuple(sorted(support))
        if support not in self.residual_sums:
            residual = self.y
            if support:
                x = self.problem.x[:, list(support)]
                x = x - x.mean(axis=0)
                # By the SVD, so that a singular support is fitted and not refused. Unit
                # norms keep its rank from depending on the columns' scales.
                norms = np.linalg.norm(x, axis=0)
                x = x / np.where(norms > 0, norms, 1)
                residual = self.y - x @ np.linalg.lstsq(x, self.y, rcond=None)[0]
            self.residual_sums[support] = float(residual @ residual)
        return self.residual_sums[support]

    def value(self, criterion, support):
        n = self.problem.n
        # passel's floor: below it a fit is exact up to rounding.
        rss = max(self.rss(support), n * np.finfo(float).eps ** 2 * self.tss)
        return n * math.log(rss / n) + PENALTIES[criterion](n, self.problem.p, len(support))

    def best(self, criterion, supports):
        """The lowest φ and its support, among those of the sizes passel may choose.

        Past n/2 variables a fit is mostly interpolation and φ falls without end.
        """
        bound = min(self.problem.p, self.problem.n // 2)
        values = [
            (self.value(criterion, support), support)
            for support in supports
            if len(support) <= bound
        ]
        if not values:
            raise ValueError(f"no model of at most {bound} variables")
        return min(values)

    def rates(self, support):
        """PSR = |S*∩S| / |S| and FDR = |S*∖S| / |S*|, 0 where nothing is chosen."""
        truth = self.problem.truth
        found = len(truth & set(support))
        fdr = (len(support) - found) / len(support) if support else 0.0
        return found / len(truth), fdr
