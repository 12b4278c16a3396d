"""`perigee bridge` as an operator uses it, and its error texts."""

import json
import os
import shlex
import signal
import subprocess
import unittest

from perigee_tool import TOOL, WithServer, json_of, perigee
from two_processes import Server

CLIENT = os.environ["CLIENT"]


class Bridge(WithServer):
    def bridge(self, *words):
        """A running bridge. The attribute `ior` of the result is the first line that it prints."""
        return Server(" ".join([TOOL, "bridge", "--listen", "iiop://127.0.0.1:0", *words]))

    def fails(self, status, part, *words):
        outcome, out, error = perigee("bridge", *words)
        self.assertEqual((outcome, out), (status, ""), error)
        self.assertTrue(error.startswith("perigee bridge: "), error)
        self.assertEqual(error.count("\n"), 1, error)
        self.assertIn(part, error)

    def idl(self, text, name="bank.idl"):
        path = f"{self.folder}/{name}"
        with open(path, "w") as file:
            file.write(text)
        return path

    def config(self, text):
        path = f"{self.folder}/bridge.toml"
        with open(path, "w") as file:
            file.write(text)
        return path

    def call(self, reference):
        return subprocess.run([CLIENT, reference], capture_output=True, text=True)

    def test_calls_pass_and_a_signal_ends_the_bridge_with_status_0(self):
        for number in signal.SIGTERM, signal.SIGINT:
            with self.server() as server, self.bridge("--reference", server.ior) as bridge:
                for _ in range(3):
                    self.assertEqual(self.call(bridge.ior).stdout, "Hello, world!\n")
                self.assertEqual(perigee("ior", "try", bridge.ior)[0], 0)
                self.assertEqual(bridge.end(number), 0)

    def test_the_option_target_may_name_another_protocol_than_the_first_profile_of_the_reference(self):
        with self.server() as server:
            with self.bridge("--target", f"uiop://{self.socket}?user={os.geteuid()}",
                             "--reference", server.ior) as bridge:
                self.assertEqual(self.call(bridge.ior).stdout, "Hello, world!\n")

    def test_refused_operations_and_objects_get_no_permission(self):
        with self.server() as server:
            for rule in ("--deny-operation=gre*", "--allow-operation=_is_a", "--allow-object=none"):
                with self.bridge(rule, "--reference", server.ior) as bridge:
                    outcome = self.call(bridge.ior)
                    self.assertEqual(outcome.returncode, 1, rule)
                    self.assertIn("NO_PERMISSION", outcome.stderr)

    def test_a_file_adds_options(self):
        with self.server() as server:
            path = self.config(f'reference = "{server.ior}"\n# a remark\ndeny-operation = ["other", "gre*"]\n')
            with self.bridge("--config", path) as bridge:
                self.assertIn("NO_PERMISSION", self.call(bridge.ior).stderr)

    def test_json_has_the_references_and_the_addresses(self):
        with self.server() as server, self.bridge("--json", "--reference", server.ior) as bridge:
            printed = json.loads(bridge.ior)
            self.assertEqual(len(printed["references"]), 1)
            self.assertTrue(printed["listening"][0].startswith("iiop://127.0.0.1:"))
            self.assertTrue(printed["target"].startswith(("iiop://", "uiop://")))
            choices = json_of("ior", "--json", printed["references"][0])["choices"]
            self.assertEqual([choice["endpoint"] for choice in choices], printed["listening"])

    def test_a_bridge_without_references_prints_where_it_listens(self):
        with self.bridge("--target", "iiop://127.0.0.1:1") as bridge:
            self.assertTrue(bridge.ior.startswith("listening at iiop://127.0.0.1:"), bridge.ior)

    def tls(self, name):
        """The options of a side with the certificate `name`, which trusts the authority of the folder."""
        if not os.path.exists(f"{self.folder}/authority.pem"):
            self.assertEqual(perigee("cert", self.folder)[0], 0)
        return ("-ORBTlsAuthorities", f"{self.folder}/authority.pem", "-ORBTlsCertificate",
                f"{self.folder}/{name}.pem", "-ORBTlsKey", f"{self.folder}/{name}.key")

    def test_a_bridge_ends_tls_and_reads_its_certificates_again(self):
        tls = self.tls("server")
        listen = shlex.join([TOOL, "bridge", "--listen", "ssliop://127.0.0.1:0"])
        with self.server() as server:
            with Server(f"{listen} --reference {server.ior} {shlex.join(tls)}") as bridge:
                call = [CLIENT, "-ORBTlsAuthorities", f"{self.folder}/authority.pem", bridge.ior]
                for _ in range(2):
                    self.assertEqual(subprocess.run(call, capture_output=True, text=True).stdout, "Hello, world!\n")
                    bridge.process.send_signal(signal.SIGHUP)
                self.assertEqual(self.call(bridge.ior).returncode, 1)  # the client has no TLS
                self.assertEqual(bridge.end(), 0)

    def test_a_bridge_begins_tls_for_clients_without_it(self):
        secured = shlex.join([os.environ["SERVER"], "-ORBTls", "required", "-ORBTlsClientCertificates", "required",
                              "-ORBListenEndpoints", "ssliop://127.0.0.1:0", *self.tls("server")])
        with Server(secured) as server:
            with self.bridge("--reference", server.ior, *self.tls("client")) as bridge:
                self.assertEqual(self.call(bridge.ior).stdout, "Hello, world!\n")
            with self.bridge("--reference", server.ior, "-ORBTls", "allowed") as bridge:
                outcome = self.call(bridge.ior)
                self.assertEqual(outcome.returncode, 1)
                self.assertIn("NO_PERMISSION", outcome.stderr)
                self.assertIn("do not accept each other's certificates", outcome.stderr)

    def test_mistakes_in_the_command_line_have_status_2(self):
        listen = ("--listen", "iiop://127.0.0.1:0")
        target = ("--target", "iiop://127.0.0.1:1")
        self.fails(2, "--listen is missing", *target)
        self.fails(2, "--target or --reference is missing", *listen)
        self.fails(2, "'0' is not a time limit; write a number of seconds from 0.001 to 1e+06", *listen, *target,
                   "--stop-timeout", "0")
        self.fails(2, "'1.3' is not 1.0, 1.1 or 1.2", *listen, *target, "--target-version", "1.3")
        self.fails(2, "'%zz' is not the beginning of an object key", *listen, *target, "--deny-object", "%zz")
        self.fails(2, "unknown option '--lisen'; did you mean '--listen'?", "--lisen", "x")
        self.fails(2, "none: the file cannot be opened: No such file", *listen, *target, "--config", f"{self.folder}/none")
        for text, part in (('lite = true\n lisen = "x"\n', ":2:10: unknown key 'lisen'; did you mean 'listen'?"),
                           ('threads = "many"\n', ":1:11: 'threads' is 'many', but a whole number from 1 to 1024"),
                           ("threads = 0\n", "'threads' is '0', but a whole number from 1 to 1024 is needed"),
                           ("connect-timeout = -1.5\n", "'connect-timeout' is '-1.5', but a number of seconds"),
                           ("target-version = 1.2\n", "but a string is needed"),
                           ('lite = "true"\n', "'lite' is 'true', but true or false is needed"),
                           ('target = ["x"]\n', "'target' is an array of strings, but one value is needed"),
                           ("listen = 7\n", "'listen' is '7', but a string, or an array of strings, is needed"),
                           ("listen = [7]\n", ":1:10: 'listen' is an array with values that are not strings"),
                           ('[orb]\nlisten = "x"\n', ":1:1: 'orb' is a table, and no option has such a value"),
                           ('listen = "x\n', ":1:12: ")):
            self.fails(2, f"{self.folder}/bridge.toml", *listen, *target, "--config", self.config(text))
            self.fails(2, part, *listen, *target, "--config", self.config(text))

    def test_idl_files_are_read_at_the_start(self):
        self.idl("interface Part { Object find(); };\n", "part.idl")
        path = self.idl('#include "part.idl"\ninterface Bank : Part { Object open(); };\n')
        os.mkdir(f"{self.folder}/other")
        os.rename(f"{self.folder}/part.idl", f"{self.folder}/other/part.idl")
        target = ("--target", "iiop://127.0.0.1:1")
        for words in (("--idl", path, "-I", f"{self.folder}/other"),
                      ("--config", self.config(f'idl = "{path}"\nidl-include = ["{self.folder}/other"]\n'))):
            with self.bridge(*target, *words) as bridge:
                self.assertTrue(bridge.ior.startswith("listening at"), bridge.ior)
                self.assertEqual(bridge.end(), 0)

    def test_macros_choose_parts_of_the_idl_files(self):
        path = self.idl("#if SIDES != 2\n#error two sides are needed\n#endif\ninterface Bank { Object open(); };\n")
        target = ("--target", "iiop://127.0.0.1:1", "--idl", path)
        self.fails(2, "two sides are needed", "--listen", "iiop://127.0.0.1:0", *target)
        for words in (("-D", "SIDES=2"), ("--idl-define", "SIDES=2"),
                      ("--config", self.config('idl-define = "SIDES=2"\n'))):
            with self.bridge(*target, *words) as bridge:
                self.assertEqual(bridge.end(), 0)

    def test_calls_pass_with_an_idl_that_has_no_references(self):
        path = self.idl("module Demo { interface Hello { string greet(in string name); }; };\n")
        with self.server() as server, self.bridge("--reference", server.ior, "--idl", path) as bridge:
            self.assertEqual(self.call(bridge.ior).stdout, "Hello, world!\n")

    def test_mistakes_in_the_idl_have_status_2_and_a_place(self):
        ends = ("--listen", "iiop://127.0.0.1:0", "--target", "iiop://127.0.0.1:1")
        self.fails(2, f"{self.folder}/none.idl: the file cannot be read", *ends, "--idl", f"{self.folder}/none.idl")
        path = self.idl("interface Bank {\n  Account open();\n};\n")
        self.fails(2, f"{path}:2:3: ", *ends, "--idl", path)
        path = self.idl("interface A { Object find(); };\ninterface B { long find(); };\n")
        self.fails(2, f"{path}:2:20: ::B::find and ::A::find ({path}:1:22) have the same name", *ends, "--idl", path)
        with self.bridge("--target", "iiop://127.0.0.1:1", "--idl", path, "--deny-operation", "find") as bridge:
            self.assertEqual(bridge.end(), 0)
        path = self.idl("native H;\ninterface A { void put(in H handle, in Object o); };\n")
        self.fails(2, f"{path}:2:20: the bridge cannot rewrite the references in ::A::put", *ends, "--idl", path)
        path = self.idl("valuetype V { public Object o; };\ninterface A { V get(); };\n")
        with self.bridge("--target", "iiop://127.0.0.1:1", "--idl", path) as bridge:
            self.assertEqual(bridge.end(), 0)

    def test_failures_have_status_1(self):
        target = ("--target", "iiop://127.0.0.1:1")
        self.fails(1, "there are: iiop:// uiop:// shmiop:// diop://", "--listen", "none://x", *target)
        self.fails(1, "there are: iiop://", "--listen", "iiop://127.0.0.1:0", "--target", "none://x")
        listen = ("--listen", "iiop://127.0.0.1:0")
        self.fails(1, "TLS is off; give the bridge a certificate with", "--listen", "ssliop://127.0.0.1:0", *target)
        self.fails(1, "TLS is off; name the authorities to trust with", *listen, "--target", "ssliop://127.0.0.1:1")
        self.fails(1, "a server of TLS needs -ORBTlsCertificate", "--listen", "ssliop://127.0.0.1:0", *target,
                   "-ORBTls", "allowed")
        self.fails(1, "there are: ssliop:// uiop://", *listen, *target, "-ORBTls", "required",
                   "-ORBTlsPlainSchemes", "uiop")
        self.fails(1, "no such file", "--listen", "iiop://127.0.0.1:0", "--reference", f"{self.folder}/no such file")
        place = f"uiop://{self.folder}/b"
        self.fails(1, "the target is the bridge itself", "--listen", place, "--target", f"{place}?user={os.geteuid()}")


if __name__ == "__main__":
    unittest.main()
