"""Compares passel with abess, glmnet and leaps: README.md. `benches/peers/run` starts it."""

import argparse
import sys
import tempfile
from pathlib import Path

import problems
import tables
from criteria import PENALTIES, Judge
from programs import PEERS, PROGRAMS, Failure, run_passel

ROOT = problems.ROOT
GROUPS = list(dict.fromkeys(source.group for source in problems.SOURCES.values()))


def arguments():
    parser = argparse.ArgumentParser(prog="benches/peers/run", description=__doc__)
    add = parser.add_argument
    names = ", ".join(problems.SOURCES)
    add(
        "--problems",
        help=f"some of {names}, or of the groups {', '.join(GROUPS)}; default: all but biggest",
    )
    add("--programs", default=",".join(PROGRAMS), help="some of %(default)s")
    add("--seeds", help="of the data, as 1,2,7 or 1-5; default: 1-5, and 1 in speed and biggest")
    add("--biggest", action="store_true", help="the problem of 4,000 × 40,000 too")
    add("--quick", action="store_true", help="chen-chen and hung, seed 1, at most 20 variables")
    add("--passel", default=ROOT / "target/release/passel", help="the program; default: built")
    add("--passel-options", default="", help="more options for `passel select`, in one word")
    add("--max-size", type=int, help="largest size asked of abess and leaps; default: by problem")
    add("--limit", type=int, default=600, help="CPU seconds a program may take (%(default)s)")
    add("--output", type=Path, default=ROOT / "target/peers/runs.csv", help="CSV of every run")
    options = parser.parse_args()
    options.passel = str(Path(options.passel).resolve())
    if options.quick:
        options.problems = options.problems or "chen-chen,hung"
        options.seeds = options.seeds or "1"
        options.max_size = options.max_size or 20

    options.programs = options.programs.split(",")
    for name in options.programs:
        if name not in PROGRAMS:
            parser.error(f"no program {name}: there are {', '.join(PROGRAMS)}")
    names = (options.problems or ",".join(it for it in GROUPS if it != "biggest")).split(",")
    names += ["biggest"] if options.biggest else []
    options.problems = []
    for name in names:
        known = [it for it, source in problems.SOURCES.items() if name in (it, source.group)]
        if not known:
            parser.error(f"no problem or group {name}")
        options.problems += [it for it in known if it not in options.problems]
    return options


def seeds(text):
    """1,2,7 or 1-5."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from map(str, range(int(first), int(last or first) + 1))


def compare(problem, folder, options):
    """Every program and criterion on one problem: its rows."""
    judge = Judge(problem)
    x_mb = problem.x.size * 8 / 1e6
    common = {"problem": problem.name, "seed": problem.seed, "n": problem.n, "p": problem.p}

    paths = {}
    for name in options.programs:
        untried = problems.SOURCES[problem.name].untried
        if name in untried:
            paths[name] = Failure(untried[name])
        elif name in PEERS:
            say(problem, name)
            paths[name] = attempt(PEERS[name], problem, folder, options)

    rows = []
    for criterion in PENALTIES:
        runs = dict(paths)
        if "passel" in options.programs:
            say(problem, f"passel, {criterion}")
            runs["passel"] = attempt(run_passel, problem, criterion, folder, options)
        # The truth beside them: a lower value than its own is overfitting, not success.
        runs["truth"] = ({}, [sorted(problem.truth)])
        ours = []
        for name in [*options.programs, "truth"]:
            row = {**common, "criterion": criterion, "program": name, "x_mb": x_mb}
            ours.append(row)
            try:
                if isinstance(runs[name], Failure):
                    raise runs[name]
                cost, supports = runs[name]
                row["value"], support = judge.best(criterion, supports)
            except (Failure, ValueError) as error:
                row["failed"] = str(error)
                continue
            row.update(cost, k=len(support), support=" ".join(map(str, support)))
            row["psr"], row["fdr"] = judge.rates(support)
            own = row.get("own_value", row["value"])
            if abs(own - row["value"]) > tables.TOLERANCE * max(1, abs(own)):
                print(f"{name} reports {own}, its model has {row['value']}", file=sys.stderr)
        tables.compare_values(ours)
        rows += ours
    return rows


def attempt(run, *arguments):
    """What a program gives, or its failure, which belongs in the table."""
    try:
        return run(*arguments)
    except Failure as failure:
        return failure


def say(problem, what):
    print(f"{problem.name}, seed {problem.seed}: {what}", file=sys.stderr, flush=True)


def main():
    options = arguments()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    everything = []
    for name in options.problems:
        group = problems.SOURCES[name].group
        text = options.seeds or ("1" if group in ("speed", "biggest") else "1-5")
        rows = []
        for seed in problems.seeds_of(name, list(seeds(text))):
            with tempfile.TemporaryDirectory(dir=ROOT / "target/peers") as folder:
                folder = Path(folder)
                problem = problems.make(name, seed, folder, options.passel, options.max_size)
                new = compare(problem, folder, options)
            # After every seed, so that an end half-way leaves what was done.
            tables.write_csv(options.output, new, first=not everything)
            rows += new
            everything += new
        if rows:
            tables.table(rows)
    if everything:
        tables.summary(everything)
        print(f"\nEvery run: {options.output}")


main()
