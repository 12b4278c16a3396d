"""Opens the metrics page of a server in a headless browser. The names of its POAs, operations and
sections come from an attacker.

At each width and in both colour schemes, the page loads without an error, requests nothing from other
hosts, shows all names as text, and fits into the window. With PERIGEE_SCREENSHOTS=<folder>, the test
also writes pictures of the page there.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    webdriver = None

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
WIDTHS = (360, 800, 1400)
SCHEMES = ("light", "dark")
SCRIPT = "<script>document.title='attacked'</script>"
CALLS = 40


class Server:
    def __init__(self):
        self.process = subprocess.Popen([os.environ["PAGE_SERVER"], str(CALLS)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if found := re.search(r"http://([^/]+)/", line):
                self.address = found[1]
                break
        assert self.process.stdout.readline() == "ready\n"

    def get(self, path, method="GET", headers=()):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        connection.request(method, path, headers=dict(headers))
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        return response, body

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()


class Requests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.end)

    def test_a_port_without_a_host_is_a_port_of_this_host(self):
        self.assertTrue(self.server.address.startswith("127.0.0.1:"))

    def test_the_status_is_json_with_all_names_as_text(self):
        response, body = self.server.get("/status.json")
        self.assertEqual((response.status, response.getheader("Content-Type")), (200, "application/json"))
        status = json.loads(body)
        self.assertEqual(status["orb"]["server_id"], SCRIPT)
        self.assertIn(["RootPOA", SCRIPT], [poa["name"] for poa in status["poas"]["adapters"]])
        self.assertEqual(status["sections"], [{"name": "names", "title": SCRIPT}])
        self.assertGreater(status["process"]["threads"], 1)
        self.assertGreater(status["process"]["resident_bytes"], 1_000_000)
        families = {family["name"]: family["samples"] for family in status["metrics"]}
        operations = {sample["labels"]["operation"]: sample["count"]
                      for sample in families["perigee_request_duration_seconds"]}
        self.assertEqual(operations[SCRIPT], CALLS)
        self.assertEqual(operations["get_quote"], CALLS)

    def test_a_section_is_read_in_parts(self):
        address, numbers = "/section.json?name=names&path=get_quote&after=", []
        position = ""
        while True:
            table = json.loads(self.server.get(address + position)[1])
            numbers += [int(row["cells"][0]) for row in table["rows"]]
            position = table["next"]
            if not position:
                break
        self.assertEqual(numbers, list(range(250)))

    def test_requests_for_another_host_and_other_methods_are_refused(self):
        for path in ("/", "/status.json", "/metrics"):
            self.assertEqual(self.server.get(path, headers={"Host": "evil.example"})[0].status, 421)
            self.assertEqual(self.server.get(path, "POST")[0].status, 405)


class Browser:
    def __init__(self, address):
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for argument in ("--headless=new", "--hide-scrollbars", "--disable-dev-shm-usage",
                         "--disable-background-networking"):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # chromium's sandbox does not work for root
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(str(DRIVER)), options=options)
        self.address = address

    def open(self, width, scheme):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get(self.address)
        self.wait("return document.getElementById('state').textContent === 'Live'")
        self.wait("return document.querySelectorAll('#sections tbody tr').length > 5")

    def wait(self, script):
        WebDriverWait(self.driver, 60).until(lambda driver: driver.execute_script(script))

    def complaints(self):
        """Errors of the page, and requests to other addresses."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(self.address) and url != "data:,":
                    yield f"a request: {url}"
        for entry in self.driver.get_log("browser"):
            yield entry["message"]

    def run(self, script):
        return self.driver.execute_script(script)

    def cells(self, table):
        return self.run(f"return [...document.querySelectorAll('{table} tbody tr')]"
                        ".map(row => [...row.cells].map(cell => cell.textContent))")

    def click(self, title):
        self.run(f"[...document.querySelectorAll('button')].find(each => each.textContent === {json.dumps(title)})"
                 ".click()")

    def screenshot(self, name):
        if folder := os.environ.get("PERIGEE_SCREENSHOTS"):
            height = self.run("return document.documentElement.scrollHeight")
            width = self.run("return innerWidth")
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            self.driver.save_screenshot(str(Path(folder, name + ".png")))


@unittest.skipUnless(webdriver and CHROMIUM.exists() and DRIVER.exists(), "needs Chromium and Selenium")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.end)
        cls.browser = Browser(f"http://{cls.server.address}/")
        cls.addClassCleanup(cls.browser.driver.quit)

    def test_the_page_is_live_without_an_error_and_fits_into_the_window(self):
        for width in WIDTHS:
            for scheme in SCHEMES:
                with self.subTest(width=width, scheme=scheme):
                    self.browser.open(width, scheme)
                    self.assertEqual(list(self.browser.complaints()), [])
                    excess = self.browser.run("return document.documentElement.scrollWidth - innerWidth")
                    self.assertLessEqual(excess, 0)
                    self.browser.screenshot(f"{scheme}_{width}")

    def test_names_of_an_attacker_are_shown_as_text(self):
        self.browser.open(800, "light")
        operations = {row[0]: row for row in self.browser.cells("#requests")}
        self.assertEqual(operations[SCRIPT][2], str(CALLS))
        self.assertIn("octets \\xff\\x01", operations)  # the metrics escape each octet
        self.assertEqual([row[0] for row in self.browser.cells("#poas")][:2], ["RootPOA", SCRIPT])
        names = [row[0] for row in self.browser.cells("#sections table")]
        self.assertEqual(names[0], SCRIPT)
        self.assertEqual(names[3], "Zürich \\u{202e} txt")
        self.assertEqual(self.browser.run("return document.querySelectorAll('script').length"), 1)
        self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)
        self.assertEqual(self.browser.run("return document.title"), f"Perigee: server, {SCRIPT}")

    def test_scripts_without_the_nonce_do_not_run(self):
        self.browser.open(800, "light")
        self.browser.run("document.body.insertAdjacentHTML('beforeend', "
                         "'<img src=\"data:,\" onerror=\"window.attacked = 1\">');"
                         "const script = document.createElement('script');"
                         "script.textContent = 'window.attacked = 1';"
                         "document.body.append(script);")
        self.assertIsNone(self.browser.run("return window.attacked ?? null"))
        self.assertNotEqual(list(self.browser.complaints()), [])  # of the policy

    def test_rows_of_a_section_open_and_its_parts_follow_each_other(self):
        self.browser.open(800, "light")
        first = "return document.querySelector('#sections tbody td').textContent"
        note = "return document.querySelector('#sections .note').textContent"
        self.browser.click(SCRIPT)
        self.browser.wait("return document.querySelector('#sections .trail').textContent.includes('script')")
        self.browser.wait("return document.querySelector('#sections tbody tr').cells[1].textContent === '1'")
        self.browser.click("get_quote")
        self.browser.wait(first + " === '0'")
        self.assertEqual(self.browser.run(note), "<i>0</i> next")
        self.browser.click("next")
        self.browser.wait(first + " === '100'")
        self.browser.click("next")
        self.browser.wait(first + " === '200'")
        self.assertEqual(self.browser.run(note), "<i>200</i> previous")
        self.browser.click("previous")
        self.browser.wait(first + " === '100'")
        self.browser.click("top")
        self.browser.wait("return document.querySelector('#sections tbody tr').cells[1].textContent === '0'")

    def test_the_page_is_dark_on_a_dark_screen(self):
        background = "return getComputedStyle(document.body).backgroundColor"
        self.browser.open(800, "light")
        light = self.browser.run(background)
        self.browser.open(800, "dark")
        self.assertNotEqual(self.browser.run(background), light)


class LostServer(unittest.TestCase):
    @unittest.skipUnless(webdriver and CHROMIUM.exists() and DRIVER.exists(), "needs Chromium and Selenium")
    def test_the_page_says_when_the_server_does_not_answer(self):
        server = Server()
        browser = Browser(f"http://{server.address}/")
        self.addCleanup(browser.driver.quit)
        browser.open(800, "light")
        server.end()
        browser.wait("return document.getElementById('state').textContent.startsWith('No answer since')")


if __name__ == "__main__":
    sys.exit(unittest.main())
