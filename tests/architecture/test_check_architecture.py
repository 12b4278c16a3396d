"""Samples of forbidden code, which the architecture check must find, and of allowed code."""

import tempfile
import unittest
from pathlib import Path

import check_architecture as check
import cpp_text
import include_cycles

HERE = Path(__file__).resolve().parent
HEADER = "// What it is for.\n#pragma once\n"


def lines(count, line="  step();\n"):
    return line * count


def lengths(text):
    return {function.name: function.lines for function in cpp_text.functions(text)}


class FunctionLengths(unittest.TestCase):
    def test_a_function_counts_from_its_head_to_its_closing_brace(self):
        self.assertEqual(lengths("int a;\n\nint f(int x,\n      int y) {\n  return x;\n}\n"), {"f": 4})

    def test_functions_in_namespaces_and_classes_are_found(self):
        text = "namespace a::b {\nclass C final : public D {\n public:\n  C() : x_{1}, y_(2) {\n  }\n" \
               "  int get() const noexcept { return x_; }\n};\nvoid C::set(int x) {\n  x_ = x;\n}\n}\n"
        self.assertEqual(lengths(text), {"C": 2, "get": 1, "C::set": 3})

    def test_initializers_of_members_do_not_end_a_constructor(self):
        text = "X::X(int a)\n    : a_{a},\n      b_{std::vector<int>{1, 2}} {\n  go();\n}\n"
        self.assertEqual(lengths(text), {"X::X": 5})

    def test_default_arguments_with_braces_belong_to_the_head(self):
        self.assertEqual(lengths("void f(std::string a = {},\n       B b = B{1}) {\n}\n"), {"f": 3})

    def test_templates_requires_clauses_and_trailing_types_are_heads(self):
        text = "template <typename T, int N = sizeof(T)>\n  requires(std::is_enum_v<T>)\n" \
               "auto f(T t) -> std::vector<T> {\n}\ntemplate <>\nstruct traits<int> : base<int> {\n" \
               "  void g() {\n  }\n};\n"
        self.assertEqual(lengths(text), {"f": 4, "g": 2})

    def test_operators_are_functions(self):
        text = "bool operator==(const A& a, const A& b) {\n  return true;\n}\nvoid C::operator()(int) {\n}\n"
        self.assertEqual(sorted(lengths(text).values()), [2, 3])

    def test_initialized_variables_and_enums_are_not_functions(self):
        text = "constexpr std::array<int, 3> table = {\n  f(1),\n  2,\n};\nconst S s{g(1)};\n" \
               "enum class E : int {\n  a,\n};\nstruct alignas(8) P {\n  int x;\n};\n"
        self.assertEqual(lengths(text), {})

    def test_a_function_returning_a_struct_is_a_function(self):
        self.assertEqual(lengths("struct stat status_of(int fd) {\n}\n"), {"status_of": 2})

    def test_braces_in_literals_comments_and_directives_do_not_count(self):
        text = "void f() {\n  // }\n  auto a = \"}\"; char b = '}'; auto c = R\"x(}\")\")x\";\n" \
               "#define OPEN {\n  int n = 1'000;\n}\nvoid g() {\n}\n"
        self.assertEqual(lengths(text), {"f": 6, "g": 2})

    def test_test_cases_are_functions(self):
        self.assertEqual(list(lengths('TEST_CASE("a reply") {\n  CHECK(true);\n}\n').values()), [3])

    def test_a_long_function_is_reported_with_its_line(self):
        architecture = check.Architecture(check.load_table(HERE / "layers.toml"))
        fits = "// What.\nvoid f() {\n" + lines(68) + "}\n"
        too_long = "// What.\nvoid f() {\n" + lines(69) + "}\n"
        self.assertEqual(list(check.check_source_file(architecture, "a.cpp", fits)), [])
        self.assertEqual(
            list(check.check_source_file(architecture, "a.cpp", too_long)),
            ["a.cpp:2: function f has 71 lines, more than 70"],
        )


class Threads(unittest.TestCase):
    def findings(self, text, relative="src/orb/x.cpp"):
        return list(check.check_threads(relative, text))

    def test_creating_a_thread_in_another_way_is_a_finding(self):
        for text in ("std::thread t(f);\n", "std::jthread t;\n", "std::vector<std::thread> all;\n",
                     "auto f = std::async(g);\n", "pthread_create(&t, nullptr, f, nullptr);\n"):
            self.assertEqual(len(self.findings("\n" + text)), 1, text)
            self.assertTrue(self.findings("\n" + text)[0].startswith("src/orb/x.cpp:2: "))

    def test_thread_ids_numbers_of_cpus_and_comments_are_no_findings(self):
        self.assertEqual(self.findings("std::thread::id a;\nstd::thread::hardware_concurrency();\n"
                                       "std::this_thread::get_id();\n// std::thread\n"
                                       "event::Thread t(f);\n\"std::thread\";\n"), [])

    def test_programs_tests_and_the_class_itself_may_create_threads(self):
        for relative in ("tests/x.cpp", "tools/x.cpp", "examples/x.cpp", "src/event/thread.h"):
            self.assertEqual(self.findings("std::thread t(f);\n", relative), [])


class SourceFiles(unittest.TestCase):
    def setUp(self):
        self.architecture = check.Architecture(check.load_table(HERE / "layers.toml"))

    def findings(self, name, text):
        return list(check.check_source_file(self.architecture, name, text))

    def test_a_file_may_have_800_lines_and_no_more(self):
        self.assertEqual(self.findings("a.cpp", "// What.\n" + lines(799, "int a;\n")), [])
        self.assertEqual(len(self.findings("a.cpp", "// What.\n" + lines(800, "int a;\n"))), 1)

    def test_a_file_starts_with_a_comment(self):
        self.assertEqual(len(self.findings("a.cpp", "int a;\n")), 1)

    def test_a_header_has_pragma_once(self):
        self.assertEqual(self.findings("a.h", HEADER), [])
        self.assertEqual(len(self.findings("a.h", "// What.\n")), 1)

    def test_todo_needs_a_kind(self):
        self.assertEqual(list(check.check_text("a.cpp", "// TODO(perf): reuse it\n")), [])
        for text in ("// TODO: later\n", "// TODO(john): later\n", "// TODO(soon):\n"):
            self.assertEqual(len(list(check.check_text("a.cpp", text))), 1, text)

    def test_paths_of_one_machine_are_found(self):
        home, work, root = (f"/{folder}/" for folder in ("home", "work", "root"))
        for text in (f"cd {home}jane/x\n", f'open("{work}x")\n', f"{root}a\n"):
            self.assertEqual(len(list(check.check_text("a.md", text))), 1, text)
        for text in ("/usr/include\n", f"https://a.org{home}x\n", f"src{work}x\n", "/homework\n"):
            self.assertEqual(list(check.check_text("a.md", text)), [], text)


class Layers(unittest.TestCase):
    def setUp(self):
        self.architecture = check.Architecture(check.load_table(HERE / "layers.toml"))

    def findings(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            found = list(check.check_layers(self.architecture, root))
            return found + list(check.check_programs(root))

    def one(self, name, include):
        return self.findings({name: HEADER + f"#include {include}\n"})

    def test_arrows_down_are_allowed(self):
        self.assertEqual(self.one("include/perigee/giop/a.h", "<perigee/cdr/decoder.h>"), [])
        self.assertEqual(self.one("src/orb/core/a.cpp", "<perigee/transport/transport.h>"), [])
        self.assertEqual(self.one("src/runtime/a.cpp", "<perigee/transport/tcp/tcp.h>"), [])
        self.assertEqual(self.one("src/transport/tcp/a.cpp", "<perigee/ipc/sock.h>"), [])

    def test_arrows_up_and_sideways_are_found(self):
        for name, include in (
            ("include/perigee/cdr/a.h", "<perigee/giop/giop.h>"),
            ("src/giop/a.cpp", "<perigee/transport/transport.h>"),
            ("src/orb/core/a.cpp", "<perigee/transport/tcp/tcp.h>"),
            ("src/orb/core/a.cpp", "<perigee/poa/poa.h>"),
            ("src/transport/tcp/a.cpp", "<perigee/transport/local/local.h>"),
            ("src/idlc/frontend/a.cpp", "<perigee/cdr/decoder.h>"),
        ):
            self.assertEqual(len(self.one(name, include)), 1, (name, include))

    def test_programs_include_public_headers_and_the_listed_private_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name, text in {"src/base/a.h": HEADER, "src/base/b.h": HEADER,
                               "tools/t.cpp": HEADER + '#include "base/a.h"\n#include "base/b.h"\n'}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            self.assertEqual(len(list(check.check_programs(root))), 2)
            found = list(check.check_programs(root, ["base/a.h"]))
            self.assertEqual(len(found), 1)
            self.assertIn("base/b.h", found[0])

    def test_includes_in_comments_do_not_count(self):
        text = HEADER + "// #include <perigee/orb/orb.h>\n/*\n#include <unistd.h>\n*/\n"
        self.assertEqual(self.findings({"src/cdr/a.cpp": text}), [])

    def test_only_some_layers_may_include_system_headers(self):
        self.assertEqual(self.one("src/ipc/a.cpp", "<sys/socket.h>"), [])
        self.assertEqual(self.one("src/transport/tcp/a.cpp", "<unistd.h>"), [])
        for name in ("src/messaging/a.cpp", "src/orb/core/a.cpp", "src/giop/a.cpp"):
            self.assertEqual(len(self.one(name, "<sys/socket.h>")), 1, name)

    def test_every_layer_may_include_the_standard_library(self):
        self.assertEqual(self.one("src/cdr/a.cpp", "<expected>"), [])
        self.assertEqual(self.one("src/cdr/a.cpp", "<cerrno>"), [])

    def test_only_sources_of_the_layer_that_lists_a_foreign_library_may_include_it(self):
        self.assertEqual(self.one("src/base/log.cpp", "<spdlog/logger.h>"), [])
        for name in ("include/perigee/base/log.h", "src/orb/core/a.cpp"):
            self.assertEqual(len(self.one(name, "<spdlog/logger.h>")), 1, name)

    def test_the_arrows_hold_for_private_headers_too(self):
        files = {"src/orb/core/core.h": HEADER, "src/idlc/frontend/model.h": HEADER}
        own = {"src/orb/core/a.cpp": '// W.\n#include "orb/core/core.h"\n#include "core.h"\n'}
        above = {"src/poa/a.cpp": '// W.\n#include "orb/core/core.h"\n'}
        below = {"src/giop/a.cpp": '// W.\n#include "orb/core/core.h"\n'}
        back_end = {"src/idlc/backends/cpp11/a.cpp": '// W.\n#include "idlc/frontend/model.h"\n'}
        missing = {"src/poa/a.cpp": '// W.\n#include "poa/nothing.h"\n'}
        for allowed in (own, above, back_end):
            self.assertEqual(self.findings(files | allowed), [])
        for forbidden in (below, missing):
            self.assertEqual(len(self.findings(files | forbidden)), 1)

    def test_programs_use_public_headers_only(self):
        files = {"src/orb/core/core.h": HEADER, "tools/a/a.cpp": '// W.\n#include "orb/core/core.h"\n'}
        self.assertEqual(len(self.findings(files)), 1)

    def test_a_folder_that_no_layer_owns_is_found(self):
        self.assertEqual(len(self.findings({"src/misc/a.cpp": "// W.\n"})), 1)

    def test_a_file_in_the_root_of_a_layer_with_rooms_is_found(self):
        self.assertEqual(len(self.findings({"src/orb/a.cpp": "// W.\n"})), 1)
        self.assertEqual(len(self.findings({"src/engine/a.h": HEADER})), 1)

    def test_a_room_includes_lower_rooms_only(self):
        self.assertEqual(self.findings({
            "src/orb/values/a.h": HEADER,
            "src/orb/references/a.cpp": '// W.\n#include "orb/values/a.h"\n',
        }), [])
        self.assertEqual(len(self.findings({
            "src/orb/context/a.h": HEADER,
            "src/orb/connection/a.cpp": '// W.\n#include "orb/context/a.h"\n',
        })), 1)

    def test_the_engine_knows_neither_orb_nor_giop_nor_object_references(self):
        for include in ("<perigee/orb/any.h>", "<perigee/giop/giop.h>", "<perigee/iop/ior.h>"):
            self.assertEqual(len(self.one("src/engine/connection/a.h", include)), 1, include)
        self.assertEqual(self.one("src/engine/connection/a.h", "<perigee/transport/transport.h>"), [])
        self.assertEqual(len(self.one("src/engine/memory/a.h", "<perigee/event/reactor.h>")), 1)


class Rooms(unittest.TestCase):
    """A small table: the layer `orb` has the rooms `low` and `high`. An arrow of the list arrows_left leads from `low`
    up to `high`."""

    TABLE = {
        "layers": {"base": [], "orb/low": [], "orb/high": ["orb/low"], "poa": ["orb/*"]},
        "public_headers": {"orb/low": ["orb/any.h"], "orb/high": ["orb/orb.h"]},
        "arrows_left": {"list": []},
        "system_headers": {"allowed": []},
        "libraries": {},
        "limits": {},
    }
    PUBLIC = {"include/perigee/orb/any.h": HEADER, "include/perigee/orb/orb.h": HEADER}

    def findings(self, files, arrows_left=()):
        architecture = check.Architecture(self.TABLE | {"arrows_left": {"list": list(arrows_left)}})
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return [*check.check_layers(architecture, root), *check.check_table(architecture, root)]

    def test_a_public_header_belongs_to_the_room_that_lists_it(self):
        low = {"src/orb/low/a.cpp": "// W.\n#include <perigee/orb/any.h>\n"}
        up = {"src/orb/low/a.cpp": "// W.\n#include <perigee/orb/orb.h>\n"}
        self.assertEqual(self.findings(self.PUBLIC | low), [])
        self.assertEqual(len(self.findings(self.PUBLIC | up)), 1)

    def test_a_public_header_that_no_room_lists_is_found(self):
        self.assertEqual(len(self.findings(self.PUBLIC | {"include/perigee/orb/new.h": HEADER})), 1)

    def test_a_listed_public_header_that_does_not_exist_is_found(self):
        self.assertEqual(len(self.findings({"include/perigee/orb/any.h": HEADER})), 1)

    def test_a_private_file_is_not_taken_for_the_public_header_of_the_same_name(self):
        self.assertEqual(len(self.findings(self.PUBLIC | {"src/orb/any.h": HEADER})), 1)

    def test_layers_above_may_include_every_room_of_a_list_with_a_star(self):
        files = {"src/poa/a.cpp": "// W.\n#include <perigee/orb/any.h>\n#include <perigee/orb/orb.h>\n"}
        self.assertEqual(self.findings(self.PUBLIC | files), [])

    def test_an_arrow_on_the_list_arrows_left_is_allowed_in_its_direction_only(self):
        up = {"src/orb/low/a.cpp": "// W.\n#include <perigee/orb/orb.h>\n"}
        self.assertEqual(self.findings(self.PUBLIC | up, ["orb/low -> orb/high"]), [])
        self.assertEqual(len(self.findings(self.PUBLIC | up, ["orb/high -> orb/low"])), 2)

    def test_an_arrow_on_the_list_that_no_file_needs_is_found(self):
        self.assertEqual(len(self.findings(self.PUBLIC, ["orb/low -> orb/high"])), 1)


class IncludeCycles(unittest.TestCase):
    def graph(self, files, room_of_header=None):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return include_cycles.graph(root, room_of_header or {})

    def test_a_header_and_its_source_are_one_unit(self):
        edges = self.graph({
            "src/x/a.h": "",
            "src/x/a.cpp": '#include "x/a.h"\n#include "x/b.h"\n',
            "src/x/b.h": '#include "a.h"\n',
        })
        self.assertEqual(edges, {"x/a": {"x/b"}, "x/b": {"x/a"}})
        self.assertEqual(include_cycles.cycles(edges), [{"x/a", "x/b"}])

    def test_a_source_belongs_to_the_public_header_of_its_name_in_its_folder_or_above(self):
        files = {
            "include/perigee/orb/any.h": "",
            "src/orb/values/any.cpp": "#include <perigee/orb/any.h>\n",
            "include/perigee/cdr/buffer.h": "",
            "src/cdr/buffer.cpp": '#include <perigee/cdr/buffer.h>\n#include <vector>\n',
        }
        self.assertEqual(self.graph(files), {"orb/any": set(), "cdr/buffer": set()})
        self.assertEqual(self.graph(files, {"orb/any.h": "orb/values"}), {"orb/values/any": set(), "cdr/buffer": set()})

    def test_units_in_a_chain_are_no_cycle(self):
        self.assertEqual(include_cycles.cycles({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])

    def test_separate_cycles_are_two_and_connected_cycles_are_one(self):
        edges = {"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"c"}}
        self.assertEqual(sorted(map(sorted, include_cycles.cycles(edges))), [["a", "b"], ["c", "d"]])
        edges["d"] = {"c", "a"}
        self.assertEqual(include_cycles.cycles(edges), [{"a", "b", "c", "d"}])

    def test_a_long_chain_needs_no_deep_recursion(self):
        edges = {str(number): {str((number + 1) % 5000)} for number in range(5000)}
        self.assertEqual(len(include_cycles.cycles(edges)[0]), 5000)

    def findings(self, edges, *listed):
        return list(include_cycles.check(edges, [set(units) for units in listed]))

    def test_a_cycle_must_be_on_the_list(self):
        edges = {"a": {"b"}, "b": {"a"}, "c": set()}
        self.assertEqual(len(self.findings(edges)), 2)
        self.assertEqual(self.findings(edges, "ab"), [])

    def test_a_cycle_must_not_grow(self):
        edges = {"a": {"b"}, "b": {"c"}, "c": {"a"}}
        self.assertEqual(self.findings(edges, "ab"), ["include cycle: c includes a, which lead back to it"])

    def test_two_listed_cycles_must_not_join(self):
        edges = {"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"c", "a"}}
        self.assertEqual(len(self.findings(edges, "ab", "cd")), 2)

    def test_a_listed_cycle_may_split_but_a_unit_in_no_cycle_must_leave_the_list(self):
        edges = {"a": {"b"}, "b": {"a"}, "c": {"d"}, "d": {"c"}, "e": set()}
        self.assertEqual(self.findings(edges, "abcd"), [])
        self.assertEqual(len(self.findings(edges, "abcde")), 1)
        self.assertEqual(len(self.findings({"a": set()}, "ab")), 2)


if __name__ == "__main__":
    unittest.main()
