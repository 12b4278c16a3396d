// The metrics of two ORBs that call each other, and the page that shows them.
#include "runtime/process.h"
#include "runtime/server/metrics_page.h"
#include <perigee/base/log.h>
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/sock.h>
#include <perigee/orb/added_metrics.h>
#include <perigee/orb/metrics.h>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <future>
#include <span>
#include <string>
#include <vector>

namespace perigee::test {

using orb::MetricsSnapshot;

namespace {

using namespace std::chrono_literals;
using Options = std::vector<std::string>;

/// Sends `request` and returns all octets until the end of the stream.
std::string talk(const std::string& address, std::string_view request) {
  auto stream = ipc::sock::Connector::connect(ipc::resolve(address).value().front()).value();
  (void)stream.send_n(std::as_bytes(std::span(request)));
  std::string answer;
  std::array<char, 4096> space;
  for (;;) {
    const auto received = stream.recv(std::as_writable_bytes(std::span(space)));
    if (!received || received->end_of_stream()) return answer;
    answer.append(space.data(), received->count());
  }
}

std::string get(const std::string& address, const std::string& path) {
  return talk(address, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

runtime::MetricsSource numbers() {
  return {[] { return std::string("numbers\n"); }, [] { return std::string("[]\n"); }};
}

std::unique_ptr<runtime::MetricsPage> make_page() {
  return runtime::make_metrics_page("127.0.0.1:0", numbers()).value();
}

/// Waits for the count, because a server counts a request after it has sent the reply.
MetricsSnapshot await_requests(const OrbRef& orb, std::uint64_t count) {
  MetricsSnapshot snapshot = orb->_metrics();
  while (snapshot.value("perigee_requests_total") < count ||
         snapshot.value("perigee_requests_in_progress") != 0) {
    std::this_thread::yield();
    snapshot = orb->_metrics();
  }
  return snapshot;
}

/// Finds the page's address in the log.
class LogOfPage {
 public:
  LogOfPage() {
    log::set_level(log::Level::info);
    log::set_sink(&LogOfPage::take, this);
  }
  ~LogOfPage() {
    log::set_sink(nullptr, nullptr);
    log::set_level(log::Level::warning);
  }
  std::string address;

 private:
  static void take(void* self, log::Level /*level*/, std::string_view component,
                   std::string_view text) {
    if (component != "metrics") return;
    text.remove_prefix(std::string_view("http://").size());
    static_cast<LogOfPage*>(self)->address = text.substr(0, text.find('/'));
  }
};

}  // namespace

TEST_CASE("calls and requests are counted by their outcome, on both sides") {
  for (const char* strategy : {"auto", "thread-per-connection", "reactive"}) {
    CAPTURE(strategy);
    EchoServer server({"-ORBThreadStrategy", strategy, "-ORBMeasureLatencies", "yes"});
    const EchoClient client({"-ORBMeasureLatencies", "yes"});
    const auto echo = client.echo(server.reference);
    const MetricsSnapshot before = client.orb->_metrics();
    for (int call = 0; call < 10; ++call) echo->ping();
    CHECK_THROWS_AS(echo->fail(), Failure);
    echo->count_up();
    for (int seen = server.servant->counted; seen < 1; seen = server.servant->counted)
      server.servant->counted.wait(seen);
    const MetricsSnapshot calls = client.orb->_metrics();
    CHECK(calls.value("perigee_calls_total", {{"outcome", "no_exception"}}) == 10);
    CHECK(calls.value("perigee_calls_total", {{"outcome", "user_exception"}}) == 1);
    CHECK(calls.value("perigee_calls_total", {{"outcome", "oneway"}}) == 1);
    CHECK(calls.value("perigee_connections", {{"side", "client"}}) == 1);
    const MetricsSnapshot requests = await_requests(server.orb, 12);
    CHECK(requests.value("perigee_requests_total", {{"outcome", "user_exception"}}) == 1);
    CHECK(requests.value("perigee_requests_total", {{"outcome", "oneway"}}) == 1);
    CHECK(requests.value("perigee_requests_total", {{"outcome", "no_exception"}}) == 10);
    CHECK(requests.value("perigee_connections", {{"side", "server"}}) == 1);

    // One side receives the octets that the other side sends.
    CHECK(calls.value("perigee_sent_bytes_total", {{"side", "client"}}) ==
          requests.value("perigee_received_bytes_total", {{"side", "server"}}));
    CHECK(calls.value("perigee_received_bytes_total", {{"side", "client"}}) ==
          requests.value("perigee_sent_bytes_total", {{"side", "server"}}));
    CHECK(calls.value("perigee_sent_messages_total", {{"side", "client"}}) ==
          requests.value("perigee_received_messages_total", {{"side", "server"}}));
    CHECK(requests.value("perigee_send_queue_bytes") == 0);

    REQUIRE(calls.latencies("client", "ping") != nullptr);
    CHECK(calls.latencies("client", "ping")->count() == 10);
    REQUIRE(requests.latencies("server", "ping") != nullptr);
    CHECK(requests.latencies("server", "ping")->count() == 10);
    CHECK(before.latencies("client", "ping") == nullptr);
  }
}

TEST_CASE("operations that do not exist are not in the table of latencies by name") {
  EchoServer server({"-ORBMeasureLatencies", "yes"});
  const EchoClient client;
  const auto object = client.orb->string_to_object(server.reference);
  CHECK_THROWS_AS(
      stub::invoke(*object, {"nonsense", stub::Operation::Kind::twoway, {}}, nullptr, nullptr),
      CORBA::BAD_OPERATION);
  const MetricsSnapshot requests = await_requests(server.orb, 1);
  CHECK(requests.latencies("server", "nonsense") == nullptr);
  REQUIRE(requests.latencies("server", "(failed)") != nullptr);
  CHECK(requests.value("perigee_requests_total", {{"outcome", "system_exception"}}) == 1);
  CHECK(client.orb->_metrics().value("perigee_calls_total", {{"outcome", "system_exception"}}) ==
        1);
}

TEST_CASE("calls that fail are counted by the reason") {
  std::string reference;
  {
    EchoServer server;
    reference = server.reference;
  }
  const EchoClient client;
  const auto object = client.orb->string_to_object(reference);
  CHECK_THROWS_AS((void)object->_non_existent(), CORBA::TRANSIENT);
  CHECK(client.orb->_metrics().value("perigee_calls_total", {{"outcome", "not_reached"}}) == 1);
}

TEST_CASE("without the option no latencies are measured") {
  EchoServer server;
  const EchoClient client;
  client.echo(server.reference)->ping();
  CHECK(client.orb->_metrics().latencies("client", "ping") == nullptr);
  CHECK(server.orb->_metrics().latencies("server", "ping") == nullptr);
}

TEST_CASE("the numbers of a service are in snapshots of its ORB until the service ends") {
  Options none;
  const auto orb = CORBA::ORB_init(none, "added metrics");
  {
    const orb::AddedMetrics added(orb, [](MetricsSnapshot& snapshot) {
      snapshot.families.push_back(
          {"names_total", "Names.", orb::MetricFamily::Type::counter, {{{}, 7}}, {}});
    });
    CHECK(orb->_metrics().value("names_total") == 7);
    CHECK(orb::to_prometheus(orb->_metrics()).contains("names_total 7\n"));
  }
  CHECK_FALSE(orb::to_prometheus(orb->_metrics()).contains("names_total"));
  orb->destroy();
}

TEST_CASE("the numbers of a service may outlive the ORB") {
  Options none;
  auto orb = CORBA::ORB_init(none, "ended before its metrics");
  const orb::AddedMetrics added(orb, [](MetricsSnapshot&) {});
  orb->destroy();
  orb = nullptr;
}

TEST_CASE("a server shows its metrics to Prometheus, and as JSON") {
  const LogOfPage log;
  EchoServer server({"-ORBMetricsEndpoint", "127.0.0.1:0"});
  const EchoClient client;
  client.echo(server.reference)->ping();
  await_requests(server.orb, 1);
  const std::string page = get(log.address, "/metrics");
  CHECK(page.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"));
  CHECK(page.find("\nperigee_connections{side=\"server\"} 1\n") != std::string::npos);
  CHECK(page.find("\nperigee_request_duration_seconds_count{operation=\"ping\"} 1\n") !=
        std::string::npos);
  const std::string json = get(log.address, "/metrics.json");
  CHECK(json.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"));
  CHECK(json.find("{\"name\":\"perigee_connections\"") != std::string::npos);
}

TEST_CASE("a page that cannot be opened is an error of ORB_init that names the address") {
  const auto page = make_page();
  try {
    make_orb({"-ORBMetricsEndpoint", page->address()});
    FAIL("the port is in use");
  } catch (const CORBA::INITIALIZE& exception) {
    CHECK(exception.detail().find(page->address()) != std::string::npos);
    CHECK(exception.detail().find("Address already in use") != std::string::npos);
  }
  for (const char* address : {"", "94640", "host", "host:port", ":70000"})
    CHECK_THROWS_AS(make_orb({"-ORBMetricsEndpoint", address}), CORBA::BAD_PARAM);
}

TEST_CASE("HEAD returns the header of GET's response") {
  const auto page = make_page();
  for (const std::string path : {"/metrics", "/metrics.json", "/other"}) {
    const std::string whole = get(page->address(), path);
    const std::string header = whole.substr(0, whole.find("\r\n\r\n") + 4);
    CHECK(talk(page->address(), "HEAD " + path + " HTTP/1.0\r\n\r\n") == header);
  }
}

TEST_CASE("other paths and methods are refused") {
  const auto page = make_page();
  CHECK(get(page->address(), "/metrics").ends_with("\r\n\r\nnumbers\n"));
  CHECK(get(page->address(), "/metrics?name=x").ends_with("\r\n\r\nnumbers\n"));
  const std::string unknown = get(page->address(), "/other");
  CHECK(unknown.starts_with("HTTP/1.1 404 Not Found\r\n"));
  CHECK(unknown.find("\r\n\r\nnot found; this server has /, /metrics,") != std::string::npos);
  CHECK(talk(page->address(), "POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .starts_with("HTTP/1.1 405 Method Not Allowed\r\n"));
  CHECK(talk(page->address(), "\r\n\r\n").starts_with("HTTP/1.1 400 Bad Request\r\n"));
}

TEST_CASE("the error of an address without a port says what to write") {
  const auto page = runtime::make_metrics_page("127.0.0.1", numbers());
  REQUIRE(!page.has_value());
  CHECK(to_string(page.error()) ==
        "listen http://127.0.0.1 (write <host>:<port>, or :<port> for all interfaces): "
        "bad address");
}

TEST_CASE("a reader that sends too much is cut off, and the next reader is served") {
  const auto page = make_page();
  const std::string endless = "GET /metrics HTTP/1.1\r\nX: " + std::string(1'000'000, 'x');
  CHECK(!talk(page->address(), endless).starts_with("HTTP/1.1 200 "));
  CHECK(get(page->address(), "/metrics").ends_with("numbers\n"));
}

TEST_CASE("the page can end while it serves a reader that does not read") {
  std::promise<void> asked;
  const auto much = [&asked] {
    asked.set_value();
    return std::string(50'000'000, 'x');
  };
  auto page = runtime::make_metrics_page("127.0.0.1:0", {.prometheus = much, .json = much},
                                         std::chrono::hours(1));
  REQUIRE(page.has_value());
  const auto address = ipc::resolve((*page)->address()).value().front();
  auto reader = ipc::sock::Connector::connect(address).value();
  const std::string_view request = "GET /metrics HTTP/1.0\r\n\r\n";
  CHECK(reader.send_n(std::as_bytes(std::span(request))).has_value());
  asked.get_future().wait();
  page->reset();
}

TEST_CASE("the page can end after a silent reader has disconnected") {
  auto page = make_page();
  {
    const auto silent =
        ipc::sock::Connector::connect(ipc::resolve(page->address()).value().front());
    CHECK(silent.has_value());
  }
  CHECK(get(page->address(), "/metrics").ends_with("numbers\n"));
  page.reset();
}

ipc::sock::Stream connect_to(const runtime::MetricsPage& page) {
  return ipc::sock::Connector::connect(ipc::resolve(page.address()).value().front()).value();
}

/// Whether the page has closed the connection without a response.
bool is_closed(ipc::sock::Stream& stream) {
  std::array<std::byte, 16> space;
  const auto received = stream.recv(space);
  return !received || received->end_of_stream();
}

TEST_CASE("silent readers do not delay a scrape") {
  auto page = runtime::make_metrics_page("127.0.0.1:0", numbers(), 1h).value();
  std::vector<ipc::sock::Stream> silent;
  for (int count = 0; count < 6; ++count) silent.push_back(connect_to(*page));
  CHECK(get(page->address(), "/metrics").ends_with("numbers\n"));
}

TEST_CASE("a reader that does not read its response does not delay a scrape") {
  const auto much = [] { return std::string(50'000'000, 'x'); };
  auto page =
      runtime::make_metrics_page("127.0.0.1:0", {much, [] { return std::string("[]\n"); }}, 1h)
          .value();
  auto slow = connect_to(*page);
  const std::string_view request = "GET /metrics HTTP/1.0\r\n\r\n";
  CHECK(slow.send_n(std::as_bytes(std::span(request))).has_value());
  std::array<std::byte, 16> begin;
  CHECK(slow.recv(begin).has_value());
  CHECK(get(page->address(), "/metrics.json").ends_with("[]\n"));
}

TEST_CASE("the page limits its readers, and closes the oldest silent reader") {
  auto page = runtime::make_metrics_page("127.0.0.1:0", numbers(), 1h).value();
  std::vector<ipc::sock::Stream> silent;
  for (std::size_t count = 0; count < runtime::metrics_readers_max; ++count)
    silent.push_back(connect_to(*page));
  CHECK(get(page->address(), "/metrics").ends_with("numbers\n"));
  CHECK(is_closed(silent.front()));
  silent.erase(silent.begin());
  for (int round = 0; round < 50; ++round) silent.push_back(connect_to(*page));
  CHECK(get(page->address(), "/metrics").ends_with("numbers\n"));
}

TEST_CASE("a reader that exceeds its time limit is disconnected; other readers are served") {
  auto page = runtime::make_metrics_page("127.0.0.1:0", numbers(), 50ms).value();
  auto silent = connect_to(*page);
  auto hesitant = connect_to(*page);
  CHECK(hesitant.send_n(std::as_bytes(std::span(std::string_view("GET ")))).has_value());
  CHECK(is_closed(silent));
  CHECK(is_closed(hesitant));
  CHECK(get(page->address(), "/metrics").ends_with("numbers\n"));
}

TEST_CASE("a request that is too large gets an answer") {
  auto page = make_page();
  for (const std::size_t size : {16'385U, 40'000U}) {
    CAPTURE(size);
    const std::string answer = talk(page->address(), "GET /" + std::string(size, 'x'));
    CHECK(answer.starts_with("HTTP/1.1 431 "));
    const auto body = answer.substr(answer.find("\r\n\r\n") + 4);
    CHECK(answer.find("\r\nContent-Length: " + std::to_string(body.size()) + "\r\n") !=
          std::string::npos);
  }
  CHECK(get(page->address(), "/metrics").ends_with("numbers\n"));
}

TEST_CASE("a request that comes in pieces is answered") {
  auto page = make_page();
  auto reader = connect_to(*page);
  std::string answer;
  for (const std::string_view piece : {"GET /met", "rics HTTP/1.0\r", "\n\r", "\n"})
    CHECK(reader.send_n(std::as_bytes(std::span(piece))).has_value());
  std::array<char, 512> space;
  for (;;) {
    const auto received = reader.recv(std::as_writable_bytes(std::span(space)));
    if (!received || received->end_of_stream()) break;
    answer.append(space.data(), received->count());
  }
  CHECK(answer.ends_with("\r\n\r\nnumbers\n"));
}

}  // namespace perigee::test
