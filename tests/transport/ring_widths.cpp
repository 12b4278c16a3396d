// A 32-bit and a 64-bit process exchange messages through one pair of rings. This program is
// compiled for both widths, and starts the program of the other width. It uses the code of the
// rings only.
//
//   ring_widths <program of the other width>
#include "ipc/futex.h"
#include "transport/shared_memory/rings.h"
#include "transport/shared_memory/spin.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace perigee::transport::shared_memory {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t ring_size = ring_size_min;
constexpr std::uint32_t messages = 300;

/// Waits as a transport does: it notes how it waits, looks again, and sleeps.
template <typename Done>
void await(ipc::SharedWord& waits, Spin& spin, const Done& done) {
  while (!done()) {
    waits.store(spins);
    if (spin.until(done)) break;
    waits.store(sleeps);
    if (done()) break;
    ipc::wait_for_change(waits, sleeps, 100ms);
  }
  waits.store(waits_not);
}

class Sending {
 public:
  explicit Sending(const Ring& ring) : sender_(ring) {}
  void send(OctetSpan octets) {
    while (!octets.empty()) {
      await(sender_.words().sender_waits, spin_, [this] { return sender_.room() != 0; });
      const auto piece = octets.first(std::min<std::size_t>(octets.size(), sender_.room()));
      sender_.write(piece);
      sender_.publish();
      (void)wake(sender_.words().receiver_waits);
      octets = octets.subspan(piece.size());
    }
  }

 private:
  RingSender sender_;
  Spin spin_;
};

class Receiving {
 public:
  explicit Receiving(const Ring& ring) : receiver_(ring) {}
  void receive(MutableOctetSpan space) {
    while (!space.empty()) {
      await(receiver_.words().receiver_waits, spin_, [this] { return receiver_.available() != 0; });
      const auto piece = space.first(std::min<std::size_t>(space.size(), receiver_.available()));
      receiver_.read(piece);
      (void)wake(receiver_.words().sender_waits);
      space = space.subspan(piece.size());
    }
  }

 private:
  RingReceiver receiver_;
  Spin spin_;
};

/// Message `number`: its octets depend on the number. Some are larger than the ring.
std::vector<std::byte> message(std::uint32_t number) {
  std::vector<std::byte> octets(1 + number * 7919 % (3 * ring_size));
  std::uint32_t value = number;
  for (std::byte& octet : octets) {
    value = value * 1664525 + 1013904223;
    octet = static_cast<std::byte>(value >> 24);
  }
  return octets;
}

int fail(const char* what) {
  std::fprintf(stderr, "ring_widths, %zu bits: %s\n", 8 * sizeof(void*), what);
  return 1;
}

/// A limit of the wrong width would end the wait at once.
bool waits_for_its_limit() {
  ipc::SharedWord word{7};
  const auto before = std::chrono::steady_clock::now();
  ipc::wait_for_change(word, 7, 50ms);
  return std::chrono::steady_clock::now() - before >= 50ms;
}

/// The process that gets the memory: it sends each message back.
int answer(int memory) {
  if (!waits_for_its_limit()) return fail("the futex ignores its limit");
  const auto rings = Rings::accept(memory, ring_size);
  if (!rings) return fail(("it refuses the memory: " + rings.error().message()).c_str());
  Receiving receiving(rings->from_client());
  Sending sending(rings->from_server());
  for (std::uint32_t number = 0; number < messages; ++number) {
    std::vector<std::byte> octets(message(number).size());
    receiving.receive(octets);
    if (octets != message(number)) return fail("a message has changed on its way to the server");
    sending.send(octets);
  }
  return 0;
}

pid_t start(const char* program, int memory) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)::fcntl(memory, F_SETFD, 0);  // stays open in the program
  ::execl(program, program, "answer", std::to_string(memory).c_str(), nullptr);
  ::_exit(127);
}

/// The process that makes the memory.
int ask(const char* program) {
  if (!waits_for_its_limit()) return fail("the futex ignores its limit");
  const auto made = Rings::make(ring_size);
  if (!made) return fail("it cannot make memory");
  const pid_t other = start(program, made->memory.get());
  Sending sending(made->rings.from_client());
  Receiving receiving(made->rings.from_server());
  for (std::uint32_t number = 0; number < messages; ++number) {
    const auto sent = message(number);
    sending.send(sent);
    std::vector<std::byte> octets(sent.size());
    receiving.receive(octets);
    if (octets != sent) return fail("a message has changed on its way to the client");
  }
  int status = 0;
  if (::waitpid(other, &status, 0) != other || status != 0) return fail("the other process failed");
  std::printf("%zu bits: %u messages each way\n", 8 * sizeof(void*), messages);
  return 0;
}

}  // namespace
}  // namespace perigee::transport::shared_memory

int main(int argc, char** argv) {
  using namespace perigee::transport::shared_memory;
  if (argc == 2) return ask(argv[1]);
  if (argc == 3 && std::strcmp(argv[1], "answer") == 0) return answer(std::stoi(argv[2]));
  std::fputs("usage: ring_widths <program of the other width>\n", stderr);
  return 2;
}
