// Addresses that are invalid, in use or forbidden: each call reports which of these it is.
#include "ipc/faults.h"

#include <doctest/doctest.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace perigee::ipc {
namespace {

using namespace test;

/// A folder of this test below the system's temporary folder, which an unprivileged child can
/// reach.
class Folder {
 public:
  Folder() { REQUIRE(mkdtemp(name_) != nullptr); }
  ~Folder() {
    chmod(name_, 0700);
    std::filesystem::remove_all(name_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const { return name_ + ("/" + name); }
  void close_to_all() { REQUIRE(chmod(name_, 0) == 0); }

 private:
  char name_[40] = "/tmp/perigee_permission_test_XXXXXX";
};

/// Runs `check` in a process without privileges, because root may do everything.
template <typename Check>
bool holds_for_an_ordinary_user(Check&& check) {
  const pid_t child = fork();
  REQUIRE(child != -1);
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 &&
        (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0)) {
      _exit(2);
    }
    _exit(check() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status == 0;
}

TEST_CASE("a folder that this user may not enter hides its files") {
  Folder folder;
  const auto path = folder.path("socket");
  const auto address = UnixAddr::path(path).value();
  auto acceptor = lsock::Acceptor::open(address).value();
  std::ofstream(folder.path("file")).close();
  folder.close_to_all();
  CHECK(holds_for_an_ordinary_user([&] {
    constexpr auto expected = std::errc::permission_denied;
    return lsock::Connector::connect(address).error() == expected &&
           lsock::Acceptor::open(UnixAddr::path(folder.path("other")).value()).error() ==
               expected &&
           File::open(folder.path("file")).error() == expected &&
           OutputFile::open(folder.path("new"), OutputFile::Existing::refuse).error() == expected;
  }));
}

TEST_CASE("the permissions of an acceptor's file decide which users can connect") {
  Folder folder;
  const auto path = folder.path("socket");
  const auto address = UnixAddr::path(path).value();
  auto acceptor = lsock::Acceptor::open(address).value();
  REQUIRE(chmod(folder.path("").c_str(), 0755) == 0);
  REQUIRE(chmod(path.c_str(), 0) == 0);
  CHECK(holds_for_an_ordinary_user(
      [&] { return lsock::Connector::connect(address).error() == std::errc::permission_denied; }));
  REQUIRE(chmod(path.c_str(), 0666) == 0);
  CHECK(holds_for_an_ordinary_user([&] { return lsock::Connector::connect(address).has_value(); }));
}

TEST_CASE("listening at an address of another host, or in use, fails") {
  const auto elsewhere = InetAddr::v4({192, 0, 2, 1}, 0);
  CHECK(sock::Acceptor::open(elsewhere).error() == std::errc::address_not_available);
  auto acceptor = sock::Acceptor::open(InetAddr::loopback()).value();
  const auto taken = acceptor.local_address().value();
  CHECK(sock::Acceptor::open(taken).error() == std::errc::address_in_use);
  if (!is_here<OverRing>()) return;
  CHECK(uring::Acceptor::open(elsewhere).error() == std::errc::address_not_available);
  CHECK(uring::Acceptor::open(taken).error() == std::errc::address_in_use);
}

TEST_CASE("connecting to a path without a matching acceptor fails with an exact error") {
  const Folder folder;
  const auto at = [&](const char* name) { return UnixAddr::path(folder.path(name)).value(); };
  CHECK(lsock::Connector::connect(at("absent")).error() == std::errc::no_such_file_or_directory);
  std::ofstream(folder.path("file")).close();
  CHECK(lsock::Connector::connect(at("file")).error() == std::errc::connection_refused);
  CHECK(lsock::Connector::connect(at("file/below")).error() == std::errc::not_a_directory);
  CHECK(lsock::Acceptor::open(at("file")).error() == std::errc::address_in_use);
  CHECK(lsock::Acceptor::open(at("absent/socket")).error() == std::errc::no_such_file_or_directory);
  auto records = spipe::Acceptor::open(SPipeAddr::path(folder.path("records")).value()).value();
  CHECK(lsock::Connector::connect(at("records")).error() == std::errc::wrong_protocol_type);
}

}  // namespace
}  // namespace perigee::ipc
