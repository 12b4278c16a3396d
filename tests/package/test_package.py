"""The installed package, used by a project outside of Perigee's source tree."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from installed import (BUILD, CMAKE, LIBRARIES, PREFIX, SANITIZE, SCRATCH, build_project, files_below, install,
                       install_component, run, uninstall_component)
from two_processes import Server

PROJECT = Path(__file__).resolve().parent / "project"
EXAMPLES = Path(os.environ["SOURCES"]) / "examples"
SHARED = ("libperigee", "libperigee_server", "libperigee_tls", "libperigee_bridge", "libperigee_dynamic",
          "libperigee_naming", "libperigee_events", "libperigee_repository")


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()

    def call(self, folder, server_options="", client_options=""):
        with Server(f"{folder}/server {server_options}") as server:
            self.check_client(server, folder, client_options)

    def check_client(self, server, folder, options=""):
        client = server.call(f"{folder}/client {{ior}} {options}")
        self.assertEqual((client.returncode, client.stdout), (0, "42 of 3\nnothing to add\n"), client.stderr)

    def call_over_tls(self, folder):
        certificates = SCRATCH / "certificates"
        run(PREFIX / "bin" / "perigee", "cert", certificates)
        self.call(folder, f"-ORBTls required -ORBListenEndpoints ssliop://127.0.0.1:0 "
                  f"-ORBTlsCertificate {certificates}/server.pem -ORBTlsKey {certificates}/server.key",
                  f"-ORBTls required -ORBTlsAuthorities {certificates}/authority.pem")

    def test_programs_built_against_the_shared_library_talk(self):
        folder = build_project(PROJECT, "shared")
        self.call(folder)
        self.assertIn("libperigee_server.so", run("readelf", "-d", f"{folder}/server"))
        self.assertNotIn("libperigee_server.so", run("readelf", "-d", f"{folder}/client"))

    @unittest.skipIf(SANITIZE, "sanitizers make the code larger")
    def test_libraries_and_a_static_client_stay_small(self):
        folder = build_project(PROJECT, "small", "-DPERIGEE_COMPONENTS=static", "-DCMAKE_BUILD_TYPE=Release",
                               "-DPERIGEE_CLIENT_LIBRARY=Perigee::static_client", targets=["client"])
        limits = {LIBRARIES / "libperigee.so": 2_060_000, LIBRARIES / "libperigee_server.so": 625_000,
                  LIBRARIES / "libperigee_tls.so": 110_000, LIBRARIES / "libperigee_bridge.so": 190_000,
                  LIBRARIES / "libperigee_dynamic.so": 540_000, LIBRARIES / "libperigee_naming.so": 420_000,
                  LIBRARIES / "libperigee_events.so": 800_000,
                  Path(folder) / "client": 1_572_864}
        for number, (file, limit) in enumerate(limits.items()):
            stripped = SCRATCH / f"stripped_{number}"
            run("strip", "-o", stripped, file)
            self.assertLess(stripped.stat().st_size, limit, file.name)

    def test_programs_built_against_the_static_library_talk(self):
        self.call(build_project(PROJECT, "static", "-DPERIGEE_COMPONENTS=static",
                                "-DPERIGEE_LIBRARY=Perigee::static",
                                "-DPERIGEE_CLIENT_LIBRARY=Perigee::static_client"))

    def test_programs_load_the_library_of_tls_when_an_option_asks_for_it(self):
        folder = build_project(PROJECT, "shared")
        for program in ("client", "server"):
            self.assertNotIn("libperigee_tls.so", run("readelf", "-d", f"{folder}/{program}"))
        self.call_over_tls(folder)

    def test_programs_linked_with_the_library_of_tls_talk_over_tls(self):
        folder = build_project(PROJECT, "tls", "-DPERIGEE_COMPONENTS=tls",
                               "-DPERIGEE_LIBRARY=Perigee::perigee;Perigee::tls",
                               "-DPERIGEE_CLIENT_LIBRARY=Perigee::client;Perigee::tls")
        for program in ("client", "server"):
            self.assertIn("libperigee_tls.so", run("readelf", "-d", f"{folder}/{program}"))
        self.call_over_tls(folder)

    def test_programs_linked_with_the_static_library_of_tls_talk_over_tls(self):
        self.call_over_tls(build_project(PROJECT, "static_tls", "-DPERIGEE_COMPONENTS=static",
                                         "-DPERIGEE_LIBRARY=Perigee::static;Perigee::static_tls",
                                         "-DPERIGEE_CLIENT_LIBRARY=Perigee::static_client;Perigee::static_tls"))

    def test_the_tools_are_installed_and_run(self):
        out = run(PREFIX / "bin" / "perigee", "ior", "corbaloc:rir:/NameService")
        self.assertEqual(out, "initial reference: NameService\n")
        run(PREFIX / "bin" / "perigee-idl", "--help")
        run(PREFIX / "bin" / "perigee-names", "--version")
        run(PREFIX / "bin" / "perigee-events", "--version")

    @unittest.skipIf(SANITIZE, "builds with sanitizers have no experiments")
    def test_the_installed_tools_measure_the_layers_of_a_call(self):
        out = run(PREFIX / "bin" / "perigee", "bench", "whitebox", "--quick", "--calls", "20", "--size", "4")
        self.assertIn("Table 2: the server, void", out)

    def test_the_shared_libraries_export_no_symbols_of_the_libraries_that_they_use(self):
        symbols = "".join(run("nm", "-DC", "--defined-only", LIBRARIES / f"{name}.so") for name in SHARED)
        strangers = [line for line in symbols.splitlines() if " T " in line and not any(
            name in line for name in ("perigee", "CORBA::", "PortableServer::", "IDL::"))]
        self.assertEqual(strangers, [])

    def test_the_library_of_clients_has_no_symbols_of_servants_and_coroutines(self):
        symbols = run("nm", "-C", "--defined-only", LIBRARIES / "libperigee.so")
        self.assertIn("CORBA::perigee_v1::ORB_init(", symbols)
        for part in ("PortableServer::", "perigee::poa::", "perigee::skeleton::", "perigee::async::",
                     "perigee::amh::", "perigee::engine::Server::", "coroutine_handle"):
            found = [line for line in symbols.splitlines() if re.match(r"\w+ [Tt] ", line) and part in line
                     and "poa::AdapterLimits" not in line]  # options set these limits
            self.assertEqual(found, [], part)

    def test_only_the_library_of_tls_needs_openssl(self):
        needing = [name for name in SHARED if "libssl.so" in run("readelf", "-d", LIBRARIES / f"{name}.so")]
        self.assertEqual(needing, ["libperigee_tls"])

    def test_the_library_of_servers_has_no_symbols_of_the_bridge(self):
        symbols = {name: run("nm", "-C", "--defined-only", LIBRARIES / name)
                   for name in ("libperigee.so", "libperigee_server.so", "libperigee_bridge.so")}
        self.assertIn("perigee::bridge::Bridge::start(", symbols["libperigee_bridge.so"])
        for name in ("libperigee.so", "libperigee_server.so"):
            self.assertNotIn("perigee::bridge::", symbols[name], name)

    def test_programs_of_another_project_start_a_bridge(self):
        for kind, component in (("bridge", "bridge"), ("static_bridge", "static")):
            folder = build_project(PROJECT, kind, f"-DPERIGEE_COMPONENTS={component}",
                                   f"-DPERIGEE_BRIDGE_LIBRARY=Perigee::{kind}")
            self.call_through_a_bridge(folder, folder)

    def call_through_a_bridge(self, folder, bridge_folder):
        with Server(f"{folder}/server") as server, Server(f"{bridge_folder}/bridge {server.ior}") as bridge:
            self.assertNotEqual(bridge.ior, server.ior)
            self.check_client(bridge, folder)
            self.assertEqual(bridge.end(), 0)

    def test_each_shared_library_has_a_pkg_config_file_a_recorded_interface_and_a_line_for_dpkg(self):
        self.assertEqual(sorted(path.stem for path in LIBRARIES.glob("libperigee*.so")), sorted(SHARED))
        files = {path.stem: path.read_text() for path in (LIBRARIES / "pkgconfig").glob("*.pc")}
        for word in ("-lperigee", "-lperigee_server", "-lperigee_tls", "-lperigee_bridge", "-lperigee_dynamic",
                     "-lperigee_naming", "-lperigee_events", "-lperigee_repository"):
            self.assertEqual(len([name for name, text in files.items() if word in re.split(r"[\s,]", text)]), 1, word)
        root = EXAMPLES.parent
        newest = max((path for path in (root / "abi").iterdir()), key=lambda path: [*map(int, path.name.split("."))])
        self.assertEqual(sorted(path.name for path in newest.iterdir()), sorted(f"{name}.abi.xz" for name in SHARED))
        lines = (root / "cmake" / "debian" / "shlibs.in").read_text().splitlines()
        self.assertEqual(sorted(line.split()[0] for line in lines), sorted(SHARED))

    def test_no_private_header_is_installed(self):
        headers = {path.relative_to(PREFIX / "include").as_posix()
                   for path in (PREFIX / "include").rglob("*") if path.is_file()}
        public = PROJECT.parent.parent.parent / "include"
        made = {"perigee/transport/headers_id.h"}  # the build makes these
        made |= {f"perigee/repository/InterfaceRepository{part}.h" for part in "ACS"}
        self.assertEqual(headers, made | {path.relative_to(public).as_posix()
                                          for path in public.rglob("*.h")})

    def test_libraries_with_probes_enable_the_probes_of_programs_that_link_them(self):
        def definitions(build):
            targets = (build / "src" / "perigee" / "CMakeFiles" / "Export").rglob("Perigee*Targets.cmake")
            files = [path.read_text() for path in targets]
            return re.findall(r'INTERFACE_COMPILE_DEFINITIONS "([^"]*)"', "".join(files))
        probed = SCRATCH / "probed"
        shutil.rmtree(probed, ignore_errors=True)
        run(CMAKE, "-G", "Ninja", "-S", EXAMPLES.parent, "-B", probed, f"-DCMAKE_CXX_COMPILER={os.environ['COMPILER']}",
            "-DPERIGEE_PROBES=ON", "-DBUILD_TESTING=OFF")
        self.assertIn("PERIGEE_PROBES", definitions(probed))
        self.assertNotIn("PERIGEE_PROBES", definitions(BUILD))

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
        self.assertEqual(len(names), 2 * len(SHARED))
        for library in (f"{name}.so." for name in SHARED):
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

    def pkg_config(self, *words, package="perigee"):
        folder = self.prefix / LIBRARIES.relative_to(PREFIX) / "pkgconfig"
        return subprocess.run(["pkg-config", *words, package], check=True, text=True, capture_output=True,
                              env=dict(os.environ, PKG_CONFIG_PATH=str(folder))).stdout.strip()

    def libraries_of(self, package, *options):
        words = re.split(r"[\s,]", self.pkg_config("--libs", *options, package=package))
        return [word for word in words if word.startswith("-l")]

    def test_pkg_config_knows_what_tls_and_a_bridge_need(self):
        self.assertEqual(self.libraries_of("perigee-tls"), ["-lperigee_tls", "-lperigee"])
        self.assertEqual(self.libraries_of("perigee-bridge"), ["-lperigee_bridge", "-lperigee_server", "-lperigee"])
        for library in ("-lssl", "-lcrypto"):
            self.assertIn(library, self.libraries_of("perigee-tls", "--static"))

    def test_a_program_with_the_flags_of_pkg_config_has_tls_and_starts_a_bridge(self):
        program = SCRATCH / "bridge_of_pkg_config"
        sanitize = [f"-fsanitize={SANITIZE}"] if SANITIZE else []
        flags = [word for package in ("perigee-bridge", "perigee-tls")
                 for word in self.pkg_config("--cflags", "--libs", package=package).split()]
        run(os.environ["COMPILER"], "-std=c++23", *sanitize, EXAMPLES / "bridge/bridge.cpp", "-o", program, *flags,
            f"-Wl,-rpath,{self.prefix / LIBRARIES.relative_to(PREFIX)}")
        needed = run("readelf", "-d", program)
        self.assertEqual(needed.count("libperigee_tls.so"), 1)
        self.assertEqual(needed.count("libperigee_bridge.so"), 1)
        reference = run(self.prefix / "bin" / "perigee", "ior", "make", "--key", "object", "--address", "127.0.0.1:1")
        with Server(f"{program} {reference}") as bridge:
            self.assertNotEqual(bridge.ior, reference.strip())
            self.assertIn("127.0.0.1", run(self.prefix / "bin" / "perigee", "ior", bridge.ior))
            self.assertEqual(bridge.end(), 0)

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
                      "-DPERIGEE_COMPONENTS=shared;tls;bridge;dynamic;repository;static;idl", targets=["client"])

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
