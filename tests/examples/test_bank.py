"""examples/bank: references that a factory returns, with and without `perigee bridge`."""

import json
import os
import subprocess
import tempfile
import unittest

from two_processes import Server

SERVER = os.environ["SERVER"]
CLIENT = os.environ["CLIENT"]
TOOL = os.environ["TOOL"]
IDL = os.environ["SOURCES"] + "/bank.idl"


class Bank(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.endpoint = f"uiop://{folder.name}/bank"

    def server(self):
        return Server(f"{SERVER} -ORBListenEndpoints {self.endpoint}")

    def bridge(self, reference, options):
        return Server(f"{TOOL} bridge --json --listen iiop://127.0.0.1:0 --reference {reference} {options}")

    def endpoints_after_a_call(self, reference):
        """The endpoints of the account that the client has opened, used, and passed to the bank."""
        client = subprocess.run([CLIENT, reference], capture_output=True, text=True)
        self.assertEqual(client.returncode, 0, client.stderr)
        said, account = client.stdout.splitlines()
        self.assertEqual(said, "balance 42, largest deposit 30")
        shown = subprocess.run([TOOL, "ior", "--json", account], capture_output=True, text=True)
        return [choice["endpoint"] for choice in json.loads(shown.stdout)["choices"]]

    def test_a_client_gets_accounts_of_the_bank(self):
        with self.server() as server:
            self.assertTrue(self.endpoints_after_a_call(server.ior)[0].startswith(self.endpoint))
            self.assertEqual(server.end(), 0)

    def test_with_the_idl_accounts_lead_through_the_bridge_and_the_bank_recognises_them(self):
        with self.server() as server, self.bridge(server.ior, f"--idl {IDL}") as bridge:
            printed = json.loads(bridge.ior)
            self.assertEqual(self.endpoints_after_a_call(printed["references"][0]), printed["listening"])
            self.assertEqual(bridge.end(), 0)

    def test_without_the_idl_accounts_lead_around_the_bridge(self):
        with self.server() as server, self.bridge(server.ior, "") as bridge:
            printed = json.loads(bridge.ior)
            endpoints = self.endpoints_after_a_call(printed["references"][0])
            self.assertTrue(endpoints[0].startswith(self.endpoint), endpoints)

    def test_accounts_lead_through_the_bridge_if_target_names_the_server_by_another_address(self):
        with Server(f"{SERVER} -ORBListenEndpoints iiop://127.0.0.1:0") as server:
            shown = subprocess.run([TOOL, "ior", "--json", server.ior], capture_output=True, text=True)
            port = json.loads(shown.stdout)["choices"][0]["endpoint"].rsplit(":", 1)[1]
            with self.bridge(server.ior, f"--idl {IDL} --target iiop://localhost:{port}") as bridge:
                printed = json.loads(bridge.ior)
                self.assertEqual(printed["target"], f"iiop://localhost:{port}")
                self.assertEqual(self.endpoints_after_a_call(printed["references"][0]), printed["listening"])

    def test_references_lead_through_two_bridges(self):
        with self.server() as server, self.bridge(server.ior, f"--idl {IDL}") as inner:
            inner_reference = json.loads(inner.ior)["references"][0]
            with self.bridge(inner_reference, f"--idl {IDL}") as outer:
                printed = json.loads(outer.ior)
                self.assertEqual(self.endpoints_after_a_call(printed["references"][0]), printed["listening"])

    def test_mistakes_are_explained(self):
        client = subprocess.run([CLIENT, "corbaloc:iiop:127.0.0.1:1/x"], capture_output=True, text=True)
        self.assertEqual(client.returncode, 1)
        self.assertIn("TRANSIENT", client.stderr)
        client = subprocess.run([CLIENT], capture_output=True, text=True)
        self.assertEqual(client.returncode, 2)
        self.assertIn("usage:", client.stderr)


if __name__ == "__main__":
    unittest.main()
