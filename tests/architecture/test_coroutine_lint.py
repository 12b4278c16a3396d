"""The lint of co_await finds `?:`, `&&`, `||` and braced values in a statement with co_await, and nothing else."""

import unittest

import coroutine_lint

REJECTED = {
    "?:": [
        "C c = yes ? co_await made(1) : C(2);",
        "int x = co_await value(yes ? C(1) : C(2));",
        "co_return yes ? co_await value(1) : co_await value(2);",
        "int x = co_await (yes ? value(C(1)) : value(C(2)));",
        "f(co_await value(1),\n  yes ? 1 : 2);",
    ],
    "&&": [
        "if (C(1).v == 1 && co_await yes(1)) co_return 1;",
        "bool both = yes &&\n            co_await no(1);",
        "while (co_await next() && more) step();",
        "if (yes) {\n} else if (go && co_await next()) {\n}",
        "bool both = yes and co_await no(1);",
    ],
    "||": [
        "bool b = yes || co_await no(1);",
        "for (bool go = true; go; go = stay || co_await next()) step();",
    ],
    "a braced value": [
        "int x = co_await taken(Aggregate{C(1), 2});",
        "int x = co_await taken({C(1), 2});",
        "int x = co_await list(std::vector<C>{C(1), C(2)});",
        "co_await taken(Aggregate{});",
        "int x = sum(Aggregate{1}, co_await value(1));",
        "co_await Aggregate{gate};",
    ],
}
ALLOWED = [
    "int x = co_await value(1);",
    "const bool go = co_await next();\nif (go && more) step();",
    "if (co_await next()) {\n  x = a ? b : c;\n}",
    "if (co_await next()) x = a ? b : c;",
    "while (co_await next()) {\n  f(Aggregate{1});\n}",
    "for (auto&& part : co_await parts()) step(part && more);",
    "auto&& x = co_await value(1);",
    "T&& x = co_await value(1);\nx = a || b;",
    "co_return co_await value(1);",
    "auto [a, b] = co_await when_all(f(), g());",
    "auto f = [](int x) -> task<int> {\n  co_await gate;\n  co_return x ? 1 : 2;\n};",
    "run(reactor, [](Gate& gate) -> task<> {\n  co_await gate;\n  x = a && b;\n}(gate));",
    "x = yes ? 1 : 2;\nco_await gate;\ny = Aggregate{1};",
    "// yes ? co_await a : b\nconst char* text = \"co_await {} && x\";",
    "#define AWAIT(a) (a && co_await b)\n",
    "auto operator co_await() && noexcept { return Awaiter{*this}; }",
    "Awaiter operator co_await() & noexcept { return a ? b : c; }",
    "if constexpr (requires { operator co_await(std::move(x)); }) {\n  return a ? b : c;\n}",
    "switch (co_await value(1)) {\n  case 1: return a ? b : c;\n}",
    "try {\n  co_await gate;\n} catch (...) {\n  x = {1};\n}",
]


def in_function(statement):
    return f"task<int> f(int x) {{\n  {statement}\n}}\n"


class CoAwait(unittest.TestCase):
    def test_forbidden_forms_are_found(self):
        for name, samples in REJECTED.items():
            for sample in samples:
                with self.subTest(sample):
                    findings = list(coroutine_lint.check("a.cpp", in_function(sample)))
                    self.assertEqual(len(findings), 1, findings)
                    self.assertIn(f": {name} in a statement with co_await", findings[0])

    def test_allowed_forms_are_not_found(self):
        for sample in ALLOWED:
            with self.subTest(sample):
                self.assertEqual(list(coroutine_lint.check("a.cpp", in_function(sample))), [])

    def test_the_line_of_the_co_await_is_named(self):
        text = in_function("step();\n\n  bool b = yes &&\n           co_await no(1);")
        self.assertTrue(next(coroutine_lint.check("a.cpp", text)).startswith("a.cpp:5: "))

    def test_classes_and_namespaces_are_searched(self):
        text = "namespace a {\nstruct S {\n" + in_function(REJECTED["?:"][0]) + "};\n}\n"
        self.assertEqual(len(list(coroutine_lint.check("a.cpp", text))), 1)


if __name__ == "__main__":
    unittest.main()
