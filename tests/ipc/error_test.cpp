// Bad input and the error texts: each text names the operation and the endpoint.
#include "support/octets.h"
#include <perigee/ipc/error.h>
#include <perigee/ipc/families.h>
#include <perigee/ipc/resolver.h>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace perigee::ipc {
namespace {

using namespace std::chrono_literals;

/// A port without a listener: the system chose it a moment ago.
InetAddr unused_address() {
  return sock::Acceptor::open(InetAddr::loopback()).value().local_address().value();
}

/// A folder that this process may not write to, even as root.
class ReadOnlyFolder {
 public:
  ReadOnlyFolder() {
    std::filesystem::create_directory(path_);
    ::chmod(path_.c_str(), 0500);
    if (::geteuid() == 0) ::seteuid(nobody_id);
  }
  ReadOnlyFolder(const ReadOnlyFolder&) = delete;
  ReadOnlyFolder& operator=(const ReadOnlyFolder&) = delete;
  ~ReadOnlyFolder() {
    if (::getuid() == 0) ::seteuid(0);
    std::filesystem::remove(path_);
  }
  [[nodiscard]] std::string file() const { return path_ + "/file"; }

 private:
  static constexpr uid_t nobody_id = 65534;
  std::string path_ = "perigee_error_test_" + std::to_string(getpid());
};

TEST_CASE("a refused connection names the peer") {
  const auto address = unused_address();
  const auto error = sock::Connector::connect(address).error();
  CHECK(describe(IoOperation::connect, address, error) ==
        "connect to " + to_string(address) + ": Connection refused");
}

TEST_CASE("a passed limit is its own kind of error") {
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const auto address = acceptor.local_address().value();
  const auto error = io_error(IoOperation::accept, address, acceptor.accept(1ms).error());
  CHECK(error.kind == IoErrorKind::timed_out);
  CHECK(to_string(error) == "accept " + to_string(address) + ": timed out");
}

TEST_CASE("invalid addresses are refused before any system call") {
  for (const char* text : {"", "127.0.0.1", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0:80",
                           "127.0.0.256:80", "::1:80", "[::1]", "[::1]:", "[::g]:80", "host:80"}) {
    CHECK_FALSE(InetAddr::parse(text));
  }
  CHECK_FALSE(UnixAddr::path(std::string(UnixAddr::name_size_max + 1, 'x')));
  CHECK_FALSE(SPipeAddr::parse("@" + std::string(UnixAddr::name_size_max + 1, 'x')));
}

TEST_CASE("an unknown host name is an error of the resolver that contains the name") {
  const auto error = resolve("no such host", 80).error();
  const auto text = describe(IoOperation::resolve, "no such host", error);
  CHECK(text.starts_with("resolve no such host: "));
  CHECK(text.size() > std::string("resolve no such host: ").size());
}

TEST_CASE("listening at an address of another host fails") {
  const auto elsewhere = InetAddr::v4({192, 0, 2, 1}, 0);
  const auto error = sock::Acceptor::open(elsewhere).error();
  CHECK(describe(IoOperation::listen, elsewhere, error) ==
        "listen 192.0.2.1:0: Cannot assign requested address");
  CHECK(sock::Dgram::open(elsewhere).error() == std::errc::address_not_available);
}

TEST_CASE("a missing folder and a missing permission have different errors") {
  const auto missing = UnixAddr::path("no such folder/socket").value();
  CHECK(describe(IoOperation::listen, missing, lsock::Acceptor::open(missing).error()) ==
        "listen no such folder/socket: No such file or directory");
  const ReadOnlyFolder folder;
  const auto forbidden = folder.file();
  const auto local = UnixAddr::path(forbidden).value();
  CHECK(lsock::Acceptor::open(local).error() == std::errc::permission_denied);
  CHECK(lsock::Dgram::open(local).error() == std::errc::permission_denied);
  CHECK(spipe::Acceptor::open(SPipeAddr(local)).error() == std::errc::permission_denied);
  const auto fifo_address = FifoAddr::path(forbidden).value();
  CHECK(describe("create", fifo_address, fifo::create(fifo_address).error()) ==
        "create " + forbidden + ": Permission denied");
}

TEST_CASE("an unknown interface is an error that names it") {
  const auto error = Interface::named("nowhere").error();
  CHECK(describe("find interface", "nowhere", error) == "find interface nowhere: No such device");
  const auto group = McastAddr::parse("239.1.2.3:5000").value();
  auto member = sock::DgramMcast::open(InetAddr::any()).value();
  CHECK(describe("join", group, member.join(group, Interface::of_index(4711)).error()) ==
        "join 239.1.2.3:5000: No such device");
}

}  // namespace
}  // namespace perigee::ipc
