"""examples/forwarding: a ledger that moves under load, and replicas that are killed.

Whatever happens, no ticket is entered twice, and each ticket that the client reports as done is entered.
"""

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]
MOVE = os.environ["MOVE"]
CONNECTIONS = 5  # of a client to one server at most (-ORBConnectionsPerEndpointMax)
SOME = 200  # entries between two events


def entries(file):
    return file.read_text().count("\n")


class Client:
    """Enters tickets, as long as the test reads its output."""

    def __init__(self, references):
        self.process = subprocess.Popen(
            [CLIENT, *references], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.tickets = {"done": [], "unknown": []}

    def _take(self, line):
        what, ticket = line.split()
        self.tickets[what].append(int(ticket))

    def await_entries(self, file):
        """Waits until the client has entered SOME more tickets in the ledger `file`."""
        enough = entries(file) + SOME
        while entries(file) < enough:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError("the client ended: " + self.process.stderr.read())
            self._take(line)

    def finish(self):
        """Lets calls in progress end. Returns the exit status and the error output."""
        self.process.stdin.close()
        for line in self.process.stdout:
            self._take(line)
        errors = self.process.stderr.read()
        return self.process.wait(), errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()


class Forwarding(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def home(self, name, options=""):
        server = self.enterContext(Server(f"{SERVER} {options} {self.folder / name}"))
        server.home = server.process.stdout.readline().strip()
        return server

    def move(self, home, other):
        subprocess.run([MOVE, home.home, other.home], check=True)

    def entered(self, name):
        return [int(line) for line in (self.folder / name).read_text().split()]

    def check_ledgers(self, client, names):
        """No ticket is entered twice. Each done ticket is entered; each other entered ticket is one of unknown outcome."""
        entered = [ticket for name in names for ticket in self.entered(name)]
        self.assertEqual(len(entered), len(set(entered)))
        done, unknown = set(client.tickets["done"]), set(client.tickets["unknown"])
        self.assertLessEqual(done, set(entered))
        self.assertLessEqual(set(entered) - done, unknown)

    def test_clients_do_not_notice_that_the_ledger_moves_and_comes_back(self):
        first, second = self.home("first"), self.home("second")
        with Client([first.ior]) as client:
            for _ in range(3):
                client.await_entries(self.folder / "first")
                self.move(first, second)
                client.await_entries(self.folder / "second")
                self.move(second, first)
            client.await_entries(self.folder / "first")
            self.assertEqual(client.finish(), (0, ""))
            self.assertEqual(client.tickets["unknown"], [])
            self.check_ledgers(client, ["first", "second"])

    def test_calls_go_on_when_replicas_are_killed(self):
        names = ["first", "second", "third"]
        replicas = [self.home(name) for name in names]
        with Client([replica.ior for replica in replicas]) as client:
            for name, replica in zip(names[:2], replicas):
                client.await_entries(self.folder / name)
                replica.process.kill()
            client.await_entries(self.folder / "third")
            self.assertEqual(client.finish(), (0, ""))
            # One call for each lost connection, and one for each connection that the dying server's
            # system accepted later.
            self.assertLessEqual(len(client.tickets["unknown"]), 4 * CONNECTIONS)
            self.check_ledgers(client, names)

    def test_a_call_that_the_dying_server_has_executed_is_not_sent_to_another(self):
        dying = self.home("dying", "--die-after 100")
        heir = self.home("heir")
        with Client([dying.ior, heir.ior]) as client:
            client.await_entries(self.folder / "heir")
            self.assertEqual(client.finish(), (0, ""))
            self.assertEqual(dying.process.wait(), -signal.SIGKILL)
            executed = self.entered("dying")
            self.assertEqual(len(executed), 100)
            self.assertIn(executed[-1], client.tickets["unknown"])
            self.check_ledgers(client, ["dying", "heir"])

    def test_wrong_usage_is_an_error(self):
        for program in (SERVER, CLIENT, MOVE):
            self.assertEqual(subprocess.run([program], capture_output=True).returncode, 2)
        refused = subprocess.run([CLIENT, "nonsense"], capture_output=True, text=True)
        self.assertEqual((refused.returncode, refused.stderr),
                         (1, "forwarding_client: nonsense: not a reference\n"))


if __name__ == "__main__":
    unittest.main()
