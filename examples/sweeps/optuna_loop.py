#!/usr/bin/env python3
"""Optuna asks, simulated machines answer: a good board in few runs.

The space: 1 to 128 DSPs on a board (eight values) and 0 to 7 wait states of its memory. The figure:
milliseconds times dollars, with 10 dollars a DSP (1996), 100 for the rest of the board, and memory
that costs 160 dollars without wait states and half as much with each one more.

  examples/sweeps/optuna_loop.py [--trials 24] [--seed 1] [--scene FILE] [--platform PROGRAM]

Needs Optuna (Debian: python3-optuna). One worker runs all points; a point that Optuna asks for again
is answered from what is known.
"""

import argparse
import json
import pathlib
import subprocess
import sys

try:
    import optuna
except ImportError:
    sys.exit("optuna_loop: this Python has no module optuna (Debian: python3-optuna)")

HERE = pathlib.Path(__file__).resolve().parent
WORTH = "simulated_time_ps / 1e9 * (100 + 10 * tigershark.dsps + 160 / power)"


class Machines:
    """A worker, asked point by point."""

    def __init__(self, platform, scene):
        self.scene = scene.name
        self.worker = subprocess.Popen(
            [platform, "--worker", "--root", str(scene.parent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.known = {}

    def worth(self, dsps, waits):
        """Of one point; None if it fails."""
        if (dsps, waits) in self.known:
            return self.known[dsps, waits]
        request = {
            "scene": self.scene,
            "set": {
                "render.size": "8x8",
                "render.depth": 1,
                "tigershark.dsps": dsps,
                "tigershark.wait_states": waits,
            },
            "figures": {"worth": WORTH.replace("power", str(2**waits))},
        }
        self.worker.stdin.write(json.dumps(request) + "\n")
        self.worker.stdin.flush()
        answer = json.loads(self.worker.stdout.readline())
        if "error" in answer or answer["status"] != 0:
            print(answer.get("error") or answer["message"], file=sys.stderr)
            self.known[dsps, waits] = None
        else:
            self.known[dsps, waits] = answer["figures"]["worth"]
        return self.known[dsps, waits]

    def close(self):
        self.worker.stdin.close()
        self.worker.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--platform", default="platform")
    parser.add_argument("--scene", type=pathlib.Path, default=HERE / "../../scenes/cornell.shk")
    parser.add_argument("--all", action="store_true", help="every point instead, for comparison")
    arguments = parser.parse_args()

    machines = Machines(arguments.platform, arguments.scene.resolve())
    if arguments.all:
        points = [(2**d, w) for d in range(8) for w in range(8)]
        best = min((machines.worth(*p), p) for p in points)
    else:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        sampler = optuna.samplers.TPESampler(seed=arguments.seed, n_startup_trials=8)
        study = optuna.create_study(sampler=sampler)
        for _ in range(arguments.trials):
            trial = study.ask()
            dsps = 2 ** trial.suggest_int("log2_dsps", 0, 7)
            waits = trial.suggest_int("wait_states", 0, 7)
            worth = machines.worth(dsps, waits)
            failed = {"state": optuna.trial.TrialState.FAIL} if worth is None else {}
            study.tell(trial, worth, **failed)
        found = study.best_params
        best = (study.best_value, (2 ** found["log2_dsps"], found["wait_states"]))
    machines.close()
    print(f"{best[1][0]} DSPs, {best[1][1]} wait states: {best[0]:.6g} ms dollars, "
          f"{len(machines.known)} points run")


if __name__ == "__main__":
    main()
