"""Checks build/site in a headless browser, and writes pictures to build/site-screenshots.

- Each link of a page or of a menu leads to a file and an anchor that exist.
- A page loads without an error, sends no request to another host, and fits into a narrow window. The
  browser opens all pages, but of each kind in ALIKE at most ALIKE_MAX pages.
- A search finds the expected page, in the documents and in the API reference.
- The API reference follows the choice of colours that was made in the documents.
"""

import functools
import html
import http.server
import json
import os
import re
import sys
import threading
import time
import urllib.parse
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "build" / "site"
PICTURES = ROOT / "build" / "site-screenshots"
WIDE = (1280, 900)
NARROW = (390, 844)
SEARCH_SECONDS_MAX = 30

START = "index.html"
API_START, API_CLASS = "api/index.html", "api/classCORBA_1_1object__reference.html"
PICTURED = {"start": START, "guide": "async.html", "tables": "limits.html#servers", "bridge": "bridge.html",
            "tls": "security.html#options", "api-start": API_START, "api-class": API_CLASS}
SEARCHES = {  # in the documents: a page among the first results
    "buffered oneways": "policies.html",
    "when_all": "async.html",
    "borrowed parameters": "mapping.html",
    "bridge rules": "bridge.html",
    "client certificate": "security.html",
}
RESULTS_MAX = 5
# Kinds of pages of the API reference. The pages of one kind differ only in their text.
ALIKE = [re.compile(pattern) for pattern in (
    r"^api/.*-members\.html$", r"^api/.*_source\.html$",
    r"^api/(functions|namespacemembers|globals)_", r"^api/dir_", r"^api/struct",
    r"^api/concept")]
ALIKE_MAX = 20
FRAME = re.compile(r"^api/search/")  # results of a search, which a page shows in a frame: they have no title

API_SEARCH = ("object_reference", "classCORBA_1_1object__reference.html")


class Page:
    """The anchors of a page, and what it links to."""

    TAG = re.compile(r"<[a-zA-Z][^>]*>")
    ATTRIBUTE = re.compile(r'\b(id|name|href|src)="([^"]+)"')

    def __init__(self, text):
        self.anchors = set()
        self.targets = []
        for tag in self.TAG.findall(text):
            for name, value in self.ATTRIBUTE.findall(tag):
                kept = self.anchors.add if name in ("id", "name") else self.targets.append
                kept(html.unescape(value))


class Links:
    """The links between the files of the site."""

    def __init__(self):
        self.pages = {path.relative_to(SITE).as_posix(): Page(path.read_text())
                      for path in sorted(SITE.rglob("*.html"))}
        self.count = 0

    def problem(self, name, target):
        """What is wrong with a link of a file, or None."""
        url = urllib.parse.urlsplit(target)
        if url.scheme or url.netloc:
            return None  # a link to another host: no request until a reader follows it
        self.count += 1
        folder = "" if url.path.startswith("/") else os.path.dirname(name)
        path = urllib.parse.unquote(url.path.lstrip("/"))
        file = os.path.normpath(os.path.join(folder, path)) if path else name
        if (SITE / file).is_dir():
            file = os.path.normpath(os.path.join(file, "index.html"))
        if not (SITE / file).is_file():
            return "no such file"
        anchor = urllib.parse.unquote(url.fragment)
        if anchor and file in self.pages and anchor not in self.pages[file].anchors:
            return "no such anchor"
        return None

    def scripted(self):
        """The links that Doxygen's scripts make: the menu, and the results of a search."""
        for target in re.findall(r'url:"([^"]+)"', (SITE / "api/menudata.js").read_text()):
            yield "api/menudata.js", target
        for script in sorted((SITE / "api/search").glob("*_*.js")):
            for target in re.findall(r"\['(\.\./[^']+)'", script.read_text()):
                yield script.relative_to(SITE).as_posix(), target

    def problems(self):
        links = [(name, target) for name, page in self.pages.items() for target in page.targets]
        for name, target in sorted(set(links + list(self.scripted()))):
            problem = self.problem(name, target)
            if problem:
                yield f"{name}: link to {target}: {problem}"


class Server(http.server.ThreadingHTTPServer):
    """Serves the site on a free port of the loopback interface, in a thread of its own."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), functools.partial(self.Handler, directory=SITE))
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/"


class Browser:
    """A headless browser that records the requests of each page."""

    def __init__(self, address):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        options.add_argument("--headless=new")
        options.add_argument("--hide-scrollbars")
        options.add_argument("--disable-dev-shm-usage")
        options.add_argument("--disable-background-networking")
        options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # chromium's sandbox does not work for root
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        options.add_experimental_option("perfLoggingPrefs", {"enablePage": False})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.address = address

    def show(self, size, scheme):
        width, height = size
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, name):
        self.driver.get(self.address + name)

    def forget(self):
        """Removes the choice of colours."""
        self.driver.execute_script("localStorage.clear()")

    def picture(self, name):
        self.driver.save_screenshot(str(PICTURES / f"{name}.png"))

    def wait(self, condition):
        return WebDriverWait(self.driver, SEARCH_SECONDS_MAX).until(condition)

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def complaints(self):
        """Problems since the last call: failed requests, foreign hosts, errors of scripts."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            details = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                url = details["request"]["url"]
                if not url.startswith((self.address, "data:", "blob:")):
                    yield f"a request to another host: {url}"
            elif message["method"] == "Network.responseReceived":
                if details["response"]["status"] >= 400:
                    yield f"status {details['response']['status']}: {details['response']['url']}"
            elif message["method"] == "Network.loadingFailed" and not details.get("canceled"):
                yield f"a request failed: {details.get('errorText')}"
        for entry in self.driver.get_log("browser"):
            if entry["level"] == "SEVERE":
                yield entry["message"]

    def excess(self):
        """The pixels by which the page is wider than the window."""
        return self.driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth")


def to_open(names):
    """The pages that the browser opens."""
    counts = {}
    for name in names:
        kind = next((kind for kind in ALIKE if kind.search(name)), None)
        counts[kind] = counts.get(kind, 0) + 1
        if kind is None or counts[kind] <= ALIKE_MAX:
            yield name


def check_pages(browser, names):
    browser.show(NARROW, "light")
    for name in names:
        if FRAME.search(name):
            continue
        browser.open(name)
        for complaint in browser.complaints():
            yield f"{name}: {complaint}"
        if not browser.driver.title:
            yield f"{name}: the page has no title"
        if browser.excess() > 0:
            yield f"{name}: {browser.excess()} pixels wider than a window of {NARROW[0]} pixels"


def search(browser, text):
    """Types a text into the search of the documents, and returns the pages of the results."""
    browser.open(START)
    if not browser.find(".md-search__input")[0].is_displayed():
        browser.find("label.md-header__button[for=__search]")[0].click()
        browser.wait(lambda _: browser.find(".md-search__input")[0].is_displayed())
    browser.find(".md-search__input")[0].send_keys(text)
    browser.wait(lambda _: browser.find("a.md-search-result__link"))
    links = [link.get_attribute("href") for link in browser.find("a.md-search-result__link")]
    return [urllib.parse.urlsplit(link).path.lstrip("/") for link in links]


def check_searches(browser):
    browser.show(WIDE, "light")
    for text, expected in SEARCHES.items():
        found = search(browser, text)
        if expected not in found[:RESULTS_MAX]:
            yield f"a search for '{text}' finds {found[:3]}, not {expected}"
    if not any(API_SEARCH[1] in link for link in search_api(browser, API_SEARCH[0])):
        yield f"a search for '{API_SEARCH[0]}' in the API reference does not find {API_SEARCH[1]}"


def search_api(browser, text):
    browser.open(API_START)
    browser.wait(lambda _: browser.find("#MSearchField"))
    browser.find("#MSearchField")[0].send_keys(text)
    browser.wait(lambda _: browser.find("#MSearchResultsWindow")[0].is_displayed())
    if browser.find("iframe#MSearchResults"):
        browser.driver.switch_to.frame("MSearchResults")
    shown = browser.wait(
        lambda _: [link for link in browser.find("#SRResults a") if link.is_displayed()])
    links = [link.get_attribute("href") or "" for link in shown]
    browser.driver.switch_to.default_content()
    return links


def check_colours(browser):
    """The choice of colours in the documents holds in the API reference."""
    browser.show(WIDE, "light")
    browser.open(START)
    browser.forget()
    browser.open(START)
    browser.find("label[for=__palette_2]")[0].click()
    browser.open(API_CLASS)
    if "dark-mode" not in browser.driver.find_element(By.TAG_NAME, "html").get_attribute("class"):
        yield "the API reference does not follow the choice of dark colours"
    browser.forget()


def take_pictures(browser):
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.glob("*.png"):
        old.unlink()
    for form, size, scheme in (("light", WIDE, "light"), ("dark", WIDE, "dark"),
                               ("narrow", NARROW, "light"), ("narrow-dark", NARROW, "dark")):
        browser.show(size, scheme)
        for title, page in PICTURED.items():
            browser.open(page)
            browser.forget()
            browser.open(page)
            browser.picture(f"{title}-{form}")
        search(browser, "buffered oneways")
        time.sleep(1)  # the results slide into their place
        browser.picture(f"search-{form}")
        search_api(browser, API_SEARCH[0])
        browser.picture(f"api-search-{form}")


def main():
    links = Links()
    problems = list(links.problems())
    server = Server()
    browser = Browser(server.address)
    try:
        problems += check_pages(browser, to_open(links.pages))
        problems += check_searches(browser)
        problems += check_colours(browser)
        take_pictures(browser)
        problems += browser.complaints()
    finally:
        browser.driver.quit()
        server.shutdown()
    for problem in problems:
        print(f"site: {problem}", file=sys.stderr)
    print(f"site: {len(links.pages)} pages, {links.count} links, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
