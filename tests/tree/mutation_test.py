#!/usr/bin/env python3
"""What scripts/mutation takes for a place to mutate, on lines written for it."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
from mutation import operators, runs, score, source  # noqa: E402


def mutants(line, previous="{"):
    code = source.masked(line)
    return {line[:b] + after + line[e:] for _, b, e, after, _ in operators.sites(line, code, previous, lambda n: 0)}


class Operators(unittest.TestCase):
    def test_comparison_and_condition(self):
        self.assertEqual(mutants("  if (a < b) return;"), {"  if (a <= b) return;", "  if (!(a < b)) return;"})

    def test_template_brackets_are_no_comparison(self):
        self.assertEqual(mutants("  std::vector<int> x;"), set())

    def test_text_and_comments_are_no_code(self):
        self.assertEqual(mutants('  return "a < 3";  // 4 + 5'), set())

    def test_statement_with_sign(self):
        self.assertEqual(mutants("  total += x;"), {"  ;", "  total -= x;"})

    def test_arguments(self):
        self.assertIn("  return f(b, a);", mutants("  return f(a, b);"))

    def test_formula(self):
        self.assertEqual(mutants('    {"x", "a.b / c"},'), {'    {"x", "a.b * c"},'})


class Source(unittest.TestCase):
    def test_columns_stay(self):
        text = 'f("a\\"b", \'x\');  /* y */ g(1\'000);\n'
        self.assertEqual(len(source.masked(text)), len(text))
        self.assertIn("g(1'000);", source.masked(text))

    def test_constexpr_ends_where_the_declaration_does(self):
        lines = ["constexpr int k = 3;", "int f() {", "  return 4;", "}", "constexpr int g() {", "  return 5;", "}"]
        self.assertEqual([source.constexpr_of(lines, n) for n in (0, 2, 5)], [0, None, 4])

    def test_assertion_taken_out_keeps_the_lines(self):
        text = "int a;\nstatic_assert(f(1,\n  2));\nint b;\n"
        self.assertEqual(source.without_assertion(text, 3), "int a;\n\n\nint b;\n")


class Results(unittest.TestCase):
    def test_what_was_kept_is_there_after_an_interruption(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.csv"
            mutant = {"number": 7, "file": "a.cpp", "line": 3, "class": "reset", "operator": "statement", "before": "  f();",
                      "after": "  ;", "level": "switched"}
            runs.Results(path).keep(mutant, {"result": "survived", "test": "", "seconds": 1.5, "tests": 2})
            again = runs.Results(path)
            self.assertEqual(again.rows[7]["after"], "  ;")
            again.keep(dict(mutant, number=3), {"result": "killed", "test": "A.B", "seconds": 0.1, "tests": 1})
            self.assertEqual([(n, r["result"]) for n, r in sorted(runs.Results(path).rows.items())],
                             [(3, "killed"), (7, "survived")])

    def test_two_runs_keep_both_their_results(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.csv"
            mutant = {"number": 1, "file": "a.cpp", "line": 3, "class": "reset", "operator": "statement", "before": "  f();",
                      "after": "  ;", "level": "switched"}
            answer = {"result": "killed", "test": "A.B", "seconds": 0.1, "tests": 1}
            first, second = runs.Results(path), runs.Results(path)
            first.keep(mutant, answer)
            second.keep(dict(mutant, number=2), answer)
            first.forget(2)
            first.keep(dict(mutant, number=3), answer)
            self.assertEqual(sorted(runs.Results(path).rows), [1, 3])

    def test_near_tests_come_first_and_of_those_the_cheap_ones(self):
        def test(name, source, seconds):
            out = runs.Test({"name": name, "command": ["x"]}, {})
            out.source, out.seconds = source, seconds
            return out

        tests = [test("far", "tests/platform/app", 0.1), test("near", "tests/models/c32", 0.9), test("nearer", "tests/models/c32", 0.2),
                 test("dear", "tests/models/c32", 9)]
        self.assertEqual([t.name for t in runs.order(tests, {"file": "models/c32/cpu.cpp"})], ["nearer", "near", "far", "dear"])


class Score(unittest.TestCase):
    def test_only_a_proof_makes_a_survivor_equivalent(self):
        row = {"file": "a.cpp", "after": "  x;", "result": "survived"}
        self.assertEqual(score.state(row, {}), "survived")
        self.assertEqual(score.state(row, {("a.cpp", "x;"): "because"}), "equivalent")
        self.assertEqual(score.state(dict(row, result="killed (static assertion)"), {}), "killed")
        self.assertEqual(score.state(dict(row, result="not reached"), {}), "survived")


unittest.main()
