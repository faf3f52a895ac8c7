"""Runs, sweeps and figures of `platform`, the platform of simulated ray-tracing hardware.

    import rtvp
    run = rtvp.run("cornell.shk", size=(64, 64), dsps=4, hits=True)
    run.picture.save("cornell.png")
    print(run.statistics["pc0.ray_tree.shadow"])

Everything is done by the installed program: this package starts it and reads what it writes. Whole numbers are Python's `int`,
others the `float` nearest to the program's digits, which is the program's own double.
"""

from rtvp.errors import InputError, LimitError, MachineFault, PlatformError, ProgramError, ProgramNotFound
from rtvp.hits import Hit, Hits
from rtvp.pictures import Picture
from rtvp.program import Parameter, Program, Value
from rtvp.runs import Run, compare, run
from rtvp.statistics import Figure, Statistics
from rtvp.sweeps import Point, Sweep, sweep
from rtvp.version import VERSION as __version__

__all__ = [
    "Figure", "Hit", "Hits", "InputError", "LimitError", "MachineFault", "Parameter", "Picture", "PlatformError", "Point",
    "Program", "ProgramError", "ProgramNotFound", "Run", "Statistics", "Sweep", "Value", "__version__", "compare", "run", "sweep",
]
