// The floor: a ring of octets in POSIX shared memory, as in a C program. It has one writer and one
// reader in two processes. If these run on two CPUs, they spin for a while before they sleep on a
// futex.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace perigee::bench {

/// Invariant: read <= written <= read + capacity, as numbers of octets since the start. Octet
/// number n is at position n modulo capacity. Errors of the system are thrown as std::system_error.
class SharedRing {
 public:
  /// Makes the ring. Its name is removed when the other process opens the ring, or when this object
  /// is destroyed.
  static SharedRing create(const std::string& name, std::size_t capacity);
  static SharedRing open(const std::string& name);

  /// Sends all octets. Throws std::runtime_error if the reader has ended.
  void send(std::span<const std::byte> octets);
  /// Fills the whole space. False if the writer has ended.
  bool receive(std::span<std::byte> space);
  /// Waits until the reader has read all octets. Throws std::runtime_error if it has ended before.
  void await_receipt();
  /// Does nothing: the position of the reader confirms the receipt.
  void confirm_receipt() {}

 private:
  struct Header;
  struct Mapping {
    Header* header = nullptr;
    std::size_t size = 0;
    std::string name;  ///< only in the creating process
    ~Mapping();
  };

  explicit SharedRing(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
  static std::unique_ptr<Mapping> map(int fd, std::size_t size);
  [[nodiscard]] std::byte* octets() const;

  std::unique_ptr<Mapping> mapping_;
};

}  // namespace perigee::bench
