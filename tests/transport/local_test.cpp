// What is the UNIX-domain transport's own: socket files, peers, profiles. The contract is tested by
// the conformance suite.
#include "conformance/transport_pair.h"
#include "support/octets.h"
#include "support/temporary_folder.h"
#include <perigee/iop/components.h>
#include <perigee/ipc/lsock.h>
#include <perigee/transport/local.h>
#include <perigee/transport/registry.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perigee::transport {
namespace {

using namespace std::chrono_literals;
using test::octets;
using test::TemporaryFolder;

std::expected<std::unique_ptr<Acceptor>, IoError> listen(const std::string& address) {
  return make_local_protocol()->listen({"uiop", address});
}
std::expected<std::unique_ptr<Transport>, IoError> connect(const std::string& address,
                                                           std::chrono::milliseconds limit = 10s) {
  return make_local_protocol()->make_connector()->connect({"uiop", address}, limit);
}

mode_t mode_of(const std::string& path) {
  struct stat status{};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

/// A socket file whose server is gone.
void leave_stale_file(const std::string& path) {
  REQUIRE(ipc::lsock::Acceptor::open(*ipc::UnixAddr::path(path)).has_value());
  REQUIRE(std::filesystem::exists(path));
}

class ScopedUmask {
 public:
  explicit ScopedUmask(mode_t mask) : before_(::umask(mask)) {}
  ~ScopedUmask() { ::umask(before_); }
  ScopedUmask(const ScopedUmask&) = delete;
  ScopedUmask& operator=(const ScopedUmask&) = delete;

 private:
  mode_t before_;
};

// --- Files ---------------------------------------------------------------------------------------

TEST_CASE("a socket file is for its user alone, or for whom the address says, whatever the umask") {
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}}) {
    const ScopedUmask umask(mask);
    const TemporaryFolder folder;
    const auto own = listen(folder.file("own")).value();
    const auto group = listen(folder.file("group") + "?mode=0660").value();
    const auto all = listen(folder.file("all") + "?mode=666").value();
    CHECK(mode_of(folder.file("own")) == 0600);
    CHECK(mode_of(folder.file("group")) == 0660);
    CHECK(mode_of(folder.file("all")) == 0666);
    CHECK(group->published().address == folder.file("group"));
  }
}

TEST_CASE("a listen address that says something else is refused as a whole") {
  for (const std::string address :
       {"/tmp/s?", "/tmp/s?mode", "/tmp/s?mode=", "/tmp/s?mode=9", "/tmp/s?mode=07777",
        "/tmp/s?mode=0600,x", "/tmp/s?mode=0600&", "/tmp/s?publish=tao", "@name?publish=omniorb",
        "/tmp/s?umask=0600", "@name?mode=0600", "relative?mode=0600"}) {
    CAPTURE(address);
    const auto acceptor = listen(address);
    REQUIRE_FALSE(acceptor.has_value());
    CHECK(acceptor.error().kind == IoErrorKind::bad_address);
    CHECK(to_string(acceptor.error()).find(address) != std::string::npos);
  }
}

TEST_CASE("the file goes with the acceptor") {
  const TemporaryFolder folder;
  auto acceptor = listen(folder.file("s")).value();
  CHECK(std::filesystem::exists(folder.file("s")));
  acceptor.reset();
  CHECK_FALSE(std::filesystem::exists(folder.file("s")));
}

TEST_CASE("a file that has become another's stays") {
  const TemporaryFolder folder;
  auto first = listen(folder.file("s")).value();
  first->interrupt();  // refuses connections from now on, as a dead server does
  const auto second = listen(folder.file("s")).value();
  first.reset();
  CHECK(connect(folder.file("s")).has_value());
}

TEST_CASE("a file that a dead server left is taken over") {
  const TemporaryFolder folder;
  leave_stale_file(folder.file("s"));
  REQUIRE_FALSE(connect(folder.file("s")).has_value());
  const auto acceptor = listen(folder.file("s"));
  REQUIRE(acceptor.has_value());
  CHECK(connect(folder.file("s")).has_value());
  CHECK(mode_of(folder.file("s")) == 0600);
}

TEST_CASE("a living server keeps its file, even one that accepts nobody") {
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

TEST_CASE("what is no socket is not touched") {
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

TEST_CASE("a stale file of another user is not taken over, by root neither") {
  const TemporaryFolder folder;
  leave_stale_file(folder.file("s"));
  constexpr uid_t nobody = 65534;
  // Only root can give files away; the refusal is the same for all.
  const bool given = ::chown(folder.file("s").c_str(), nobody, gid_t(-1)) == 0;
  const auto acceptor = listen(folder.file("s"));
  CHECK(acceptor.has_value() == !given);
  if (given) CHECK(acceptor.error().code == EPERM);
  CHECK(std::filesystem::exists(folder.file("s")));
}

TEST_CASE("of servers that begin at once one gets the file of the dead one") {
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

TEST_CASE("who begins waits for who has the folder") {
  const TemporaryFolder folder;
  const ipc::Handle other(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(::flock(other.get(), LOCK_EX) == 0);
  std::atomic<bool> begun{false};
  std::atomic<bool> released{false};
  bool was_released = false;
  std::jthread server([&] {
    begun = true;
    CHECK(listen(folder.file("s")).has_value());
    was_released = released;
  });
  while (!begun) std::this_thread::yield();
  released = true;
  REQUIRE(::flock(other.get(), LOCK_UN) == 0);
  server.join();
  CHECK(was_released);
}

TEST_CASE("a folder that is not there, or a path through a file, is an error that says where") {
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

TEST_CASE("an abstract name leaves nothing behind") {
  const std::string name = "@perigee-test-" + std::to_string(::getpid());
  for (int round = 0; round < 2; ++round) {
    const auto acceptor = listen(name).value();
    CHECK(acceptor->published() == Endpoint{"uiop", name});
    CHECK(connect(name).has_value());
    CHECK(listen(name).error().code == EADDRINUSE);
  }
  CHECK(connect(name).error().code == ECONNREFUSED);
}

TEST_CASE("both sides know who the other is, as the system says") {
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

std::size_t open_handles() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

TEST_CASE("handles that a peer sends along are closed, and its octets arrive") {
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

TEST_CASE("a server that does not accept costs the time-out, not more") {
  const TemporaryFolder folder;
  auto full = ipc::lsock::Acceptor::open(*ipc::UnixAddr::path(folder.file("s"))).value();
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

TEST_CASE("a profile of another host is out of reach, whatever is at the same path here") {
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

// Interop fact 57.
TEST_CASE("addresses of omniORB are claimed out of IIOP profiles") {
  const std::string here = local_host_name();
  CHECK((claim(omniorb_profile(here, "/s")) ==
         std::vector<ProfileEndpoint>{{{"uiop", "/s"}, Distance::same_host}}));
  CHECK((claim(omniorb_profile("not-" + here, "/s")) ==
         std::vector<ProfileEndpoint>{{{"uiop", "/s"}, Distance::other_host}}));
  CHECK(claim(omniorb_profile(here, "relative")).empty());
}

TEST_CASE("a damaged address of omniORB is passed over") {
  auto damaged = iop::encode_omniorb_unix_address({local_host_name(), "/s"});
  damaged.data.resize(damaged.data.size() - 2);
  const iop::ProfileBody body{1, 2, "", "vm:0", {}, {damaged}};
  CHECK(claim(iop::make_iiop_codec()->encode(body)).empty());
}

TEST_CASE("an address that is published for omniORB has a profile as omniORB would make it") {
  const TemporaryFolder folder;
  const auto protocol = make_local_protocol();
  const std::string path = folder.file("s");
  const auto acceptor = protocol->listen({"uiop", path + "?publish=omniorb&mode=0666"}).value();
  CHECK(mode_of(path) == 0666);
  const auto key = octets('k');
  CHECK(protocol->make_profile(acceptor->published(), {1, 2, key, {}}) ==
        omniorb_profile(local_host_name(), path));
  CHECK(protocol->make_profile(acceptor->published(), {1, 0, key, {}}).tag == tag_perigee_local);
  CHECK(protocol->make_profile({"uiop", path + "2"}, {1, 2, key, {}}).tag == tag_perigee_local);
}

TEST_CASE("a profile whose address is none leads nowhere") {
  const auto codec = make_local_codec();
  for (const std::string address : {"", "s", "@", "a:1"})
    CHECK(claim(codec->encode(body_at(local_host_name(), address))).empty());
  CHECK(claim(codec->encode(body_at(local_host_name(), "/" + std::string(200, 'x')))).empty());
}

}  // namespace
}  // namespace perigee::transport
