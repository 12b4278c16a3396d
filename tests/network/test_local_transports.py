"""Containers on one host: clients use shared memory only if they see the folder of the server's sockets."""

import os
import subprocess
import unittest

from hosts import Host
from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]
PRICES = os.environ["PRICES"]
OTHER_RUN = "unshare --mount sh -c 'mount -t tmpfs -o mode=0755 tmpfs /run && exec \"$@\"' container"

subprocess.run(["chmod", "0755", "/run"], check=True)  # as on real systems
host, other_network = Host("host"), Host("other")


class Containers(unittest.TestCase):
    def setUp(self):
        server = Server(host.command(f"{SERVER} -ORBListenEndpoints iiop://127.0.0.1:0 {PRICES}"))
        self.server = self.enterContext(server)

    def log_of(self, place, container=""):
        client = self.server.call(place.command(f"{container} {CLIENT} -ORBTraceLevel info {{ior}} ACME"))
        self.assertEqual((client.returncode, client.stdout), (0, "ACME 142\n"), client.stderr)
        return client.stderr

    def test_a_client_in_the_same_container_uses_shared_memory(self):
        self.assertIn("connected to shmiop:///run/perigee/", self.log_of(host))

    def test_a_client_in_a_container_with_another_run_folder_uses_tcp(self):
        log = self.log_of(host, OTHER_RUN)
        self.assertIn("iiop://127.0.0.1:", log)
        self.assertIn("(network); left out, another host's: shmiop:///run/perigee/", log)
        self.assertNotIn("connected to", log)

    def test_a_client_in_another_network_that_sees_the_folder_uses_shared_memory(self):
        self.assertIn("connected to shmiop:///run/perigee/", self.log_of(other_network))


if __name__ == "__main__":
    unittest.main()
