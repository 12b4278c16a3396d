// Opens the files of a folder for clients that may not open them, and passes handles for reading
// only. The system, not the client, names the user of the client. Shuts down on SIGINT and
// SIGTERM.
#include "../program.h"
#include "../sessions.h"
#include "protocol.h"
#include <perigee/ipc/file.h>
#include <perigee/ipc/lsock.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ipc = perigee::ipc;
using namespace std::chrono_literals;

namespace {

constexpr auto usage =
    "usage: file_broker <address> <folder> [<user id>...]\n"
    "Passes handles of the files in the folder to these users (default: the user of the broker).\n"
    "The address is a path, or @name.\n";
/// The time for all steps of a client. A client that sends nothing, or a little now and then, keeps
/// a thread for this time. Other clients have to wait only if all places are taken by such clients.
constexpr auto client_limit = 5s;
constexpr std::size_t clients_max = 64;

/// The reason why a client does not get a handle.
class Refusal : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Broker {
 public:
  Broker(std::filesystem::path folder, std::vector<std::uint32_t> users)
      : folder_(std::move(folder)), users_(std::move(users)) {}

  /// Serves one client. Never throws: an error concerns this client only.
  void serve(ipc::lsock::Stream& stream) const {
    const auto end = Clock::now() + client_limit;
    std::string client = "unknown user";
    try {
      const auto peer = value_of(stream.peer_credentials(), "credentials");
      client = "user " + std::to_string(peer.user) + ", process " + std::to_string(peer.process);
      const std::string name = receive_name(stream, end);
      client += ", file '" + name + "'";
      const ipc::File file = open_for(peer.user, name);
      const int lent = file.handle();
      value_of(stream.send_handles(std::span(&broker::granted, 1), std::span(&lent, 1), left(end)),
               "answer");
      std::cerr << client + ": granted\n";
    } catch (const Refusal& refusal) {
      refuse(stream, refusal.what(), end);
      std::cerr << client + ": refused: " + refusal.what() + "\n";
    } catch (const std::exception& error) {
      std::cerr << client + ": " + error.what() + "\n";
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  static ipc::TimeLimit left(Clock::time_point end) { return end - Clock::now(); }

  static std::string receive_name(ipc::lsock::Stream& stream, Clock::time_point end) {
    std::array<char, broker::name_size_max + 1> space;
    const auto received =
        value_of(stream.recv_n(std::as_writable_bytes(std::span(space)), left(end)), "name");
    if (!received.end_of_stream()) throw Refusal("the name is too long");
    return {space.data(), received.count()};
  }

  [[nodiscard]] ipc::File open_for(std::uint32_t user, const std::string& name) const {
    if (std::ranges::find(users_, user) == users_.end()) throw Refusal("this user is not served");
    const bool is_inside = !name.empty() && !name.starts_with('.') &&
                           name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
    if (!is_inside) throw Refusal("not the name of a file in the folder");
    // ipc::File::open would follow a symbolic link, which may lead out of the folder.
    auto file = ipc::File::adopt(
        ::open((folder_ / name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status{};
    if (!file.is_open() || ::fstat(file.handle(), &status) != 0)
      throw Refusal(std::error_code(errno, std::system_category()).message());
    if (!S_ISREG(status.st_mode)) throw Refusal("not a regular file");
    return file;
  }

  static void refuse(ipc::lsock::Stream& stream, const std::string& reason, Clock::time_point end) {
    const std::array<perigee::OctetSpan, 2> answer{std::span(&broker::refused, 1),
                                                   perigee::octets_of(reason)};
    // If this send fails, only the refused client lacks the reason.
    if (!stream.send_n(answer, left(end))) return;
    stream.close_sender();
    // Closing with octets unread would reset the connection, and the client would lose the reason.
    std::array<std::byte, 4096> rest;
    for (int count = 0; count < 16; ++count) {
      const auto received = stream.recv(rest, left(end));
      if (!received || received->end_of_stream()) return;
    }
  }

  std::filesystem::path folder_;
  std::vector<std::uint32_t> users_;
};

std::vector<std::uint32_t> users_from(std::span<char*> arguments) {
  std::vector<std::uint32_t> users;
  for (const std::string_view text : arguments) {
    std::uint32_t user = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), user);
    if (error != std::errc{} || end != text.end()) {
      throw std::runtime_error(std::string(text) + ": not a user id");
    }
    users.push_back(user);
  }
  if (users.empty()) users.push_back(getuid());
  return users;
}

/// Serves all clients, several at the same time, until a stop is requested and the acceptor is
/// interrupted.
std::error_code serve_all(ipc::lsock::Acceptor& acceptor, const Broker& broker,
                          const std::stop_token& stop) {
  Sessions<ipc::lsock::Stream> sessions;
  while (!stop.stop_requested()) {
    auto stream = acceptor.accept();
    if (stream) {
      sessions.start(std::move(*stream), [&broker](auto& client) { broker.serve(client); });
      if (sessions.size() >= clients_max) sessions.wait_for_an_end(stop);
    } else if (stream.error() == std::errc::too_many_files_open && sessions.size() != 0) {
      sessions.wait_for_an_end(stop);
    } else if (!stop.stop_requested()) {
      return stream.error();
    }
  }
  return {};
}

void run(const std::string& text, const Broker& broker) {
  const auto address = ipc::UnixAddr::parse(text);
  if (!address) throw std::runtime_error(text + ": not an address");
  auto acceptor = value_of(ipc::lsock::Acceptor::open(*address), "listen at " + text);
  // Every user may connect: the credentials decide.
  if (address->kind() == ipc::UnixAddr::Kind::path) {
    std::filesystem::permissions(text, std::filesystem::perms(0666));
  }
  std::stop_source stop;
  const OnEndingSignal ending([&] {
    stop.request_stop();
    acceptor.interrupt();
  });
  std::cout << text << std::endl;
  const std::error_code error = serve_all(acceptor, broker, stop.get_token());
  ipc::lsock::remove(*address);
  if (error) throw std::runtime_error("accept: " + error.message());
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc == 2 && argv[1] == std::string_view("--help")) return std::fputs(usage, stdout) < 0;
  if (argc < 3) return std::fputs(usage, stderr), 2;
  if (!std::filesystem::is_directory(argv[2])) {
    throw std::runtime_error(std::string(argv[2]) + ": not a folder");
  }
  run(argv[1],
      Broker(argv[2], users_from(std::span(argv, static_cast<std::size_t>(argc)).subspan(3))));
} catch (const std::exception& error) {
  std::cerr << "file_broker: " << error.what() << '\n';
  return 1;
}
