// The folder of sockets that servers open by themselves: its checks, names, and stale sockets.
#include "transport/local/runtime_folder.h"

#include "support/temporary_folder.h"
#include "transport/local/local_place.h"
#include "transport/socket_files.h"
#include <perigee/ipc/lsock.h>
#include <perigee/transport/local.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

namespace perigee::transport {
namespace {

using test::leave_stale_file;
using test::mode_of;
using test::ScopedUmask;
using test::TemporaryFolder;

RuntimeFolder in(const TemporaryFolder& folder) { return {folder.path(), 0700, 0600}; }

int error_of(const RuntimeFolder& where) {
  const auto made = make_runtime_folder(where);
  return made ? 0 : made.error().value();
}

/// The number of a process that has ended.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  return child;
}

std::string name_of(pid_t process, char digit = 'a') {
  return std::to_string(process) + '-' + std::string(16, digit);
}

void write_file(const std::string& path) { REQUIRE(std::ofstream(path).good()); }

}  // namespace

TEST_CASE("the folder is made with its permissions, whatever the umask") {
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}}) {
    const TemporaryFolder parent;
    const ScopedUmask umask(mask);
    CHECK(make_runtime_folder({parent.path(), 0755, 0666}).value() == parent.file("perigee"));
    CHECK(mode_of(parent.file("perigee")) == 0755);
    CHECK(make_runtime_folder(in(parent)).value() == parent.file("perigee"));
    CHECK(mode_of(parent.file("perigee")) == 0755);
  }
}

TEST_CASE("a runtime folder to which other users can write is refused") {
  const TemporaryFolder parent;
  for (const mode_t mode : {mode_t{0770}, mode_t{0702}, mode_t{01777}}) {
    REQUIRE(::chmod(parent.path().c_str(), mode) == 0);
    CHECK(error_of(in(parent)) == EPERM);
  }
  REQUIRE(::chmod(parent.path().c_str(), 0700) == 0);
  REQUIRE(::mkdir(parent.file("perigee").c_str(), 0700) == 0);
  REQUIRE(::chmod(parent.file("perigee").c_str(), 0720) == 0);
  CHECK(error_of(in(parent)) == EPERM);
}

TEST_CASE("symbolic links, files and missing folders are refused") {
  const TemporaryFolder parent;
  CHECK(error_of({parent.file("none"), 0700, 0600}) == ENOENT);
  REQUIRE(::symlink("/tmp", parent.file("perigee").c_str()) == 0);
  CHECK(error_of(in(parent)) == ENOTDIR);
  REQUIRE(::unlink(parent.file("perigee").c_str()) == 0);
  write_file(parent.file("perigee"));
  CHECK(error_of(in(parent)) == ENOTDIR);
  REQUIRE(::symlink(parent.path().c_str(), parent.file("link").c_str()) == 0);
  CHECK(error_of({parent.file("link"), 0700, 0600}) == ENOTDIR);
}

TEST_CASE("a folder of another user is refused, also by root") {
  if (::geteuid() != 0) return;  // only root can give files away
  const TemporaryFolder parent;
  REQUIRE(::mkdir(parent.file("perigee").c_str(), 0700) == 0);
  REQUIRE(::chown(parent.file("perigee").c_str(), 12345, 12345) == 0);
  CHECK(error_of(in(parent)) == EPERM);
  REQUIRE(::chown(parent.path().c_str(), 12345, 12345) == 0);
  CHECK(error_of(in(parent)) == EPERM);
}

TEST_CASE("a chosen socket has a new name with the number of the process, and its permissions") {
  const TemporaryFolder parent;
  const auto one = choose_socket({"uiop", ""}, in(parent)).value();
  const auto other = choose_socket({"uiop", ""}, {parent.path(), 0755, 0666}).value();
  const std::string begin = parent.file("perigee/" + std::to_string(::getpid()) + '-');
  CHECK(one.scheme == "uiop");
  CHECK(one.address.starts_with(begin));
  CHECK(one.address.ends_with("?mode=0600"));
  CHECK(other.address.ends_with("?mode=0666"));
  CHECK(one.address.size() == begin.size() + 16 + std::string("?mode=0600").size());
  CHECK(one.address.substr(0, begin.size() + 16) != other.address.substr(0, begin.size() + 16));
}

TEST_CASE("a client cannot connect without the address of a socket") {
  const auto connected =
      make_local_protocol()->make_connector()->connect({"uiop", ""}, std::chrono::milliseconds(0));
  REQUIRE_FALSE(connected.has_value());
  CHECK(connected.error().kind == IoErrorKind::bad_address);
}

TEST_CASE("the error of a socket that cannot be chosen names the endpoint and the folder") {
  const TemporaryFolder parent;
  const auto chosen = choose_socket({"uiop", ""}, {parent.file("none"), 0700, 0600});
  REQUIRE_FALSE(chosen.has_value());
  CHECK(to_string(chosen.error()) == "listen uiop:// (the folder " + parent.file("none") +
                                         "/perigee): No such file or directory");
}

TEST_CASE("sockets and locks of servers that have ended are removed, all other files stay") {
  const TemporaryFolder folder;
  const pid_t ended = ended_process();
  const std::string stale = folder.file(name_of(ended, 'a'));
  const std::string lock = folder.file("." + name_of(ended, 'b') + ".perigee-lock");
  const std::string own = folder.file(name_of(::getpid()));
  const std::string no_socket = folder.file(name_of(ended, 'c'));
  const std::string other_name = folder.file("orb");
  leave_stale_file(stale);
  leave_stale_file(own);
  leave_stale_file(other_name);
  write_file(lock);
  write_file(no_socket);
  REQUIRE(::chmod(lock.c_str(), 0600) == 0);
  remove_stale_sockets(folder.path());
  CHECK_FALSE(std::filesystem::exists(stale));
  CHECK_FALSE(std::filesystem::exists(lock));
  CHECK(std::filesystem::exists(own));  // its process runs
  CHECK(std::filesystem::exists(no_socket));
  CHECK(std::filesystem::exists(other_name));
}

TEST_CASE("a socket that is older than the process with its number is stale") {
  const TemporaryFolder folder;
  const std::string before = folder.file(name_of(::getpid(), 'a'));
  const std::string now = folder.file(name_of(::getpid(), 'b'));
  leave_stale_file(before);
  leave_stale_file(now);
  const timespec old[2] = {{1, 0}, {1, 0}};
  REQUIRE(::utimensat(AT_FDCWD, before.c_str(), old, AT_SYMLINK_NOFOLLOW) == 0);
  remove_stale_sockets(folder.path());
  CHECK_FALSE(std::filesystem::exists(before));
  CHECK(std::filesystem::exists(now));
}

TEST_CASE("a socket that accepts connections stays, although its process is not visible") {
  const TemporaryFolder folder;
  const std::string path = folder.file(name_of(ended_process()));
  const auto acceptor = ipc::lsock::Acceptor::open(*ipc::UnixAddr::path(path)).value();
  remove_stale_sockets(folder.path());
  CHECK(std::filesystem::exists(path));
}

TEST_CASE("one call removes a limited number of stale sockets") {
  const TemporaryFolder folder;
  const pid_t ended = ended_process();
  for (std::size_t file = 0; file < stale_files_max + 1; ++file) {
    std::string name = name_of(ended, '0');
    name[name.size() - 1] = "0123456789abcdef"[file % 16];
    name[name.size() - 2] = "0123456789abcdef"[file / 16];
    leave_stale_file(folder.file(name));
  }
  const auto count = [&folder] {
    return std::distance(std::filesystem::directory_iterator(folder.path()), {});
  };
  remove_stale_sockets(folder.path());
  CHECK(count() == 1);
  remove_stale_sockets(folder.path());
  CHECK(count() == 0);
}

TEST_CASE("a user other than root has its sockets in XDG_RUNTIME_DIR, or in /run/user") {
  const char* const before = std::getenv("XDG_RUNTIME_DIR");
  const std::optional<std::string> saved =
      before != nullptr ? std::optional<std::string>(before) : std::nullopt;
  const std::string user = std::to_string(::geteuid());
  ::setenv("XDG_RUNTIME_DIR", "/some/folder", 1);
  const std::string chosen = runtime_folder_here().parent;
  ::setenv("XDG_RUNTIME_DIR", "relative", 1);
  const std::string usual = runtime_folder_here().parent;
  if (saved)
    ::setenv("XDG_RUNTIME_DIR", saved->c_str(), 1);
  else
    ::unsetenv("XDG_RUNTIME_DIR");
  CHECK(chosen == (user == "0" ? "/run" : "/some/folder"));
  CHECK(usual == (user == "0" ? "/run" : "/run/user/" + user));
  CHECK(runtime_folder_here().socket_mode == (user == "0" ? 0666 : 0600));
}

}  // namespace perigee::transport
