"""The stock example unchanged, with client and server on one host: calls go through shared memory, and fall back to
UNIX-domain sockets and TCP."""

import contextlib
import json
import os
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]
TOOL = os.environ["TOOL"]
PRICES = Path(os.environ["SOURCES"]) / "prices.txt"
OTHER_USER = 12345
BY_DISTANCE = ": it is on this host, so it is tried before addresses in the network"


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def can_run_as_another_user():
    if os.geteuid() != 0:
        return False
    with contextlib.suppress(PermissionError, subprocess.CalledProcessError):
        subprocess.run([CLIENT, "-ORBHelp"], user=OTHER_USER, group=OTHER_USER, extra_groups=[], check=True,
                       stdout=subprocess.DEVNULL)
        return True
    return False


class LocalTransports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.environment = {"XDG_RUNTIME_DIR": self.folder}  # the sockets of users other than root
        self.sockets = Path("/run/perigee" if os.geteuid() == 0 else f"{self.folder}/perigee")

    def serving(self, options="", **how):
        return Server(f"{SERVER} {options} {PRICES}", self.environment, **how)

    def call(self, ior, *options, **how):
        """Runs the client. Returns its log, which names each local address that it uses."""
        client = subprocess.run([CLIENT, *options, "-ORBTraceLevel", "info", ior, "ACME", "ORBIT"],
                                capture_output=True, text=True, **how)
        self.assertEqual((client.returncode, client.stdout), (0, "ACME 142\nORBIT 365\n"), client.stderr)
        return client.stderr

    def test_calls_go_through_shared_memory(self):
        with self.serving() as server:
            log = self.call(server.ior)
            self.assertEqual(log.count("connected to shmiop://"), 1, log)
            self.assertIn(BY_DISTANCE, log)
            text = output_of(TOOL, "ior", server.ior)
            self.assertRegex(text, rf"\n  1\. shmiop://{self.sockets}/{server.process.pid}-[0-9a-f]{{16}}\?user=\d+ "
                                   r"\(profile 2\): on this host, through shared memory: tried before others\n"
                                   rf"  2\. uiop://{self.sockets}/.*\n  3\. iiop://.* \(profile 1\): through the network")
            tried = json.loads(output_of(TOOL, "ior", "try", "--json", server.ior))
            self.assertEqual([address["connected"] for profile in tried["profiles"]
                              for address in profile["addresses"]], [True, True, True])
            self.assertEqual(server.end(), 0)

    def test_the_server_removes_its_sockets(self):
        with self.serving() as server:
            own = f"{server.process.pid}-*"
            self.assertEqual(len(list(self.sockets.glob(own))), 2)
            self.assertEqual(server.end(), 0)
            self.assertEqual(list(self.sockets.glob(own)), [])

    def test_the_next_server_removes_the_sockets_of_a_killed_server(self):
        with self.serving() as killed:
            own = f"{killed.process.pid}-*"
            self.assertEqual(len(list(self.sockets.glob(own))), 2)
        with self.serving():
            self.assertEqual(list(self.sockets.glob(own)), [])

    def test_options_exclude_protocols(self):
        with self.serving("-ORBLocalTransports none") as server:
            self.assertNotIn("connected to", self.call(server.ior))
        with self.serving("-ORBLocalTransports uiop") as server:
            self.assertIn("connected to uiop://", self.call(server.ior))
        with self.serving("-ORBSharedMemoryConnectionsMax 0") as server:
            self.assertIn("connected to uiop://", self.call(server.ior))

    def test_a_client_that_may_make_no_shared_memory_uses_the_socket(self):
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        with self.serving() as server:
            log = self.call(server.ior, preexec_fn=limit_files)
        self.assertEqual(log.count("File too large; the call tries the next address"), 1, log)
        self.assertIn("connected to uiop://", log)

    def test_a_folder_that_others_can_write_to_is_not_used(self):
        if os.geteuid() == 0:
            self.skipTest("root has its sockets in a folder of the system")
        os.chmod(self.folder, 0o777)
        with self.serving() as server:
            self.assertNotIn("connected to", self.call(server.ior))

    def test_a_client_of_another_user_trusts_root(self):
        if not can_run_as_another_user():
            self.skipTest("another user cannot run the programs of this build")
        other = {"user": OTHER_USER, "group": OTHER_USER, "extra_groups": []}
        with self.serving() as server:
            self.assertIn("connected to shmiop://", self.call(server.ior, **other))

    def test_root_does_not_trust_the_server_of_another_user(self):
        if not can_run_as_another_user():
            self.skipTest("another user cannot run the programs of this build")
        other = {"user": OTHER_USER, "group": OTHER_USER, "extra_groups": []}
        os.chown(self.folder, OTHER_USER, OTHER_USER)
        with self.serving(**other) as server:
            log = self.call(server.ior)
            self.assertNotIn("connected to", log)
            self.assertEqual(log.count(f"names user {OTHER_USER}, but -ORBUiopTrust does not name this user"), 2)
            self.assertIn("connected to shmiop://", self.call(server.ior, **other))
            unrelated = {"user": OTHER_USER + 1, "group": OTHER_USER + 1, "extra_groups": []}
            self.assertIn("left out, another host's: shmiop://", self.call(server.ior, **unrelated))


if __name__ == "__main__":
    unittest.main()
