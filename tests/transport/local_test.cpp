// Features of the UNIX-domain transport only: socket files, peers, profiles. The conformance suite
// tests the contract of transports.
#include "conformance/transport_pair.h"
#include "support/octets.h"
#include "support/temporary_folder.h"
#include "transport/local/local_place.h"
#include "transport/local/local_trust.h"
#include "transport/local/socket_file.h"
#include "transport/socket_files.h"
#include <perigee/iop/components.h>
#include <perigee/ipc/lsock.h>
#include <perigee/transport/local.h>
#include <perigee/transport/registry.h>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {
std::function<int(const std::string& path)> on_fchmodat;  // returns an error number, or 0
}

// Replaces the function of the C library when the loader links.
extern "C" int fchmodat(int folder, const char* path, mode_t mode, int flags) noexcept {
  using Function = int (*)(int, const char*, mode_t, int);
  static const auto next = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "fchmodat"));
  errno = on_fchmodat ? on_fchmodat(path) : 0;
  return errno == 0 ? next(folder, path, mode, flags) : -1;
}

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;
using test::leave_stale_file;
using test::mode_of;
using test::octets;
using test::ScopedUmask;
using test::TemporaryFolder;

std::expected<std::unique_ptr<Acceptor>, IoError> listen(const std::string& address) {
  return make_local_protocol()->listen({"uiop", address});
}
std::expected<std::unique_ptr<Transport>, IoError> connect(const std::string& address,
                                                           std::chrono::milliseconds limit = 10s) {
  return make_local_protocol()->make_connector()->connect({"uiop", address}, limit);
}

// --- Files ---------------------------------------------------------------------------------------

TEST_CASE("look_up connects to a server, or returns null if the queue of the server is full") {
  const TemporaryFolder folder;
  const std::string path = folder.file("socket");
  const auto connector = make_local_protocol()->make_connector();
  CHECK_FALSE(connector->look_up({"uiop", path}).has_value());
  const ipc::Handle server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  REQUIRE(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::chmod(path.c_str(), socket_mark | 0600) == 0);
  REQUIRE(::listen(server.get(), 0) == 0);
  auto begun = connector->look_up({"uiop", path});
  REQUIRE(begun.has_value());
  REQUIRE(*begun != nullptr);
  auto connected = (*begun)->advance();
  REQUIRE(connected.has_value());
  CHECK((*connected)->peer() == "uiop://" + path);
  CHECK(connector->look_up({"uiop", path}).value() == nullptr);
  const ipc::Handle accepted(::accept(server.get(), nullptr, nullptr));
  REQUIRE(accepted);
  CHECK(connector->look_up({"uiop", path}).value() != nullptr);
}

TEST_CASE("a socket file has mode 0600 or the mode of its address, whatever the umask") {
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}}) {
    const ScopedUmask umask(mask);
    const TemporaryFolder folder;
    const auto own = listen(folder.file("own")).value();
    const auto group = listen(folder.file("group") + "?mode=0660").value();
    const auto all = listen(folder.file("all") + "?mode=666").value();
    CHECK(mode_of(folder.file("own")) == 0600);
    CHECK(mode_of(folder.file("group")) == 0660);
    CHECK(mode_of(folder.file("all")) == 0666);
    CHECK(group->listening().address == folder.file("group"));
  }
}

TEST_CASE("a socket address with an unknown option is refused as a whole") {
  for (const std::string address :
       {"/tmp/s?", "/tmp/s?mode", "/tmp/s?mode=", "/tmp/s?mode=9", "/tmp/s?mode=07777",
        "/tmp/s?mode=0600,x", "/tmp/s?mode=0600&", "/tmp/s?publish=tao", "@name?publish=omniorb",
        "/tmp/s?umask=0600", "@name?mode=0600", "relative?mode=0600", "/tmp/s?user=0"}) {
    CAPTURE(address);
    const auto acceptor = listen(address);
    REQUIRE_FALSE(acceptor.has_value());
    CHECK(acceptor.error().kind == IoErrorKind::bad_address);
    CHECK(to_string(acceptor.error()).find(address) != std::string::npos);
  }
}

TEST_CASE("the destructor of an acceptor removes the acceptor's file") {
  const TemporaryFolder folder;
  auto acceptor = listen(folder.file("s")).value();
  CHECK(std::filesystem::exists(folder.file("s")));
  acceptor.reset();
  CHECK_FALSE(std::filesystem::exists(folder.file("s")));
}

TEST_CASE("an acceptor does not remove a file that another server has taken over") {
  const TemporaryFolder folder;
  auto first = listen(folder.file("s")).value();
  first->interrupt();  // now refuses connections, like a dead server
  const auto second = listen(folder.file("s")).value();
  first.reset();
  CHECK(connect(folder.file("s")).has_value());
}

TEST_CASE("a server takes over the file of a dead server") {
  const TemporaryFolder folder;
  leave_stale_file(folder.file("s"));
  REQUIRE_FALSE(connect(folder.file("s")).has_value());
  const auto acceptor = listen(folder.file("s"));
  REQUIRE(acceptor.has_value());
  CHECK(connect(folder.file("s")).has_value());
  CHECK(mode_of(folder.file("s")) == 0600);
}

TEST_CASE("a living server keeps its file, even if its queue of connections is full") {
  const TemporaryFolder folder;
  auto living = ipc::lsock::Acceptor::open(*ipc::UnixAddr::path(folder.file("s"))).value();
  REQUIRE(::listen(living.handle(), 0) == 0);
  const auto address = living.local_address().value();
  const auto fills_the_queue = ipc::lsock::Connector::connect(address).value();
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto second = listen(folder.file("s"));
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().code == EADDRINUSE);
  }
  CHECK(std::filesystem::exists(folder.file("s")));
}

TEST_CASE("a file that is not a socket is not changed") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("file")) << "precious";
  std::filesystem::create_symlink("nowhere", folder.file("link"));
  std::filesystem::create_directory(folder.file("folder"));
  for (const std::string name : {"file", "link", "folder"}) {
    CAPTURE(name);
    const auto acceptor = listen(folder.file(name));
    REQUIRE_FALSE(acceptor.has_value());
    CHECK(acceptor.error().code == EEXIST);
    CHECK(acceptor.error().operation == IoOperation::listen);
    CHECK(std::filesystem::symlink_status(folder.file(name)).type() !=
          std::filesystem::file_type::not_found);
  }
  CHECK(std::filesystem::file_size(folder.file("file")) == 8);
}

TEST_CASE("a stale file of another user is not taken over, even by root") {
  const TemporaryFolder folder;
  leave_stale_file(folder.file("s"));
  constexpr uid_t nobody = 65534;
  // Only root can give files away; the refusal is the same for all users.
  const bool given = ::chown(folder.file("s").c_str(), nobody, gid_t(-1)) == 0;
  const auto acceptor = listen(folder.file("s"));
  CHECK(acceptor.has_value() == !given);
  if (given) CHECK(acceptor.error().code == EPERM);
  CHECK(std::filesystem::exists(folder.file("s")));
}

TEST_CASE("one of several starting servers gets the file of a dead server") {
  const TemporaryFolder folder;
  for (int round = 0; round < 20; ++round) {
    leave_stale_file(folder.file("s"));
    std::vector<std::expected<std::unique_ptr<Acceptor>, IoError>> results(8);
    {
      std::vector<std::jthread> servers;
      for (auto& result : results)
        servers.emplace_back([&result, &folder] { result = listen(folder.file("s")); });
    }
    int successes = 0;
    for (const auto& result : results) {
      successes += result.has_value() ? 1 : 0;
      if (!result) CHECK(result.error().code == EADDRINUSE);
    }
    CHECK(successes == 1);
    CHECK(connect(folder.file("s")).has_value());
  }
}

/// The number of handles with which this process has a file open.
std::ptrdiff_t open_count(const std::string& path) {
  std::error_code gone;
  const std::filesystem::directory_iterator handles("/proc/self/fd");
  return std::ranges::count_if(handles, [&](const auto& handle) {
    return std::filesystem::read_symlink(handle, gone) == path;
  });
}

TEST_CASE("a starting server waits for the owner of the lock, and leaves no lock file") {
  const TemporaryFolder folder;
  const std::string lock = folder.file(".s.perigee-lock");
  const ipc::Handle other(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(::flock(other.get(), LOCK_EX) == 0);
  std::atomic<bool> begun{false};
  std::unique_ptr<Acceptor> acceptor;
  std::jthread server([&] {
    acceptor = listen(folder.file("s")).value();
    begun = true;
  });
  while (!begun && open_count(lock) < 2) std::this_thread::yield();
  CHECK_FALSE(begun);
  REQUIRE(::flock(other.get(), LOCK_UN) == 0);
  server.join();
  CHECK(begun);
  CHECK_FALSE(std::filesystem::exists(lock));
  acceptor.reset();
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("an ending server waits for the owner of the lock before it removes its file") {
  const TemporaryFolder folder;
  auto acceptor = listen(folder.file("s")).value();
  const std::string lock = folder.file(".s.perigee-lock");
  const ipc::Handle other(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(::flock(other.get(), LOCK_EX) == 0);
  std::atomic<bool> ended{false};
  std::jthread server([&] {
    acceptor.reset();
    ended = true;
  });
  while (!ended && open_count(lock) < 2) std::this_thread::yield();
  CHECK(std::filesystem::exists(folder.file("s")));
  REQUIRE(::flock(other.get(), LOCK_UN) == 0);
  server.join();
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a lock that is a symbolic link or has another owner is refused") {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(folder.file("elsewhere"), folder.file(".s.perigee-lock"));
  CHECK(listen(folder.file("s")).error().code == ELOOP);
  CHECK_FALSE(std::filesystem::exists(folder.file("elsewhere")));
  std::filesystem::create_directory(folder.file(".t.perigee-lock"));
  CHECK(listen(folder.file("t")).error().code == EISDIR);
  std::ofstream(folder.file(".u.perigee-lock")) << "";
  constexpr uid_t nobody = 65534;
  // Only root can give files away.
  const bool given = ::chown(folder.file(".u.perigee-lock").c_str(), nobody, gid_t(-1)) == 0;
  const auto acceptor = listen(folder.file("u"));
  CHECK(acceptor.has_value() == !given);
  if (given) CHECK(acceptor.error().code == EPERM);
}

TEST_CASE("a file with content is not taken for a lock, and stays") {
  const TemporaryFolder folder;
  const std::string file = folder.file(".s.perigee-lock");
  std::ofstream(file) << "42";
  CHECK(listen(folder.file("s")).error().code == EPERM);
  CHECK(std::filesystem::file_size(file) == 2);
}

TEST_CASE("a server that cannot get the lock at its end still removes its own file") {
  const TemporaryFolder folder;
  auto acceptor = listen(folder.file("s"));
  REQUIRE(acceptor.has_value());
  std::filesystem::create_directory(folder.file(".s.perigee-lock"));
  acceptor->reset();
  CHECK_FALSE(std::filesystem::exists(folder.file("s")));
}

TEST_CASE("a lock has mode 0600, whatever the umask") {
  const ScopedUmask umask(0100);  // makes the server set the socket's mode
  const TemporaryFolder folder;
  mode_t seen = 0;
  on_fchmodat = [&](const std::string& path) {
    const std::size_t name = path.rfind('/') + 1;
    seen = mode_of(path.substr(0, name) + '.' + path.substr(name) + ".perigee-lock");
    return 0;
  };
  const auto acceptor = listen(folder.file("s") + "?mode=0777");
  on_fchmodat = nullptr;
  CHECK(acceptor.has_value());
  CHECK(seen == 0600);
}

TEST_CASE("a socket whose mode cannot be set leaves no file behind") {
  const ScopedUmask umask(077);
  const TemporaryFolder folder;
  on_fchmodat = [](const std::string&) { return EROFS; };
  const auto acceptor = listen(folder.file("s") + "?mode=0666");
  on_fchmodat = nullptr;
  REQUIRE_FALSE(acceptor.has_value());
  CHECK(acceptor.error().code == EROFS);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a missing folder, or a path through a file, is an error with the path") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("file")) << "x";
  for (const auto& [path, code] :
       {std::pair{folder.file("none/s"), ENOENT}, std::pair{folder.file("file/s"), ENOTDIR}}) {
    const auto acceptor = listen(path);
    REQUIRE_FALSE(acceptor.has_value());
    CHECK(acceptor.error().code == code);
    CHECK(acceptor.error().endpoint == "uiop://" + path);
    CHECK(connect(path).error().code == code);
  }
}

// --- Names and peers -----------------------------------------------------------------------------

TEST_CASE("an abstract name leaves no file behind") {
  const std::string name = "@perigee-test-" + std::to_string(::getpid());
  for (int round = 0; round < 2; ++round) {
    const auto acceptor = listen(name).value();
    CHECK(acceptor->listening() == Endpoint{"uiop", name});
    CHECK(connect(name).has_value());
    CHECK(listen(name).error().code == EADDRINUSE);
  }
  CHECK(connect(name).error().code == ECONNREFUSED);
}

TEST_CASE("both sides know the identity of their peer, from the system") {
  const TemporaryFolder folder;
  const auto acceptor = listen(folder.file("s")).value();
  const auto client = connect(folder.file("s")).value();
  const auto server = acceptor->accept(Wait::yes).value();
  CHECK(client->peer() == "uiop://" + folder.file("s"));
  CHECK(server->peer() == "uiop://" + folder.file("s") + "?pid=" + std::to_string(::getpid()));
  const PeerIdentity self{::getpid(), ::geteuid(), ::getegid()};
  CHECK(client->peer_identity() == self);
  CHECK(server->peer_identity() == self);
}

// Another user may take the path or the name of a server that is not running.
std::optional<IoError> refusal(std::string_view trust, const std::string& address) {
  const auto protocol = make_local_protocol(parse_local_trust(trust).value());
  auto connected = protocol->make_connector()->connect({"uiop", address}, 10s);
  if (connected) return std::nullopt;
  CHECK(connected.error().code == EACCES);
  return connected.error();
}

TEST_CASE("a client that expects a certain user sends nothing to a server of another user") {
  const std::string name = "@perigee-test-" + std::to_string(::getpid());
  const TemporaryFolder folder;
  const auto file = listen(folder.file("s")).value();
  const auto abstract = listen(name).value();
  const std::string self = std::to_string(::geteuid());
  const std::string other = std::to_string(::geteuid() + 1);
  for (const std::string& address : {folder.file("s"), name}) {
    CHECK(connect(address + "?user=" + self).has_value());
    const auto refused = refusal("all", address + "?user=" + other);
    REQUIRE(refused.has_value());
    CHECK(refused->endpoint.ends_with("(user " + self +
                                      " listens there, but the address names another user)"));
  }
  CHECK(file->published().address == folder.file("s") + "?user=" + self);
  CHECK(abstract->published().address == name + "?user=" + self);
  for (const std::string bad : {"?user=", "?user=x", "?user=-1", "?mode=0600", "?"})
    CHECK(connect(name + bad).error().kind == IoErrorKind::bad_address);
}

// --- Trust ---------------------------------------------------------------------------------------

TEST_CASE("a client does not connect if the address names a user that it does not trust") {
  const TemporaryFolder folder;
  const auto acceptor = listen(folder.file("s")).value();
  const std::string address = folder.file("s") + "?user=12345";
  const auto refused = refusal("own", address);
  REQUIRE(refused.has_value());
  CHECK(refused->endpoint == "uiop://" + address +
                                 " (the address names user 12345, but -ORBUiopTrust does not name "
                                 "this user)");
  CHECK(acceptor->accept(Wait::no).value() == nullptr);  // no client has connected
}

TEST_CASE("a client uses sockets only of trusted users: by default, of its own user and of root") {
  const TemporaryFolder folder;
  const auto acceptor = listen(folder.file("s")).value();
  const std::string self = std::to_string(::geteuid());
  for (const std::string& trust : {std::string("own"), std::string("all"), self, "12345," + self})
    CHECK_FALSE(refusal(trust, folder.file("s")).has_value());
  const auto refused = refusal("12345", folder.file("s"));
  REQUIRE(refused.has_value());
  CHECK(refused->endpoint == "uiop://" + folder.file("s") + " (user " + self +
                                 " listens there, but -ORBUiopTrust does not name this user)");
  const LocalTrust usual;
  CHECK((usual.own_user && !usual.everybody));
  CHECK(usual.users == std::vector<std::uint32_t>{0});
}

TEST_CASE(
    "user 65534, which stands for users of other namespaces, is trusted only if all users are") {
  const std::string container = "         0     100000      65536\n";
  const auto inside = user_numbers(65'534, container, "65534\n");
  CHECK_FALSE(inside.tells_apart(65'534));
  CHECK(inside.tells_apart(1000));
  CHECK_FALSE(trusts_user({}, 65'534, inside));
  CHECK_FALSE(trusts_user({.own_user = false, .users = {65'534}}, 65'534, inside));
  CHECK(trusts_user({.everybody = true}, 65'534, inside));
  CHECK(trusts_user({}, 0, inside));
  CHECK_FALSE(user_numbers(7, "", "7").tells_apart(7));  // the map has no users
}

TEST_CASE("where every user has a number, user 65534 is an ordinary user") {
  const auto host = user_numbers(65'534, "         0          0 4294967295\n", "65534\n");
  CHECK(host.tells_apart(65'534));
  CHECK(trusts_user({}, 65'534, host));
  CHECK_FALSE(trusts_user({}, 1000, host));
  const auto ranges =
      user_numbers(65'534, "0 1 2147483648\n2147483648 2147483649 2147483647\n", "");
  CHECK(ranges.tells_apart(65'534));
}

TEST_CASE("references contain the acceptor's place as the system reported it at the start") {
  const TemporaryFolder folder;
  const std::string inner = folder.file("inner");
  std::filesystem::create_directory(inner);
  const auto protocol = make_local_protocol();
  const auto acceptor = protocol->listen({"uiop", inner + "/s"}).value();
  const auto before = protocol->make_profile(acceptor->published(), {});
  std::filesystem::rename(inner, folder.file("elsewhere"));
  std::filesystem::create_directory(inner);
  CHECK(protocol->make_profile(acceptor->published(), {}) == before);
}

TEST_CASE("a client with a list of trusted places connects to no other place") {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  const std::string name = "@perigee-test-" + std::to_string(::getpid());
  const auto acceptor = listen(folder.file("s")).value();
  const auto abstract = listen(name).value();
  const std::string& path = folder.path();
  CHECK_FALSE(refusal(path, folder.file("s")).has_value());
  CHECK_FALSE(refusal(path + "/," + other.path(), folder.file("s")).has_value());
  CHECK_FALSE(refusal("@perigee-", name).has_value());
  CHECK(refusal(path, name).has_value());
  CHECK(refusal("@other", name).has_value());
  CHECK(refusal("@perigee-," + other.path(), folder.file("s")).has_value());
  CHECK(refusal(other.path(), other.path() + "/../" + path.substr(path.rfind('/') + 1) + "/s")
            .has_value());
  CHECK(refusal(path.substr(0, path.size() - 1), folder.file("s")).has_value());
  CHECK(refusal(path + ",12345", folder.file("s")).has_value());
}

TEST_CASE("without places a client connects only to socket files of Perigee's servers") {
  const TemporaryFolder folder;
  const std::string foreign = folder.file("foreign");
  auto other_program = ipc::lsock::Acceptor::open(*ipc::UnixAddr::path(foreign)).value();
  const auto server = listen(folder.file("s") + "?mode=0666").value();
  CHECK(connect(folder.file("s")).has_value());
  const auto refused = refusal("own,root", foreign);
  REQUIRE(refused.has_value());
  CHECK(refused->endpoint == "uiop://" + foreign +
                                 " (no server of Perigee listens there, and -ORBUiopTrust does not"
                                 " name the place)");
  CHECK_FALSE(other_program.accept(ipc::no_wait).has_value());  // no connection was made
  CHECK_FALSE(refusal("own," + folder.path(), foreign).has_value());
  CHECK_FALSE(refusal("own,/", foreign).has_value());
  std::filesystem::create_symlink(foreign, folder.file("link"));
  CHECK(refusal("own,root", folder.file("link")).has_value());
}

TEST_CASE("without places a client connects only to abstract names with the prefix @perigee-") {
  const std::string name = "@other-test-" + std::to_string(::getpid());
  const auto server = listen(name).value();
  CHECK(refusal("own,root", name).has_value());
  CHECK_FALSE(refusal("own,root,@other-test-", name).has_value());
  CHECK_FALSE(refusal("own,root,@", name).has_value());
}

TEST_CASE("a server that takes over another program's socket file marks it") {
  const TemporaryFolder folder;
  leave_stale_file(folder.file("s"));
  const ScopedUmask umask(077);
  const auto server = listen(folder.file("s") + "?mode=0666").value();
  CHECK(connect(folder.file("s")).has_value());
}

TEST_CASE("trust in an unknown user is an error that contains the name") {
  for (const std::string text : {"", "own,", "no-such-user", "own;root", "-1", "99999999999"}) {
    CAPTURE(text);
    const auto trust = parse_local_trust(text);
    REQUIRE_FALSE(trust.has_value());
    CHECK(trust.error().find("is not a user") != std::string::npos);
  }
}

std::size_t open_handles() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

TEST_CASE("handles from a peer are closed, and the octets with them arrive") {
  const TemporaryFolder folder;
  const auto acceptor = listen(folder.file("s")).value();
  auto client = ipc::lsock::Connector::connect(*ipc::UnixAddr::path(folder.file("s"))).value();
  const auto server = acceptor->accept(Wait::yes).value();
  const std::size_t before = open_handles();
  const std::vector<int> handles(100, client.handle());
  for (int message = 0; message < 20; ++message) {
    REQUIRE(client.send_handles(octets(1, 2, 3), handles).has_value());
    CHECK(test::receive_exactly(*server, 3) == octets(1, 2, 3));
  }
  CHECK(open_handles() == before);
}

TEST_CASE("a connect to a server that does not accept fails at the time-out") {
  const TemporaryFolder folder;
  auto full = ipc::lsock::Acceptor::open(*ipc::UnixAddr::path(folder.file("s"))).value();
  REQUIRE(::chmod(folder.file("s").c_str(), 0600 | socket_mark) == 0);
  REQUIRE(::listen(full.handle(), 0) == 0);
  const auto first = connect(folder.file("s")).value();
  const auto second = connect(folder.file("s"), 20ms);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().kind == IoErrorKind::timed_out);
}

// --- Profiles ------------------------------------------------------------------------------------

iop::ProfileBody body_at(const std::string& host, const std::string& address) {
  return {1, 2, host, address, octets('k'), {{7, octets(1, 2)}}};
}

std::vector<ProfileEndpoint> claim(const iop::TaggedProfile& profile) {
  ProtocolRegistry registry;
  REQUIRE(registry.add(make_local_protocol()).has_value());
  const auto target = registry.claim(profile);
  return target ? target->endpoints : std::vector<ProfileEndpoint>{};
}

TEST_CASE("a profile is a version, a host, an address, a key and components") {
  const auto wire = octets(0,                        // big-endian
                           1, 2,                     // version
                           0,                        // padding
                           0, 0, 0, 3, 'v', 'm', 0,  // host
                           0,                        // padding
                           0, 0, 0, 3, '/', 's', 0,  // address
                           0,                        // padding
                           0, 0, 0, 1, 'k',          // object key
                           0, 0, 0,                  // padding
                           0, 0, 0, 1,               // one component
                           0, 0, 0, 7, 0, 0, 0, 2, 1, 2);
  const auto codec = make_local_codec();
  CHECK(codec->decode({tag_perigee_local, wire}, {}).value() == body_at("vm", "/s"));
  CHECK(codec->decode(codec->encode(body_at("vm", "/s")), {}).value() == body_at("vm", "/s"));
}

TEST_CASE("a profile of another major version, or with too many components, is refused") {
  const auto codec = make_local_codec();
  auto later = body_at("vm", "/s");
  later.major = 2;
  CHECK(codec->decode(codec->encode(later), {}).error().kind == cdr::ErrorKind::bad_value);
  CHECK(codec->decode(codec->encode(body_at("vm", "/s")), {.components_max = 0}).error().kind ==
        cdr::ErrorKind::too_large);
}

/// The distance to a profile whose place is the true place, changed by `change`.
template <typename Change>
Distance distance_with(const std::string& path, Change change) {
  LocalPlace place = place_seen_here(path);
  change(place);
  auto body = body_at("any", path);
  body.components.push_back(encode_place(place));
  const auto endpoints = claim(make_local_codec()->encode(body));
  REQUIRE(endpoints.size() == 1);
  CHECK(endpoints.front().endpoint == Endpoint{"uiop", path});
  return endpoints.front().distance;
}

TEST_CASE("a path in the same folder of the same system is near, whatever the host's name") {
  const TemporaryFolder folder;
  const std::string path = folder.file("s");
  CHECK(distance_with(path, [](LocalPlace&) {}) == Distance::same_host);
  CHECK(distance_with(path, [](LocalPlace& place) { place.device += 1, place.machine += 1; }) ==
        Distance::same_host);
}

TEST_CASE("the same path in another container, or on a namesake machine, is not near") {
  const TemporaryFolder folder;
  for (const std::string& path : {folder.file("s"), std::string("@s")}) {
    const auto in_container = [](LocalPlace& place) { place.folder += 1, place.device += 1; };
    const auto on_machine = [](LocalPlace& place) { place.boot += 1, place.machine += 1; };
    const auto on_unknown = [](LocalPlace& place) { place.boot = place.machine = 0; };
    CHECK(distance_with(path, in_container) == Distance::other_host);
    CHECK(distance_with(path, on_machine) == Distance::other_host);
    CHECK(distance_with(path, on_unknown) == Distance::other_host);
  }
  CHECK(place_seen_here(folder.file("s")).folder != place_seen_here("/s").folder);
}

TEST_CASE("a path in a recreated folder is near if the host has the same name") {
  const TemporaryFolder folder;
  const auto made_anew = [](LocalPlace& place) { place.folder += 1; };
  CHECK(distance_with(folder.file("s"), made_anew) == Distance::same_host);
  CHECK(distance_with("@s", made_anew) == Distance::other_host);
}

TEST_CASE("a path is still near after its machine has restarted") {
  const auto restarted = [](LocalPlace& place) {
    place.boot += 1, place.folder += 1, place.device += 1;
  };
  const bool has_id = place_seen_here("/s").machine != 0;
  CHECK((distance_with("/s", restarted) == Distance::same_host) == has_id);
}

TEST_CASE("places are the same if they agree in the parts that the system knows") {
  const LocalPlace here{"/s", 1, 2, 3, 4};
  const auto with = [&here](auto change) {
    LocalPlace place = here;
    change(place);
    return place;
  };
  CHECK(is_same(here, here));
  // Folders of two containers on one file system differ only in their roots, and so in `device`.
  CHECK_FALSE(is_same(with([](auto& place) { place.folder = 5, place.device = 6; }), here));
  const auto without_folder = with([](auto& place) { place.folder = place.device = 0; });
  CHECK_FALSE(is_same(without_folder, without_folder));
  // Without /proc the kernel is unknown: machine and folder decide.
  const auto hidden = with([](auto& place) { place.boot = 0; });
  CHECK(is_same(hidden, hidden));
  CHECK_FALSE(is_same(with([](auto& place) { place.boot = 0, place.machine = 9; }), hidden));
  CHECK_FALSE(is_same(with([](auto& place) { place.boot = 0, place.machine = 9; }), here));
}

TEST_CASE(
    "the first place of a profile counts, but not for a client that trusts only other places") {
  const TemporaryFolder folder;
  const std::string path = folder.file("s");
  auto body = body_at("any", path);
  body.components.push_back(encode_place(place_seen_here(path)));
  body.components.push_back(encode_place(place_seen_here(folder.file("t"))));
  const auto profile = make_local_codec()->encode(body);
  CHECK(claim(profile).size() == 1);
  ProtocolRegistry wary;
  REQUIRE(wary.add(make_local_protocol({true, false, {}, {"/elsewhere"}})).has_value());
  const auto target = wary.claim(profile);
  REQUIRE(target.has_value());
  REQUIRE(target->endpoints.size() == 1);
  CHECK(target->endpoints.front().distance == Distance::other_host);
}

TEST_CASE("a damaged or invalid place is ignored") {
  const auto codec = make_local_codec();
  auto damaged = body_at("not-" + local_host_name(), "/s");
  damaged.components.push_back({tag_perigee_place, octets(0, 1, 2, 3)});
  damaged.components.push_back(encode_place({"no address", 1, 1, 1, 1}));
  CHECK((claim(codec->encode(damaged)) ==
         std::vector<ProfileEndpoint>{{{"uiop", "/s"}, Distance::other_host}}));
}

TEST_CASE("a profile with only a host name is near if this host has that name") {
  const auto codec = make_local_codec();
  CHECK((claim(codec->encode(body_at(local_host_name(), "/s"))) ==
         std::vector<ProfileEndpoint>{{{"uiop", "/s"}, Distance::same_host}}));
  CHECK((claim(codec->encode(body_at("not-" + local_host_name(), "/s"))) ==
         std::vector<ProfileEndpoint>{{{"uiop", "/s"}, Distance::other_host}}));
}

iop::TaggedProfile omniorb_profile(const std::string& host, const std::string& path) {
  const iop::ProfileBody body{
      1, 2, "", host + ":0", octets('k'), {iop::encode_omniorb_unix_address({host, path})}};
  return iop::make_iiop_codec()->encode(body);
}

// Interop fact 57 of docs/interop.md.
TEST_CASE("addresses of omniORB in IIOP profiles are claimed") {
  const std::string here = local_host_name();
  CHECK((claim(omniorb_profile(here, "/s")) ==
         std::vector<ProfileEndpoint>{{{"uiop", "/s"}, Distance::same_host}}));
  CHECK((claim(omniorb_profile("not-" + here, "/s")) ==
         std::vector<ProfileEndpoint>{{{"uiop", "/s"}, Distance::other_host}}));
  CHECK(claim(omniorb_profile(here, "relative")).empty());
}

TEST_CASE("a damaged address of omniORB is ignored") {
  auto damaged = iop::encode_omniorb_unix_address({local_host_name(), "/s"});
  damaged.data.resize(damaged.data.size() - 2);
  const iop::ProfileBody body{1, 2, "", "vm:0", {}, {damaged}};
  CHECK(claim(iop::make_iiop_codec()->encode(body)).empty());
}

TEST_CASE("an address that is published for omniORB has a profile in omniORB's form") {
  const TemporaryFolder folder;
  const auto protocol = make_local_protocol();
  const std::string path = folder.file("s");
  const auto acceptor = protocol->listen({"uiop", path + "?publish=omniorb&mode=0666"}).value();
  CHECK(mode_of(path) == 0666);
  const auto key = octets('k');
  const auto made =
      protocol->make_profile(acceptor->published(), {1, 2, key, acceptor->iiop_components()});
  const auto profile = iop::decode_iiop_profile(made).value();
  CHECK(profile.port == 0);
  CHECK(profile.host == local_host_name());
  CHECK(profile.object_key == key);
  CHECK(profile.components.front() == iop::encode_omniorb_unix_address({local_host_name(), path}));
  CHECK(
      (claim(made) == std::vector<ProfileEndpoint>{{acceptor->published(), Distance::same_host}}));
  CHECK(listen(path + "2").value()->iiop_components().empty());
}

TEST_CASE("a profile with an invalid address has no target") {
  const auto codec = make_local_codec();
  for (const std::string address : {"", "s", "@", "a:1"})
    CHECK(claim(codec->encode(body_at(local_host_name(), address))).empty());
  CHECK(claim(codec->encode(body_at(local_host_name(), "/" + std::string(200, 'x')))).empty());
}

}  // namespace
}  // namespace perigee::transport
