#!/usr/bin/env python3
"""What scripts/mutation takes for a place to mutate, on lines written for it."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
from mutation import operators, source  # noqa: E402


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


unittest.main()
