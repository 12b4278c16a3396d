// How a side waits for the peer: if the peer runs on another CPU, the side first reads the ring for
// a while. Then the side marks itself as asleep, checks once more, and sleeps. The peer wakes only
// a marked side: the writer after each block, the reader when half of the ring is free. A sleeping
// side checks once a second whether the other process is still alive. The transport of `shmiop`
// waits in the same way, but on one CPU it first yields to its peer.
#include "shared_ring.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>
#include <system_error>

namespace perigee::bench {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::system_category(), what);
}

/// Also true for a zombie: a process that has ended, and for which its parent has not waited yet.
bool is_dead(pid_t pid) {
  pollfd entry{static_cast<int>(syscall(SYS_pidfd_open, pid, 0)), POLLIN, 0};
  if (entry.fd < 0) return errno == ESRCH;
  const bool dead = poll(&entry, 1, 0) > 0;
  close(entry.fd);
  return dead;
}

/// One side: its position, and whether it sleeps.
struct Side {
  alignas(64) std::atomic<std::uint64_t> position{0};
  alignas(64) std::atomic<std::uint32_t> asleep{0};  ///< the futex
  std::atomic<std::int32_t> process{0};
  std::atomic<std::uint32_t> ended{0};
  std::atomic<std::int32_t> cpu{-1};  ///< on which the side made its last change

  void move_to(std::uint64_t next) {
    cpu.store(sched_getcpu(), std::memory_order_relaxed);
    position.store(next);
  }
  void wake() {
    if (asleep.load() == 0) return;
    asleep.store(0);
    syscall(SYS_futex, &asleep, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  [[nodiscard]] bool is_gone() const {
    return ended.load() != 0 || (process.load() != 0 && is_dead(process.load()));
  }
};

/// Polls a limited number of times. Returns whether `is_ready`. If the peer ran on this CPU,
/// returns false at once, because polling would keep the peer from running.
template <typename IsReady>
bool spin_as(const Side& peer, IsReady is_ready) {
  constexpr int turns = 4000;
  if (peer.cpu.load(std::memory_order_relaxed) == sched_getcpu()) return false;
  for (int turn = 0; turn < turns; ++turn) {
    if (is_ready()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

/// Waits as `self` until `is_ready`. False: the peer has ended, and `is_ready` will never be true.
template <typename IsReady>
bool wait_as(Side& self, const Side& peer, IsReady is_ready) {
  if (spin_as(peer, is_ready)) return true;
  for (;;) {
    self.asleep.store(1);  // sequentially consistent: the peer sees the mark after its next change
    if (is_ready()) break;
    if (peer.is_gone()) {
      self.asleep.store(0);
      return is_ready();
    }
    const timespec second{1, 0};
    syscall(SYS_futex, &self.asleep, FUTEX_WAIT, 1, &second, nullptr, 0);
  }
  self.asleep.store(0);
  return true;
}

}  // namespace

struct SharedRing::Header {
  Side writer;
  Side reader;
  std::size_t capacity = 0;
};

SharedRing::Mapping::~Mapping() {
  Side& self = name.empty() ? header->reader : header->writer;
  self.ended.store(1);
  (name.empty() ? header->writer : header->reader).wake();
  munmap(header, size);
  if (!name.empty()) shm_unlink(name.c_str());
}

std::unique_ptr<SharedRing::Mapping> SharedRing::map(int fd, std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int error = errno;
  close(fd);
  errno = error;
  if (memory == MAP_FAILED) fail("mmap");
  auto mapping = std::make_unique<Mapping>();
  mapping->header = static_cast<Header*>(memory);
  mapping->size = size;
  return mapping;
}

SharedRing SharedRing::create(const std::string& name, std::size_t capacity) {
  const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) fail(name);
  const std::size_t size = sizeof(Header) + capacity;
  errno = posix_fallocate(fd, 0, static_cast<off_t>(size));  // else a write may end in SIGBUS
  if (errno != 0) fail(name);
  auto mapping = map(fd, size);
  new (mapping->header) Header;
  mapping->header->capacity = capacity;
  mapping->header->writer.process.store(getpid());
  mapping->name = name;
  return SharedRing(std::move(mapping));
}

SharedRing SharedRing::open(const std::string& name) {
  const int fd = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) fail(name);
  shm_unlink(name.c_str());  // both sides have it open, so the name is not needed
  struct stat status{};
  if (fstat(fd, &status) != 0) fail(name);
  auto mapping = map(fd, static_cast<std::size_t>(status.st_size));
  mapping->header->reader.process.store(getpid());
  return SharedRing(std::move(mapping));
}

std::byte* SharedRing::octets() const {
  return reinterpret_cast<std::byte*>(mapping_->header) + sizeof(Header);
}

void SharedRing::send(std::span<const std::byte> octets_to_send) {
  Header& header = *mapping_->header;
  std::uint64_t written = header.writer.position.load(std::memory_order_relaxed);
  while (!octets_to_send.empty()) {
    const auto room = [&] { return header.capacity - (written - header.reader.position.load()); };
    if (room() == 0 && !wait_as(header.writer, header.reader, [&] { return room() > 0; }))
      throw std::runtime_error("the reader of the ring has ended");
    const std::size_t at = written % header.capacity;
    const std::size_t count =
        std::min({octets_to_send.size(), static_cast<std::size_t>(room()), header.capacity - at});
    std::memcpy(octets() + at, octets_to_send.data(), count);
    octets_to_send = octets_to_send.subspan(count);
    written += count;
    header.writer.move_to(written);
    header.reader.wake();
  }
}

void SharedRing::await_receipt() {
  Header& header = *mapping_->header;
  const std::uint64_t written = header.writer.position.load(std::memory_order_relaxed);
  const auto is_read = [&] { return header.reader.position.load() == written; };
  if (!is_read() && !wait_as(header.writer, header.reader, is_read))
    throw std::runtime_error("the reader of the ring has ended");
}

bool SharedRing::receive(std::span<std::byte> space) {
  Header& header = *mapping_->header;
  std::uint64_t read = header.reader.position.load(std::memory_order_relaxed);
  while (!space.empty()) {
    const auto there = [&] { return header.writer.position.load() - read; };
    if (there() == 0 && !wait_as(header.reader, header.writer, [&] { return there() > 0; }))
      return false;
    const std::size_t at = read % header.capacity;
    const std::size_t count =
        std::min({space.size(), static_cast<std::size_t>(there()), header.capacity - at});
    std::memcpy(space.data(), octets() + at, count);
    space = space.subspan(count);
    read += count;
    header.reader.move_to(read);
    if (there() <= header.capacity / 2) header.writer.wake();
  }
  return true;
}

}  // namespace perigee::bench
