"""Runs the tests of stores with an etcd of their own."""

import os
import subprocess
import sys
import unittest

from etcd_cluster import ETCD, Cluster


@unittest.skipUnless(ETCD, "etcd is not installed")
class Stores(unittest.TestCase):
    def test_stores_in_etcd(self):
        with Cluster() as cluster:
            environment = dict(os.environ, ETCD=cluster.urls)
            self.assertEqual(subprocess.run([os.environ["STORES"]], env=environment).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
