"""`perigee protocols` as an operator uses it, and its error texts."""

import os
import signal
import socket
import threading
import time
import unittest

from perigee_tool import WithServer, json_of, perigee

PLUGIN = os.environ["PLUGIN"]
BUILT_IN = "tcp: iiop\nlocal: uiop\nshared_memory: shmiop\nudp: diop\n"


class Protocols(WithServer):
    def protocols(self, *words, **options):
        return perigee("protocols", "-s", self.operator, *words, **options)

    def fails(self, part, *words, **options):
        status, out, error = perigee("protocols", *words, **options)
        self.assertEqual((status, out), (1, ""), error)
        self.assertTrue(error.startswith("perigee protocols: "), error)
        self.assertIn(part, error)
        self.assertNotIn("COMPLETED", error)

    def test_a_path_or_the_value_of_the_option_of_the_server_names_the_server(self):
        with self.server():
            for name in self.operator, f"uiop://{self.operator}":
                self.assertEqual(perigee("protocols", "list", "--server", name), (0, BUILT_IN, ""))
            self.assertEqual(perigee("protocols", "-s", "operator", "list", cwd=self.folder),
                             (0, BUILT_IN, ""))
        for name in "uiop://@name", "iiop://127.0.0.1:1", "":
            self.fails("is not the path of a socket file", "list", "-s", name)

    def test_paths_may_have_any_characters(self):
        self.operator = f"{self.folder}/a|b,c%d e"
        with self.server():
            self.assertEqual(self.protocols("list"), (0, BUILT_IN, ""))

    def test_a_built_in_protocol_that_was_unloaded_can_be_loaded_again(self):
        with self.server():
            self.assertEqual(self.protocols("unload", "uiop"), (0, "unloaded uiop\n", ""))
            self.assertEqual(self.protocols("list"),
                             (0, "tcp: iiop\nshared_memory: shmiop\nudp: diop\nlocal: uiop (unloaded)\n", ""))
            loaded = f"loaded local\nlistening at uiop://{self.socket}?user={os.geteuid()}\n"
            self.assertEqual(self.protocols("load", "local", "--listen", f"uiop://{self.socket}"),
                             (0, loaded, ""))
            self.assertEqual(self.protocols("list"), (0, "tcp: iiop\nshared_memory: shmiop\nudp: diop\nlocal: uiop\n", ""))
            self.fails("protocol tcp is registered already", "-s", self.operator, "load", "tcp")
            self.fails("there is no protocol none", "-s", self.operator, "unload", "none")

    def test_results_are_one_line_of_json(self):
        protocols = ("protocols", "-s", self.operator)
        local = {"name": "local", "schemes": ["uiop"], "loaded": True}
        with self.server():
            built_in = json_of(*protocols, "--json", "list")
            self.assertEqual(built_in[0], {"name": "tcp", "schemes": ["iiop"], "loaded": True})
            self.assertEqual(built_in[1], local)
            self.assertEqual(json_of(*protocols, "unload", "local", "--json"), {"unloaded": "local"})
            self.assertEqual(json_of(*protocols, "list", "--json")[-1], local | {"loaded": False})
            published = f"uiop://{self.socket}?user={os.geteuid()}"
            self.assertEqual(json_of(*protocols, "--json", "load", "local", "--listen", f"uiop://{self.socket}"),
                             {"loaded": "local", "listening": [published]})
            self.assertEqual(json_of(*protocols, "--json", "listen", f"uiop://{self.socket}2"),
                             {"listening": [published.replace("/s?", "/s2?")]})

    def test_json_says_what_was_done_before_a_failure(self):
        protocols = ("protocols", "-s", self.operator, "--json")
        with self.server():
            json_of(*protocols, "unload", "local")
            self.assertEqual(json_of(*protocols, "load", "local", "--listen", "none://x", status=1),
                             {"loaded": "local", "listening": []})
            self.assertEqual(perigee(*protocols, "unload", "none")[:2], (1, ""))

    def test_unloading_takes_the_socket_file_away(self):
        with self.server():
            self.assertTrue(os.path.exists(self.socket))
            self.assertEqual(self.protocols("unload", "local")[0], 0)
            while os.path.exists(self.socket):
                time.sleep(0.01)

    def test_the_error_for_a_name_without_a_folder_explains_how_to_name_a_local_file(self):
        with self.server():
            self.fails("write ./libperigee_none.so", "-s", self.operator, "load", "libperigee_none.so")

    def test_the_operator_waits_no_longer_than_the_timeout_and_the_server_still_loads_the_plugin(self):
        gate = f"{self.folder}/gate"
        with self.server(PERIGEE_TEST_GATE=gate) as server:
            self.fails("no reply within 3 s", "-s", self.operator,
                       "--timeout", "3", "load", PLUGIN)
            self.assertEqual(self.protocols("list"), (0, BUILT_IN, ""))
            self.assertEqual(perigee("ior", "try", server.ior)[0], 0)
            open(gate, "w").close()
            while "plugged2: plugged2\n" not in self.protocols("list")[1]:
                time.sleep(0.01)
            self.assertEqual(self.protocols("unload", "plugged"), (0, "unloaded plugged\n", ""))

    def test_a_server_that_does_not_answer_is_an_error_after_the_timeout(self):
        with self.server() as server:
            server.process.send_signal(signal.SIGSTOP)
            self.fails("no reply within 3 s", "-s", self.operator,
                       "--timeout", "3", "list")
            server.process.send_signal(signal.SIGCONT)
            self.assertEqual(self.protocols("list"), (0, BUILT_IN, ""))

    def test_time_limits_are_numbers(self):
        for limit in "nan", "-1", "soon", "1e9", "1e-9":
            status, out, error = perigee("protocols", "-s", self.operator, "list", "--timeout", limit)
            self.assertEqual((status, out), (2, ""))
            self.assertIn("is not a time limit", error)

    def test_a_time_limit_of_zero_is_no_limit(self):
        with self.server():
            self.assertEqual(self.protocols("list", "--timeout", "0"), (0, BUILT_IN, ""))

    def test_a_socket_without_a_server_or_with_another_program_is_an_error(self):
        self.fails("of at most 107 octets", "list", "-s", "/" + "a" * 200)
        self.fails("or the file is not a socket", "list", "-s", self.folder)
        self.fails("the socket does not exist", "list", "-s", self.operator)
        with self.server():
            self.fails("has its -ORBAdministration at another socket file", "list", "-s", self.socket)
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(f"{self.folder}/other")
            other.listen()

            def hang_up():
                for _ in range(2):  # once for the lookup, once for the call
                    other.accept()[0].close()
            threading.Thread(target=hang_up, daemon=True).start()
            self.fails("other", "list", "-s", f"{self.folder}/other")


if __name__ == "__main__":
    unittest.main()
