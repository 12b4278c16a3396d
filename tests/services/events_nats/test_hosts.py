"""Two event services with a channel of the same name in NATS. Events of one service reach consumers of the other service,
and subscriptions survive the services and NATS."""

import os
import re
import subprocess
import sys
import time
import unittest
import urllib.request

from nats_cluster import NATS, Cluster, ask_api
from server_process import free_ports
from store_client import StoreClient
from test_faults import publish
from two_processes import Server

EVENTS = os.environ["EVENTS"]
SUPPLIER = os.environ["SUPPLIER"]
CONSUMER = os.environ["CONSUMER"]


class Service(Server):
    """perigee-events at a port of its own, with the channel `news` and the subscription `printer`."""

    def __init__(self, cluster, *options):
        self.port = free_ports(1)[0]
        super().__init__(f"{EVENTS} --store nats --nats {cluster.urls} --channel news --subscription news/printer "
                         f"--endpoint iiop://127.0.0.1:{self.port} {' '.join(options)}")

    @property
    def channel(self):
        return f"corbaloc::127.0.0.1:{self.port}/news"

    @property
    def subscription(self):
        return self.channel + "/printer"


def supply(service, *texts):
    return subprocess.run([SUPPLIER, service.channel, *texts], capture_output=True, text=True, timeout=60)


def metrics_of(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
        text = page.read().decode()
    return {key: int(value) for key, value in re.findall(r"^perigee_events_nats_(\w+) (\d+)$", text, re.M)}


def await_metrics(port, **expected):
    end = time.monotonic() + 60
    while not expected.items() <= (found := metrics_of(port)).items():
        assert time.monotonic() < end, found


def supply_at_last(service, text):
    """Pushes the text until the service accepts it. Returns the number of attempts, which is the greatest number of
    copies in the channel."""
    attempts = 1
    while supply(service, text).returncode != 0:
        attempts += 1
        assert attempts < 60
    return attempts


@unittest.skipUnless(NATS, "nats-server is not installed")
class Hosts(unittest.TestCase):
    def consume(self, reference, count):
        """A consumer that is connected."""
        consumer = subprocess.Popen([CONSUMER, reference, str(count)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(consumer.stdout.close)
        self.addCleanup(consumer.wait)
        self.addCleanup(consumer.kill)
        self.assertEqual(consumer.stdout.readline(), "connected\n")
        return consumer

    def refused(self, *options):
        ended = subprocess.run([EVENTS, "--endpoint", "iiop://127.0.0.1:0", *options], capture_output=True, text=True,
                               timeout=60)
        self.assertEqual(ended.stdout, "")
        return ended.returncode, ended.stderr

    def test_events_of_one_service_reach_consumers_of_the_other_in_order(self):
        with Cluster() as cluster, Service(cluster) as first, Service(cluster) as second:
            consumers = [self.consume(service.channel, 40) for service in (first, second)]
            for batch in range(2):
                for name, service in (("a", first), ("b", second)):
                    texts = [f"{name}{batch}-{index}" for index in range(10)]
                    self.assertEqual(supply(service, *texts).returncode, 0)
            seen = [consumer.stdout.read().split() for consumer in consumers]
            expected = [f"{name}{batch}-{index}" for batch in range(2) for name in "ab" for index in range(10)]
            self.assertEqual(seen, [expected, expected])

    def test_a_subscription_goes_on_at_the_second_service_when_the_first_is_killed(self):
        with Cluster() as cluster, Service(cluster) as second:
            with Service(cluster) as first:
                self.assertEqual(supply(first, "one", "two", "three").returncode, 0)
                consumer = self.consume(first.subscription, 1)
                self.assertEqual(consumer.stdout.read(), "one\n")
                self.assertEqual(supply(first, "four").returncode, 0)
                first.process.kill()
            self.assertEqual(supply(second, "five").returncode, 0)
            seen = self.consume(second.subscription, 4).stdout.read().split()
            # At least once: the first event may come again, because its acknowledgement may be lost.
            expected = ["one", "two", "three", "four", "five"]
            self.assertIn(seen, (expected[:4], expected[1:]))

    def test_a_consumer_begins_after_the_events_that_another_service_has_delivered(self):
        with Cluster() as cluster, Service(cluster) as first, Service(cluster) as second:
            self.assertEqual(supply(first, "one", "two", "three", "four").returncode, 0)
            seen = [self.consume(service.subscription, 1).stdout.read() for service in (first, second, first, second)]
            self.assertEqual(seen, ["one\n", "two\n", "three\n", "four\n"])

    def test_the_end_of_a_subscription_elsewhere_disconnects_its_consumer(self):
        with Cluster() as cluster, Service(cluster) as service:
            consumer = self.consume(service.subscription, 1000)
            self.assertEqual(supply(service, "one").returncode, 0)
            self.assertEqual(consumer.stdout.readline(), "one\n")
            with StoreClient(cluster.urls, prefix="perigee") as other:
                self.assertEqual(other.ask("unsubscribe printer", "unsubscribed printer"), "done")
            end = time.monotonic() + 60
            while consumer.poll() is None:
                self.assertLess(time.monotonic(), end)
                self.assertEqual(supply(service, "more").returncode, 0)

    def test_no_event_is_lost_when_services_and_nats_are_killed_many_times(self):
        with Cluster() as cluster, Service(cluster) as kept:
            pushed = []
            for round_number in range(4):
                with Service(cluster) as service:
                    for index in range(5):
                        pushed += [f"{round_number}-{index}"] * supply_at_last(service, f"{round_number}-{index}")
                    service.process.kill()
                cluster.servers[0].kill()
                cluster.servers[0].start()
                cluster.servers[0].await_healthy()
            text = "last"
            supply_at_last(kept, text)
            seen = []
            consumer = self.consume(kept.subscription, len(pushed) + 1)
            while not seen or seen[-1] != text:
                line = consumer.stdout.readline()
                self.assertTrue(line.endswith("\n"), seen)
                seen.append(line.strip())
            self.assertEqual(list(dict.fromkeys(seen)), [*dict.fromkeys(pushed), text])

    def test_the_metrics_tell_whether_a_server_of_nats_is_connected(self):
        port = free_ports(1)[0]
        with Cluster() as cluster, Service(cluster, "-ORBMetricsEndpoint", str(port)) as service:
            self.assertEqual(supply(service, "one").returncode, 0)
            await_metrics(port, connected=1, connections_total=1, consumers_total=1, requests_waiting=0)
            cluster.servers[0].kill()
            await_metrics(port, connected=0)
            cluster.servers[0].start()
            await_metrics(port, connected=1, connections_total=2, consumers_total=2, messages_dropped_total=0)
            self.assertIn("events_sent_again_total", metrics_of(port))

    def test_a_service_with_many_channels_has_few_threads(self):
        channels = " ".join(f"--channel c{index}" for index in range(30))
        with Cluster() as cluster, Service(cluster, channels, "--store-octets-max 1000000") as service:
            self.assertLess(len(os.listdir(f"/proc/{service.process.pid}/task")), 20)

    def test_octets_of_other_programs_do_not_end_the_service(self):
        with Cluster() as cluster, Service(cluster) as service:
            consumer = self.consume(service.channel, 1)
            port = cluster.servers[0].port
            for octets in (b"", b"\x00", b"\x01", b"\xff" * 1000, bytes(range(1, 250)), b"\x00" + b"\xff" * 100,
                           b"\x01\x00\x00\x00\x1d\x00\x00\x00\xff\xff\xff\x7f"):
                publish(port, "perigee.events.news", octets)
            self.assertEqual(supply(service, "good").returncode, 0)
            self.assertEqual(consumer.stdout.read(), "good\n")
            self.assertEqual(self.consume(service.subscription, 1).stdout.read(), "good\n")

    def test_mistakes_and_missing_servers_are_clear_errors(self):
        self.assertEqual(self.refused("--store", "nats"),
                         (2, "perigee-events: --store nats needs --nats nats://<host>:<port>\n"))
        self.assertEqual(self.refused("--nats", "nats://h:1"), (2, "perigee-events: --nats needs --store nats\n"))
        status, text = self.refused("--store", "nats", "--nats", "http://h:1")
        self.assertEqual(status, 1)
        self.assertIn("'http://h:1' is not the address of a server", text)
        with Cluster() as cluster:
            ask_api(cluster.servers[0].port, "$JS.API.STREAM.CREATE.perigee-news",
                    {"name": "perigee-news", "subjects": ["orders"]})
            status, text = self.refused("--store", "nats", "--nats", cluster.urls, "--channel", "news")
            self.assertEqual(status, 1)
            self.assertIn("was not made for this channel: its subjects are 'orders' instead of 'perigee.events.news'",
                          text)
        with Cluster(jetstream=False) as cluster:
            status, text = self.refused("--store", "nats", "--nats", cluster.urls)
            self.assertEqual(status, 1)
            self.assertIn("start nats-server with --jetstream", text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
