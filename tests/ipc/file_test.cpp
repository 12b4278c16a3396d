// Files to streams and streams to files: the content arrives whole, and each kind of early end has
// its own result.
#include "ipc/every_family.h"
#include "support/octets.h"
#include <perigee/ipc/families.h>

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;
using namespace test;
using perigee::test::octets;

#define EVERY_FAMILY OverV4, OverLocal, OverRing

/// A folder of this test only.
class Folder {
 public:
  Folder() { REQUIRE(::mkdtemp(name_) != nullptr); }
  ~Folder() { std::filesystem::remove_all(name_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const { return name_ + ("/" + name); }

 private:
  char name_[32] = "perigee_file_test_XXXXXX";
};

File file_of(const std::string& path, const Octets& content) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(content.data()),
            static_cast<std::streamsize>(content.size()));
  out.close();
  return File::open(path).value();
}

Octets content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto view = octets_of(text);
  return {view.begin(), view.end()};
}

/// Receives until the stream ends.
template <typename Stream>
Octets drain(Stream& stream) {
  Octets all;
  Octets space(8192);
  for (;;) {
    const auto received = stream.recv(MutableOctetSpan(space));
    if (!received || received->end_of_stream()) return all;
    all.insert(all.end(), space.begin(),
               space.begin() + static_cast<std::ptrdiff_t>(received->count()));
  }
}

TEST_CASE_TEMPLATE("a file arrives whole through tiny queues, with and without a limit", Over,
                   EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  const Folder folder;
  const Octets content = sample(1'000'003);
  const File file = file_of(folder.path("in"), content);
  for (const TimeLimit limit : {forever, TimeLimit(1h)}) {
    auto connection = connection_over<Over>(SendBuffer{1});
    Octets arrived;
    std::jthread receiver([&] { arrived = drain(connection.server); });
    CHECK(connection.client.send_file_n(file, 0, content.size(), limit).value() == content.size());
    connection.client.close();
    receiver.join();
    CHECK((arrived == content));
  }
}

TEST_CASE_TEMPLATE("any part of a file can be sent, also in steps that report their progress", Over,
                   EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  const Folder folder;
  const Octets content = sample(300'000);
  const File file = file_of(folder.path("in"), content);
  auto connection = connection_over<Over>();
  Octets arrived;
  std::jthread receiver([&] { arrived = drain(connection.server); });
  std::size_t offset = 12'345;
  while (offset < 250'000) {
    const auto sent = connection.client.send_file(file, offset, 250'000 - offset, 1h).value();
    REQUIRE(sent > 0);
    offset += sent;
  }
  connection.client.close();
  receiver.join();
  CHECK((arrived == Octets(content.begin() + 12'345, content.begin() + 250'000)));
}

TEST_CASE_TEMPLATE("a file that is shorter than requested ends the transfer", Over, EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  const Folder folder;
  const File file = file_of(folder.path("in"), sample(1000));
  auto connection = connection_over<Over>();
  CHECK(connection.client.send_file_n(file, 900, 200).value() == 100);
  CHECK(connection.client.send_file_n(file, 900, 200, 1h).value() == 100);
  CHECK(connection.client.send_file(file, 1000, 1).value() == 0);
  CHECK(connection.client.send_file(file, 5000, 1, no_wait).value() == 0);
  CHECK(connection.client.send_file_n(file, 0, 0).value() == 0);
  connection.client.close();
  CHECK(drain(connection.server).size() == 200);
}

TEST_CASE_TEMPLATE("a limit ends a send to a peer that does not read", Over, EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  const Folder folder;
  const std::size_t size = 64u << 20;
  {
    std::ofstream(folder.path("in")).close();
  }
  std::filesystem::resize_file(folder.path("in"), size);
  const File file = File::open(folder.path("in")).value();
  auto connection = connection_over<Over>();
  CHECK(connection.client.send_file_n(file, 0, size, 1ms).error() == std::errc::timed_out);
  CHECK(connection.client.send_file_n(file, 0, size, no_wait).error() ==
        std::errc::operation_would_block);
  CHECK(connection.client.send_file(file, 0, size, no_wait).error() ==
        std::errc::operation_would_block);
  // The time-out of the socket itself is unchanged.
  CHECK(io::get_option(connection.client.handle(), io::OptionName::send_timeout).value() == 0);
}

TEST_CASE("a limit applies to the whole file, even if each octet comes within the limit") {
  const Folder folder;
  const auto path = folder.path("in");
  std::ofstream(path).close();
  constexpr std::size_t size = 64u << 20;
  std::filesystem::resize_file(path, size);
  const File file = File::open(path).value();
  auto acceptor = sock::Acceptor::open(InetAddr::loopback(), ReceiveBuffer{1}).value();
  auto client =
      sock::Connector::connect(acceptor.local_address().value(), 10s, SendBuffer{4 << 20}).value();
  auto server = acceptor.accept(10s).value();
  // The socket becomes writable long before it has room for the rest.
  const int unsent_max = 1;
  REQUIRE(setsockopt(client.handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_max,
                     sizeof(unsent_max)) == 0);
  std::jthread slow([&](const std::stop_token& stop) {
    Octets space(4096);
    while (!stop.stop_requested() && server.recv(MutableOctetSpan(space), 100ms)) {
      std::this_thread::sleep_for(5ms);
    }
  });
  const auto start = std::chrono::steady_clock::now();
  CHECK(client.send_file_n(file, 0, size, 300ms).error() == std::errc::timed_out);
  CHECK(std::chrono::steady_clock::now() - start < 9s);  // 64 MiB would take a minute
}

TEST_CASE_TEMPLATE("steps without waiting neither lose nor repeat octets", Over, EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  const Folder folder;
  const Octets content = sample(2'000'000);
  const File file = file_of(folder.path("in"), content);
  auto connection = connection_over<Over>(SendBuffer{20'000});
  std::size_t offset = 0;
  Octets arrived;
  Octets space(10'000);
  while (arrived.size() < content.size()) {
    const auto sent = connection.client.send_file(file, offset, content.size() - offset, no_wait);
    if (sent) offset += *sent;
    const auto received = connection.server.recv(MutableOctetSpan(space), no_wait);
    if (!received) continue;
    arrived.insert(arrived.end(), space.begin(),
                   space.begin() + static_cast<std::ptrdiff_t>(received->count()));
  }
  CHECK(offset == content.size());
  CHECK((arrived == content));
}

TEST_CASE_TEMPLATE("a peer that disconnects in the middle is an error and no signal", Over,
                   EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  const Folder folder;
  const std::size_t size = 64u << 20;
  {
    std::ofstream(folder.path("in")).close();
  }
  std::filesystem::resize_file(folder.path("in"), size);
  const File file = File::open(folder.path("in")).value();
  std::signal(SIGPIPE, SIG_DFL);
  for (const TimeLimit limit : {forever, TimeLimit(1h)}) {
    auto connection = connection_over<Over>();
    std::jthread peer([&] {
      Octets space(100'000);
      static_cast<void>(connection.server.recv_n(MutableOctetSpan(space)));
      connection.server.close();
    });
    const auto sent = connection.client.send_file_n(file, 0, size, limit);
    REQUIRE_FALSE(sent.has_value());
    const bool is_gone =
        sent.error() == std::errc::broken_pipe || sent.error() == std::errc::connection_reset;
    CHECK_MESSAGE(is_gone, sent.error().message());
    CHECK(connection.client.send_file(file, 0, 1, limit).error() == std::errc::broken_pipe);
  }
}

TEST_CASE("a stream that is interrupted within a file raises no signal") {
  constexpr std::size_t size = 50'000'000;
  const Folder folder;
  const File file = file_of(folder.path("in"), sample(size));
  std::signal(SIGPIPE, SIG_DFL);
  auto connection = connection_over<OverV4>();
  std::jthread interrupter([&] {
    Octets space(100'000);
    static_cast<void>(connection.server.recv_n(MutableOctetSpan(space)));
    connection.client.interrupt();
  });
  const auto sent = connection.client.send_file(file, 0, size);
  CHECK((!sent.has_value() || *sent < size));
}

TEST_CASE("a pending SIGPIPE stays pending") {
  const Folder folder;
  const File file = file_of(folder.path("in"), sample(10));
  sigset_t pipe;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  auto connection = connection_over<OverLocal>();
  connection.server.close();
  CHECK(connection.client.send_file(file, 0, 10).error() == std::errc::broken_pipe);
  sigpending(&pending);
  CHECK(sigismember(&pending, SIGPIPE) == 0);
  pthread_kill(pthread_self(), SIGPIPE);
  CHECK(connection.client.send_file(file, 0, 10).error() == std::errc::broken_pipe);
  sigpending(&pending);
  CHECK(sigismember(&pending, SIGPIPE) == 1);
  const timespec no_time{};
  CHECK(sigtimedwait(&pipe, nullptr, &no_time) == SIGPIPE);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE_TEMPLATE("a stream is received into a file, at any offset", Over, EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  const Folder folder;
  const Octets content = sample(700'001);
  for (const TimeLimit limit : {forever, TimeLimit(1h)}) {
    auto connection = connection_over<Over>(SendBuffer{1});
    std::jthread sender([&] {
      CHECK(connection.client.send_n(OctetSpan(content)).has_value());
      connection.client.close();
    });
    auto output = OutputFile::open(folder.path("out"), OutputFile::Existing::empty).value();
    const auto head = connection.server.recv_file_n(output, 5, 100'000, limit).value();
    CHECK(head == Received::octets(100'000));
    const auto tail = connection.server.recv_file_n(output, 100'005, 10'000'000, limit).value();
    CHECK(tail == Received::end(600'001));
    CHECK(connection.server.recv_file(output, 0, 1, limit).value() == Received::end());
    Octets expected = octets(0, 0, 0, 0, 0);
    expected.insert(expected.end(), content.begin(), content.end());
    CHECK((content_of(folder.path("out")) == expected));
    CHECK(output.size().value() == expected.size());
    CHECK(output.sync().has_value());
  }
}

TEST_CASE_TEMPLATE("a limit ends a receive into a file, which takes at most the requested octets",
                   Over, EVERY_FAMILY) {
  if (!is_here<Over>()) return;
  const Folder folder;
  auto output = OutputFile::open(folder.path("out"), OutputFile::Existing::refuse).value();
  auto connection = connection_over<Over>();
  CHECK(connection.server.recv_file(output, 0, 10, 1ms).error() == std::errc::timed_out);
  CHECK(connection.server.recv_file(output, 0, 10, no_wait).error() ==
        std::errc::operation_would_block);
  CHECK(connection.server.recv_file(output, 0, 0, no_wait).value() == Received::octets(0));
  REQUIRE(connection.client.send_n(octets(1, 2, 3, 4)).value() == 4);
  CHECK(connection.server.recv_file(output, 0, 3).value() == Received::octets(3));
  std::byte last{};
  CHECK(connection.server.recv(MutableOctetSpan(&last, 1)).value() == Received::octets(1));
  CHECK(last == std::byte{4});
  REQUIRE(connection.client.send_n(octets(1)).value() == 1);
  CHECK(connection.server.recv_file_n(output, 0, 10, 1ms).error() == std::errc::timed_out);
}

TEST_CASE("a file that cannot be written is an error of the receive") {
  const Folder folder;
  static_cast<void>(file_of(folder.path("out"), {}));
  auto read_only = OutputFile::adopt(File::open(folder.path("out")).value().release());
  auto connection = connection_over<OverV4>();
  REQUIRE(connection.client.send_n(octets(1)).value() == 1);
  CHECK(connection.server.recv_file(read_only, 0, 1).error() == std::errc::bad_file_descriptor);
}

TEST_CASE("only regular files are opened, and opening never waits") {
  const Folder folder;
  CHECK(File::open(folder.path("absent")).error() == std::errc::no_such_file_or_directory);
  CHECK(File::open(folder.path("")).error() == std::errc::is_a_directory);
  REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
  CHECK(File::open(folder.path("fifo")).error() == std::errc::invalid_argument);
  CHECK(File::open("/dev/null").error() == std::errc::invalid_argument);
  const File file = file_of(folder.path("in"), sample(10));
  CHECK(file.size().value() == 10);
  using Existing = OutputFile::Existing;
  CHECK(OutputFile::open(folder.path("in"), Existing::refuse).error() == std::errc::file_exists);
  CHECK(OutputFile::open(folder.path("in"), Existing::keep).value().size().value() == 10);
  CHECK(OutputFile::open(folder.path("in"), Existing::empty).value().size().value() == 0);
}

TEST_CASE("a closed file or stream fails without a side effect") {
  auto connection = connection_over<OverLocal>();
  CHECK(connection.client.send_file(File{}, 0, 1).error() == std::errc::bad_file_descriptor);
  CHECK(File{}.size().error() == std::errc::bad_file_descriptor);
  const Folder folder;
  const File file = file_of(folder.path("in"), sample(10));
  lsock::Stream closed;
  CHECK(closed.send_file(file, 0, 1).error() == std::errc::bad_file_descriptor);
  CHECK(closed.send_file(file, 0, 1, 1h).error() == std::errc::bad_file_descriptor);
  OutputFile output;
  CHECK(closed.recv_file(output, 0, 1).error() == std::errc::bad_file_descriptor);
  CHECK(closed.recv_file(output, 0, 1, 1h).error() == std::errc::bad_file_descriptor);
}

}  // namespace
}  // namespace perigee::ipc
