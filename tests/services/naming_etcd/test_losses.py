"""Naming servers with a member of etcd that loses answers, or does not serve watches as it should."""

import os
import sys
import unittest

from etcd_cluster import ETCD, Cluster
from etcd_proxy import Proxy
from names_program import name, names


def processor_time(process):
    """Seconds of processor time that the process has used."""
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@unittest.skipUnless(ETCD, "etcd is not installed")
class Losses(unittest.TestCase):
    def setUp(self):
        cluster = self.enterContext(Cluster())
        self.proxy = self.enterContext(Proxy(cluster.members[0].url))
        self.server = self.enterContext(names("etcd", "--etcd", self.proxy.url))
        self.root = self.server.ior

    def changes(self, *words):
        changed = name(self.root, *words)
        self.assertEqual(changed.returncode, 0, changed.stderr)

    def test_a_change_is_done_although_its_answer_is_lost_with_a_kept_connection(self):
        for words in (("mkdir", "a"), ("bind", "b", self.root), ("rebind", "b", self.root), ("unbind", "b"),
                      ("unbind", "a")):
            self.proxy.lose_answer("kept")
            self.changes(*words)
        self.assertLess(self.proxy.losses["kept"], 5)  # a change may have had a new connection
        self.assertEqual(name(self.root, "list").stdout, "")

    def test_a_name_that_does_not_exist_is_not_unbound_although_an_answer_is_lost(self):
        self.proxy.lose_answer("any")
        self.proxy.lose_answer("any")
        refused = name(self.root, "unbind", "a")
        self.assertEqual(self.proxy.losses["any"], 0)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("there is no 'a'", refused.stderr)

    def test_a_server_waits_without_work_for_a_watch_that_is_not_confirmed(self):
        self.changes("mkdir", "a")
        self.fail_watches()
        begin, used = self.proxy.watches, processor_time(self.server.process)
        self.proxy.await_watches(begin + 3)  # each is given up after one second
        self.assertLess(processor_time(self.server.process) - used, 0.5)

    def fail_watches(self):
        """Ends the watch, and leaves further ones unconfirmed while a change is known."""
        self.proxy.is_silent = True
        self.proxy.parts = lambda line: []
        self.proxy.await_watches(1)
        failed = name(self.root, "mkdir", "b")  # its event never arrives
        self.assertIn("TRANSIENT", failed.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
