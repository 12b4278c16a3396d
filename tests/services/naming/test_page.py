"""The metrics page of perigee-names shows the tree of names."""

import http.client
import json
import re
import unittest

from names_program import WithFolder, name, names


class Page(WithFolder):
    def setUp(self):
        super().setUp()
        log = self.folder / "log"
        with log.open("w") as file:
            server = names("memory", "-ORBMetricsEndpoint", "0", "-ORBTraceLevel", "info", stderr=file)
            self.root = self.enterContext(server).ior
        self.address = re.search(r"http://([^/]+)/", log.read_text())[1]

    def table(self, query=""):
        connection = http.client.HTTPConnection(self.address)
        connection.request("GET", "/section.json?name=names" + query)
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        body = response.read().decode()
        connection.close()
        self.assertNotIn("<", body)
        return json.loads(body)

    def bind(self, text):
        self.assertEqual(name(self.root, "bind", text, "corbaloc::127.0.0.1:1/x").returncode, 0)

    def test_the_page_shows_each_context_of_the_tree(self):
        self.assertEqual(name(self.root, "mkdir", "--parents", "fleet/a&b").returncode, 0)
        self.bind("<script>alert(1)<\\/script>")
        self.bind("fleet/a&b/truck.kind")
        rows = {row["cells"][0]: row for row in self.table()["rows"]}
        self.assertEqual(rows["<script>alert(1)</script>"]["cells"][2], "object")
        self.assertEqual(rows["<script>alert(1)</script>"]["key"], "")
        fleet = "&path=" + rows["fleet"]["key"]
        inner = self.table(fleet)["rows"]
        self.assertEqual([row["cells"][0] for row in inner], ["a&b"])
        trucks = self.table(fleet + "&path=" + inner[0]["key"])["rows"]
        self.assertEqual([row["cells"] for row in trucks], [["truck", "kind", "object", "no lease"]])

    def test_a_name_that_is_not_a_context_has_no_table(self):
        self.bind("object")
        for path in ("&path=object", "&path=other", "&path="):
            table = self.table(path)
            self.assertEqual(table["rows"], [])
            self.assertEqual(table["note"], "This context does not exist, or no longer exists.")


if __name__ == "__main__":
    unittest.main()
