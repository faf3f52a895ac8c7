#!/usr/bin/env python3
"""The largest resident size of a whole run: memory_test.py MIB PROGRAM SCENE [OPTION...] fails if it is MIB or more."""

import os
import resource
import subprocess
import sys
import tempfile


def main() -> int:
    most, program, scene, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, scene, *options, "--size", "16x16", "--depth", "1",
                        "-o", os.path.join(folder, "picture.ppm")], check=True, stdout=subprocess.DEVNULL)
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{largest:.0f} MiB resident")
    if not 0 < largest < int(most):
        print(f"expected less than {most} MiB", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
