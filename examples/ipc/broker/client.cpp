// Prints a file that a broker opens for this program. Exit status: 0, 1 for errors, 2 for wrong
// usage, 3 if the broker refused.
#include "../program.h"
#include "protocol.h"
#include <perigee/ipc/file.h>
#include <perigee/ipc/lsock.h>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

namespace ipc = perigee::ipc;
using namespace std::chrono_literals;

namespace {

constexpr auto usage =
    "usage: file_broker_client <address> <file>\n"
    "Prints the file, which the broker at the address opens. The address is a path, or @name.\n";
constexpr auto step_limit = 10s;

/// Asks for a file. If the broker refuses, prints its reason on standard error and returns nothing.
std::optional<ipc::File> ask(ipc::lsock::Stream& stream, std::string_view name) {
  value_of(stream.send_n(perigee::octets_of(name), step_limit), "send");
  stream.close_sender();
  std::array<char, broker::reason_size_max> space;
  std::array<ipc::Handle, 1> handles;
  const auto octets = std::as_writable_bytes(std::span(space));
  const auto answer = value_of(stream.recv_handles(octets, handles, step_limit), "receive");
  if (answer.octets.count() == 0) throw std::runtime_error("the broker has not answered");
  if (octets[0] == broker::granted && answer.handle_count == 1) {
    return ipc::File::adopt(handles[0].release());
  }
  const auto rest = octets.subspan(answer.octets.count());
  const auto more = value_of(stream.recv_n(rest, step_limit), "receive");
  std::cerr << "file_broker_client: " << name << ": refused: "
            << std::string_view(space.data() + 1, answer.octets.count() + more.count() - 1) << '\n';
  return std::nullopt;
}

/// A file that came as a handle is read like any other.
void print(const ipc::File& file) {
  std::vector<char> space(65536);
  for (;;) {
    const ssize_t count = ::read(file.handle(), space.data(), space.size());
    if (count == -1) throw std::system_error(errno, std::system_category(), "read");
    if (count == 0) break;
    std::cout.write(space.data(), count);
  }
  if (!std::cout.flush()) throw std::runtime_error("standard output cannot be written");
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc == 2 && argv[1] == std::string_view("--help")) return std::fputs(usage, stdout) < 0;
  if (argc != 3) return std::fputs(usage, stderr), 2;
  const auto address = ipc::UnixAddr::parse(argv[1]);
  if (!address) throw std::runtime_error(std::string(argv[1]) + ": not an address");
  auto stream = value_of(ipc::lsock::Connector::connect(*address, step_limit),
                         "connect to " + std::string(argv[1]));
  const auto file = ask(stream, argv[2]);
  if (!file) return 3;
  print(*file);
} catch (const std::exception& error) {
  std::cerr << "file_broker_client: " << error.what() << '\n';
  return 1;
}
