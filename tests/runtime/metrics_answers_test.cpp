// The answers of the metrics page to single requests, and the JSON that it shows.
#include "runtime/server/metrics_answers.h"

#include "orb/server/status_sections.h"
#include "runtime/process.h"
#include "runtime/server/page_text.h"
#include "runtime/server/status_document.h"
#include <perigee/orb/added_metrics.h>
#include <perigee/orb/status_section.h>

#include <doctest/doctest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace perigee::test {

namespace {

using orb::StatusQuery;
using orb::StatusSection;
using orb::StatusSections;
using orb::StatusTable;
using runtime::json_text;
using runtime::MetricsAnswers;

std::optional<std::string> sample_section(std::string_view name, const StatusQuery& query) {
  if (name == "broken") throw std::runtime_error("no <b>disk</b>");
  if (name == "foreign") throw 1;
  if (name == "large") throw std::bad_alloc();
  if (name != "names") return std::nullopt;
  std::string text = "[" + query.after + "]";
  for (const std::string& key : query.path) text += "/" + key;
  return text;
}

MetricsAnswers make_answers(std::vector<std::string> hosts = {}) {
  return {{.prometheus = [] { return std::string("numbers\n"); },
           .json = [] { return std::string("[]\n"); },
           .status = [] { return std::string("{}\n"); },
           .section = sample_section},
          std::move(hosts)};
}

std::string get(const MetricsAnswers& answers, const std::string& target,
                const std::string& host = "localhost:9464") {
  return answers.answer("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
}

std::string body_of(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the page runs only its own script and style, and nothing of other hosts") {
  const MetricsAnswers answers = make_answers();
  const std::string first = get(answers, "/");
  CHECK(first.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"));
  const auto start = first.find("script-src 'nonce-") + 18;
  const std::string nonce = first.substr(start, first.find('\'', start) - start);
  CHECK(nonce.size() == 32);
  CHECK(has(first, "Content-Security-Policy: default-src 'none'; script-src 'nonce-" + nonce +
                       "'; style-src 'nonce-" + nonce + "'; connect-src 'self'; img-src data:; "));
  CHECK(has(first, "frame-ancestors 'none'\r\n"));
  CHECK(has(first, "<script nonce=\"" + nonce + "\">"));
  CHECK(has(first, "<style nonce=\"" + nonce + "\">"));
  CHECK(!has(first, runtime::nonce_mark));
  CHECK(!has(get(answers, "/"), nonce));  // each response has a nonce of its own
  CHECK(!has(body_of(first), "https:"));
  CHECK(!has(body_of(first), "innerHTML"));
}

TEST_CASE("all answers forbid caching, guessing of types, and use by other sites") {
  const MetricsAnswers answers = make_answers();
  for (const char* target : {"/", "/metrics", "/status.json", "/section.json", "/other"})
    for (const char* line :
         {"\r\nCache-Control: no-store\r\n", "\r\nX-Content-Type-Options: nosniff\r\n",
          "\r\nCross-Origin-Resource-Policy: same-origin\r\n", "\r\nConnection: close\r\n"})
      CHECK(has(get(answers, target), line));
}

TEST_CASE("a request for the host name of another site is refused, for each path and method") {
  const MetricsAnswers answers = make_answers({"server.example"});
  for (const char* target : {"/", "/metrics", "/metrics.json", "/status.json", "/other"}) {
    CHECK(get(answers, target, "evil.example:9464").starts_with("HTTP/1.1 421 "));
    CHECK(!get(answers, target, "server.example").starts_with("HTTP/1.1 421 "));
  }
  CHECK(
      answers.answer("POST / HTTP/1.1\r\nHost: evil.example\r\n\r\n").starts_with("HTTP/1.1 421 "));
  CHECK(!has(get(answers, "/", "evil.example"), "evil.example"));
}

TEST_CASE("methods other than GET and HEAD are refused") {
  const MetricsAnswers answers = make_answers();
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"}) {
    const std::string answer =
        answers.answer(std::string(method) + " / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(answer.starts_with("HTTP/1.1 405 Method Not Allowed\r\n"));
    CHECK(has(answer, "\r\nAllow: GET, HEAD\r\n"));
  }
  CHECK(body_of(answers.answer("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")).empty());
}

TEST_CASE("a section gets the path and the position of the query") {
  const MetricsAnswers answers = make_answers();
  CHECK(body_of(get(answers, "/section.json?name=names&path=a%2Fb&path=c&after=%26")) ==
        "[&]/a/b/c");
  CHECK(body_of(get(answers, "/section.json?name=names")) == "[]");
  CHECK(get(answers, "/section.json?name=other").starts_with("HTTP/1.1 404 "));
  for (const char* query : {"", "?name=names&name=names", "?name=names&after=a&after=b",
                            "?name=names&path=%zz", "?name=%"})
    CHECK(get(answers, std::string("/section.json") + query).starts_with("HTTP/1.1 400 "));
  const std::string failed = get(answers, "/section.json?name=broken");
  CHECK(failed.starts_with("HTTP/1.1 500 "));
  CHECK(!has(failed, "disk"));
}

TEST_CASE("an exception of any type becomes an answer with status 500") {
  MetricsAnswers answers = make_answers();
  for (const char* name : {"broken", "foreign", "large"}) {
    CAPTURE(name);
    const std::string answer = get(answers, "/section.json?name=" + std::string(name));
    CHECK(answer.starts_with("HTTP/1.1 500 "));
    CHECK(body_of(answer) == "the server failed to make this answer; its log has the reason\n");
  }
  const auto fails = []() -> std::string { throw 1; };
  answers = {{.prometheus = fails, .json = fails, .status = fails}, {}};
  for (const char* target : {"/metrics", "/metrics.json", "/status.json"})
    CHECK(get(answers, target).starts_with("HTTP/1.1 500 "));
  CHECK(get(answers, "/").starts_with("HTTP/1.1 200 "));
}

TEST_CASE("texts of peers become safe strings of JSON") {
  CHECK(json_text("plain") == "\"plain\"");
  CHECK(json_text("</script>&\"\\") == R"("\u003c/script\u003e\u0026\"\\")");
  CHECK(json_text("Z\xc3\xbcrich \xf0\x9f\x90\x8e") == "\"Z\xc3\xbcrich \xf0\x9f\x90\x8e\"");
  CHECK(json_text(std::string_view("a\0\n\x7f", 4)) == R"("a\\u{0000}\\u{000a}\\u{007f}")");
  CHECK(json_text("\xe2\x80\xae\xef\xbb\xbf") == R"("\\u{202e}\\u{feff}")");
  // Not UTF-8: a lone octet, too long a form, a surrogate, beyond the last character, cut off.
  CHECK(json_text("\xfcx") == R"("\\xfcx")");
  CHECK(json_text("\xc0\x80") == R"("\\xc0\\x80")");
  CHECK(json_text("\xe0\x80\x80") == R"("\\xe0\\x80\\x80")");
  CHECK(json_text("\xed\xa0\x80") == R"("\\xed\\xa0\\x80")");
  CHECK(json_text("\xf4\x90\x80\x80") == R"("\\xf4\\x90\\x80\\x80")");
  CHECK(json_text("\xe2\x80") == R"("\\xe2\\x80")");
  CHECK(json_text(std::string(10'000, 'x')) ==
        "\"" + std::string(runtime::cell_size_max, 'x') + "…\"");
}

TEST_CASE("a long text is cut between two characters") {
  for (const std::string_view letter : {"\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x90\x8e"})
    for (const std::string_view before : {"", "a", "ab", "abc"}) {
      CAPTURE(letter);
      CAPTURE(before);
      std::string text(before);
      while (text.size() < 600) text += letter;
      const std::size_t letters = (runtime::cell_size_max - before.size()) / letter.size();
      CHECK(json_text(text) ==
            "\"" + text.substr(0, before.size() + letters * letter.size()) + "…\"");
    }
}

TEST_CASE("a table is cut to the limits of the page, but its keys are whole") {
  StatusTable table{
      .columns = std::vector<std::string>(100, "c"), .rows = {}, .next = "a&b", .note = ""};
  const std::string key(2'000, '<');
  for (int count = 0; count < 1'000; ++count)
    table.rows.push_back({key, std::vector<std::string>(100, "x")});
  const std::string json = runtime::table_json(table);
  CHECK(json.size() < 100 * 7'000);
  CHECK(has(json, "\"next\":\"a%26b\""));
  std::string escaped;
  for (int count = 0; count < 2'000; ++count) escaped += "%3C";
  CHECK(has(json, "\"key\":\"" + escaped + "\""));
}

TEST_CASE("the status of an ORB lists its POAs, its limits, and its sections") {
  EchoServer server({"-ORBServerId", "<script>alert(1)</script>"});
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(server.orb->resolve_initial_references("RootPOA"));
  const auto child = poa->create_POA("<img src=x>", poa->the_POAManager(), {});
  child->create_POA("inner", poa->the_POAManager(), {});
  const StatusSection section(*server.orb, "names", "Names",
                              [](const StatusQuery& /*query*/) { return StatusTable{}; });
  orb::OrbCore& core = *server.orb->_core();
  const std::string json = runtime::status_json(core, *StatusSections::of(core));
  CHECK(has(json, R"("name":["RootPOA"],"manager":)"));
  CHECK(has(json, R"("name":["RootPOA","\u003cimg src=x\u003e","inner"])"));
  CHECK(has(json, R"("state":"active","active_objects":1})"));
  CHECK(has(json, R"("server_id":"\u003cscript\u003ealert(1))"));
  CHECK(has(json, R"("sections":[{"name":"names","title":"Names"}])"));
  CHECK(
      has(json,
          R"({"name":"requests in progress","option":"-ORBRequestsMax","unit":"number","used":0)"));
  CHECK(has(json, R"("metrics":[)"));
  CHECK(!has(json, "<"));
}

TEST_CASE("the list of POAs is bounded") {
  EchoServer server;
  const auto poa =
      IDL::traits<PortableServer::POA>::narrow(server.orb->resolve_initial_references("RootPOA"));
  for (std::size_t count = 0; count < runtime::adapters_max; ++count)
    poa->create_POA("poa " + std::to_string(count), poa->the_POAManager(), {});
  orb::OrbCore& core = *server.orb->_core();
  const std::string json = runtime::status_json(core, *StatusSections::of(core));
  CHECK(has(json, R"("is_cut":true)"));
}

TEST_CASE("a section is read until it is destroyed, and may outlive the ORB") {
  auto orb = make_orb({});
  auto sections = StatusSections::of(*orb->_core());
  StatusTable table;
  table.note = "hello";
  auto section = std::make_unique<StatusSection>(
      *orb, "greeting", "Greeting", [table](const StatusQuery& /*query*/) { return table; });
  CHECK(sections->read("greeting", {})->note == "hello");
  CHECK_THROWS_AS(StatusSection(*orb, "greeting", "", nullptr), CORBA::BAD_PARAM);
  for (const char* name : {"", "A", "a-b", "a b", "<"})
    CHECK_THROWS_AS(StatusSection(*orb, name, "", nullptr), CORBA::BAD_PARAM);
  orb->destroy();
  CHECK_THROWS_AS(StatusSection(*orb, "other", "", nullptr), CORBA::BAD_INV_ORDER);
  section.reset();
  CHECK(!sections->read("greeting", {}).has_value());
}

TEST_CASE("other sections are made and destroyed while a section is read") {
  const auto orb = make_orb({});
  const auto sections = StatusSections::of(*orb->_core());
  const StatusSection outer(*orb, "outer", "Outer", [&](const StatusQuery& /*query*/) {
    const StatusSection inner(*orb, "inner", "Inner", [](const StatusQuery& /*query*/) {
      return StatusTable{.columns = {}, .rows = {}, .next = "", .note = "inner"};
    });
    return *sections->read("inner", {});
  });
  CHECK(sections->read("outer", {})->note == "inner");
  CHECK(sections->all().size() == 1);
}

TEST_CASE("the destructor of a section waits for its function") {
  const auto orb = make_orb({});
  const auto sections = StatusSections::of(*orb->_core());
  std::atomic<bool> is_read{false};
  std::atomic<bool> is_ending{false};
  std::atomic<bool> has_ended{false};
  bool ended_inside = true;
  auto section =
      std::make_unique<StatusSection>(*orb, "slow", "Slow", [&](const StatusQuery& /*query*/) {
        is_read = true;
        is_read.notify_all();
        is_ending.wait(false);
        ended_inside = has_ended;
        return StatusTable{};
      });
  std::jthread reader([&] { CHECK(sections->read("slow", {}).has_value()); });
  is_read.wait(false);
  is_ending = true;
  is_ending.notify_all();
  section.reset();
  has_ended = true;
  reader.join();
  CHECK(!ended_inside);
}

TEST_CASE("a source of metrics is added and removed while another source appends") {
  const auto orb = make_orb({});
  int count = 0;
  const orb::AppendMetrics append = [&count](orb::MetricsSnapshot&) { ++count; };
  const orb::AddedMetrics outer(
      orb, [&](orb::MetricsSnapshot&) { const orb::AddedMetrics inner(orb, append); });
  (void)orb->_metrics();
  CHECK(count == 0);  // the inner source has ended
  const orb::AddedMetrics other(orb, append);
  (void)orb->_metrics();
  CHECK(count == 1);
}

}  // namespace perigee::test
