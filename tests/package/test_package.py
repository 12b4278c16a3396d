"""The installed package, seen by a project that knows nothing else of Perigee."""

import unittest
from pathlib import Path

from installed import LIBRARIES, PREFIX, SANITIZE, build_project, install, run
from two_processes import Server

PROJECT = Path(__file__).resolve().parent / "project"


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()

    def call(self, folder):
        with Server(f"{folder}/server") as server:
            client = server.call(f"{folder}/client {{ior}}")
            self.assertEqual((client.returncode, client.stdout), (0, "42 of 3\nnothing to add\n"),
                             client.stderr)

    def test_programs_built_against_the_shared_library_talk(self):
        self.call(build_project(PROJECT, "shared"))

    def test_programs_built_against_the_static_library_talk(self):
        self.call(build_project(PROJECT, "static", "-DPERIGEE_COMPONENTS=static",
                                "-DPERIGEE_LIBRARY=Perigee::static"))

    def test_the_tools_are_installed_and_run(self):
        out = run(PREFIX / "bin" / "perigee", "ior", "corbaloc:rir:/NameService")
        self.assertEqual(out, "initial reference: NameService\n")
        run(PREFIX / "bin" / "perigee-idl", "--help")

    def test_a_call_can_be_looked_into_with_what_is_installed(self):
        # This test only checks that whitebox_probed exists: with sanitizers, running it would take
        # most of the time.
        self.assertTrue((PREFIX / "libexec" / "perigee" / "whitebox_probed").is_file())
        if not SANITIZE:
            out = run(PREFIX / "bin" / "perigee", "bench", "whitebox", "--quick", "--calls", "20", "--size", "4")
            self.assertIn("Table 2: the server, void", out)

    def test_the_shared_library_shows_nothing_of_the_libraries_that_it_uses(self):
        symbols = run("nm", "-DC", "--defined-only", LIBRARIES / "libperigee.so")
        strangers = [line for line in symbols.splitlines() if " T " in line and not any(
            name in line for name in ("perigee", "CORBA::", "PortableServer::", "IDL::"))]
        self.assertEqual(strangers, [])

    def test_no_private_header_is_installed(self):
        headers = {path.relative_to(PREFIX / "include").as_posix()
                   for path in (PREFIX / "include").rglob("*") if path.is_file()}
        public = PROJECT.parent.parent.parent / "include"
        made = {"perigee/transport/headers_id.h"}  # the build makes it
        self.assertEqual(headers, made | {path.relative_to(public).as_posix()
                                          for path in public.rglob("*.h")})


if __name__ == "__main__":
    unittest.main()
