"""Names that are bound at one naming server and used at another server, which learns of them late."""

import subprocess
import sys
import threading
import unittest

from etcd_cluster import ETCD, Cluster
from etcd_proxy import Proxy
from etcd_servers import metrics_of, server_of
from names_program import TOOL, name, names
from server_process import free_ports


@unittest.skipUnless(ETCD, "etcd is not installed")
class LateChanges(unittest.TestCase):
    def setUp(self):
        cluster = self.enterContext(Cluster())
        self.proxy = self.enterContext(Proxy(cluster.members[0].url))
        self.port = free_ports(1)[0]
        self.first = self.enterContext(server_of(cluster)).ior
        self.second = self.enterContext(names("etcd", "--etcd", self.proxy.url, "-ORBMetricsEndpoint",
                                              f"127.0.0.1:{self.port}")).ior
        self.addCleanup(self.deliver)
        self.delivery = threading.Event()

    def deliver(self):
        self.delivery.set()

    def hold_watch(self):
        """The second server gets no change before `deliver`."""
        self.proxy.parts = lambda line: [line] if self.delivery.wait(60) else []

    def change_first(self, *words):
        changed = name(self.first, *words)
        self.assertEqual(changed.returncode, 0, changed.stderr)

    def await_waiting_read(self, client):
        while metrics_of(self.port)["reads_waiting"] == 0:
            self.assertIsNone(client.poll(), "the client did not wait")

    def test_a_resolve_waits_for_a_change_that_was_made_before_it(self):
        self.hold_watch()
        self.change_first("bind", "a", self.first)
        client = subprocess.Popen([TOOL, "name", "--service", self.second, "resolve", "a"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        self.await_waiting_read(client)
        self.deliver()
        resolved, error = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 0, error)
        self.assertTrue(resolved.startswith("IOR:"), resolved)

    def test_a_name_that_does_not_arrive_is_not_found_after_the_time_limit(self):
        self.hold_watch()
        self.change_first("mkdir", "a")
        self.assertIn("there is no 'a'", name(self.second, "resolve", "a").stderr)
        self.deliver()

    def test_a_client_that_goes_on_with_another_server_finds_its_names(self):
        for number in range(20):
            context = f"c{number}"
            self.change_first("mkdir", context)
            for words in (("mkdir", f"{context}/inner"), ("list", f"{context}/inner"),
                          ("resolve", context)):
                used = name(self.second, *words)
                self.assertEqual(used.returncode, 0, used.stderr)

    def test_a_name_that_does_not_exist_needs_one_read_of_etcd(self):
        self.assertIn("there is no 'a'", name(self.second, "resolve", "a").stderr)
        self.assertEqual(metrics_of(self.port)["reads_waiting"], 0)
        self.assertEqual(metrics_of(self.port)["failed_requests_total"], 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
