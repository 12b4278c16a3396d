"""Event channels of perigee-events and of omniEvents, with suppliers and consumers of both ORBs.

Each kind of supplier is combined with each kind of consumer. The programs of omniEvents (eventf, rmeventc) are
clients of perigee-events, too.
"""

import itertools
import os
import re
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from two_processes import Server

EVENTS = os.environ["EVENTS"]
NAMES = os.environ["NAMES"]
PEERS = {"perigee": [os.environ["PERIGEE_PEER"], "-ORBListenEndpoints", "iiop://127.0.0.1:0"],
         "omniorb": [os.environ["OMNIORB_PEER"], "-ORBendPoint", "giop:tcp:127.0.0.1:"]}
COUNT = 100
NUMBERS = [str(number) for number in range(1, COUNT + 1)]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class WithPrograms(unittest.TestCase):
    def start(self, *command, **options):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def peer(self, orb, role, channel, count=COUNT):
        program, *options = PEERS[orb]
        return self.start(program, role, channel, str(count), *options)

    def consumer(self, orb, role, channel, count=COUNT):
        process = self.peer(orb, role, channel, count)
        self.assertEqual(process.stdout.readline(), "connected\n")
        return process

    def check_all_pairs(self, channel):
        """Each supplier sends its numbers to consumers of each kind, which are connected at the same time."""
        for orb, role in itertools.product(PEERS, ("push_supplier", "pull_supplier")):
            with self.subTest(supplier=orb, role=role):
                consumers = [self.consumer(*kind, channel)
                             for kind in itertools.product(PEERS, ("push_consumer", "pull_consumer"))]
                supplier = self.peer(orb, role, channel)
                for consumer in consumers:
                    self.assertEqual(consumer.stdout.read().split(), NUMBERS)
                    self.assertEqual(consumer.wait(), 0)
                self.assertEqual(supplier.wait(), 0)

    def omni_events(self):
        """The reference of a channel of omniEvents."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        names = Server(f"{NAMES} --store memory --endpoint iiop://127.0.0.1:0")
        self.enterContext(names)
        initial = ["-ORBInitRef", f"NameService={names.ior}"]
        port = free_port()
        server = self.start("omniEvents", "-f", "-p", str(port), "-l", folder.name, "-t", f"{folder.name}/log",
                            *initial)
        factory = f"corbaloc::127.0.0.1:{port}/omniEvents"
        while True:  # until omniEvents listens
            made = subprocess.run(["eventc", "-v", "-n", "news", "-R", "1", "-c", "1000000", *initial, factory], capture_output=True, text=True)
            if made.returncode == 0:
                break
            self.assertIsNone(server.poll(), made.stderr)
        return re.search("IOR:[0-9a-f]+", made.stdout)[0]


class Channels(WithPrograms):
    def test_suppliers_and_consumers_of_both_orbs_meet_in_perigee_events(self):
        with Server(f"{EVENTS} --endpoint iiop://127.0.0.1:0") as server:
            self.check_all_pairs(server.ior)
            self.assertEqual(server.end(), 0)

    def test_consumers_of_both_orbs_get_the_earlier_events_of_a_subscription(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [f"s{number}" for number in range(4)]
            options = " ".join(f"--subscription EventChannel/{name}" for name in names)
            with Server(f"{EVENTS} --store {folder}/events.db {options} --endpoint iiop://127.0.0.1:0") as server:
                subscriptions = [server.process.stdout.readline().strip() for _ in names]
                self.assertEqual(self.peer("omniorb", "push_supplier", server.ior).wait(), 0)
                kinds = itertools.product(PEERS, ("push_consumer", "pull_consumer"))
                for kind, subscription in zip(kinds, subscriptions):
                    consumer = self.consumer(*kind, subscription)
                    self.assertEqual(consumer.stdout.read().split(), NUMBERS, kind)
                    self.assertEqual(consumer.wait(), 0)
                self.assertEqual(server.end(), 0)

    def test_suppliers_and_consumers_of_both_orbs_meet_in_omni_events(self):
        self.check_all_pairs(self.omni_events())

    def test_tasks_consume_and_supply_events_of_omni_events(self):
        channel = self.omni_events()
        consumer = self.start(os.environ["CONSUMER"], channel, "2")
        self.assertEqual(consumer.stdout.readline(), "connected\n")
        self.assertEqual(subprocess.run([os.environ["SUPPLIER"], channel, "one", "two"], timeout=60).returncode, 0)
        self.assertEqual(consumer.stdout.read(), "one\ntwo\n")
        self.assertEqual(consumer.wait(), 0)

    def check_that_eventf_connects(self, source, target):
        self.assertEqual(subprocess.run(["eventf", source, target], timeout=60).returncode, 0)
        consumer = self.consumer("perigee", "push_consumer", target)
        supplier = self.peer("omniorb", "push_supplier", source)
        self.assertEqual(consumer.stdout.read().split(), NUMBERS)
        self.assertEqual((consumer.wait(), supplier.wait()), (0, 0))

    def test_eventf_connects_a_channel_of_omni_events_to_one_of_perigee_events(self):
        with Server(f"{EVENTS} --endpoint iiop://127.0.0.1:0") as server:
            self.check_that_eventf_connects(self.omni_events(), server.ior)

    def test_eventf_connects_a_channel_of_perigee_events_to_one_of_omni_events(self):
        with Server(f"{EVENTS} --endpoint iiop://127.0.0.1:0") as server:
            self.check_that_eventf_connects(server.ior, self.omni_events())

    def test_rmeventc_destroys_a_channel_that_clients_may_destroy(self):
        with Server(f"{EVENTS} --endpoint iiop://127.0.0.1:0 --allow-destroy") as server:
            self.assertEqual(subprocess.run(["rmeventc", server.ior], timeout=60).returncode, 0)
            peer = self.peer("omniorb", "pull_consumer", server.ior)
            self.assertEqual(peer.wait(), 1)


if __name__ == "__main__":
    unittest.main()
