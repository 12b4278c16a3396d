"""examples/ipc: the programs of the paper on wrappers, as their users run them."""

import os
import random
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from two_processes import Server

PROGRAMS = Path(os.environ["PROGRAMS"])
FAMILIES = {"sock": "127.0.0.1:0", "uring": "127.0.0.1:0", "lsock": "{folder}/echo", "spipe": "{folder}/echo"}
FORBIDDEN = ("Operation not permitted", "Function not implemented")
NOBODY = 65534

random.seed(4)
MESSAGE = random.randbytes(3_000_001)


def run(program, *arguments, **options):
    return subprocess.run([PROGRAMS / program, *map(str, arguments)], capture_output=True, **options)


class EveryProgram(unittest.TestCase):
    ALL = ("echo_server", "echo_client", "c_stream_server", "c_stream_client", "wrapper_stream_server",
           "wrapper_stream_client", "orb_stream_server", "orb_stream_client", "file_broker", "file_broker_client")

    def test_help_goes_to_standard_output_and_wrong_usage_to_standard_error(self):
        for program in self.ALL:
            with self.subTest(program):
                asked = run(program, "--help")
                self.assertEqual((asked.returncode, asked.stderr), (0, b""))
                self.assertTrue(asked.stdout.startswith(f"usage: {program} ".encode()), asked.stdout)
                wrong = run(program)
                self.assertEqual((wrong.returncode, wrong.stdout, wrong.stderr), (2, b"", asked.stdout))


class Echo(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def serving(self, family):
        return Server(f"{PROGRAMS}/echo_server {family} {FAMILIES[family].format(folder=self.folder)}")

    def families(self):
        """The families that this host supports: all, without uring if the server reports that io_uring is forbidden."""
        outcome = run("echo_server", "uring", "192.0.2.1:0")
        if not outcome.stderr.decode().strip().endswith(FORBIDDEN):
            return list(FAMILIES)
        return [family for family in FAMILIES if family != "uring"]

    def test_what_is_sent_comes_back_over_each_family(self):
        for family in self.families():
            with self.subTest(family), self.serving(family) as server:
                client = run("echo_client", family, server.ior, input=MESSAGE)
                self.assertEqual((client.returncode, client.stderr), (0, b""))
                self.assertEqual(client.stdout, MESSAGE)
                self.assertEqual(server.end(), 0)

    def test_sock_and_uring_talk_with_each_other(self):
        for here, there in (("sock", "uring"), ("uring", "sock")):
            if "uring" in self.families():
                with self.serving(here) as server:
                    self.assertEqual(run("echo_client", there, server.ior, input=b"12").stdout, b"12")

    def test_a_signal_ends_the_server_and_its_streams_and_removes_its_path(self):
        for family in self.families():
            for number in (signal.SIGTERM, signal.SIGINT):
                with self.subTest(f"{family} {number}"), self.serving(family) as server:
                    client = subprocess.Popen([PROGRAMS / "echo_client", family, server.ior], bufsize=0,
                                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                    client.stdin.write(b"x" * 16384)
                    self.assertEqual(client.stdout.read(1), b"x")
                    self.assertEqual(server.end(number), 0)
                    client.stdin.close()
                    client.stdout.close()
                    client.wait()
                    self.assertEqual(os.listdir(self.folder), [])

    def test_two_clients_are_served_at_the_same_time(self):
        with self.serving("sock") as server:
            with subprocess.Popen([PROGRAMS / "echo_client", "sock", server.ior], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE) as waiting:
                self.assertEqual(run("echo_client", "sock", server.ior, input=b"other").stdout, b"other")
                self.assertEqual(waiting.communicate(b"first")[0], b"first")

    def test_a_client_that_comes_when_no_handle_is_left_is_served_when_others_have_gone(self):
        with Server(f"prlimit --nofile=12 {PROGRAMS}/echo_server lsock {self.folder}/echo") as server:
            clients = []
            for number in range(20):
                clients.append(self.enterContext(socket.socket(socket.AF_UNIX)))
                clients[-1].connect(server.ior)
                clients[-1].sendall(bytes([number]))
            for number, client in enumerate(clients):
                self.assertEqual(client.recv(1), bytes([number]))
                client.close()
            # A signal also ends the server while all handles are in use.
            for _ in range(20):
                clients.append(self.enterContext(socket.socket(socket.AF_UNIX)))
                clients[-1].connect(server.ior)
            self.assertEqual(server.end(), 0)

    def test_errors_name_the_operation_and_the_address(self):
        absent = f"{self.folder}/absent"
        for arguments, error in (
                (("echo_client", "lsock", absent), f"connect to {absent}: No such file or directory"),
                (("echo_client", "sock", "127.0.0.1:1"), "connect to 127.0.0.1:1: Connection refused"),
                (("echo_client", "sock", "elsewhere"), "elsewhere: not an address of this family"),
                (("echo_server", "sock", "192.0.2.1:0"), "listen at 192.0.2.1:0: Cannot assign requested address"),
                (("echo_server", "lsock", f"{absent}/below"), f"listen at {absent}/below: No such file or directory"),
        ):
            with self.subTest(arguments):
                outcome = run(*arguments, input=b"x")
                self.assertEqual((outcome.returncode, outcome.stderr.decode()), (1, f"{arguments[0]}: {error}\n"))
        self.assertEqual(run("echo_client", "tli", "x").returncode, 2)


class Stream(unittest.TestCase):
    def serving(self, version):
        """A server, and its port."""
        server = subprocess.Popen([PROGRAMS / f"{version}_stream_server", "0"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        self.addCleanup(self.end, server)
        address = server.stderr.readline().decode()
        self.assertTrue(address.startswith("listening at [::]:"), address)
        return server, address.rsplit(":", 1)[1].strip()

    @staticmethod
    def end(server):
        server.kill()
        server.wait()
        server.stdout.close()
        server.stderr.close()

    def test_servers_print_what_clients_of_both_versions_send(self):
        for version in ("c", "wrapper"):
            with self.subTest(version):
                server, port = self.serving(version)
                for client in ("c", "wrapper"):
                    for host in ("127.0.0.1", "localhost"):
                        sender = subprocess.Popen([PROGRAMS / f"{client}_stream_client", host, port],
                                                  stdin=subprocess.PIPE)
                        with sender:
                            sender.stdin.write(MESSAGE[:50_000])
                        self.assertEqual(sender.returncode, 0)
                        self.assertEqual(server.stdout.read(50_000), MESSAGE[:50_000])
                        self.assertIn(b"from [", server.stderr.readline())
                server.terminate()
                self.assertEqual(server.wait(), -signal.SIGTERM)

    def test_errors_name_what_failed(self):
        _, taken = self.serving("c")
        for version in ("c", "wrapper"):
            with self.subTest(version):
                refused = run(f"{version}_stream_client", "127.0.0.1", "1", input=b"")
                self.assertEqual(refused.returncode, 1)
                self.assertRegex(refused.stderr.decode(), "connect: .*Connection refused\n$")
                unknown = run(f"{version}_stream_client", "no.such.host.invalid", "1", input=b"")
                self.assertEqual(unknown.returncode, 1)
                self.assertIn("no.such.host.invalid: ", unknown.stderr.decode())
                listening = run(f"{version}_stream_server", taken)
                self.assertEqual(listening.returncode, 1)
                self.assertIn("listen: Address already in use", listening.stderr.decode())
                self.assertEqual(run(f"{version}_stream_server", "many").returncode, 2)

    def test_the_orb_version_carries_the_same_octets(self):
        with tempfile.TemporaryDirectory() as folder:
            reference = Path(folder) / "reference"
            server = subprocess.Popen([PROGRAMS / "orb_stream_server", reference], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE)
            self.addCleanup(self.end, server)
            self.assertEqual(server.stderr.readline(), b"ready\n")
            sender = subprocess.Popen([PROGRAMS / "orb_stream_client", f"file:{reference}"], stdin=subprocess.PIPE)
            with sender:
                sender.stdin.write(MESSAGE[:50_000])
                sender.stdin.close()
                self.assertEqual(server.stdout.read(50_000), MESSAGE[:50_000])
            self.assertEqual(sender.returncode, 0)
            server.terminate()
            self.assertEqual(server.wait(), 0)
            gone = run("orb_stream_client", f"file:{reference}", input=b"x")
            self.assertEqual(gone.returncode, 1)
            self.assertIn("TRANSIENT", gone.stderr.decode())
        self.assertEqual(run("orb_stream_server", f"{folder}/absent/reference").returncode, 1)
        self.assertEqual(run("orb_stream_client", "nonsense", input=b"").returncode, 1)


class Broker(unittest.TestCase):
    def setUp(self):
        # All users may enter the folder with the address; only this user may enter the folder with
        # the files.
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o755)
        self.files = self.folder / "files"
        self.files.mkdir(mode=0o700)
        (self.files / "report").write_bytes(MESSAGE)
        (self.files / ".hidden").write_text("no")
        (self.files / "leak").symlink_to(self.folder / "secret")
        (self.folder / "secret").write_text("no")
        self.address = self.folder / "broker"
        # A process without privileges cannot change its user: then the client runs as this user.
        self.user = NOBODY if os.geteuid() == 0 else os.geteuid()

    def serving(self, *users):
        return Server(f"{PROGRAMS}/file_broker {self.address} {self.files} {' '.join(map(str, users))}")

    def ask(self, name):
        options = {"user": self.user, "group": self.user, "extra_groups": []} if os.geteuid() == 0 else {}
        return run("file_broker_client", self.address, name, **options)

    def test_a_client_gets_a_file_that_it_may_not_open(self):
        with self.serving(self.user) as server:
            if os.geteuid() == 0:
                direct = subprocess.run(["cat", self.files / "report"], user=NOBODY, capture_output=True)
                self.assertIn(b"Permission denied", direct.stderr)
            client = self.ask("report")
            self.assertEqual((client.returncode, client.stderr), (0, b""))
            self.assertEqual(client.stdout, MESSAGE)
            self.assertEqual(server.end(), 0)
            self.assertFalse(self.address.exists())

    def test_a_refusal_has_a_reason(self):
        with self.serving(self.user):
            for name, reason in (("absent", "No such file or directory"),
                                 ("../secret", "not the name of a file in the folder"),
                                 ("leak", "Too many levels of symbolic links"),
                                 (".hidden", "not the name of a file in the folder"),
                                 ("", "not the name of a file in the folder"),
                                 ("x" * 300, "the name is too long")):
                with self.subTest(name):
                    client = self.ask(name)
                    self.assertEqual((client.returncode, client.stdout), (3, b""))
                    self.assertEqual(client.stderr.decode(), f"file_broker_client: {name}: refused: {reason}\n")

    def connected(self):
        client = self.enterContext(socket.socket(socket.AF_UNIX))
        client.connect(str(self.address))
        return client

    def test_clients_that_send_nothing_do_not_delay_other_clients(self):
        with self.serving(self.user) as server:
            silent = [self.connected() for _ in range(10)]
            self.assertEqual(self.ask("report").stdout, MESSAGE)
            self.assertEqual(server.end(), 0)
            self.assertEqual(silent[0].recv(1), b"")

    def test_clients_are_cut_after_a_while_whatever_they_do(self):
        with self.serving(self.user, os.geteuid()):
            slow = [self.connected() for _ in range(100)]  # more than the server serves at once
            for client in slow[::2]:
                client.sendall(b"x" * 300)  # refused, then served again
            self.assertEqual(self.ask("report").stdout, MESSAGE)  # waits for 10 s at most

    def test_a_user_that_is_not_served_is_refused(self):
        with self.serving(self.user + 1):
            client = self.ask("report")
            self.assertEqual((client.returncode, client.stdout), (3, b""))
            self.assertIn(b"refused: this user is not served\n", client.stderr)

    def test_errors_name_what_failed(self):
        client = self.ask("report")
        self.assertEqual(client.returncode, 1)
        self.assertEqual(client.stderr.decode(), f"file_broker_client: connect to {self.address}: No such file or directory\n")
        for arguments, error in (((self.address, self.folder / "secret"), f"{self.folder}/secret: not a folder"),
                                 ((self.address, self.files, "me"), "me: not a user id"),
                                 (("/" * 200, self.files), "/" * 200 + ": not an address")):
            broker = run("file_broker", *arguments)
            self.assertEqual((broker.returncode, broker.stderr.decode()), (1, f"file_broker: {error}\n"))


if __name__ == "__main__":
    unittest.main()
