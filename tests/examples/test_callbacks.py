"""examples/callbacks: the server reaches the client over the client's own connection only."""

import os
import subprocess
import unittest

from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]
# No server listens at port 1.
UNREACHABLE = "-ORBListenEndpoints iiop://127.0.0.1:0?publish=127.0.0.1:1"


def server(options):
    return Server(f"{SERVER} -ORBListenEndpoints iiop://127.0.0.1:0 {options}")


class Callbacks(unittest.TestCase):
    def test_the_client_is_called_over_its_own_connection(self):
        with server("-ORBAcceptBidirectional yes") as accepting:
            for strategy in "auto", "thread-per-connection", "thread-pool":
                client = accepting.call(f"{CLIENT} {UNREACHABLE} -ORBThreadStrategy {strategy} {{ior}}")
                self.assertEqual((client.returncode, client.stdout), (0, "25 %\n50 %\n75 %\n100 %\n"), client.stderr)
            self.assertEqual(accepting.end(), 0)

    def test_without_the_option_the_server_says_that_it_cannot_call(self):
        process = subprocess.Popen(
            [SERVER, "-ORBListenEndpoints", "iiop://127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        reference = process.stdout.readline().strip()
        client = subprocess.Popen([CLIENT, *UNREACHABLE.split(), reference])
        try:
            line = process.stderr.readline()
            self.assertIn("the watcher cannot be called", line)
            self.assertIn("TRANSIENT", line)
        finally:
            for each in client, process:
                each.kill()
                each.wait()
            process.stdout.close()
            process.stderr.close()

    def test_wrong_usage_is_an_error(self):
        client = subprocess.run([CLIENT], capture_output=True, text=True)
        self.assertEqual(client.returncode, 2)
        self.assertIn("usage:", client.stderr)


if __name__ == "__main__":
    unittest.main()
