"""Three naming servers over three members of etcd: each process is killed while clients bind and resolve names. No
resolve fails, and no name is lost."""

import os
import subprocess
import sys
import unittest

from etcd_cluster import ETCD, Cluster
from names_program import bound_names, names
from server_process import free_ports

ROUNDS = int(os.environ.get("PERIGEE_ETCD_ROUNDS", "1"))
NAMES_BETWEEN_KILLS = 40


class Servers:
    """Naming servers at fixed ports. Their references have the addresses of all of them."""

    def __init__(self, cluster, count):
        self.cluster = cluster
        self.addresses = [f"127.0.0.1:{port}" for port in free_ports(count)]
        self.running = [None] * count

    def start(self, index):
        published = ",".join(self.addresses)
        server = names("etcd", "--etcd", self.cluster.urls, "--endpoint",
                       f"'iiop://{self.addresses[index]}?publish={published}'", "-ORBLocalTransports", "none")
        self.running[index] = server.__enter__()

    def kill(self, index):
        self.running[index].process.kill()
        self.running[index].__exit__()

    def root(self, *indices):
        chosen = [self.addresses[index] for index in indices] or self.addresses
        return "corbaloc:" + ",".join(f":{address}" for address in chosen) + "/NameService"

    def __enter__(self):
        for index in range(len(self.addresses)):
            self.start(index)
        return self

    def __exit__(self, *_):
        for server in self.running:
            server.__exit__()


@unittest.skipUnless(ETCD, "etcd is not installed")
class ThreeByThree(unittest.TestCase):
    def await_names(self, count=NAMES_BETWEEN_KILLS):
        for _ in range(count):
            line = self.client.stdout.readline()
            self.assertTrue(line, "the client has ended")
            self.acknowledged.add(line.strip())

    def kill_each_member(self, cluster):
        for member in cluster.members:
            member.kill()
            self.await_names()
            member.start()
            member.await_healthy()
            self.await_names()

    def kill_each_server(self, servers):
        for index in range(len(servers.addresses)):
            servers.kill(index)
            self.await_names()
            servers.start(index)
            self.await_names()

    def names_of(self, address):
        """A server learns of the last names a moment later than the server at which they were bound."""
        for _ in range(100):
            bound = bound_names(f"corbaname::{address}#objects")
            if self.acknowledged <= bound:
                break
        return bound

    def test_no_resolve_fails_and_no_name_is_lost_when_processes_are_killed(self):
        with Cluster(3) as cluster, Servers(cluster, 3) as servers:
            self.acknowledged = set()
            self.client = subprocess.Popen(
                [os.environ["CLUSTER_CLIENT"], servers.root(), *map(servers.root, range(3))],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.addCleanup(self.client.stdout.close)
            self.addCleanup(self.client.kill)
            self.await_names()
            for _ in range(ROUNDS):
                self.kill_each_member(cluster)
                self.kill_each_server(servers)
            self.client.stdin.close()
            *rest, last = self.client.stdout.read().splitlines()
            self.acknowledged.update(rest)
            self.assertEqual(self.client.wait(), 0)
            self.assertGreater(int(last.split()[1]), 1000)
            for address in servers.addresses:
                bound = self.names_of(address)
                self.assertLessEqual(self.acknowledged, bound)
                self.assertLessEqual(len(bound - self.acknowledged), 1)
            print(f"{len(self.acknowledged)} names acknowledged, {last}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
