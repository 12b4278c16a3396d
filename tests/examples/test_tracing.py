"""examples/tracing: a trace id travels from the client's interceptor to the servant in another process."""

import os
import subprocess
import unittest

from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]
PLUGIN = os.environ["PLUGIN"]
HELLO_SERVER = os.environ["HELLO_SERVER"]
HELLO_CLIENT = os.environ["HELLO_CLIENT"]


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

    def test_the_plug_in_traces_programs_that_know_nothing_of_it(self):
        option = f"-ORBInitializerLibrary {PLUGIN}"
        with Server(f"{HELLO_SERVER} {option}") as server:
            traced = server.call(f"{HELLO_CLIENT} {option} {{ior}}")
            self.assertEqual(traced.returncode, 0, traced.stderr)
            self.assertEqual(traced.stdout.splitlines()[-3:],
                             ["greet begins: trace-1", "greet ends", "Hello, world!"])

    def test_a_program_names_the_plug_in_that_it_cannot_load(self):
        outcome = subprocess.run([HELLO_CLIENT, "-ORBInitializerLibrary", "/nowhere/libnone.so", "IOR:00"],
                                 capture_output=True, text=True)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("load /nowhere/libnone.so (", outcome.stderr)
        self.assertIn("the plug-in cannot be used", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
