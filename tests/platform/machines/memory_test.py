#!/usr/bin/env python3
"""4,096 DSPs, eight boards of 512, run in 2 GiB: the largest resident size of a whole run."""

import os
import resource
import subprocess
import sys
import tempfile

MOST = 2 << 30  # bytes


def main() -> int:
    program, scene = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, scene, "--engine", "tigershark", "--dsps", "512", "--boards", "8",
                        "--size", "16x16", "--depth", "1", "-o", os.path.join(folder, "picture.ppm")],
                       check=True, stdout=subprocess.DEVNULL)
    largest = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{largest / 2**20:.0f} MiB resident, {largest / 4096 / 1024:.1f} KiB a DSP with all that is beside them")
    if not 0 < largest < MOST:
        print(f"expected less than {MOST >> 20} MiB", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
