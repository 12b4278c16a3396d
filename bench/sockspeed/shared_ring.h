// The floor: a ring of octets in POSIX shared memory, with one writer and one reader in two
// processes, who sleep on futexes. As a C program would have it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace perigee::bench {

/// read <= written <= read + capacity; the octets between them are at their number modulo capacity.
/// Errors of the system are thrown as std::system_error.
class SharedRing {
 public:
  /// Makes it; its name goes when it is opened, or with this object.
  static SharedRing create(const std::string& name, std::size_t capacity);
  static SharedRing open(const std::string& name);

  /// Sends all. Throws std::runtime_error if the reader has ended.
  void send(std::span<const std::byte> octets);
  /// Fills all; false if the writer has ended.
  bool receive(std::span<std::byte> space);

 private:
  struct Header;
  struct Mapping {
    Header* header = nullptr;
    std::size_t size = 0;
    std::string name;  ///< of who made it
    ~Mapping();
  };

  explicit SharedRing(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
  static std::unique_ptr<Mapping> map(int fd, std::size_t size);
  [[nodiscard]] std::byte* octets() const;

  std::unique_ptr<Mapping> mapping_;
};

}  // namespace perigee::bench
