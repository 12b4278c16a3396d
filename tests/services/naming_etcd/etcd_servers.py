"""Naming servers over a cluster of etcd, and their metrics."""

import re
import urllib.request

from names_program import names


def server_of(cluster, *options):
    return names("etcd", "--etcd", cluster.urls, *options)


def metrics_of(port):
    """The numbers of the store. `port`: where the server has its metrics."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
        text = page.read().decode()
    return {key: int(value) for key, value in re.findall(r"^perigee_names_etcd_(\w+) (\d+)$", text, re.M)}
