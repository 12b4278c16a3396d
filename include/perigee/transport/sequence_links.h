// Links to sequences: the numbers of a sequence stay in memory that both peers have mapped, and a
// message names their place. Part of the interface of a transport.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/base/octets.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace perigee::cdr {
class PinnedMemory;
}

namespace perigee::transport {

/// The place of the last octets of a message, which do not pass through the connection. A link is
/// sent directly in front of its message, in the byte order of the host. The size in the header of
/// the message includes the linked octets.
struct Link {
  static constexpr std::array<char, 4> expected_magic{'P', 'G', 'L', 'K'};

  std::array<char, 4> magic = expected_magic;
  std::uint32_t hold = 0;        ///< number of the shared word by which the octets are given back
  std::uint32_t generation = 0;  ///< number of this use of the word; not 0
  std::uint32_t reserved = 0;
  std::uint64_t offset = 0;  ///< octets in front of the place, in the memory of the sender
  std::uint64_t size = 0;    ///< octets of the place

  /// Whether a link begins with the first octets of `input`, which is not empty.
  [[nodiscard]] static bool begins(OctetSpan input) noexcept {
    const std::size_t count = input.size() < expected_magic.size() ? input.size() : 4;
    return std::memcmp(input.data(), expected_magic.data(), count) == 0;
  }
};
static_assert(sizeof(Link) == 32 && offsetof(Link, offset) == 16);

/// The octets of a link, and the owner of their memory.
struct LinkedOctets {
  OctetSpan octets;
  counted_ptr<cdr::PinnedMemory> memory;  ///< its release lets the peer use the memory again
};

/// The links of one connection. Several threads may send while one thread receives.
class PERIGEE_API SequenceLinks {
 public:
  /// The most octets that a linked message has in front of the linked octets.
  static constexpr std::size_t head_size_max = 960;

  virtual ~SequenceLinks() = default;

  /// @name For the threads that send. Any thread.
  /// @{
  /// Keeps the memory of `octets` until the receiver gives it back. Empty if the octets must be
  /// copied: they are not in memory that the peer has mapped, or too many links are in use.
  [[nodiscard]] virtual std::optional<Link> lend(OctetSpan octets) noexcept = 0;
  /// Called when the message of the link waits at `position` of the queue.
  virtual void note_queued(const Link& link, std::uint64_t position) noexcept = 0;
  /// Called when the message of the link will not be sent.
  virtual void take_back(const Link& link) noexcept = 0;
  /// The same for a message in the queue. Does nothing if the message has no link.
  virtual void take_back_queued(std::uint64_t position) noexcept = 0;
  /// @}

  /// Finds the octets of a link, for the thread that receives. If the link is wrong, the result has
  /// no memory, and the connection must end. Throws bad_alloc.
  [[nodiscard]] virtual LinkedOctets follow(const Link& link) = 0;
};

}  // namespace perigee::transport
