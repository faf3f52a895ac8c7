"""The example notebook runs from top to bottom, and so does the README's example.

By nbclient and an IPython kernel where both are installed; elsewhere its cells run one after the other in one namespace, which
shows that they work but not how they look.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import json
import os
from typing import Any
from unittest import mock

from tests.support import HAS_PANDAS, SCENE, TREE, Case

NOTEBOOK = TREE / "python" / "notebooks" / "tour.ipynb"


class Notebook(Case):
    def setUp(self) -> None:
        super().setUp()
        paths = os.pathsep.join(filter(None, [str(TREE / "python"), os.environ.get("PYTHONPATH")]))
        values = {"RTVP_SCENE": str(SCENE), "RTVP_PLATFORM": str(self.program.path), "PYTHONPATH": paths,
                  "IPYTHONDIR": str(self.folder), "JUPYTER_RUNTIME_DIR": str(self.folder)}
        environment = mock.patch.dict(os.environ, values)
        environment.start()
        self.addCleanup(environment.stop)

    def test_is_stored_without_outputs(self) -> None:
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))

    def test_cells_run_in_order(self) -> None:
        document = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
        space: dict[str, object] = {}
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for cell in document["cells"]:
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), cell["id"], "exec"), space)
        self.check_output(said.getvalue())

    def test_in_a_kernel(self) -> None:
        if not all(importlib.util.find_spec(name) for name in ("nbclient", "nbformat", "ipykernel")):
            self.skipTest("nbclient and ipykernel are not installed")
        nbclient: Any = importlib.import_module("nbclient")  # untyped, and not everywhere
        nbformat: Any = importlib.import_module("nbformat")
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        outputs = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
        self.check_output("".join(o.text for o in outputs if o.output_type == "stream"))
        pages = [o.data["text/html"] for o in outputs if o.output_type == "execute_result" and "text/html" in o.data]
        self.assertTrue(any("data:image/png;base64," in page for page in pages))

    def check_output(self, text: str) -> None:
        self.assertIn(" of 2304 pixels meet another primitive", text)
        self.assertIn("found '9999', expected a whole number 1..512", text)
        # Six points, none failed: vote, DSPs, time, speed-up, status.
        rows = [line.split() for line in text.splitlines() if line.startswith(("on ", "off "))]
        self.assertEqual([row[:2] for row in rows[:6]], [[vote, n] for vote in ("on", "off") for n in ("4", "8", "16")])
        self.assertEqual({row[4] for row in rows[:6]}, {"0"})
        self.assertEqual(float(rows[0][3]), 1.0)


class Readme(Case):
    def test_example_runs(self) -> None:
        text = (TREE / "python" / "README.md").read_text(encoding="utf-8")
        code = text.split("```python\n")[1].split("```")[0]
        if not HAS_PANDAS:
            code = code.replace(".frame()", "")
        exec(compile(code.replace('"cornell.shk"', repr(str(SCENE))), "README.md", "exec"), {})
        self.assertTrue((self.folder / "cornell.png").read_bytes().startswith(b"\x89PNG"))
