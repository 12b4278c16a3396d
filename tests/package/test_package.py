"""The installed package, seen by a project that knows nothing else of Perigee."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from two_processes import Server

CMAKE = os.environ["CMAKE"]
PROJECT = Path(__file__).resolve().parent / "project"
SCRATCH = Path(os.environ["SCRATCH"])
PREFIX = SCRATCH / "prefix"
LIBRARIES = PREFIX / os.environ["LIBDIR"]


def run(*command):
    outcome = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if outcome.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}:\n{outcome.stdout}")
    return outcome.stdout


def build_project(name, *options):
    """Configures and builds the project in a fresh folder. Returns the folder."""
    folder = SCRATCH / name
    shutil.rmtree(folder, ignore_errors=True)
    sanitize = os.environ["SANITIZE"]
    run(CMAKE, "-G", "Ninja", "-S", PROJECT, "-B", folder, f"-DCMAKE_PREFIX_PATH={PREFIX}",
        f"-DCMAKE_CXX_COMPILER={os.environ['COMPILER']}",
        f"-DCMAKE_CXX_COMPILER_LAUNCHER={os.environ['LAUNCHER']}",
        f"-DCMAKE_CXX_FLAGS={'-fsanitize=' + sanitize if sanitize else ''}", *options)
    run(CMAKE, "--build", folder)
    return folder


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(PREFIX, ignore_errors=True)
        # Without what a partial build may have left out, installation fails: all targets first.
        run(CMAKE, "--build", os.environ["BUILD"], "--target", "perigee_shared", "perigee_static",
            "perigee-idl", "perigee_tool")
        run(CMAKE, "--install", os.environ["BUILD"], "--prefix", PREFIX)

    def call(self, folder):
        with Server(f"{folder}/server") as server:
            client = server.call(f"{folder}/client {{ior}}")
            self.assertEqual((client.returncode, client.stdout), (0, "42 of 3\nnothing to add\n"),
                             client.stderr)

    def test_programs_built_against_the_shared_library_talk(self):
        self.call(build_project("shared"))

    def test_programs_built_against_the_static_library_talk(self):
        self.call(build_project("static", "-DPERIGEE_COMPONENTS=static",
                                "-DPERIGEE_LIBRARY=Perigee::static"))

    def test_the_tools_are_installed_and_run(self):
        out = run(PREFIX / "bin" / "perigee", "ior", "corbaloc:rir:/NameService")
        self.assertEqual(out, "initial reference: NameService\n")
        run(PREFIX / "bin" / "perigee-idl", "--help")

    def test_the_shared_library_shows_nothing_of_the_libraries_that_it_uses(self):
        symbols = run("nm", "-DC", "--defined-only", LIBRARIES / "libperigee.so")
        strangers = [line for line in symbols.splitlines() if " T " in line and not any(
            name in line for name in ("perigee", "CORBA::", "PortableServer::", "IDL::"))]
        self.assertEqual(strangers, [])

    def test_no_private_header_is_installed(self):
        headers = {path.relative_to(PREFIX / "include").as_posix()
                   for path in (PREFIX / "include").rglob("*") if path.is_file()}
        public = PROJECT.parent.parent.parent / "include"
        self.assertEqual(headers, {path.relative_to(public).as_posix()
                                   for path in public.rglob("*.h")})


if __name__ == "__main__":
    unittest.main()
