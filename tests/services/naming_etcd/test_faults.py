"""Naming servers with an etcd that is full, stopped, compacted, protected by TLS, or hostile."""

import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path

from etcd_cluster import ETCD, Cluster
from etcd_servers import metrics_of, server_of
from names_program import CLIENT, NAMES, TOOL, bound_names, name, names
from server_process import free_ports


def refused(*options, store="etcd"):
    """The error text of a server that does not start."""
    ended = subprocess.run([NAMES, "--endpoint", "iiop://127.0.0.1:0", "--store", store, *options],
                           capture_output=True, text=True, timeout=60)
    assert ended.returncode in (1, 2) and ended.stdout == "", ended
    return ended.stderr


def attempts(root, *words):
    """Results of the same command, again and again. Fails after two minutes, so that no test hangs."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        yield (result := name(root, *words))
    raise AssertionError(f"{words}: not the expected result within two minutes; the last result: {result}")


class HostileMember(http.server.BaseHTTPRequestHandler):
    """Answers each request with `answer`, an octet string or a list of them."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        try:
            self.send_response(self.server.status)
            self.end_headers()
            for part in self.server.parts():
                self.wfile.write(part)
        except OSError:
            pass  # the client has read enough

    def log_message(self, *_):
        pass


@unittest.skipUnless(ETCD, "etcd is not installed")
class Faults(unittest.TestCase):
    def test_names_are_resolved_without_etcd_until_they_may_be_too_old(self):
        with Cluster() as cluster, server_of(cluster, "--etcd-staleness-max", "10") as server:
            self.assertEqual(name(server.ior, "mkdir", "a").returncode, 0)
            cluster.members[0].stop()
            self.assertEqual(name(server.ior, "list").stdout, "a/\n")
            self.assertIn("there is no 'b'", name(server.ior, "resolve", "b").stderr)
            for listed in attempts(server.ior, "list"):
                if listed.returncode != 0:
                    break
                self.assertEqual(listed.stdout, "a/\n")
            self.assertIn("TRANSIENT", listed.stderr)
            self.assertIn("names may be out of date", listed.stderr)
            self.assertIn("TRANSIENT", name(server.ior, "resolve", "a").stderr)
            cluster.members[0].go_on()
            for listed in attempts(server.ior, "list"):
                if listed.returncode == 0:
                    break
                self.assertIn("TRANSIENT", listed.stderr)
            self.assertEqual(listed.stdout, "a/\n")

    def test_a_change_without_an_answer_is_transient_after_five_seconds(self):
        with Cluster() as cluster, server_of(cluster) as server:
            cluster.members[0].stop()
            failed = name(server.ior, "mkdir", "a")
            self.assertIn("TRANSIENT", failed.stderr)
            self.assertRegex(failed.stderr, "the change was not confirmed within 5000 ms")
            cluster.members[0].go_on()
            next(made for made in attempts(server.ior, "mkdir", "b") if made.returncode == 0)

    def test_changes_go_on_while_any_member_is_silent(self):
        with Cluster(3) as cluster, server_of(cluster) as server:
            for index, member in enumerate(cluster.members):  # one of them is the leader
                member.stop()
                made = name(server.ior, "mkdir", f"a{index}")
                self.assertEqual(made.returncode, 0, made.stderr)
                self.assertIn(f"a{index}/", name(server.ior, "list").stdout)
                member.go_on()
                member.await_healthy()

    def test_a_full_etcd_refuses_changes_and_names_are_still_resolved(self):
        with Cluster(options=["--quota-backend-bytes", "400000"]) as cluster, server_of(cluster) as server:
            client = subprocess.run([CLIENT, "bind", server.ior, "x", "4"], capture_output=True, text=True, timeout=240)
            acknowledged = set(client.stdout.split())
            self.assertGreater(len(acknowledged), 20)
            self.assertIn("NO_RESOURCES", client.stderr)
            self.assertIn("database space exceeded; compact and defragment etcd", client.stderr)
            self.assertEqual(acknowledged, bound_names(server.ior))
            with server_of(cluster) as second:  # a server can start, too
                self.assertEqual(acknowledged, bound_names(second.ior))

    def test_a_server_that_missed_changes_copies_them_after_a_compaction(self):
        port = free_ports(1)[0]
        with Cluster() as cluster, server_of(cluster) as first, \
                server_of(cluster, "-ORBMetricsEndpoint", f"127.0.0.1:{port}") as second:
            self.assertEqual(metrics_of(port)["copies_total"], 1)
            second.process.send_signal(19)  # SIGSTOP
            for index in range(5):
                self.assertEqual(name(first.ior, "mkdir", f"a{index}").returncode, 0)
            member = cluster.members[0]
            with urllib.request.urlopen(member.url + "/v3/kv/range", data=b'{"key":"YQ=="}') as answer:
                revision = re.search(rb'"revision":"(\d+)"', answer.read())[1].decode()
            urllib.request.urlopen(member.url + "/v3/kv/compaction",
                                   data=f'{{"revision":"{revision}"}}'.encode()).close()
            member.kill()
            member.start()
            member.await_healthy()
            second.process.send_signal(18)  # SIGCONT
            next(listed for listed in attempts(second.ior, "list") if listed.stdout.count("/") == 5)
            self.assertEqual(metrics_of(port)["bindings"], 5)
            self.assertLessEqual(metrics_of(port)["staleness_milliseconds"], 60_000)

    def test_a_server_does_not_start_without_etcd_and_says_why(self):
        port = free_ports(1)[0]
        self.assertRegex(refused("--etcd", f"http://127.0.0.1:{port}"), f"127.0.0.1:{port}: .*[Cc]onnect")
        self.assertIn("--store etcd needs --etcd", refused())
        self.assertIn("is not the address of a member", refused("--etcd", "127.0.0.1:2379"))
        for option in (["--etcd", f"http://127.0.0.1:{port}"], ["--etcd-prefix", "/p/"]):
            self.assertIn(f"{option[0]} needs --store etcd", refused(*option, store="memory"))

    def test_etcd_with_tls_accepts_only_the_certificate(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([TOOL, "cert", folder], check=True, capture_output=True)
            tls = ["--cert-file", f"{folder}/server.pem", "--key-file", f"{folder}/server.key",
                   "--trusted-ca-file", f"{folder}/authority.pem", "--client-cert-auth"]
            with Cluster(options=tls, scheme="https", certificate=Path(folder)) as cluster:
                urls = cluster.urls.replace("127.0.0.1", "localhost")
                authority = ["--etcd-authorities", f"{folder}/authority.pem"]
                certificate = ["--etcd-certificate", f"{folder}/client.pem", "--etcd-key", f"{folder}/client.key"]
                self.assertIn("certificate", refused("--etcd", urls))
                self.assertIn("etcd:", refused("--etcd", urls, *authority))
                with names("etcd", "--etcd", urls, *authority, *certificate) as server:
                    self.assertEqual(name(server.ior, "mkdir", "a").returncode, 0)


IN_NAMESPACE = ["unshare", "--map-root-user", "--mount", "sh", "-c",
                'mount --bind "$1" /etc/ssl/certs && shift && exec "$@"', "sh"]


def has_namespaces():
    """Whether this process may put a folder in the place of the system's authorities."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([*IN_NAMESPACE, folder, "true"], capture_output=True).returncode == 0


@unittest.skipUnless(ETCD, "etcd is not installed")
class Authorities(unittest.TestCase):
    def setUp(self):
        self.own, self.system = (Path(self.enterContext(tempfile.TemporaryDirectory())) for _ in range(2))
        for folder in (self.own, self.system):
            subprocess.run([TOOL, "cert", str(folder)], check=True, capture_output=True)

    @unittest.skipUnless(has_namespaces(), "no mount namespaces")
    def test_a_file_of_authorities_takes_the_place_of_the_systems_authorities(self):
        shutil.copy(self.system / "authority.pem", self.system / "ca-certificates.crt")
        subprocess.run(["openssl", "rehash", str(self.system)], check=True, capture_output=True)
        tls = ["--cert-file", f"{self.system}/server.pem", "--key-file", f"{self.system}/server.key"]
        with Cluster(options=tls, scheme="https", certificate=self.system) as cluster:
            urls = cluster.urls.replace("127.0.0.1", "localhost")
            start = [*IN_NAMESPACE, str(self.system), NAMES, "--endpoint", "iiop://127.0.0.1:0", "--store", "etcd",
                     "--etcd", urls]
            trusting = subprocess.Popen(start, stdout=subprocess.PIPE, text=True)
            self.assertTrue(trusting.stdout.readline().startswith("IOR:"))  # the system's authority is trusted
            trusting.kill()
            trusting.communicate()
            ended = subprocess.run([*start, "--etcd-authorities", f"{self.own}/authority.pem"], capture_output=True,
                                   text=True, timeout=60)
            self.assertEqual((ended.returncode, ended.stdout), (1, ""))
            self.assertIn("certificate", ended.stderr)


class HostileAnswers(unittest.TestCase):
    def refusal(self, parts, status=200):
        """The error text of a naming server whose member sends these parts."""
        member = http.server.ThreadingHTTPServer(("127.0.0.1", 0), HostileMember)
        member.parts, member.status = parts, status
        thread = threading.Thread(target=member.serve_forever)
        thread.start()
        try:
            return refused("--etcd", f"http://127.0.0.1:{member.server_address[1]}")
        finally:
            member.shutdown()
            thread.join()
            member.server_close()

    def test_wrong_answers_give_clear_errors(self):
        for answer, text in ((b"<html>", "the answer is not JSON"), (b"[" * 100_000, "nested too deeply"),
                             (b'{"more":"yes"}', "more: must be true or false"),
                             (b'{"header":{"revision":"-1"}}', "the answer has no revision"),
                             (b'{"header":{"revision":"5"},"kvs":[{"key":"?"}]}', "kvs[0].key: not base64"),
                             (b'{"header":{"revision":"5"}}', "the key 'store' is missing")):
            self.assertIn(text, self.refusal(lambda answer=answer: [answer]))
        self.assertIn("HTTP status 404; not a member of etcd", self.refusal(lambda: [b"no"], 404))

    def test_an_answer_without_end_is_cut_off(self):
        def endless():
            while True:
                yield b" " * 1_000_000

        self.assertIn("the answer has more than 33554432 octets", self.refusal(endless))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
