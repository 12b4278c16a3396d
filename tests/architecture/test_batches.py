"""cmake/batches.py: which sources may be compiled together."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cmake"))

from batches import Source, batches  # noqa: E402


class Batches(unittest.TestCase):
    def chosen(self, *texts, size=10):
        with tempfile.TemporaryDirectory() as folder:
            sources = []
            for number, text in enumerate(texts):
                path = Path(folder) / f"{number}.cpp"
                path.write_text(text)
                sources.append(Source(path))
            return batches(sources, size)

    @staticmethod
    def local(text):
        return "#include <x.h>\n\nnamespace perigee {\nnamespace {\n\n" + text + "\n\n}  // namespace\n}\n"

    def test_sources_without_common_names_share_a_batch(self):
        self.assertEqual(self.chosen(self.local("void f() {}"), self.local("void g() {}")), [1, 1])

    def test_a_batch_has_as_many_sources_as_the_size_says(self):
        sources = [self.local(f"void f{number}() {{}}") for number in range(5)]
        self.assertEqual(self.chosen(*sources, size=2), [1, 1, 2, 2, 3])

    def test_types_functions_and_variables_of_one_name_are_kept_apart(self):
        for text in ("struct Name { int a; };", "class Name final : public Base {};", "enum class Name { a };",
                     "int Name(int a, int b) { return a + b; }", "template <typename T>\nvoid Name(T a) {}",
                     "constexpr int Name = 3;", "const std::vector<int> Name{1, 2};", "int Name[2];",
                     "using Name = int;"):
            with self.subTest(text):
                self.assertEqual(self.chosen(self.local(text), self.local(text)), [1, 2])

    def test_a_later_source_may_join_an_earlier_batch(self):
        first, second = self.local("void f() {}"), self.local("void g() {}")
        self.assertEqual(self.chosen(first, first, second), [1, 2, 1])

    def test_a_variable_is_kept_apart_from_a_source_that_has_its_name_in_a_function(self):
        variable = self.local("constexpr int limit = 3;")
        self.assertEqual(self.chosen(variable, self.local("void f() { int limit = 4; }")), [1, 2])

    def test_a_function_does_not_mind_its_name_in_other_functions(self):
        self.assertEqual(self.chosen(self.local("void f() {}"), self.local("void g() { f(); }")), [1, 1])

    def test_an_imported_name_is_kept_apart_from_its_declaration(self):
        self.assertEqual(self.chosen("using other::Name;\n", self.local("struct Name {};")), [1, 2])

    def test_sources_of_a_batch_open_the_same_namespaces(self):
        first, second = "using namespace first;\n", "using namespace second;\n"
        self.assertEqual(self.chosen(first, second, first, "int f();\n"), [1, 2, 1, 3])
        self.assertEqual(self.chosen("using namespace std::chrono_literals;\n", "int f();\n"), [1, 1])

    def test_a_macro_is_kept_apart_from_a_source_with_its_name(self):
        self.assertEqual(self.chosen("#define BOTH 1\n", self.local("int f() { return BOTH; }")), [1, 2])

    def test_what_changes_the_meaning_of_headers_is_compiled_alone(self):
        for line in "#define _GNU_SOURCE", "#define DOCTEST_CONFIG_IMPLEMENT", "#pragma GCC optimize 0", "#undef X":
            with self.subTest(line):
                self.assertEqual(self.chosen(line + "\n", "int f();\n"), [0, 1])

    def test_comments_and_texts_declare_nothing(self):
        text = '// void f() {}\n/* void f() {} */\nconst char* text_NUMBER = R"(\nvoid f() {}\n)";\n'
        self.assertEqual(self.chosen(text.replace("NUMBER", "1"), text.replace("NUMBER", "2")), [1, 1])

    def test_functions_of_classes_and_macros_of_tests_declare_nothing(self):
        text = 'void Class::f() {\n  int a = 1;\n}\nTEST_CASE("x") { g(); }\n'
        self.assertEqual(self.chosen(text, text), [1, 1])


if __name__ == "__main__":
    unittest.main()
