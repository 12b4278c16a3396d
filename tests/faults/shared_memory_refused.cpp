// Clients and servers that cannot share memory: the system refuses it, or they are different users,
// or in different containers. The client uses the next address of the reference, one line of the
// log says why, and the server goes on for other clients.
//
//   shared_memory_refused [<case>...]     without a name: all cases that any user can run
//   shared_memory_refused --users         the cases with several users: only root can run them
#include "base/sanitizer.h"
#include "faults/child_process.h"
#include "faults/process_limits.h"
#include "runtime/process.h"
#include "support/log_lines.h"
#include "support/refuse_system_call.h"
#include "support/temporary_folder.h"
#include <perigee/poa/peer_current.h>

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace perigee::test {
namespace {

// --- Situations of a process ---------------------------------------------------------------------

void limit(decltype(RLIMIT_FSIZE) kind, rlim_t value) {
  rlimit now{};
  if (::getrlimit(kind, &now) != 0) throw std::runtime_error("getrlimit failed");
  now.rlim_cur = value;
  if (::setrlimit(kind, &now) != 0) throw std::runtime_error("setrlimit failed");
}

/// From now on the process can open `count` more handles.
void leave_handles(rlim_t count) {
  std::vector<int> numbers;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    numbers.push_back(std::stoi(entry.path().filename().string()));
  std::erase_if(numbers, [](int number) { return ::fcntl(number, F_GETFD) == -1; });
  // The limit counts numbers, so no number below the highest one stays free.
  const int highest = std::ranges::max(numbers);
  for (int number = 0; number < highest; ++number)
    if (std::ranges::count(numbers, number) == 0) (void)::dup2(STDIN_FILENO, number);
  limit(RLIMIT_NOFILE, static_cast<rlim_t>(highest) + 1 + count);
}

/// A user without privileges on most systems. Any other number would do, except that of the caller.
constexpr unsigned other_user = 65534;

void become_other_user() {
  if (::setgroups(0, nullptr) != 0 || ::setgid(other_user) != 0 || ::setuid(other_user) != 0)
    throw std::runtime_error("this case needs root: it becomes another user");
}

void write_file(const char* path, const std::string& text) {
  if (!(std::ofstream(path) << text << std::flush))
    throw std::runtime_error(std::string("cannot write ") + path);
}

/// Moves this process into namespaces of its own. A process without privileges also needs a user
/// namespace, in which it keeps its number.
void enter_namespaces(int kinds) {
  const unsigned user = ::geteuid();
  const unsigned group = ::getegid();
  if (::unshare(user == 0 ? kinds : kinds | CLONE_NEWUSER) != 0)
    throw std::runtime_error(std::string("the system permits no namespaces: ") +
                             std::strerror(errno));
  if (user == 0) return;
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1");
  write_file("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
}

void enter_other_network() { enter_namespaces(CLONE_NEWNET); }

/// The folders in /tmp are then those of this process only.
void enter_other_files() {
  enter_namespaces(CLONE_NEWNS);
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", "/tmp", "tmpfs", 0, nullptr) != 0)
    throw std::runtime_error(std::string("the system permits no mount: ") + std::strerror(errno));
}

constexpr std::size_t too_few_octets = 600 * 1024;  // of address space; a connection needs 1.1 MiB

/// When a process gets into a situation: at its start, or after calls over TCP.
enum class Time { never, at_start, after_calls };

struct Situation {
  std::string_view name;
  Time time;
  void (*begin)();
};
constexpr Situation situations[] = {
    {"usual", Time::never, [] {}},
    {"memfd_create_is_forbidden", Time::after_calls,
     [] { refuse_system_call(SYS_memfd_create, EPERM); }},
    {"memfd_create_is_unknown", Time::after_calls,
     [] { refuse_system_call(SYS_memfd_create, ENOSYS); }},
    {"one_handle", Time::after_calls, [] { leave_handles(1); }},
    {"no_handle", Time::after_calls, [] { leave_handles(0); }},
    {"address_space", Time::after_calls, [] { limit_address_space(too_few_octets); }},
    {"file_size", Time::after_calls, [] { limit(RLIMIT_FSIZE, 4096); }},
    {"other_user", Time::at_start, become_other_user},
    {"other_network", Time::at_start, enter_other_network},
    {"other_files", Time::at_start, enter_other_files},
};

const Situation& situation_of(std::string_view name) {
  const auto found = std::ranges::find(situations, name, &Situation::name);
  if (found == std::end(situations)) throw std::runtime_error("no such situation");
  return *found;
}

// --- The two processes ---------------------------------------------------------------------------

constexpr int calls = 2;

/// The sockets of this process that are connected.
std::size_t connected_sockets() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    sockaddr_storage peer{};
    socklen_t size = sizeof(peer);
    const int number = std::stoi(entry.path().filename().string());
    if (::getpeername(number, reinterpret_cast<sockaddr*>(&peer), &size) == 0) ++count;
  }
  return count;
}

/// Calls the servers, so that they make the buffers and threads that they keep. Returns when the
/// connections have ended.
void make_what_stays(std::initializer_list<const EchoServer*> servers) {
  const std::size_t before = connected_sockets();
  for (const EchoServer* const each : servers) (void)EchoClient().echo(each->reference)->twice(1);
  while (connected_sockets() != before) std::this_thread::yield();
}

/// Prints two references, and then one line for each call of `stop`: the address of the client. The
/// second reference has a TCP address only.
int serve(const Situation& situation, const std::string& endpoints) {
  if (situation.time == Time::at_start) situation.begin();
  LogLines lines(log::Level::warning);
  const EchoServer server({}, endpoints);
  const EchoServer plain;
  const auto current =
      IDL::traits<PeerCurrent>::narrow(server.orb->resolve_initial_references("PeerCurrent"));
  server.servant->on_stop = [&current] {
    std::puts(current->peer().c_str());
    std::fflush(stdout);
  };
  make_what_stays({&plain, &server});
  if (situation.time == Time::after_calls) situation.begin();
  std::printf("%s\n%s\n", server.reference.c_str(), plain.reference.c_str());
  std::fflush(stdout);
  if (situation.name == "no_handle") {
    while (!lines.have("Too many open files")) std::this_thread::yield();
    limit(RLIMIT_NOFILE, 1000);
  }
  for (;;) ::pause();
}

/// The number of lines of the log that say that an address was not used.
std::size_t fallbacks(const std::string& log_text) {
  constexpr std::string_view why = "; the call tries the next address\n";
  std::size_t count = 0;
  for (std::size_t end = log_text.find(why); end != std::string::npos;
       end = log_text.find(why, end + 1))
    ++count;
  return count;
}

/// Calls several times. Prints the number of fallbacks that the log has lines for.
int call(const Situation& situation, const std::string& trust, const std::string& reference,
         const std::string& plain) {
  if (situation.time == Time::at_start) situation.begin();
  LogLines lines(log::Level::info);
  const EchoClient client({"-ORBUiopTrust", trust});
  if (situation.time == Time::after_calls) {
    (void)client.echo(plain)->twice(1);
    situation.begin();
  }
  const auto echo = client.echo(reference);
  for (int number = 0; number < calls; ++number) echo->stop();
  std::printf("%zu\n", fallbacks(lines.text()));
  std::fflush(stdout);
  return 0;
}

// --- The cases -----------------------------------------------------------------------------------

/// The addresses of the server; `$` is its folder.
const std::string for_own_user =
    "shmiop://$/memory?mode=0600;uiop://$/socket?mode=0666;iiop://127.0.0.1:0";
const std::string for_all_users =
    "shmiop://$/memory?mode=0666;uiop://$/socket?mode=0666;iiop://127.0.0.1:0";
const std::string by_name = "shmiop://@perigee-$;uiop://$/socket;iiop://127.0.0.1:0";

/// What a client uses, and how many lines say that it did not use an address.
struct Expected {
  std::string scheme;
  std::string fallbacks;
};
const Expected shared_memory{"shmiop", "0"};
const Expected socket_file{"uiop", "1"};

struct Case {
  std::string_view name;
  std::string client = "usual";
  std::string server = "usual";
  Expected expected;
  Expected of_others = shared_memory;  ///< of clients whose situation is usual
  std::string endpoints = for_own_user;
  std::string trust = "own,root";
};
const std::vector<Case> cases = {
    {.name = "usual client and server", .expected = shared_memory},
    {.name = "a client that may not call memfd_create",
     .client = "memfd_create_is_forbidden",
     .expected = socket_file},
    {.name = "a client whose kernel has no memfd_create",
     .client = "memfd_create_is_unknown",
     .expected = socket_file},
    {.name = "a client without a handle for the memory",
     .client = "one_handle",
     .expected = socket_file},
    {.name = "a client without address space", .client = "address_space", .expected = socket_file},
    {.name = "a client whose files must be small", .client = "file_size", .expected = socket_file},
    {.name = "a server without a handle for the memory",
     .server = "one_handle",
     .expected = socket_file,
     .of_others = socket_file},
    {.name = "a server without address space",
     .server = "address_space",
     .expected = socket_file,
     .of_others = socket_file},
    {.name = "a server without any handle for a while",
     .server = "no_handle",
     .expected = shared_memory},
    {.name = "a client of another user that may not open the socket",
     .client = "other_user",
     .expected = socket_file},
    {.name = "a client of another user that may open the socket",
     .client = "other_user",
     .expected = shared_memory,
     .endpoints = for_all_users},
    {.name = "a server of another user that the client does not trust",
     .server = "other_user",
     .expected = {"iiop", "2"},
     .of_others = {"iiop", "2"},
     .endpoints = for_all_users},
    {.name = "a server of another user that the client trusts",
     .server = "other_user",
     .expected = shared_memory,
     .endpoints = for_all_users,
     .trust = "own,root," + std::to_string(other_user)},
    {.name = "a client in another network that sees the socket file",
     .client = "other_network",
     .expected = shared_memory},
    {.name = "a client in another network that does not see the name",
     .client = "other_network",
     .expected = {"uiop", "0"},
     .endpoints = by_name},
    {.name = "a client that does not see the files of the server",
     .client = "other_files",
     .expected = {"iiop", "0"}},
};

/// Runs a client. True if each of its calls went over the expected address, with the expected
/// number of lines in the log.
bool calls_go(const Expected& expected, const ChildProcess& server,
              const std::vector<std::string>& client_words) {
  const ChildProcess client(client_words);
  const std::string logged = client.read_line();
  if (logged.empty()) return false;  // the client has failed, and the server prints nothing
  bool passed = logged == expected.fallbacks;
  for (int number = 0; number < calls; ++number) {
    const std::string peer = server.read_line();
    std::printf("  %s, fallbacks in the log: %s\n", peer.c_str(), logged.c_str());
    passed = passed && peer.starts_with(expected.scheme + "://");
  }
  return passed;
}

std::string in_folder(std::string endpoints, const std::string& folder) {
  for (std::size_t place = 0; (place = endpoints.find('$')) != std::string::npos;)
    endpoints.replace(place, 1, folder);
  return endpoints;
}

bool passes(const Case& each) {
  const TemporaryFolder folder;
  (void)::chmod(folder.path().c_str(), 0777);  // other users listen and connect there
  const ChildProcess server({"serve", each.server, in_folder(each.endpoints, folder.path())});
  const std::string reference = server.read_line();
  const std::string plain = server.read_line();
  bool passed = !plain.empty();
  const auto run = [&](const std::string& situation, const Expected& expected) {
    passed =
        passed && calls_go(expected, server, {"call", situation, each.trust, reference, plain});
  };
  for (int client = 0; client < 3; ++client) run(each.client, each.expected);
  run("usual", each.of_others);
  std::printf("%s: %s\n", std::string(each.name).c_str(), passed ? "passed" : "FAILED");
  return passed;
}

bool has_situation(const Case& each, std::string_view name) {
  return each.client == name || each.server == name;
}

// A sanitizer needs the whole address space. The undefined-behaviour sanitizer makes pipes to look
// at objects, and reports valid objects if it gets no handle.
bool can_run(const Case& each) {
  if (memory_is_watched() && has_situation(each, "address_space")) return false;
  return !under_address_sanitizer ||
         (!has_situation(each, "one_handle") && !has_situation(each, "no_handle"));
}

bool is_wanted(const Case& each, const std::vector<std::string>& words) {
  const bool has_users = has_situation(each, "other_user");
  if (words.empty() || words[0] == "--users") return has_users == !words.empty();
  return std::ranges::count(words, each.name) != 0;
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "serve") return serve(situation_of(words[1]), words[2]);
  if (words.size() == 5 && words[0] == "call")
    return call(situation_of(words[1]), words[2], words[3], words[4]);
  bool all = true;
  for (const Case& each : cases)
    if (can_run(each) && is_wanted(each, words)) all = passes(each) && all;
  return all ? 0 : 1;
}

}  // namespace
}  // namespace perigee::test

int main(int argc, char** argv) try {
  return perigee::test::run(std::vector<std::string>(argv + 1, argv + argc));
} catch (const std::exception& error) {
  std::fprintf(stderr, "shared_memory_refused: %s\n", error.what());
  return 2;
}
