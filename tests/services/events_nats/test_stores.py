"""Runs the tests of stores in NATS with a server of their own."""

import os
import subprocess
import sys
import unittest

from nats_cluster import NATS, Cluster


@unittest.skipUnless(NATS, "nats-server is not installed")
class Stores(unittest.TestCase):
    def test_stores_in_nats(self):
        with Cluster() as cluster:
            environment = dict(os.environ, NATS=cluster.urls)
            self.assertEqual(subprocess.run([os.environ["STORES"]], env=environment).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
