"""examples/hello: the client greets through a server in another process."""

import os
import unittest

from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]


class Hello(unittest.TestCase):
    def test_the_client_prints_what_the_server_answers(self):
        with Server(SERVER) as server:
            client = server.call(f"{CLIENT} {{ior}}")
            self.assertEqual((client.returncode, client.stdout), (0, "Hello, world!\n"), client.stderr)

    def test_wrong_usage_is_an_error(self):
        with Server(SERVER) as server:
            client = server.call(CLIENT)
            self.assertEqual(client.returncode, 2)
            self.assertIn("usage:", client.stderr)

    def test_a_client_whose_server_has_ended_reports_TRANSIENT(self):
        with Server(SERVER) as server:
            server.process.kill()
            server.process.wait()
            client = server.call(f"{CLIENT} {{ior}}")
            self.assertEqual((client.returncode, client.stdout), (1, ""))
            self.assertIn("TRANSIENT", client.stderr)


if __name__ == "__main__":
    unittest.main()
