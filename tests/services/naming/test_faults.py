"""perigee-names with files that cannot be used, full file systems, and clients without permission."""

import os
import re
import resource
import shutil
import subprocess
import unittest
from pathlib import Path

from names_program import CLIENT, NAMES, TOOL, WithFolder, bound_names, name, names
from systemd_unit import unit_command


class Faults(WithFolder):
    def refused(self, *options, **popen):
        """The error text of a server that does not start."""
        ended = subprocess.run([NAMES, "--endpoint", "iiop://127.0.0.1:0", *options], capture_output=True, text=True,
                               timeout=60, **popen)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertEqual(ended.stdout, "")
        self.assertEqual(ended.stderr.count("\n"), 1)
        return ended.stderr

    def bind_until_refused(self, root):
        client = subprocess.run([CLIENT, "bind", root, "x", "4"], capture_output=True, text=True, timeout=120)
        return set(client.stdout.split()), client.stderr

    def test_a_file_that_is_full_refuses_changes_and_keeps_names(self):
        limit = 400_000

        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        # Python ignores the signal SIGXFSZ; the server inherits this. Its writes fail with EFBIG.
        with names(self.file, preexec_fn=limit_files, restore_signals=False) as server:
            acknowledged, error = self.bind_until_refused(server.ior)
            self.assertGreater(len(acknowledged), 100)
            self.assertRegex(error, "PERSIST_STORE|NO_RESOURCES")
            self.assertLessEqual(acknowledged, bound_names(server.ior))  # reading goes on
            self.assertEqual(server.end(), 0)
        with names(self.file) as server:
            self.assertLessEqual(acknowledged, bound_names(server.ior))
            self.assertEqual(name(server.ior, "mkdir", "again").returncode, 0)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "mounting needs root")
    def test_a_file_system_that_is_full_refuses_changes_and_keeps_names(self):
        mount = f"mount -t tmpfs -o size=600k none {self.folder} && exec {NAMES} --store {self.file}"
        probe = subprocess.run(["unshare", "--mount", "sh", "-c", f"mount -t tmpfs none {self.folder}"],
                               capture_output=True)
        if probe.returncode != 0:
            self.skipTest("this system does not let the test mount a file system")
        server = subprocess.Popen(["unshare", "--mount", "sh", "-c", f"{mount} --endpoint iiop://127.0.0.1:0"],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        root = server.stdout.readline().strip()
        acknowledged, error = self.bind_until_refused(root)
        self.assertGreater(len(acknowledged), 100)
        self.assertIn("NO_RESOURCES", error)
        self.assertLessEqual(acknowledged, bound_names(root))

    def test_the_log_names_the_file_and_the_cause(self):
        self.file.write_text("x" * 5000)
        self.assertIn(f"{self.file}: file is not a database; restore the file", self.refused("--store", str(self.file)))

    @unittest.skipUnless(os.geteuid() == 0, "the server runs as another user")
    def test_a_file_of_another_user_is_refused(self):
        with names(self.file) as server:
            self.assertEqual(server.end(), 0)
        os.chmod(self.folder, 0o755)
        error = self.refused("--store", str(self.file), user=65534, group=65534, extra_groups=[])
        self.assertIn("must be able to write the file and its folder", error)

    def test_one_server_uses_a_file(self):
        with names(self.file):
            self.assertIn("another naming service uses the file", self.refused("--store", str(self.file)))

    def test_a_server_that_ends_leaves_one_file_and_its_lock(self):
        with names(self.file) as server:
            self.assertEqual(name(server.ior, "mkdir", "a").returncode, 0)
            self.assertEqual(server.end(), 0)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["names.db", "names.db.lock"])

    def test_wrong_options_are_mistakes(self):
        for options, text in ((["--allow-bind", "all"], "'all' is not an access rule"),
                              (["--stor", "x"], "did you mean"),
                              (["--iterators-max", "0"], "--iterators-max"), (["-ORBThreads", "x"], "x")):
            ended = subprocess.run([NAMES, *options], capture_output=True, text=True, timeout=60)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn(text, ended.stderr)

    def test_the_manual_has_exactly_the_options_of_the_help(self):
        shown = subprocess.run([NAMES, "--help"], capture_output=True, text=True).stdout
        listed = set(re.findall(r"^  (?:-h,)?(--[a-z-]+)", shown, re.M)) - {"--help"}
        manual = Path(os.environ["MANUAL"]).read_text().replace("\\-", "-")
        self.assertEqual(set(re.findall(r"^\.TP\n\.BI? (--[a-z-]+)", manual, re.M)), listed)

    def test_the_ior_file_has_the_root_context(self):
        reference = self.folder / "root.ior"
        with names("memory", "--ior-file", str(reference)) as server:
            self.assertEqual(reference.read_text().strip(), server.ior)
        self.assertIn("cannot write the reference",
                      self.refused("--store", "memory", "--ior-file", "/proc/none/ior"))

    def test_the_default_file_follows_xdg(self):
        state = self.folder / "state"
        command = [NAMES, "--endpoint", "iiop://127.0.0.1:0"]
        environment = dict(os.environ, XDG_STATE_HOME=str(state))
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        self.assertTrue(server.stdout.readline().startswith("IOR:"))
        server.terminate()
        self.assertEqual(server.wait(), 0)
        server.stdout.close()
        self.assertTrue((state / "perigee" / "names.db").is_file())
        self.assertIn("write --store FILE", self.refused(env={}))

    def test_the_command_of_the_systemd_unit_starts_the_server(self):
        program, *options = unit_command(os.environ["UNIT"])
        self.assertEqual(program, "/usr/bin/perigee-names")
        self.assertIn("/var/lib/perigee-names/names.db", options)  # the StateDirectory of the unit
        options = [option.replace("/var/lib/perigee-names", str(self.folder)) for option in options]
        server = subprocess.Popen([NAMES, *options, "--endpoint", "iiop://127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.assertTrue(server.stdout.readline().startswith("IOR:"))
        server.terminate()
        self.assertEqual(server.wait(), 0)
        server.stdout.close()
        self.assertTrue(self.file.is_file())

    def test_clients_that_fit_no_rule_cannot_change_names(self):
        with names("memory", "--allow-bind", "none") as server:
            refused = name(server.ior, "mkdir", "a")
            self.assertEqual(refused.returncode, 1)
            self.assertIn("NO_PERMISSION", refused.stderr)
            self.assertEqual(name(server.ior, "list").returncode, 0)

    def test_a_certificate_lets_a_client_change_names(self):
        subprocess.run([TOOL, "cert", str(self.folder)], check=True, capture_output=True)
        config = self.folder / "client.toml"
        files = {side: [f"{self.folder}/{side}.{kind}" for kind in ("pem", "key")] for side in ("server", "client")}
        authority = f'authorities = "{self.folder}/authority.pem"\n'
        tls = ["-ORBTlsCertificate", files["server"][0], "-ORBTlsKey", files["server"][1], "-ORBTlsAuthorities",
               f"{self.folder}/authority.pem", "-ORBTlsClientCertificates", "optional"]
        with names("memory", "--endpoint", "ssliop://127.0.0.1:0", "--allow-bind", "dns=localhost", *tls) as server:
            config.write_text("[tls]\n" + authority)
            environment = dict(os.environ, PERIGEE_CONFIG=str(config))
            self.assertIn("NO_PERMISSION", name(server.ior, "mkdir", "a", env=environment).stderr)
            config.write_text(f'[tls]\n{authority}certificate = "{files["client"][0]}"\nkey = "{files["client"][1]}"\n')
            allowed = name(server.ior, "mkdir", "a", env=environment)
            self.assertEqual(allowed.returncode, 0, allowed.stderr)


if __name__ == "__main__":
    unittest.main()
