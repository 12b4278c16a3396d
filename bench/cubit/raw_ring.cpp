// Two rings in a file in memory. A side that waits reads the other side's count for a while, if the
// other side runs on another CPU, and then sleeps in a futex. Both sides trust each other.
#include "raw_ring.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace perigee::bench {
namespace {

using Word = std::atomic<std::uint32_t>;

constexpr std::uint32_t ring_size = 1u << 18;
constexpr std::uint32_t piece_size = 1u << 16;

struct Ring {
  alignas(64) Word written;
  Word sender_cpu;
  alignas(64) Word taken;
  Word receiver_cpu;
  alignas(64) Word receiver_sleeps;
  alignas(64) Word sender_sleeps;
  alignas(64) char octets[ring_size];
};

struct Memory {
  Ring requests;
  Ring replies;
};

void check(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

std::uint32_t own_cpu() { return static_cast<std::uint32_t>(sched_getcpu()); }

template <typename Done>
void await(Word& sleeps, const Word& peer_cpu, const Done& done) {
  const int turns = peer_cpu.load(std::memory_order_relaxed) != own_cpu() ? 4000 : 0;
  for (int turn = 0; turn < turns; ++turn) {
    if (done()) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  while (true) {
    sleeps.store(1);
    if (done()) break;
    syscall(SYS_futex, &sleeps, FUTEX_WAIT, 1, nullptr, nullptr, 0);
  }
  sleeps.store(0, std::memory_order_relaxed);
}

void wake(Word& sleeps) {
  if (sleeps.load() == 0) return;
  sleeps.store(0);
  syscall(SYS_futex, &sleeps, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// Copies between a ring and a buffer, across the end of the ring.
template <typename Copy>
void copy_parts(std::uint32_t position, std::uint32_t count, const Copy& copy) {
  const std::uint32_t from = position % ring_size;
  const std::uint32_t first = std::min(count, ring_size - from);
  copy(from, 0u, first);
  if (first != count) copy(0u, first, count - first);
}

void send_all(Ring& ring, const char* octets, std::size_t size) {
  std::uint32_t written = ring.written.load(std::memory_order_relaxed);
  while (size != 0) {
    const auto room = [&] { return ring_size - (written - ring.taken.load()); };
    if (room() == 0) await(ring.sender_sleeps, ring.receiver_cpu, [&] { return room() != 0; });
    const auto count =
        static_cast<std::uint32_t>(std::min<std::size_t>({size, room(), piece_size}));
    copy_parts(written, count, [&](std::uint32_t to, std::uint32_t from, std::uint32_t part) {
      std::memcpy(ring.octets + to, octets + from, part);
    });
    written += count;
    octets += count;
    size -= count;
    ring.sender_cpu.store(own_cpu(), std::memory_order_relaxed);
    ring.written.store(written);
    wake(ring.receiver_sleeps);
  }
}

void receive_all(Ring& ring, char* octets, std::size_t size) {
  std::uint32_t taken = ring.taken.load(std::memory_order_relaxed);
  while (size != 0) {
    const auto available = [&] { return ring.written.load() - taken; };
    if (available() == 0)
      await(ring.receiver_sleeps, ring.sender_cpu, [&] { return available() != 0; });
    const auto count =
        static_cast<std::uint32_t>(std::min<std::size_t>({size, available(), piece_size}));
    copy_parts(taken, count, [&](std::uint32_t from, std::uint32_t to, std::uint32_t part) {
      std::memcpy(octets + to, ring.octets + from, part);
    });
    taken += count;
    octets += count;
    size -= count;
    ring.receiver_cpu.store(own_cpu(), std::memory_order_relaxed);
    ring.taken.store(taken);
    if (available() <= ring_size / 2) wake(ring.sender_sleeps);
  }
}

Memory* map(int fd) {
  void* const memory = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  check(memory != MAP_FAILED, "mmap");
  return static_cast<Memory*>(memory);
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw std::runtime_error("the path of the socket is too long: " + path);
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

int new_socket() {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(fd >= 0, "socket");
  return fd;
}

/// A message with the sizes and room for one handle.
struct Handover {
  MessageSizes sizes{};
  iovec vector{&sizes, sizeof sizes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr message{};

  Handover() {
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
};

void hand_over(int socket, MessageSizes sizes, int memory) {
  Handover handover;
  handover.sizes = sizes;
  cmsghdr* const part = CMSG_FIRSTHDR(&handover.message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof memory);
  std::memcpy(CMSG_DATA(part), &memory, sizeof memory);
  check(sendmsg(socket, &handover.message, MSG_NOSIGNAL) == sizeof sizes, "sendmsg");
}

// After the client has ended, this thread sleeps until the server is killed.
void serve_ring(int socket) {
  Handover handover;
  const bool arrived =
      recvmsg(socket, &handover.message, MSG_CMSG_CLOEXEC) == sizeof handover.sizes;
  const cmsghdr* const part = CMSG_FIRSTHDR(&handover.message);
  if (!arrived || part == nullptr) return;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(part), sizeof fd);
  Memory* const memory = map(fd);
  close(fd);
  const MessageSizes sizes = handover.sizes;
  std::vector<char> octets(std::max(sizes.request, sizes.reply));
  while (true) {
    receive_all(memory->requests, octets.data(), sizes.request);
    send_all(memory->replies, octets.data(), sizes.reply);
  }
}

}  // namespace

class RawRingConnection::Impl {
 public:
  Impl(const std::string& path, MessageSizes sizes)
      : sizes_(sizes), octets_(std::max(sizes.request, sizes.reply)), socket_(new_socket()) {
    const sockaddr_un address = address_of(path);
    check(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
          "connect");
    const int fd = memfd_create("raw-ring", MFD_CLOEXEC);
    check(fd >= 0 && ftruncate(fd, sizeof(Memory)) == 0, "memfd_create");
    memory_ = map(fd);
    hand_over(socket_, sizes, fd);
    close(fd);
  }
  ~Impl() {
    munmap(memory_, sizeof(Memory));
    close(socket_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool call() {
    ++number_;
    std::memcpy(octets_.data(), &number_, sizeof number_);
    send_all(memory_->requests, octets_.data(), sizes_.request);
    receive_all(memory_->replies, octets_.data(), sizes_.reply);
    return std::memcmp(octets_.data(), &number_, sizeof number_) == 0;
  }

 private:
  const MessageSizes sizes_;
  std::vector<char> octets_;
  const int socket_;
  Memory* memory_ = nullptr;
  std::uint32_t number_ = 0;
};

RawRingConnection::RawRingConnection(const std::string& path, MessageSizes sizes)
    : impl_(std::make_unique<Impl>(path, sizes)) {}
RawRingConnection::~RawRingConnection() = default;
bool RawRingConnection::call() { return impl_->call(); }

int run_raw_ring_server(const std::string& path) {
  const int listener = new_socket();
  const sockaddr_un address = address_of(path);
  check(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind");
  check(listen(listener, 16) == 0, "listen");
  std::cout << path << std::endl;
  while (true) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) std::thread(serve_ring, fd).detach();  // keeps the socket open
  }
}

}  // namespace perigee::bench
