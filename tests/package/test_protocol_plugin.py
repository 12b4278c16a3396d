"""examples/protocol_plugin, built against the installed package only. An option, a configuration file or an operator's
command loads the protocol. The code of the client does not name it."""

import contextlib
import os
import shlex
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from installed import PREFIX, build_project, install
from two_processes import Server

PROJECT = Path(__file__).resolve().parent / "project"
EXAMPLE = Path(os.environ["SOURCES"]) / "examples" / "protocol_plugin"


class Plugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        install()
        cls.build = build_project(EXAMPLE, "plugin")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.notice = f"{self.folder.name}/hello"
        self.library = f"{self.build}/libboard.so"

    def server(self, *options):
        return Server(shlex.join([f"{self.build}/server", *options]))

    def client(self, reference, *options):
        outcome = subprocess.run([f"{self.build}/client", reference, *options],
                                 capture_output=True, text=True)
        return outcome.returncode, outcome.stdout, outcome.stderr

    def test_a_protocol_named_by_an_option_serves_and_is_used(self):
        option = ("-ORBProtocolLibrary", self.library)
        for scheme in "board", "board-brief":
            endpoint = f"{scheme}://{self.notice}"
            with self.subTest(scheme), self.server(*option, "-ORBListenEndpoints",
                                                   endpoint) as server:
                self.assertEqual(self.client(server.ior, *option), (0, "Hello, world!\n", ""))
                status, _, error = self.client(server.ior)  # without the protocol
                self.assertEqual(status, 1)
                self.assertIn("TRANSIENT", error)

    def test_a_protocol_named_in_a_configuration_file_serves_and_is_used(self):
        file = Path(self.folder.name) / "orb.toml"
        file.write_text(f'[protocols]\nload = ["{self.library}"]\n')
        option = ("-ORBConfigFile", str(file))
        with self.server(*option, "-ORBListenEndpoints", f"board://{self.notice}") as server:
            self.assertEqual(self.client(server.ior, *option), (0, "Hello, world!\n", ""))

    def test_a_reference_outlives_the_port_of_its_server(self):
        option = ("-ORBProtocolLibrary", self.library)
        name = f"corbaloc:board:1.2@{self.notice}|Hello"
        listen = ("-ORBListenEndpoints", f"board://{self.notice}")
        with self.server(*option, *listen):
            self.assertEqual(self.client(name, *option), (0, "Hello, world!\n", ""))
        host, port = Path(self.notice).read_text().strip().split(":")  # the server was killed: its notice stays
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind((host, int(port)))
            with self.server(*option, *listen):
                self.assertEqual(self.client(name, *option), (0, "Hello, world!\n", ""))

    def explain(self, *words):
        outcome = subprocess.run([f"{PREFIX}/bin/perigee", "ior", *words], capture_output=True, text=True)
        return outcome.returncode, outcome.stdout, outcome.stderr

    def test_the_tool_reads_and_tries_references_with_the_plugin(self):
        option = ("-ORBProtocolLibrary", self.library)
        with self.server(*option, "-ORBListenEndpoints", f"board://{self.notice}") as server:
            status, out, error = self.explain(server.ior, *option)
            self.assertEqual((status, error), (0, ""))
            self.assertIn(f"address:    board://{self.notice}\n", out)
            self.assertIn(f"1. board://{self.notice} (profile 1): on this host", out)
            status, out, _ = self.explain(*option, "try", server.ior)
            self.assertEqual(status, 0)
            self.assertIn(f"board://{self.notice}: connected in", out)
            self.assertIn("the object exists", out)
            self.assertIn("no loaded protocol reads it", self.explain(server.ior)[1])
        status, out, error = self.explain(server.ior, "-ORBProtocolLibrary", "/nowhere/libnone.so")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("No such file or directory", error)

    def operate(self, *words):
        outcome = subprocess.run([f"{PREFIX}/bin/perigee", "protocols", *words, "-s",
                                  f"{self.folder.name}/administration"],
                                 capture_output=True, text=True)
        return outcome.returncode, outcome.stdout, outcome.stderr

    def test_an_operator_loads_the_plugin_into_a_running_server_and_clients_use_it_at_once(self):
        administration = f"uiop://{self.folder.name}/administration"
        option = ("-ORBProtocolLibrary", self.library)
        name = f"corbaloc:board-brief:1.2@{self.notice}|Hello"
        with self.server("-ORBAdministration", administration, "-ORBListenEndpoints",
                         "iiop://127.0.0.1:0") as server:
            self.assertEqual(self.client(server.ior), (0, "Hello, world!\n", ""))
            self.assertEqual(self.operate("list"), (0, "tcp: iiop\nlocal: uiop\nshared_memory: shmiop\nudp: diop\n", ""))
            status, _, error = self.operate("load", "/nowhere/libnone.so")
            self.assertEqual(status, 1)
            self.assertIn("No such file or directory", error)
            endpoint = f"board-brief://{self.notice}"
            self.assertEqual(self.operate("load", self.library, "--listen", endpoint),
                             (0, f"loaded {self.library}\nlistening at {endpoint}\n", ""))
            log = ("-ORBTraceLevel", "debug")
            status, out, error = self.client(name, *option, *log)
            self.assertEqual((status, out), (0, "Hello, world!\n"), error)
            self.assertIn("brief Request", error)
            self.assertNotIn("GIOP", error)
            self.assertEqual(self.client(server.ior), (0, "Hello, world!\n", ""))
            status, _, error = self.operate("load", self.library)
            self.assertEqual(status, 1)
            self.assertIn("protocol board is registered already", error)
            # Unloading the protocol removes its notice; loading it again writes the notice again.
            self.assertEqual(self.operate("unload", "board-brief"), (0, "unloaded board-brief\n", ""))
            self.assertEqual(os.listdir(self.folder.name), ["administration"])
            self.assertIn("board: board board-brief (unloaded)\n", self.operate("list")[1])
            self.assertEqual(self.operate("load", "board", "--listen", endpoint)[0], 0)
            self.assertEqual(self.client(name, *option), (0, "Hello, world!\n", ""))

    def test_a_program_with_the_static_library_refuses_the_plugin(self):
        static = build_project(PROJECT, "static", "-DPERIGEE_COMPONENTS=static",
                               "-DPERIGEE_LIBRARY=Perigee::static",
                               "-DPERIGEE_CLIENT_LIBRARY=Perigee::static_client")
        outcome = subprocess.run([f"{static}/client", "IOR:", "-ORBProtocolLibrary", self.library],
                                 capture_output=True, text=True)
        self.assertNotEqual(outcome.returncode, 0)
        self.assertIn("linked with another copy of the ORB", outcome.stderr)

    def test_a_peer_that_sends_nonsense_does_not_disturb_other_peers(self):
        option = ("-ORBProtocolLibrary", self.library)
        with self.server(*option, "-ORBListenEndpoints",
                         f"board-brief://{self.notice}") as server:
            host, port = Path(self.notice).read_text().strip().split(":")
            for nonsense in b"GIOP\1\2\0\0\0\0\0\0", b"\xb7\x09" + bytes(10), b"\xb7\0\1":
                with socket.create_connection((host, int(port))) as peer:
                    peer.sendall(nonsense)
                    peer.shutdown(socket.SHUT_WR)
                    with contextlib.suppress(ConnectionError):
                        while peer.recv(1024):
                            pass
            self.assertEqual(self.client(server.ior, *option), (0, "Hello, world!\n", ""))


if __name__ == "__main__":
    unittest.main()
