"""`python -m benchmarks`: the race, the digits, the overhead, the cost of judging, the learners of concepts."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks import accuracy_table, device, mdp, overhead, tables
from benchmarks.agreement import agreement_table, agreements
from benchmarks.bandwidth import passes, passes_table
from benchmarks.before import both_trees, pairs_table
from benchmarks.cases_tall import tall_cases
from benchmarks.cluster import cluster_figures, cluster_table
from benchmarks.cold import cold_figures, cold_table, kernels_table
from benchmarks.concepts import timings, timings_table
from benchmarks.counted import counted, counted_table, predicted_table, predictions
from benchmarks.curves import curves, draw
from benchmarks.folded import folded_figures, folded_table
from benchmarks.folds import gains, gains_table
from benchmarks.graphical import graphical_race, graphical_table
from benchmarks.growth import growth, growth_table
from benchmarks.hidden_markov import figures, figures_table
from benchmarks.judging import judging, judging_table
from benchmarks.kernels import machine_figures, machine_table
from benchmarks.many_fits import search_figures, search_table
from benchmarks.networks import epochs, epochs_table
from benchmarks.pages import page_figures, pages_table
from benchmarks.problems import CASES
from benchmarks.promises import promises_kept, promises_table
from benchmarks.race import Course, Result, race
from benchmarks.runner import environment, thread_settings
from benchmarks.scale import scale_figures, scale_table
from benchmarks.shares import shares, shares_table
from benchmarks.simulated import simulated, simulated_table
from benchmarks.single import precisions, precisions_table
from benchmarks.small import medium_cases, small_figures, small_table
from benchmarks.soak import soak, soak_table
from benchmarks.sparse_logistic import logistic_race, logistic_table
from benchmarks.subsets import subsets, subsets_table
from benchmarks.tall import tall_race, tall_table
from benchmarks.trees import file_figures, tree_figures, tree_table
from benchmarks.unsupervised import unsupervised_figures, unsupervised_table

# `--quick`: the share of the rows, warm turns and seconds for a fit.
QUICK, QUICK_TURNS, QUICK_LIMIT = 0.02, 2, 10.0


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.threads is None:
        options.threads = 1 if options.quick else os.cpu_count() or 1
    console = Console(width=None if sys.stdout.isatty() else 170)
    scale = QUICK if options.quick else 1.0
    facts = tables.machine(options.threads)
    console.print(tables.machine_line(facts), highlight=False)
    found: dict = {"machine": facts}
    # The variables are for the processes started from here, the limits for this one.
    with environment(**thread_settings(options.threads)), threadpool_limits(options.threads):
        if options.what in ("all", "race"):
            course = Course(scale, options.turns, options.limit)
            if options.quick:
                course = Course(scale, min(options.turns, QUICK_TURNS), min(options.limit, QUICK_LIMIT), cold=False)
            found["race"] = []
            for results in races(options.only, course, Console(stderr=True)):
                found["race"] += results
                if options.json is not None:
                    tables.write_json(options.json, found)  # a long run that is ended keeps what it has
            console.print(tables.race_table(found["race"]))
            console.print(*tables.standings(found["race"]), sep="\n", highlight=False)
        if options.what in ("all", "accuracy"):
            found["digits"] = list(accuracy_table.accuracy_rows(options.only if options.what == "accuracy" else ""))
            console.print(tables.digits_table(found["digits"]))
        if options.what in ("all", "overhead"):
            found["parts"] = overhead.fit_parts(scale, 3 if options.quick else 15)
            console.print(tables.parts_table(found["parts"]))
            few = 1 if options.quick else 3
            found["start-up"] = [
                *overhead.start_up(3 if options.quick else 10), *overhead.commands(few), *overhead.kernel_cache(few),
            ]  # fmt: skip
            console.print(tables.start_up_table(found["start-up"]))
        if options.what in ("all", "small"):
            only = options.only if options.what == "small" else ""
            found["small"] = list(small_figures(options.turns, only, 0.1 if options.quick else 1.0))
            console.print(small_table(found["small"]))
            found["searches"] = list(search_figures(50 if options.quick else 1000, only))
            console.print(search_table(found["searches"]))
        if options.what == "medium":
            rows = 1000 if options.quick else 20_000
            found["medium"] = list(small_figures(options.turns, options.only, of=medium_cases(rows)))
            console.print(small_table(found["medium"], "Medium tables"))
        if options.what in ("all", "cold"):
            only = options.only if options.what == "cold" else ""
            found["cold"] = list(cold_figures(1 if options.quick else 3, only))
            console.print(cold_table(found["cold"]))
            console.print(kernels_table(found["cold"]))
        if options.what in ("all", "judging"):
            found["judging"] = []
            for row in judging(scale):
                Console(stderr=True).print(f"{row.what}: {row.figure:.2f} {row.unit}", highlight=False)
                found["judging"].append(row)
            console.print(judging_table(found["judging"]))
        if options.what in ("all", "concepts"):
            found["concepts"] = list(timings(scale, options.turns))
            console.print(timings_table(found["concepts"]))
        if options.what in ("all", "folded"):
            only = options.only if options.what == "folded" else ""
            found["folded"] = list(folded_figures(scale, options.turns, only))
            console.print(folded_table(found["folded"]))
        if options.what in ("all", "hmm"):
            only = options.only if options.what == "hmm" else ""
            found["hmm"] = list(figures(scale, options.turns, options.threads, only))
            console.print(figures_table(found["hmm"]))
        if options.what in ("all", "graphical"):
            only = options.only if options.what == "graphical" else ""
            found["graphical"] = list(graphical_race(scale, options.turns, options.limit, only))
            console.print(graphical_table(found["graphical"]))
        if options.what in ("all", "mdp"):
            found["mdp"] = [*mdp.race(scale, options.turns, options.limit), mdp.grid(scale)]
            console.print(mdp.planning_table(found["mdp"]))
            found["q-learning"] = mdp.learning(scale)
            console.print(mdp.learning_table(found["q-learning"]))
        if options.what in ("all", "subsets"):
            found["subsets"] = list(subsets(scale, options.turns))
            console.print(subsets_table(found["subsets"]))
        if options.what in ("all", "trees"):
            found["trees"] = list(tree_figures(scale, options.turns, options.only if options.what == "trees" else ""))
            console.print(tree_table(found["trees"]))
        if options.what == "boosting-file":  # on its own: it counts the memory of the process
            sizes = (1_000_000, 10_000_000) if scale >= 1.0 else (20_000,)
            found["boosting-file"] = [figure for n in sizes for figure in file_figures(n)]
            for what, figure in found["boosting-file"]:
                console.print(f"{what}: {figure}")
        if options.what in ("all", "sparse-logistic"):
            only = options.only if options.what == "sparse-logistic" else ""
            found["sparse-logistic"] = list(logistic_race(scale, options.turns, options.limit, only))
            console.print(logistic_table(found["sparse-logistic"]))
        if options.what in ("all", "bandwidth"):
            only = options.only if options.what == "bandwidth" else ""
            found["bandwidth"] = list(passes(scale, options.turns, only))
            console.print(passes_table(found["bandwidth"]))
        if options.what in ("all", "single"):
            only = options.only if options.what == "single" else ""
            found["single"] = list(precisions(scale, options.turns, only))
            console.print(precisions_table(found["single"]))
        if options.what in ("all", "folds"):
            only = options.only if options.what == "folds" else ""
            found["folds"] = list(gains(scale, options.turns, options.threads, options.limit, only))
            console.print(gains_table(found["folds"]))
        if options.what in ("all", "scale"):
            found["scale"] = list(scale_figures(scale))
            console.print(scale_table(found["scale"]))
        if options.what in ("all", "growth"):
            found["growth"] = list(growth(scale))
            console.print(growth_table(found["growth"]))
        if options.what in ("all", "kernels"):
            found["kernels"] = []
            for row in machine_figures(options.quick, options.turns, options.only if options.what == "kernels" else ""):
                Console(stderr=True).print(f"{row.case}: {row.rival_seconds / row.seconds:.2f}", highlight=False)
                found["kernels"].append(row)
            console.print(machine_table(found["kernels"]))
        if options.what in ("all", "unsupervised"):
            only = options.only if options.what == "unsupervised" else ""
            found["unsupervised"] = list(unsupervised_figures(scale, options.turns, only))
            console.print(unsupervised_table(found["unsupervised"]))
        if options.what in ("all", "tall"):
            only = options.only if options.what == "tall" else ""
            found["tall"] = list(tall_race(tall_cases(scale), options.turns, options.limit, only))
            console.print(tall_table(found["tall"]))
        if options.what in ("all", "curves"):
            found["curves"] = list(curves(scale, options.turns))
            if options.quick:
                console.print("curves: the picture in the docs is drawn from whole sizes only", highlight=False)
            else:
                draw(found["curves"])
        if options.what in ("all", "promises"):
            found["promises"] = list(promises_kept(scale, options.turns))
            console.print(promises_table(found["promises"]))
        if options.what in ("all", "networks"):
            only = options.only if options.what == "networks" else ""
            found["networks"] = list(epochs(scale, options.turns, only))
            console.print(epochs_table(found["networks"]))
        if options.what == "shares":
            found["shares"] = []
            for row in shares(scale, options.turns, options.only):
                Console(stderr=True).print(f"{row.case}: {row.share:.0%}", highlight=False)
                found["shares"].append(row)
            console.print(shares_table(found["shares"]))
        if options.what == "cluster":
            found["cluster"] = []
            asked = (options.turns, options.only, options.rivals, options.ways)
            for row in cluster_figures(int(options.rows * scale), *asked):
                found["cluster"].append(row)
            console.print(cluster_table(found["cluster"]))
        if options.what == "pages":
            found["pages"] = list(page_figures())
            console.print(pages_table(found["pages"]))
        if options.what == "before":
            found["before"] = list(
                both_trees(options.checkout, Course(scale, options.turns, options.limit), options.only)
            )
            console.print(pairs_table(found["before"]))
        if options.what == "counted":
            found["counted"] = list(counted(scale, options.only))
            console.print(counted_table(found["counted"]))
            found["predicted"] = []
            for predicted in predictions(scale, options.only or "ridge"):
                Console(stderr=True).print(predicted, highlight=False)  # a long run that is ended has said what it knew
                found["predicted"].append(predicted)
            console.print(predicted_table(found["predicted"]))
        if options.what == "simulated":
            found["simulated"] = list(simulated(scale))
            console.print(simulated_table(found["simulated"]))
        if options.what == "soak":
            found["soak"] = list(soak(options.minutes))
            console.print(soak_table(found["soak"]))
        if options.what == "agreement":
            found["agreement"] = list(agreements(scale, options.only))
            console.print(agreement_table(found["agreement"]))
        if options.what == "device":
            device.main(scale)
    if options.json is not None:
        tables.write_json(options.json, found)
    return 0


def races(only: str, course: Course, progress: Console) -> Iterator[list[Result]]:
    """The results of every case whose name contains `only`; how far it got is told on `progress`."""
    chosen = [case for case in CASES if only.lower() in case.name.lower()]
    if not chosen:
        names = "\n  ".join(case.name for case in CASES)
        raise SystemExit(f"--only {only!r}: no case has that in its name; they are\n  {names}")
    for number, case in enumerate(chosen, start=1):
        progress.print(f"{number}/{len(chosen)} {case.name}", highlight=False)
        results = list(race(case, course))
        progress.print(f"    {tables.standings(results)[0]}", highlight=False)
        yield results


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        default="all",
        choices=(
            "all",
            "race",
            "sparse-logistic",
            "bandwidth",
            "single",
            "folds",
            "kernels",
            "unsupervised",
            "accuracy",
            "overhead",
            "small",
            "medium",
            "cold",
            "judging",
            "concepts",
            "hmm",
            "graphical",
            "folded",
            "mdp",
            "subsets",
            "trees",
            "boosting-file",
            "scale",
            "growth",
            "promises",
            "tall",
            "curves",
            "networks",
            "cluster",
            "counted",
            "simulated",
            "soak",
            "agreement",
            "device",
            "before",
            "pages",
            "shares",
        ),
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose name contains TEXT")
    parser.add_argument("--checkout", type=Path, default=Path(), metavar="DIR", help="before: root of another checkout")
    parser.add_argument("--quick", action="store_true", help="small sizes: minutes instead of hours")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure to FILE as well")
    parser.add_argument("--turns", type=int, default=5, metavar="N", help="warm turns of everyone (default 5)")
    parser.add_argument("--minutes", type=float, default=10.0, metavar="M", help="how long to soak (default 10)")
    parser.add_argument("--rows", type=int, default=1_000_000, metavar="N", help="cluster: rows (default 1,000,000)")
    parser.add_argument("--ways", default="", metavar="NAMES", help='cluster: some only, e.g. "memory,dask kept"')
    parser.add_argument("--rivals", action=argparse.BooleanOptionalAction, default=True, help="cluster: run rivals too")
    parser.add_argument("--limit", type=float, default=120.0, metavar="S", help="seconds for a fit (default 120)")
    parser.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads for everyone (default: cores; with --quick one, since small fits only wait for more)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
