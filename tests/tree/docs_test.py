#!/usr/bin/env python3
"""scripts/docs finds what is wrong with pages: links of a tree, links and anchors of a site, tutorials that print something else."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts" / "site"))

import check  # noqa: E402
import figures  # noqa: E402
import stage  # noqa: E402
import tutorials  # noqa: E402


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Staging(Folder):
    def staged(self, page):
        tree = self.folder / "tree"
        subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
        self.errors = stage.Stage(tree, self.folder / "out").run()
        return (self.folder / "out" / page).read_text()

    def test_links_lead_to_the_sites_places(self):
        self.write("README.md", "# r\n")
        self.write("models/x/README.md", "# x\n")
        self.write("models/x/core.hpp", "int x;\n")
        self.write("data/a.csv", "1\n")
        self.write("docs/pages/a.md", "[r](../../README.md#there) [x](../../models/x) [h](../../models/x/core.hpp) [d](../../data)\n"
                   "[w](https://example.org/a.md) [h](#here) ![p](p.png \"title\") <img src=\"p.png\">\n`[c](nowhere)`\n")
        (self.folder / "tree/docs/pages/p.png").write_bytes(b"png")
        self.assertEqual(self.staged("pages/a.md"),
                         "[r](../about.md#there) [x](../models/x/README.md) [h](../source/models/x/core.hpp.txt) [d](../data/README.md)\n"
                         "[w](https://example.org/a.md) [h](#here) ![p](p.png \"title\") <img src=\"p.png\">\n`[c](nowhere)`\n")
        self.assertEqual(self.errors, [])
        self.assertEqual((self.folder / "out/source/models/x/core.hpp.txt").read_text(), "int x;\n")
        self.assertIn("[a.csv](a.csv)", (self.folder / "out/data/README.md").read_text())

    def test_dead_links_are_named(self):
        self.write("docs/a.md", "[x](nowhere.md)\n\n```\n[y](neither)\n```\n")
        self.staged("a.md")
        self.assertEqual(self.errors, ["docs/a.md: found the link 'nowhere.md', expected a file or a folder with a README.md"])

    def test_lists_and_tables_get_their_empty_line(self):
        self.write("docs/a.md", "words\n- one\n- two\n\nwords\n| a |\n|---|\n\n```\nx\n- y\n```\n")
        self.assertEqual(self.staged("a.md"), "words\n\n- one\n- two\n\nwords\n\n| a |\n|---|\n\n```\nx\n- y\n```\n")

    def test_code_in_tables_has_bars_without_backslashes(self):
        self.write("docs/a.md", "| `a \\| <b>` | `c` |\n|---|---|\n\n`d \\| e`\n")
        self.assertEqual(self.staged("a.md"), "| <code>a &#124; &lt;b&gt;</code> | `c` |\n|---|---|\n\n`d \\| e`\n")


class Site(Folder):
    def test_dead_links_and_anchors(self):
        self.write("a.html", '<h1 id="top">a</h1><a href="b.html#x">1</a><a href="b.html#y">2</a>\n<a href="c.html">3</a>'
                   '<img src="p.png"><a href="#top">4</a><a href="https://example.org">5</a><a href="sub/">6</a>')
        self.write("b.html", '<p id="x">b</p>')
        self.write("sub/index.html", "<p>")
        errors, count = check.dead_links(self.folder / "tree")
        self.assertEqual(errors, ["a.html:1: found 'b.html#y', but b.html has no such place",
                                  "a.html:2: found 'c.html', expected a page or file of the site",
                                  "a.html:2: found 'p.png', expected a page or file of the site"])
        self.assertEqual(count, 6)


class Tutorials(Folder):
    def errors(self, text):
        page = self.write("t.md", text)
        return tutorials.check(page, self.folder)

    def test_one_that_does_what_it_says(self):
        self.assertEqual(self.errors('# t\n\n```text title="a b.txt"\n$HOME `x` \\n\n```\n\nwords\n\n```sh\ncat "a b.txt"\nV=1; cd ..; cd -  >/dev/null\n```\n\n'
                                     "```text\n$HOME `x` \\n\n```\n```sh\necho one; echo \"two $V\"; echo three; echo four >&2; false || echo \"status $?\"\n```\n"
                                     "```text\none\ntwo ...\n...\nstatus 1\n```\n"), [])

    def test_other_output_is_named_with_its_line(self):
        for said, expected in (("one", "two"), ("one\\ntwo", "one"), ("one", "one\ntwo"), ("", "one"), ("xone", "one"), ("one", "...x")):
            with self.subTest(said):
                errors = self.errors(f"```sh\nprintf '{said}\\n'\n```\n\n```text\n{expected}\n```\n")
                self.assertEqual(len(errors), 1)
                self.assertIn("t.md:1: found", errors[0])

    def test_what_stands_behind_a_prompt_is_typed(self):
        asks = "```sh\nV=1\nwhile read -r LINE; do echo \"(it) $LINE\"; echo \"<$LINE>\"; done\n```\n"
        self.assertEqual(self.errors(asks + "```text\n(it) a $V # b\n<a ...>\n(it) c\n<c>\n```\n```sh\necho $V\n```\n```text\n1\n```\n"), [])
        self.assertIn("t.md:1: found", self.errors(asks + "```text\n(it) a\n<b>\n```\n")[0])

    def test_a_command_that_fails_ends_the_page(self):
        errors = self.errors("```sh\ntrue\n```\n\n```sh\necho why; false\n```\n\n```sh\necho never\n```\n")
        self.assertEqual(len(errors), 1)
        self.assertRegex(errors[0], r"t.md:5: a command failed, status 1: why$")

    def test_a_page_without_commands(self):
        self.assertIn("no block of commands", self.errors("# t\n")[0])


class House(Folder):
    GRAPH = ("target rtvp_common models/common\ntarget rtvp_theia models/theia\nlink rtvp::common\n"
             "target rtvp_theia_unit models/theia\nlink rtvp::theia\nlink rtvp::common\nlink Boost::json\n")

    def named(self, graph):
        pairs = figures.reduced(figures.links_of(self.write("g.txt", graph)))
        return {(figures.ROOMS[a][0], figures.ROOMS[b][0]) for a, b in pairs}

    def test_arrows_are_links_that_no_others_imply(self):
        self.assertEqual(self.named(self.GRAPH), {("THEIA unit", "THEIA core"), ("THEIA core", "common")})

    def test_targets_without_a_room_pass_links_on(self):
        graph = self.GRAPH + "target rtvp_x_firmware firmware/x\nlink rtvp::theia\ntarget rtvp_machines platform/machines\nlink rtvp::x_firmware\n"
        self.assertIn(("machines", "THEIA core"), self.named(graph))

    def test_rooms_that_use_each_other_are_refused(self):
        with self.assertRaisesRegex(SystemExit, "uses itself"):
            self.named(self.GRAPH + "target rtvp_theia_map models/theia\nlink rtvp::theia_unit\n")


if __name__ == "__main__":
    unittest.main()
