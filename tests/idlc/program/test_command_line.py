"""The command line of perigee-idl as users meet it, and its manual.

usage: test_command_line.py <perigee-idl> <perigee-idl.1>
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COMPILER, MANUAL = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])

GOOD = "#pragma hh nothing\ninterface I { void f(); };\n"
BAD = "interface I { void f(in Nope n); };\n"


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "good.idl").write_text(GOOD)
        (self.path / "bad.idl").write_text(BAD)

    def run_with(self, *words):
        return subprocess.run([COMPILER, *words], cwd=self.path, capture_output=True, text=True,
                              timeout=60, check=False)

    def assert_usage_error(self, result, text):
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("perigee-idl: "), result.stderr)
        self.assertIn(text, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_a_good_file_gives_four_files_and_no_output(self):
        result = self.run_with("-o", "made/here", "good.idl")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(sorted(each.name for each in (self.path / "made/here").iterdir()),
                         ["goodC.cpp", "goodC.h", "goodS.cpp", "goodS.h"])

    def test_a_bad_file_gives_status_1_and_nothing_else(self):
        result = self.run_with("-o", "made", "bad.idl")
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stderr.startswith("bad.idl:1:25: error: 'Nope' is not declared\n"))
        self.assertFalse((self.path / "made").exists())

    def test_all_files_are_compiled_although_one_is_bad(self):
        result = self.run_with("bad.idl", "good.idl")
        self.assertEqual(result.returncode, 1)
        self.assertTrue((self.path / "goodC.h").exists())

    def test_a_file_that_is_not_there_is_named(self):
        result = self.run_with("missing.idl")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "missing.idl: error: the file cannot be read: No such file or directory\n")
        self.assertIn(".: error: the file is a folder", self.run_with(".").stderr)

    def test_usage_errors_carry_the_name_of_the_program(self):
        self.assert_usage_error(self.run_with(), "FILE is required")
        self.assert_usage_error(self.run_with("--frobnicate", "good.idl"),
                                "perigee-idl: unknown option '--frobnicate' (--help lists the options)")
        self.assert_usage_error(self.run_with("--onesource=1", "good.idl"),
                                "unknown option '--onesource'; did you mean '--one-source'?")
        self.assert_usage_error(self.run_with("--idl", "5", "good.idl"), "5")
        self.assert_usage_error(self.run_with("-E", "--dump-model", "good.idl"), "excludes")
        self.assert_usage_error(self.run_with("--depend-file", "d", "good.idl", "bad.idl"),
                                "--depend-file takes one IDL file at a time")

    def test_a_warning_that_does_not_exist_is_a_usage_error_with_a_proposal(self):
        self.assert_usage_error(self.run_with("-Wunknown-pragma", "good.idl"),
                                "unknown warning 'unknown-pragma'; did you mean 'unknown-pragmas'?")

    def test_options_switch_warnings_on_and_make_them_errors(self):
        self.assertEqual(self.run_with("good.idl").stderr, "")
        warned = self.run_with("-Wunknown-pragmas", "good.idl")
        self.assertEqual(warned.returncode, 0)
        self.assertIn("[-Wunknown-pragmas]", warned.stderr)
        failed = self.run_with("-Wall", "-Werror", "good.idl")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("[-Werror=unknown-pragmas]", failed.stderr)
        dropped = self.run_with("-Wall", "-Werror", "-Wno-unknown-pragmas", "good.idl")
        self.assertEqual((dropped.returncode, dropped.stderr), (0, ""))

    def test_macros_are_defined_and_undefined(self):
        (self.path / "macro.idl").write_text("typedef long A[SIZE];\n#ifdef GONE\n#error there\n#endif\n")
        result = self.run_with("--dump-model", "-DSIZE=3", "-D", "GONE", "-UGONE", "macro.idl")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("long[3]", result.stdout)

    def test_preprocessed_text_compiles_to_the_same_model(self):
        text = self.run_with("-E", "good.idl").stdout
        (self.path / "again.idl").write_text(text)
        self.assertEqual(self.run_with("--dump-model", "again.idl").stdout,
                         self.run_with("--dump-model", "good.idl").stdout)

    def test_the_depend_file_names_annotation_files_too(self):
        (self.path / "extra.txt").write_text("// no annotations\n")
        self.assertEqual(self.run_with("--annotate", "extra.txt", "--depend-file", "good.d",
                                       "good.idl").returncode, 0)
        rule = (self.path / "good.d").read_text()
        self.assertIn("goodC.h", rule.split(":")[0])
        self.assertIn("extra.txt", rule.split(":")[1])

    def test_version_and_help_go_to_standard_output(self):
        version = self.run_with("--version")
        self.assertEqual(version.returncode, 0)
        self.assertRegex(version.stdout, r"^perigee-idl \d+\.\d+")
        self.assertEqual(self.run_with("--help").returncode, 0)

    def test_the_manual_has_the_options_of_help_and_no_others(self):
        words = re.compile(r"(?<![\w-])(--?[A-Za-z][a-z-]*)")
        shown = set()
        for line in self.run_with("--help").stdout.splitlines():
            if line.lstrip().startswith("-"):
                shown.update(words.findall(line.split("  ")[1] if line.startswith("  ") else line))
        manual = MANUAL.read_text().replace("\\-", "-").replace("\\fR", "").replace("\\fB", "")
        options = manual.split(".SH OPTIONS")[1].split(".SH")[0]
        heads = [line for previous, line in zip(options.splitlines(), options.splitlines()[1:])
                 if previous in (".TP", ".TQ")]
        described = {word for head in heads for word in words.findall(head.replace('"', " "))}
        described = {word if word.startswith("--") or not word.startswith("-W") else "-W"
                     for word in described}
        self.assertEqual(shown, described)

    def test_the_manual_has_the_warnings_of_help_and_no_others(self):
        listed = set(re.findall(r"^  ([a-z-]+)", self.run_with("--help-warnings").stdout, re.M))
        section = MANUAL.read_text().split(".SH WARNINGS")[1].split(".SH")[0].replace("\\-", "-")
        self.assertEqual(listed, set(re.findall(r"^\.B ([a-z-]+)$", section, re.M)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
