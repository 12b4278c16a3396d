"""examples/tracing: a trace id travels from the client's interceptor to the servant in another process."""

import os
import unittest

from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]


class Tracing(unittest.TestCase):
    def test_the_servant_answers_with_the_trace_id_of_the_client(self):
        with Server(SERVER) as server:
            client = server.call(f"{CLIENT} {{ior}}")
            self.assertEqual(client.returncode, 0, client.stderr)
            self.assertEqual(client.stdout.splitlines()[-3:],
                             ["greet begins: trace-1", "greet ends", "Hello, world! (trace-1)"])

    def test_a_call_that_fails_ends_its_trace(self):
        with Server(SERVER) as server:
            server.process.kill()
            server.process.wait()
            client = server.call(f"{CLIENT} {{ior}}")
            self.assertEqual(client.returncode, 1)
            self.assertIn("fails: IDL:omg.org/CORBA/TRANSIENT:1.0", client.stdout)


if __name__ == "__main__":
    unittest.main()
