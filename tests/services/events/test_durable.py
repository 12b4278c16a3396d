"""perigee-events with a file: kills, restarts, plain clients of a subscription, and files that cannot be used.

PERIGEE_EVENTS_KILLS: how many kills (default: 40). PERIGEE_EVENTS_SEED: a seed of an earlier run."""

import os
import random
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

from two_processes import Server

EVENTS = os.environ["EVENTS"]
CLIENT = os.environ["CLIENT"]
KILLS = int(os.environ.get("PERIGEE_EVENTS_KILLS", "40"))
SEED = int(os.environ.get("PERIGEE_EVENTS_SEED", random.randrange(1 << 32)))
THREADS = 4


class WithFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "events.db"

    def events(self, *options, **popen):
        return Server(f"{EVENTS} --channel news --endpoint iiop://127.0.0.1:0 --store {self.file} {' '.join(options)}",
                      **popen)

    def run_client(self, *words):
        ended = subprocess.run([CLIENT, *map(str, words)], capture_output=True, text=True, timeout=120)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def push(self, server, first, count):
        """Pushes until this many events are acknowledged, then kills the service. The acknowledged events."""
        client = subprocess.Popen([CLIENT, "push", server.ior, str(first), str(THREADS)], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        seen = []
        for line in client.stdout:
            seen.append(int(line))
            if len(seen) == count:
                server.process.kill()
        self.assertEqual(client.wait(), 0)
        client.stdout.close()
        return seen


class Kills(WithFile):
    def check(self, taken, acknowledged):
        """Numbers rise, and each supplier's events are in order: a thread of a kill is a supplier."""
        numbers = [number for number, _ in taken]
        self.assertEqual(numbers, sorted(set(numbers)), f"seed {SEED}")
        values = [value for _, value in taken]
        self.assertLessEqual(set(acknowledged), set(values), f"seed {SEED}")
        for supplier in {(value // 100_000, value % THREADS) for value in values}:
            own = [value for value in values if (value // 100_000, value % THREADS) == supplier]
            self.assertEqual(own, sorted(set(own)), f"seed {SEED}")

    def test_acknowledged_events_survive_kills(self):
        chance = random.Random(SEED)
        acknowledged, taken = [], []
        for kill in range(KILLS):
            with self.events("--subscription", "news/s", "--subscription", "news/slow") as server:
                if kill % 3 == 0:
                    taken += self.take(server, "s")
                acknowledged += self.push(server, (kill + 1) * 100_000, chance.randint(1, 150))
        with self.events() as server:
            taken += self.take(server, "s")
            self.check(taken, acknowledged)
            self.check(self.take(server, "slow"), acknowledged)
            self.assertEqual(server.end(), 0)
        print(f"{KILLS} kills, {len(acknowledged)} events acknowledged, {len(taken)} taken, seed {SEED}")

    def take(self, server, name):
        lines = self.run_client("take", server.ior, name).splitlines()
        return [tuple(map(int, line.split())) for line in lines]


class Restart(WithFile):
    def test_plain_clients_use_a_subscription_by_its_key(self):
        with self.events("--subscription", "news/printer") as server:
            subscription = server.process.stdout.readline().strip()
            address = server.ior
            self.push_and_stop(address, 1, 6)
            self.assertEqual(self.run_client("pull", subscription, 2).split(), ["1", "2"])
            self.assertEqual(server.end(), 0)
        with self.events("--subscription", "news/printer") as server:
            subscription = server.process.stdout.readline().strip()
            self.assertEqual(self.run_client("pull", subscription, 2).split(), ["3", "4"])
            self.assertEqual(server.end(), 0)

    def push_and_stop(self, channel, first, count):
        client = subprocess.Popen([CLIENT, "push", channel, str(first), "1"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        for _ in range(count):
            client.stdout.readline()
        client.kill()
        client.wait()
        client.stdout.close()


class Faults(WithFile):
    def refused(self, *options, status=1, **popen):
        """The error text of a service that does not start."""
        ended = subprocess.run([EVENTS, "--channel", "news", "--endpoint", "iiop://127.0.0.1:0", *options],
                               capture_output=True, text=True, timeout=60, **popen)
        self.assertEqual(ended.returncode, status, ended.stderr)
        self.assertEqual(ended.stdout, "")
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        return ended.stderr

    def test_files_that_cannot_be_used_give_a_clear_error(self):
        self.file.write_text("x" * 5000)
        self.assertIn(f"{self.file}: file is not a database; restore the file", self.refused("--store", str(self.file)))
        self.assertIn("the user of this process must be able to write",
                      self.refused("--store", "/proc/none/events.db") + self.refused("--store", str(self.folder)))

    @unittest.skipUnless(os.geteuid() == 0, "the service runs as another user")
    def test_a_file_of_another_user_is_refused(self):
        with self.events() as server:
            self.assertEqual(server.end(), 0)
        os.chmod(self.folder, 0o755)
        error = self.refused("--store", str(self.file), user=65534, group=65534, extra_groups=[])
        self.assertIn("must be able to write the file and its folder", error)

    def test_one_service_uses_a_file(self):
        with self.events():
            self.assertIn("another event service uses the file", self.refused("--store", str(self.file)))

    def test_a_full_file_refuses_events_and_keeps_those_that_were_acknowledged(self):
        limit = 300_000

        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        # Python ignores the signal SIGXFSZ; the service inherits this. Its writes fail with EFBIG.
        with self.events("--subscription", "news/s", preexec_fn=limit_files, restore_signals=False) as server:
            client = subprocess.run([CLIENT, "push", server.ior, "1", "2"], capture_output=True, text=True, timeout=120)
            self.assertRegex(client.stderr, "PERSIST_STORE|NO_RESOURCES")
            acknowledged = set(client.stdout.split())
            self.assertGreater(len(acknowledged), 20)
            self.assertEqual(server.end(), 0)
        with self.events() as server:
            taken = {line.split()[1] for line in self.run_client("take", server.ior, "s").splitlines()}
            self.assertLessEqual(acknowledged, taken)
            self.assertEqual(server.end(), 0)

    def test_options_of_the_store_need_a_file_and_a_channel(self):
        for options, text in ((["--subscription", "news/s"], "--subscription needs --store FILE"),
                              (["--store-full", "refuse"], "--store-full needs --store FILE"),
                              (["--store", str(self.file), "--subscription", "none/s"], "'none/s' does not begin"),
                              (["--store", str(self.file), "--subscription", "news"], "'news' does not begin"),
                              (["--store", str(self.file), "--store-full", "wait"], "--store-full")):
            self.assertIn(text, self.refused(*options, status=2))


if __name__ == "__main__":
    unittest.main()
