"""The installed package, seen by a project that knows nothing else of Perigee."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from installed import (BUILD, LIBRARIES, PREFIX, SANITIZE, SCRATCH, build_project, files_below, install,
                       install_component, run, uninstall_component)
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
        folder = build_project(PROJECT, "shared")
        self.call(folder)
        self.assertIn("libperigee_server.so", run("readelf", "-d", f"{folder}/server"))
        self.assertNotIn("libperigee_server.so", run("readelf", "-d", f"{folder}/client"))

    @unittest.skipIf(SANITIZE, "sanitizers make the code larger")
    def test_libraries_and_a_static_client_stay_small(self):
        folder = build_project(PROJECT, "small", "-DPERIGEE_COMPONENTS=static", "-DCMAKE_BUILD_TYPE=Release",
                               "-DPERIGEE_CLIENT_LIBRARY=Perigee::static_client", targets=["client"])
        limits = {LIBRARIES / "libperigee.so": 1_740_000, LIBRARIES / "libperigee_server.so": 520_000,
                  LIBRARIES / "libperigee_bridge.so": 165_000, Path(folder) / "client": 1_572_864}
        for number, (file, limit) in enumerate(limits.items()):
            stripped = SCRATCH / f"stripped_{number}"
            run("strip", "-o", stripped, file)
            self.assertLess(stripped.stat().st_size, limit, file.name)

    def test_programs_built_against_the_static_library_talk(self):
        self.call(build_project(PROJECT, "static", "-DPERIGEE_COMPONENTS=static",
                                "-DPERIGEE_LIBRARY=Perigee::static",
                                "-DPERIGEE_CLIENT_LIBRARY=Perigee::static_client"))

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
        symbols = "".join(run("nm", "-DC", "--defined-only", LIBRARIES / name)
                          for name in ("libperigee.so", "libperigee_server.so", "libperigee_bridge.so"))
        strangers = [line for line in symbols.splitlines() if " T " in line and not any(
            name in line for name in ("perigee", "CORBA::", "PortableServer::", "IDL::"))]
        self.assertEqual(strangers, [])

    def test_the_library_of_clients_has_nothing_of_servants_and_coroutines(self):
        symbols = run("nm", "-C", "--defined-only", LIBRARIES / "libperigee.so")
        self.assertIn("CORBA::perigee_v1::ORB_init(", symbols)
        for part in ("PortableServer::", "perigee::poa::", "perigee::skeleton::", "perigee::async::",
                     "perigee::amh::", "perigee::engine::Server::", "coroutine_handle"):
            found = [line for line in symbols.splitlines() if re.match(r"\w+ [Tt] ", line) and part in line
                     and "poa::AdapterLimits" not in line]  # options set these limits
            self.assertEqual(found, [], part)

    def test_the_library_of_servers_has_nothing_of_the_bridge(self):
        symbols = {name: run("nm", "-C", "--defined-only", LIBRARIES / name)
                   for name in ("libperigee.so", "libperigee_server.so", "libperigee_bridge.so")}
        self.assertIn("perigee::bridge::Bridge::start(", symbols["libperigee_bridge.so"])
        for name in ("libperigee.so", "libperigee_server.so"):
            self.assertNotIn("perigee::bridge::", symbols[name], name)

    def test_programs_of_another_project_start_a_bridge(self):
        for kind, components in (("bridge", "shared"), ("static_bridge", "static")):
            folder = build_project(PROJECT, kind, f"-DPERIGEE_COMPONENTS={components}",
                                   f"-DPERIGEE_BRIDGE_LIBRARY=Perigee::{kind}", targets=["bridge"])
            self.assertEqual(run(f"{folder}/bridge"), "(no target was given)\n")

    def test_no_private_header_is_installed(self):
        headers = {path.relative_to(PREFIX / "include").as_posix()
                   for path in (PREFIX / "include").rglob("*") if path.is_file()}
        public = PROJECT.parent.parent.parent / "include"
        made = {"perigee/transport/headers_id.h"}  # the build makes it
        self.assertEqual(headers, made | {path.relative_to(public).as_posix()
                                          for path in public.rglob("*.h")})

    def test_documents_and_examples_are_installed(self):
        documents = PREFIX / "share" / "doc" / "perigee"
        for name in ("README.md", "docs/using.md", "examples/hello/hello.idl"):
            self.assertTrue((documents / name).is_file(), name)


class Components(unittest.TestCase):
    """Each file of the installation is in one component, and is removed with it."""

    NAMES = ("runtime", "development", "idl", "tools", "documents")

    @classmethod
    def setUpClass(cls):
        install()

    def test_each_file_belongs_to_one_component(self):
        found = []
        for name in self.NAMES:
            install_component(name, SCRATCH / "component")
            found += files_below(SCRATCH / "component")
            uninstall_component(name)
        self.assertEqual(sorted(found), sorted(files_below(PREFIX)))

    def test_the_runtime_is_the_shared_libraries_alone(self):
        install_component("runtime", SCRATCH / "component")
        names = sorted(path.name for path in (SCRATCH / "component").rglob("*") if not path.is_dir())
        uninstall_component("runtime")
        self.assertEqual(len(names), 8)
        for library in ("libperigee.so.", "libperigee_server.so.", "libperigee_tls.so.", "libperigee_bridge.so."):
            self.assertEqual(len([name for name in names if name.startswith(library)]), 2, names)

    def test_uninstall_leaves_no_file_and_none_of_the_folders_of_perigee(self):
        for name in self.NAMES:
            install_component(name, SCRATCH / "component")
            uninstall_component(name)
            self.assertEqual(files_below(SCRATCH / "component"), set())
            self.assertEqual([path for path in (SCRATCH / "component").rglob("[pP]erigee*")], [])

    def test_the_tests_of_a_build_install_nothing(self):
        scripts = list((BUILD / "tests").rglob("cmake_install.cmake"))
        self.assertGreater(len(scripts), 10)
        for script in scripts:
            self.assertNotIn("file(INSTALL", script.read_text(), script)


class Moved(unittest.TestCase):
    """An installation that was moved to another folder."""

    @classmethod
    def setUpClass(cls):
        install()
        cls.prefix = SCRATCH / "moved"
        run("rm", "-rf", cls.prefix)
        PREFIX.rename(cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.prefix.rename(PREFIX)

    def pkg_config(self, *words):
        folder = self.prefix / LIBRARIES.relative_to(PREFIX) / "pkgconfig"
        return subprocess.run(["pkg-config", *words, "perigee"], check=True, text=True, capture_output=True,
                              env=dict(os.environ, PKG_CONFIG_PATH=str(folder))).stdout.strip()

    def test_pkg_config_finds_headers_libraries_and_idl(self):
        include = Path(self.pkg_config("--cflags").removeprefix("-I"))
        self.assertTrue((include / "perigee" / "corba.h").samefile(self.prefix / "include/perigee/corba.h"))
        folder, *libraries = self.pkg_config("--libs").split()
        for library in ("libperigee.so", "libperigee_server.so"):
            self.assertTrue((Path(folder.removeprefix("-L")) / library).exists())
        self.assertEqual([word for word in libraries if word.startswith("-l")], ["-lperigee_server", "-lperigee"])
        self.assertIn("-lspdlog", self.pkg_config("--libs", "--static"))
        self.assertTrue((Path(self.pkg_config("--variable=idldir")) / "CosNaming.idl").is_file())
        run(self.pkg_config("--variable=idl_compiler"), "--help")

    def test_the_version_of_pkg_config_is_that_of_the_library(self):
        library = (self.prefix / LIBRARIES.relative_to(PREFIX) / "libperigee.so").resolve()
        self.assertEqual(library.name, f"libperigee.so.{self.pkg_config('--modversion')}")

    def test_find_package_finds_all_components(self):
        build_project(PROJECT, "components", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                      "-DPERIGEE_COMPONENTS=shared;static;idl", targets=["client"])

    def test_find_package_names_a_component_that_is_not_installed(self):
        compiler = self.prefix / "bin" / "perigee-idl"
        hidden = compiler.rename(self.prefix / "hidden")
        try:
            with self.assertRaisesRegex(AssertionError, r"IDL\s+compiler\s+is\s+not\s+installed"):
                build_project(PROJECT, "components", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                              "-DPERIGEE_COMPONENTS=idl")
            with self.assertRaisesRegex(AssertionError, r"perigee_idl:\s+the\s+IDL\s+compiler\s+is\s+not\s+installed"):
                build_project(PROJECT, "components", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        finally:
            hidden.rename(compiler)


if __name__ == "__main__":
    unittest.main()
