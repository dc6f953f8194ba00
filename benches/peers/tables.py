"""The Markdown tables, their medians and the summary."""

import csv
from statistics import median

from criteria import PENALTIES

# Values closer than this are one value.
TOLERANCE = 1e-6

COLUMNS = [
    "problem", "seed", "n", "p", "criterion", "program", "value", "difference", "k", "psr",
    "fdr", "search_seconds", "search_cpu_seconds", "read_seconds", "process_seconds",
    "process_cpu_seconds", "peak_mb", "x_mb", "own_value", "support", "failed",
]  # fmt: skip

SHOWN = [
    ("search s", "search_seconds", ".3f"),
    ("process s", "process_seconds", ".2f"),
    ("CPU s", "process_cpu_seconds", ".2f"),
    ("peak MB", "peak_mb", ".0f"),
    ("φ", "value", ".2f"),
    ("φ − best", "difference", ".2f"),
    ("k", "k", "g"),
    ("PSR", "psr", ".3f"),
    ("FDR", "fdr", ".3f"),
]


def write_csv(file, rows, first):
    """Appends rows; the first call begins the file."""
    with open(file, "w" if first else "a", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, restval="")
        if first:
            writer.writeheader()
        writer.writerows(rows)


def compare_values(rows):
    """Fills in what each program lies above the best of all (the truth is no program)."""
    values = [row["value"] for row in rows if "value" in row and row["program"] != "truth"]
    for row in rows:
        if "value" in row and values:
            row["difference"] = row["value"] - min(values)


def table(rows):
    """One problem: a line a criterion and program, medians over seeds."""
    head = rows[0]
    seeds = len({row["seed"] for row in rows})
    print(f"\n## {head['problem']}\n")
    print(f"n {head['n']}, p {head['p']}, X of {head['x_mb']:.1f} MB, medians of {seeds}.\n")
    names = ["criterion", "program", *(name for name, _, _ in SHOWN), "failed"]
    print("| " + " | ".join(names) + " |")
    print("| " + " | ".join(["---"] * 2 + ["---:"] * len(SHOWN) + ["---"]) + " |")
    for criterion, program in dict.fromkeys((row["criterion"], row["program"]) for row in rows):
        ours = [r for r in rows if (r["criterion"], r["program"]) == (criterion, program)]
        cells = [criterion, program]
        for _, column, form in SHOWN:
            numbers = [row[column] for row in ours if column in row]
            cells.append(format(median(numbers), form) if numbers else "")
        reasons = [row["failed"] for row in ours if "failed" in row]
        words = f"failed {len(reasons)} of {len(ours)}: {'; '.join(dict.fromkeys(reasons))}"
        cells.append(words.replace("|", "/") if reasons else "")
        print("| " + " | ".join(cells) + " |", flush=True)


def summary(rows):
    """A line a criterion: how often passel is at or below the others."""
    print("\n## Summary\n")
    for criterion in PENALTIES:
        runs = {}
        for row in rows:
            if row["criterion"] == criterion and row["program"] != "truth":
                run = runs.setdefault((row["problem"], row["seed"]), {})
                run[row["program"]] = row.get("value")
        runs = [run for run in runs.values() if "passel" in run]
        if runs:
            words = [against("the best of all", runs, set.union(*map(set, runs)))]
            if criterion.startswith("ebic") and any("leaps" in run for run in runs):
                words.append(against("seqrep", runs, {"leaps"}))
            print(f"- {criterion}: passel at or below {', '.join(words)}.")


def against(name, runs, programs):
    """On how many of the runs that any of the programs ended, passel is not above them."""
    # A failed passel is above everything, a failed peer leaves nothing to compare.
    runs = [
        (run["passel"], [run[it] for it in programs if run.get(it) is not None]) for run in runs
    ]
    runs = [(value, others) for value, others in runs if others]
    good = sum(value is not None and value <= min(others) + TOLERANCE for value, others in runs)
    share = f" ({100 * good / len(runs):.0f} %)" if runs else ""
    return f"{name} on {good} of {len(runs)}{share}"
