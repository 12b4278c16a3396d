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
    def chosen_files(files, *names):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).write_text(text)
            return batches([Source(Path(folder) / name) for name in names], 10)

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
                     "template <typename T>\nusing Name = Base<T>;"):
            with self.subTest(text):
                self.assertEqual(self.chosen(self.local(text), self.local(text)), [1, 2])

    def test_aliases_of_one_name_share_a_batch_if_they_are_the_same(self):
        alias = self.local("using Name = std::vector<int>;")
        self.assertEqual(self.chosen(alias, alias), [1, 1])
        self.assertEqual(self.chosen(alias, self.local("using Name = std::vector<char>;")), [1, 2])
        self.assertEqual(self.chosen(alias, self.local("struct Name {};")), [1, 2])
        self.assertEqual(self.chosen(alias, alias.replace("namespace {\n", "inline namespace a {\n")), [1, 2])

    def test_a_later_source_may_join_an_earlier_batch(self):
        first, second = self.local("void f() {}"), self.local("void g() {}")
        self.assertEqual(self.chosen(first, first, second), [1, 2, 1])

    def test_a_variable_is_kept_apart_from_a_source_that_has_its_name_in_a_function(self):
        variable = self.local("constexpr int limit = 3;")
        self.assertEqual(self.chosen(variable, self.local("void f() { int limit = 4; }")), [1, 2])

    def test_each_variable_of_a_declaration_counts(self):
        variables = self.local("constexpr unsigned first = 0, second = 1;")
        for name in ("first", "second"):
            self.assertEqual(self.chosen(variables, self.local(f"void {name}() {{}}")), [1, 2])

    def test_a_function_is_kept_apart_from_a_source_that_calls_another_function_of_its_name(self):
        function = self.local("int read(int from) { return from; }")
        self.assertEqual(self.chosen(function, self.local("int g() { return read(1, 2, 3); }")), [1, 2])
        self.assertEqual(self.chosen(function, self.local("int g() { return x.read() + ::read(1); }")), [1, 1])

    def test_an_imported_name_is_kept_apart_from_its_declaration(self):
        self.assertEqual(self.chosen("using other::Name;\n", self.local("struct Name {};")), [1, 2])

    def test_a_name_is_kept_apart_from_a_using_directive_that_may_clash(self):
        imports = "using perigee::Octets;\n"
        opens = "using namespace Choices;\nint size(Octets octets);\n"
        self.assertEqual(self.chosen(imports, opens), [1, 2])
        self.assertEqual(self.chosen(imports, "using namespace Choices;\n"), [1, 1])
        self.assertEqual(self.chosen("using namespace Choices;\n" + imports, opens), [1, 1])

    def test_a_macro_is_kept_apart_from_a_source_with_its_name(self):
        self.assertEqual(self.chosen("#define BOTH 1\n", self.local("int f() { return BOTH; }")), [1, 2])

    def test_a_source_with_directives_that_affect_headers_is_compiled_alone(self):
        for line in "#define _GNU_SOURCE", "#define DOCTEST_CONFIG_IMPLEMENT", "#pragma GCC optimize 0", "#undef X":
            with self.subTest(line):
                self.assertEqual(self.chosen(line + "\n", "int f();\n"), [0, 1])

    def test_a_name_is_kept_apart_from_a_header_of_another_source(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "name.h").write_text("struct Name {\n  int get() { return read(1); }\n};\n")
            texts = ('#include "name.h"\n', self.local("struct Name {};"), "using other::Name;\n",
                     self.local("int read() { return 1; }"))
            for number, text in enumerate(texts):
                (Path(folder) / f"{number}.cpp").write_text(text)
            self.assertEqual(batches([Source(Path(folder) / f"{number}.cpp") for number in range(4)], 10), [1, 2, 3, 2])

    def test_overloads_that_headers_declare_share_a_batch(self):
        files = {"a.h": "namespace perigee { int size(A a); }", "b.h": "namespace perigee { int size(B b); }",
                 "a.cpp": '#include "a.h"\nnamespace perigee { int size(A a) { return 1; } }',
                 "b.cpp": '#include "b.h"\nnamespace perigee { int size(B b) { return 2; } }',
                 "calling.cpp": '#include "b.h"\nnamespace perigee { int f() { return size(B()); } }'}
        self.assertEqual(self.chosen_files(files, "a.cpp", "b.cpp", "calling.cpp"), [1, 1, 1])

    def test_a_local_function_is_kept_apart_from_a_source_that_calls_a_function_of_a_header(self):
        files = {"a.h": "namespace perigee { int size(A a); }",
                 "a.cpp": '#include "a.h"\nnamespace perigee { namespace { int size(C c) { return 1; } } }',
                 "calling.cpp": '#include "a.h"\nnamespace perigee { int f() { return size(A()); } }',
                 "defining.cpp": '#include "a.h"\nnamespace perigee { int size(A a) { return 2; } }'}
        self.assertEqual(self.chosen_files(files, "a.cpp", "calling.cpp"), [1, 2])
        self.assertEqual(self.chosen_files(files, "defining.cpp", "a.cpp"), [1, 2])

    def test_the_body_of_a_c_function_declares_nothing(self):
        text = 'extern "C" void FUNCTION() {\n  const int before = 1;\n}\n'
        self.assertEqual(self.chosen(text.replace("FUNCTION", "f"), text.replace("FUNCTION", "g")), [1, 1])

    def test_comments_and_texts_declare_nothing(self):
        text = '// void f() {}\n/* void f() {} */\nconst char* text_NUMBER = R"(\nvoid f() {}\n)";\n'
        self.assertEqual(self.chosen(text.replace("NUMBER", "1"), text.replace("NUMBER", "2")), [1, 1])

    def test_functions_of_classes_and_macros_of_tests_declare_nothing(self):
        text = 'void Class::f() {\n  int a = 1;\n}\nTEST_CASE("x") { g(); }\n'
        self.assertEqual(self.chosen(text, text), [1, 1])


if __name__ == "__main__":
    unittest.main()
