"""Stores in NATS with TLS, users and credentials: which servers they trust, and which permissions they need."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from nats_accounts import write_accounts
from nats_cluster import NATS, Cluster
from store_client import StoreClient

TOOL = os.environ["TOOL"]
# On a busy machine, the time limit of the start may pass first. The reason follows both texts.
ENDED = "(failed|no answer in time)"


def tls_of(folder):
    return ["--tls", "--tlscert", f"{folder}/server.pem", "--tlskey", f"{folder}/server.key"]


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def refusal(self, urls, **options):
        """The error of a store that cannot be opened."""
        with StoreClient(urls, start_ms=1000, **options) as store:
            self.assertTrue(store.opened.startswith("open error "), store.opened)
            return store.opened


@unittest.skipUnless(NATS, "nats-server is not installed")
class Tls(InFolder):
    def setUp(self):
        super().setUp()
        subprocess.run([TOOL, "cert", str(self.folder)], check=True, capture_output=True)
        self.authority = self.folder / "authority.pem"

    def test_only_a_certificate_of_the_authority_is_accepted(self):
        with tempfile.TemporaryDirectory() as other, Cluster(options=tls_of(self.folder), scheme="tls") as cluster:
            subprocess.run([TOOL, "cert", other], check=True, capture_output=True)
            with StoreClient(cluster.urls, authorities=self.authority) as store:
                self.assertEqual(store.append("x"), "1")
            self.assertRegex(self.refusal(cluster.urls, authorities=f"{other}/authority.pem"), ENDED + ".*certificate")
            self.assertRegex(self.refusal(cluster.urls), ENDED + ".*certificate")
            self.assertRegex(self.refusal(cluster.urls, authorities=f"{other}/none.pem"), ENDED + ".* NATS: cannot use")

    def test_the_authorities_of_the_system_are_trusted_as_well(self):
        with Cluster(options=tls_of(self.folder), scheme="tls") as cluster, \
                mock.patch.dict(os.environ, SSL_CERT_FILE=str(self.authority)):
            with StoreClient(cluster.urls) as store:
                self.assertEqual(store.opened, "open")

    def test_a_certificate_with_another_name_is_refused(self):
        certificate = self.folder / "server.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=other.example",
                        "-addext", "subjectAltName=DNS:other.example", "-keyout", str(self.folder / "server.key"),
                        "-out", str(certificate)], check=True, capture_output=True)
        with Cluster(options=tls_of(self.folder), scheme="tls") as cluster:
            self.assertRegex(self.refusal(cluster.urls, authorities=certificate), ENDED + ".*mismatch")

    def test_a_server_may_ask_for_a_certificate(self):
        options = [*tls_of(self.folder), "--tlsverify", "--tlscacert", str(self.authority)]
        with Cluster(options=options, scheme="tls") as cluster:
            own = {"certificate": self.folder / "client.pem", "key": self.folder / "client.key"}
            with StoreClient(cluster.urls, authorities=self.authority, **own) as store:
                self.assertEqual(store.append("x"), "1")
            self.refusal(cluster.urls, authorities=self.authority)

    def test_an_address_with_tls_never_leads_to_a_connection_without_tls(self):
        with Cluster() as cluster:
            urls = cluster.urls.replace("nats:", "tls:")
            self.assertRegex(self.refusal(urls, authorities=self.authority), "[Ss]ecure|TLS")

    def test_without_tls_in_the_address_the_server_decides(self):
        with Cluster(options=tls_of(self.folder)) as cluster:
            with mock.patch.dict(os.environ, SSL_CERT_FILE=str(self.authority)), StoreClient(cluster.urls) as store:
                self.assertEqual(store.append("x"), "1")
            self.assertRegex(self.refusal(cluster.urls), ENDED + ".*certificate")

    def test_authorities_need_tls_in_the_address(self):
        self.assertRegex(self.refusal("nats://127.0.0.1:1", authorities=self.authority), ENDED + ".* need TLS")


@unittest.skipUnless(NATS, "nats-server is not installed")
class Users(InFolder):
    def test_a_store_needs_few_permissions(self):
        file = self.folder / "server.conf"
        file.write_text('authorization { users: [ { user: "u", password: "p", permissions: {\n'
                        '  publish: ["$JS.API.>", "$JS.FC.>", "test.>"], subscribe: ["_INBOX.>"] } } ] }\n')
        with Cluster(options=["--config", str(file)]) as cluster, \
                StoreClient(cluster.urls.replace("://", "://u:p@"), trim_ms=50, recent_octets_max=0) as store:
            self.assertEqual(store.subscribe("s", "first"), "0")
            self.assertEqual([store.append(text) for text in "ab"], ["1", "2"])
            store.await_events(2)
            self.assertEqual(store.read("s", 0), {1: "a", 2: "b"})
            self.assertEqual(store.acknowledge("s", 1), "done")
            self.assertEqual(store.ask("list", "list"), "1 s=1")
            self.assertEqual(store.ask("unsubscribe s", "unsubscribed s"), "done")

    def test_a_user_without_a_permission_gets_a_clear_error(self):
        file = self.folder / "server.conf"
        file.write_text('authorization { users: [ { user: "u", password: "p", permissions: {\n'
                        '  publish: ["test.>"], subscribe: ["_INBOX.>"] } } ] }\n')
        with Cluster(options=["--config", str(file)]) as cluster:
            self.assertRegex(self.refusal(cluster.urls.replace("://", "://u:p@")), "unavailable .*no answer in time")

    def test_a_file_with_credentials_names_the_user(self):
        write_accounts(self.folder)
        with Cluster(options=["--config", str(self.folder / "server.conf")]) as cluster:
            with StoreClient(cluster.urls, credentials=self.folder / "user.creds") as store:
                self.assertEqual(store.append("x"), "1")
            self.assertRegex(self.refusal(cluster.urls), ENDED + ".*[Aa]uthorization")
            self.refusal(cluster.urls, credentials=self.folder / "none.creds")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
