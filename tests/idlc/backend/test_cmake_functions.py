"""perigee_idl() and perigee_idl_library() in a project of their own.

usage: test_cmake_functions.py PERIGEE_IDL COMPILER
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PERIGEE_IDL, COMPILER = sys.argv[1:3]
ROOT = Path(__file__).resolve().parents[3]
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(Test LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
add_library(Perigee::perigee INTERFACE IMPORTED)
target_include_directories(Perigee::perigee INTERFACE {root}/include)
include({root}/cmake/PerigeeIdl.cmake)
"""


def run(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


class CMakeFunctions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = Path(folder.name) / "source"
        self.build = Path(folder.name) / "build"
        self.source.mkdir()
        (self.source / "parts").mkdir()
        self.write("main.idl", "#include <size.idl>\nconst long doubled = 2 * size;\n")
        self.write("parts/size.idl", "const long size = 21;\n")

    def write(self, name, text):
        (self.source / name).write_text(text)

    def configure(self, commands, generator="Ninja"):
        self.write("CMakeLists.txt", PROJECT.format(root=ROOT) + commands)
        return run("cmake", "-G", generator, "-S", self.source, "-B", self.build,
                   f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DPERIGEE_IDL_EXECUTABLE={PERIGEE_IDL}")

    def build_project(self):
        outcome = run("cmake", "--build", self.build)
        self.assertEqual(outcome.returncode, 0, outcome.stdout)
        return outcome.stdout

    def test_a_change_of_an_included_file_generates_anew(self):
        for generator in ("Ninja", "Unix Makefiles"):
            with self.subTest(generator=generator):
                self.build = self.build.with_name(generator.replace(" ", "_"))
                self.write("parts/size.idl", "const long size = 21;\n")
                outcome = self.configure(
                    "perigee_idl_library(values FILES main.idl parts/size.idl INCLUDES parts)\n",
                    generator)
                self.assertEqual(outcome.returncode, 0, outcome.stdout)
                self.build_project()
                header = self.build / "values_idl" / "mainC.h"
                self.assertIn("doubled = 42;", header.read_text())
                self.assertNotIn("Compiling IDL", self.build_project())
                self.write("parts/size.idl", "const long size = 4;\n")
                self.assertIn("Compiling IDL main.idl", self.build_project())
                self.assertIn("doubled = 8;", header.read_text())

    def test_two_targets_of_one_folder_may_compile_one_file(self):
        self.write("main.cpp", '#include "mainC.h"\nint main() { return doubled - 42; }\n')
        outcome = self.configure(
            "add_executable(one main.cpp)\nadd_executable(two main.cpp)\n"
            "foreach(target one two)\n"
            "  perigee_idl(${target} FILES main.idl parts/size.idl INCLUDES parts)\n"
            "  target_link_libraries(${target} Perigee::perigee)\nendforeach()\n")
        self.assertEqual(outcome.returncode, 0, outcome.stdout)
        self.build_project()
        self.assertEqual(run(self.build / "one").returncode, 0)

    def test_files_of_one_name_in_different_folders_keep_their_folders(self):
        for folder, value in (("one", 1), ("two", 2)):
            (self.source / folder).mkdir()
            self.write(f"{folder}/size.idl", f"module {folder} {{ const long size = {value}; }};\n")
            self.write(f"{folder}/user.idl", '#include "size.idl"\n'
                       f"module {folder} {{ const long doubled = 2 * size; }};\n")
        self.write("main.idl", '#include "one/user.idl"\n#include <two/user.idl>\n'
                   "const long sum = one::doubled + two::doubled;\n")
        self.write("main.cpp", '#include "mainC.h"\nint main() { return sum - 2 * one::size - 2 * two::size; }\n')
        files = "FILES main.idl one/size.idl one/user.idl two/size.idl two/user.idl INCLUDES ."
        commands = ("add_executable(values main.cpp)\ntarget_link_libraries(values Perigee::perigee)\n"
                    f"perigee_idl(values {files} %s)\n")
        self.configure(commands % "KEEP_INCLUDE_PATH")
        self.build_project()
        self.assertEqual(run(self.build / "values").returncode, 0)
        self.assertIn('#include "two/userC.h"', (self.build / "values_idl" / "mainC.h").read_text())

    def test_an_error_in_the_idl_fails_the_build_at_its_position(self):
        self.write("main.idl", "const lung size = 1;\n")
        self.configure("perigee_idl_library(values FILES main.idl)\n")
        outcome = run("cmake", "--build", self.build)
        self.assertNotEqual(outcome.returncode, 0)
        self.assertIn("main.idl:1:7: error:", outcome.stdout)

    def test_files_of_asynchronous_calls_and_servants_are_outputs_that_are_made_again(self):
        self.write("main.idl", "interface I { void f(); };\n")
        self.configure("add_custom_target(files DEPENDS values_idl/mainAmiC.h values_idl/mainAmhS.h "
                       "values_idl/mainAsync.h values_idl/mainAsyncS.cpp)\n"
                       "add_library(values STATIC)\nset_target_properties(values PROPERTIES EXCLUDE_FROM_ALL TRUE)\n"
                       "perigee_idl(values FILES main.idl AMI AMH ASYNC)\n")
        for name, text in (("mainAmiC.h", "IAmiC"), ("mainAmhS.h", "AMH_I"), ("mainAsync.h", "IAsync"),
                           ("mainAsyncS.cpp", "ASYNC_I")):
            made = self.build / "values_idl" / name
            for _ in range(2):
                outcome = run("cmake", "--build", self.build, "--target", "files")
                self.assertEqual(outcome.returncode, 0, outcome.stdout)
                self.assertIn(text, made.read_text())
                made.unlink()

    def test_annotations_add_files_that_the_build_does_not_know_of(self):
        for generator in ("Ninja", "Unix Makefiles"):
            with self.subTest(generator=generator):
                self.build = self.build.with_name(generator.replace(" ", "_"))
                self.write("main.idl", "//@perigee::amh\ninterface I { void f(); };\n")
                self.configure("add_custom_target(files DEPENDS values_idl/mainAll.cpp)\n"
                               "add_library(values STATIC)\n"
                               "set_target_properties(values PROPERTIES EXCLUDE_FROM_ALL TRUE)\n"
                               "perigee_idl(values FILES main.idl)\n", generator)
                for name in ("f", "g"):
                    self.write("main.idl", f"//@perigee::amh\ninterface I {{ void {name}(); }};\n")
                    outcome = run("cmake", "--build", self.build, "--target", "files")
                    self.assertEqual(outcome.returncode, 0, outcome.stdout)
                    self.assertIn(f"virtual void {name}(", (self.build / "values_idl" / "mainAmhS.h").read_text())

    def test_wrong_arguments_are_reported_when_configuring(self):
        self.assertIn("needs FILES", self.configure("perigee_idl_library(values)\n").stdout)
        self.assertIn("unknown arguments",
                      self.configure("perigee_idl_library(values main.idl)\n").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
