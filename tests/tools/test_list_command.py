"""`perigee list`: names and adapters of a server, asked at the socket of its administration."""

import os
import shlex
import unittest

from perigee_tool import WithServer, json_of, perigee
from two_processes import Server


class List(WithServer):
    def test_the_adapters_are_listed_with_their_states_and_objects(self):
        with self.server():
            result = json_of("list", "--json", "-s", self.operator)
            self.assertEqual(result["names"], [])
            root = result["adapters"][0]
            self.assertEqual((root["path"], root["state"]), ("RootPOA", "active"))
            self.assertEqual(root["active_objects"], 1)
            status, text, error = perigee("list", "-s", f"uiop://{self.operator}")
            self.assertEqual((status, error), (0, ""))
            self.assertTrue(text.startswith("adapter RootPOA active, 1 active objects\n"), text)

    def test_the_names_of_the_server_are_listed_with_their_repository_ids(self):
        words = [os.environ["REPOSITORY"], "-ORBAdministration", f"uiop://{self.operator}"]
        with Server(shlex.join(words)):
            result = json_of("list", "--json", "-s", self.operator)
            self.assertEqual(result["names"], [{"name": "InterfaceRepository",
                                                "repository_id": "IDL:omg.org/CORBA/Repository:1.0"}])
            status, text, error = perigee("list", "-s", self.operator)
            self.assertEqual((status, error), (0, ""))
            self.assertTrue(text.startswith("name InterfaceRepository IDL:omg.org/CORBA/Repository:1.0\n"), text)

    def test_a_server_without_administration_is_an_error(self):
        status, out, error = perigee("list", "-s", f"{self.folder}/nothing")
        self.assertEqual((status, out, error.count("\n")), (1, "", 1), error)
        self.assertTrue(error.startswith("perigee list: "), error)


if __name__ == "__main__":
    unittest.main()
