"""`perigee doctor` as a program."""

import json
import unittest

from perigee_tool import WithServer, json_of, perigee


class Doctor(WithServer):
    def test_each_part_of_the_host_is_checked(self):
        findings = {each["subject"]: each for each in json_of(
            "doctor", "--json", "-ORBListenEndpoints", f"iiop://127.0.0.1:0;uiop://{self.socket}")}
        for subject in ("addresses", "host name", "open files", "threads", "memory", "CPUs", "shared memory",
                        "io_uring", "clock", "waiting connections", "client ports", "plug-ins"):
            self.assertIn(subject, findings)
        servers = [each for subject, each in findings.items() if subject.startswith("server at ")]
        self.assertEqual(len(servers), 2)
        self.assertEqual({each["verdict"] for each in servers}, {"ok"})

    def test_a_port_in_use_is_a_problem(self):
        with self.server() as server:
            tried = json_of("ior", "try", "--json", server.ior)["profiles"][0]
            port = tried["addresses"][0]["endpoint"].rpartition(":")[2]
            status, out, _ = perigee("doctor", "-ORBListenEndpoints", f"iiop://127.0.0.1:{port}")
        self.assertEqual(status, 1)
        self.assertIn("problem  server", out)
        self.assertIn("Address already in use", out)

    def test_a_plug_in_that_cannot_be_used_is_a_problem_with_the_needed_build(self):
        findings = json.loads(perigee("doctor", "--json", "-ORBListenEndpoints", "iiop://127.0.0.1:0",
                                      "-ORBProtocolLibrary", "libm.so.6")[1])
        server, = (each for each in findings if each["subject"] == "server")
        self.assertEqual(server["verdict"], "problem")
        self.assertIn("libm.so.6 (not a plug-in: ", server["text"])
        self.assertRegex(server["remedy"], "build it with (gcc|clang) [0-9]+, .*headers")

    def test_a_peer_that_does_not_listen_is_a_problem(self):
        status, out, _ = perigee("doctor", "--peer", "127.0.0.1:1", "-ORBListenEndpoints", "iiop://127.0.0.1:0")
        self.assertEqual(status, 1)
        self.assertIn("problem  peer 127.0.0.1:1: no program listens at this port\n         start the server", out)


if __name__ == "__main__":
    unittest.main()
