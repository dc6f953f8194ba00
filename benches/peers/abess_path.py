"""abess_path.py choose|path X.npy y.npy LARGEST OUT: abess' best subsets of 0 … LARGEST variables.

`choose` is what a user of abess runs: one warm-started path, ended by its own EBIC.
abess shows that one model alone. `path` uncovers the others: with `ic_type="loss"` the
path of the sizes 0 … k ends at its model of k variables. A size asked for on its own
starts elsewhere and is at times the better, so it is there as well.
"""

import sys
import time

import numpy as np
from abess.linear import LinearRegression

mode, x_file, y_file, largest, out = sys.argv[1:]


def search(sizes, criterion):
    model = LinearRegression(path_type="seq", support_size=sizes, ic_type=criterion, thread=1)
    return np.flatnonzero(model.fit(x, y).coef_)


start = time.perf_counter()
x, y = np.load(x_file), np.load(y_file)
read = time.perf_counter() - start

start, cpu = time.perf_counter(), time.process_time()
if mode == "choose":
    supports = [search(range(int(largest) + 1), "ebic")]
else:
    supports = [
        search(sizes, "loss")
        for k in range(int(largest) + 1)
        for sizes in (range(k + 1), [k])
    ]
searched, cpu = time.perf_counter() - start, time.process_time() - cpu

with open(out, "w") as file:
    print(read, searched, cpu, file=file)
    for support in supports:
        print(*support, file=file)
