"""`perigee ior` as a program: its output, its JSON, and its errors for references that do not work."""

import json
import os
import shutil
import signal
import unittest

from perigee_tool import WithServer, json_of, perigee


class Ior(WithServer):
    def made(self, *words):
        status, out, error = perigee("ior", "make", "--key", "k", *words)
        self.assertEqual((status, error), (0, ""))
        return out.strip()

    def test_the_result_of_try_is_also_available_as_json(self):
        with self.server() as server:
            for words in ("--json", "try"), ("try", "--json"):
                tried = json_of("ior", *words, server.ior)
                self.assertTrue(tried["found"])
                self.assertEqual([address["connected"] for profile in tried["profiles"]
                                  for address in profile["addresses"]], [True, True])
        status, out, _ = perigee("ior", "try", "--json", server.ior)
        self.assertEqual(status, 1)
        self.assertEqual(out.count("\n"), 1)
        tried = json.loads(out)
        self.assertFalse(tried["found"])
        self.assertIn("Connection refused", tried["profiles"][0]["addresses"][0]["reason"])

    def test_a_socket_that_is_left_out_has_its_own_reason(self):
        os.mkdir(f"{self.folder}/run")
        self.socket = f"{self.folder}/run/s"
        with self.server() as server:
            trusting = ("-ORBUiopTrust", "own,/perigee-nowhere")
            for words in (server.ior,), ("try", server.ior):
                out = perigee("ior", *words, *trusting)[1]
                self.assertIn("-ORBUiopTrust does not name its folder", out)
            out = perigee("ior", "try", server.ior, "-ORBUiopTrust", str(os.geteuid() + 1))[1]
            self.assertIn("but -ORBUiopTrust does not name this user", out)
            self.assertIn("name its user and its folder: -ORBUiopTrust", out)
            server.end(signal.SIGKILL)
        shutil.rmtree(f"{self.folder}/run")
        for words in (server.ior,), ("try", server.ior):
            out = perigee("ior", *words)[1]
            self.assertIn(f"the folder {self.folder}/run/: No such file or directory", out)

    def test_a_socket_in_a_folder_that_is_not_there_is_refused(self):
        status, out, error = perigee("ior", "make", "--key", "k", "--endpoint",
                                     f"uiop://{self.folder}/none/s")
        self.assertEqual((status, out), (1, ""))
        self.assertIn(f"the folder {self.folder}/none/: No such file or directory", error)

    def test_a_damaged_profile_is_called_damaged(self):
        ior = "IOR:" + "".join([
            "00000000",  # big-endian
            "00000001" "00000000",  # type id: ""
            "00000001",  # one profile
            "00000000" "00000003" "000102",  # one truncated IIOP profile
        ])
        for words in (ior,), ("try", ior):
            self.assertIn("it is damaged: ", perigee("ior", *words)[1])

    def test_commands_without_a_sensible_meaning_are_refused(self):
        ior = self.made("--address", "h:1")
        for words, why in (((ior, "make", "--key", "k", "--address", "h:1"), "is not allowed before"),
                           ((ior, "try", ior), "is not allowed before"),
                           (("edit", ior), "no change is given"),
                           (("edit", "--json", ior), "no change is given"),
                           (("edit", ior, "--remove-profile", "1"), "would be nil"),
                           (("edit", "corbaloc::h:1/k", "--type", "t"), "only an IOR: can be changed"),
                           (("try", "corbaloc:tin:can/k"), "perigee ior: no protocol has the scheme"),
                           (("try", "corbaname::127.0.0.1:1#a"), "resolving the reference failed: connecting"),
                           (("edit", ior, "--first", "0"), "there is no profile 0"),
                           (("edit", ior, "--first", "1", "--remove-profile", "1"),
                            "cannot be removed and be the first")):
            status, out, error = perigee("ior", *words)
            self.assertNotEqual(status, 0, words)
            self.assertEqual(out, "", words)
            self.assertIn(why, error, words)

    def test_a_new_key_replaces_the_keys_of_all_profiles(self):
        with self.server() as server:
            status, out, error = perigee("ior", "edit", server.ior, "--key", "other")
            self.assertEqual((status, error), (0, ""))
            status, tried, _ = perigee("ior", "--json", "try", out.strip())
            self.assertEqual(status, 1)
            for profile in json.loads(tried)["profiles"]:
                self.assertTrue(profile["addresses"][0]["connected"])
                self.assertIn("does not exist", profile["answer"])

    def test_a_made_reference_is_one_line_of_json(self):
        text = self.made("--address", "h:1", "--type", "IDL:A:1.0")
        made = ("make", "--key", "k", "--address", "h:1", "--type", "IDL:A:1.0")
        for words in ("--json", *made), (*made, "--json"):
            self.assertEqual(json_of("ior", *words), {"ior": text})
        described = json_of("ior", "--json", text)
        self.assertEqual(described["type_id"], "IDL:A:1.0")
        self.assertEqual(described["profiles"][0]["address"], "h:1")

    def test_a_changed_reference_is_one_line_of_json_with_its_unchanged_profiles(self):
        text = self.made("--address", "h:1")
        changed = json_of("ior", "edit", "--json", text, "--address", "h=gateway")
        self.assertEqual(set(changed), {"ior", "unchanged"})
        self.assertEqual(changed["unchanged"], [])
        self.assertIn("gateway:1", perigee("ior", changed["ior"])[1])
        with self.server() as server:
            unchanged = json_of("ior", "--json", "edit", server.ior, "--address", "127.0.0.1=gateway")["unchanged"]
        self.assertEqual([set(profile) for profile in unchanged], [{"profile", "tag", "endpoint"}])
        self.assertIn(f"uiop://{self.socket}", unchanged[0]["endpoint"])

    def test_profiles_whose_addresses_do_not_change_are_named(self):
        with self.server() as server:
            _, out, error = perigee("ior", "edit", server.ior, "--address", "127.0.0.1=gateway")
            self.assertIn("gateway", perigee("ior", out.strip())[1])
            self.assertIn(f"is unchanged: uiop://{self.socket}", error)

    def test_file_urls_and_corbanames_are_accepted(self):
        with self.server() as server:
            with open(f"{self.folder}/a.ior", "w") as file:
                file.write(server.ior)
            for name in f"{self.folder}/a.ior", f"file:{self.folder}/a.ior", f"file://{self.folder}/a.ior":
                for words in (name,), ("try", name):
                    self.assertEqual(perigee("ior", *words)[0], 0, name)
        self.assertIn("name in the context: a/b", perigee("ior", "corbaname::h:1#a/b")[1])


if __name__ == "__main__":
    unittest.main()
