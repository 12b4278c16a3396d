"""Opens the page of `perigee bench paper`, made from made-up values, in a headless browser.

At each width and in both colour schemes, the page loads without an error and without a request, fits into
the window, and shows each chart once; no text of a chart is cut, overlaps another text, or is hard to
read because a line crosses it.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
WIDTHS = (360, 800, 1400)
SCHEMES = ("light", "dark")
CASE = "the page of all papers*"  # in paper_test.cpp; it writes the page

# The problems of the charts that are visible, as texts.
CHART_PROBLEMS = """
const problems = [];
const visible = element => element.getClientRects().length > 0;
for (const figure of document.querySelectorAll('.figure')) {
  const charts = [...figure.querySelectorAll('svg.chart')].filter(visible);
  if (charts.length !== 1) problems.push(`${charts.length} drawings of a chart are visible`);
  for (const chart of charts) {
    const box = chart.getBoundingClientRect();
    const texts = [...chart.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([name, place], index) => {
      if (place.left < box.left - 1 || place.right > box.right + 1 || place.top < box.top - 1 ||
          place.bottom > box.bottom + 1)
        problems.push(`cut: "${name}" of "${chart.querySelector('title').textContent}"`);
      for (const [other, another] of texts.slice(index + 1)) {
        const width = Math.min(place.right, another.right) - Math.max(place.left, another.left);
        const height = Math.min(place.bottom, another.bottom) - Math.max(place.top, another.top);
        if (width > 1 && height > 3) problems.push(`overlap: "${name}" and "${other}"`);
      }
    });
    for (const line of chart.querySelectorAll('line.reference, line.grid')) {
      const across = line.getBoundingClientRect();
      for (const text of chart.querySelectorAll('text')) {
        const place = text.getBoundingClientRect();
        if (across.right < place.left || across.left > place.right || across.bottom < place.top ||
            across.top > place.bottom) continue;
        const isBelow = line.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
        const style = getComputedStyle(text);
        if (!isBelow || !style.paintOrder.startsWith('stroke') || parseFloat(style.strokeWidth) < 3)
          problems.push(`a line crosses "${text.textContent}"`);
      }
    }
  }
}
return problems;
"""


class Browser:
    def __init__(self, page):
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for argument in ("--headless=new", "--hide-scrollbars", "--disable-dev-shm-usage",
                         "--disable-background-networking"):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # chromium's sandbox does not work for root
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(str(DRIVER)), options=options)
        self.address = page.as_uri()

    def open(self, width, scheme, media="screen"):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get(self.address)

    def complaints(self):
        """Errors of the page, and requests for anything but the page."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if url.split("#")[0] != self.address:
                    yield f"a request: {url}"
        for entry in self.driver.get_log("browser"):
            yield entry["message"]

    def run(self, script):
        return self.driver.execute_script(script)

    def background(self):
        return self.run("return getComputedStyle(document.body).backgroundColor")


@unittest.skipUnless(webdriver and CHROMIUM.exists() and DRIVER.exists(), "needs Chromium and Selenium")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        page = Path(cls.folder.name, "paper.html")
        subprocess.run([os.environ["TEST_BENCH"], f"--test-case={CASE}"], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"PERIGEE_PAGE": str(page)})
        cls.browser = Browser(page)
        cls.addClassCleanup(cls.browser.driver.quit)

    def each_view(self, check):
        for width in WIDTHS:
            for scheme in SCHEMES:
                with self.subTest(width=width, scheme=scheme):
                    self.browser.open(width, scheme)
                    check()

    def test_the_page_loads_without_an_error_or_a_request(self):
        self.each_view(lambda: self.assertEqual(list(self.browser.complaints()), []))

    def test_the_page_fits_into_the_window(self):
        excess = "return document.documentElement.scrollWidth - innerWidth"
        self.each_view(lambda: self.assertLessEqual(self.browser.run(excess), 0))

    def test_no_text_of_a_chart_is_cut_or_overlaps_another_text(self):
        self.browser.open(800, "light")
        self.assertGreater(self.browser.run("return document.querySelectorAll('.figure').length"), 12)
        self.each_view(lambda: self.assertEqual(self.browser.run(CHART_PROBLEMS), []))

    def test_each_link_of_the_table_leads_to_a_figure(self):
        self.browser.open(800, "light")
        missing = self.browser.run("return [...document.querySelectorAll('a')].map(link => link.hash.slice(1))"
                                   ".filter(anchor => !document.getElementById(anchor))")
        self.assertEqual(missing, [])

    def test_the_page_is_dark_on_a_dark_screen_and_light_on_paper(self):
        self.browser.open(800, "light")
        light = self.browser.background()
        self.browser.open(800, "dark")
        self.assertNotEqual(self.browser.background(), light)
        self.browser.open(800, "dark", "print")
        self.assertEqual(self.browser.background(), light)


if __name__ == "__main__":
    sys.exit(unittest.main())
