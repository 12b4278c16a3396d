// The memory of large sequences, which an ORB offers to its decoders.
#pragma once

#include <perigee/base/export.h>

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace perigee::cdr {

/// A vector of one of the types whose memory is kept. The set is closed, so that the code that
/// frees such a vector is in this library: a module of the application might be unloaded before the
/// vector is freed.
using LargeVector =
    std::variant<std::vector<std::uint8_t>, std::vector<std::int8_t>, std::vector<std::int16_t>,
                 std::vector<std::uint16_t>, std::vector<std::int32_t>, std::vector<std::uint32_t>,
                 std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<float>,
                 std::vector<double>>;

/// The place of a sequence that ended a message. It is likely that the next message of this kind
/// also has a sequence there.
struct SequencePlace {
  std::size_t length_at = 0;  ///< octets of the message in front of the length
  std::size_t type = 0;       ///< the index of the vector's type in LargeVector
  friend bool operator==(const SequencePlace&, const SequencePlace&) = default;
};

/// Memory for large sequences. Any thread.
class SequenceMemory {
 public:
  /// If a vector with elements of the same type and room for `octets` is kept, it replaces
  /// `vector`.
  virtual void take(LargeVector& vector, std::size_t octets) noexcept = 0;
  /// The vector is not used any longer.
  virtual void give_back(LargeVector vector) noexcept = 0;
  /// The caller is about to write all `size` octets of fresh memory.
  virtual void will_fill(void* memory, std::size_t size) noexcept = 0;
  /// A message ended with a sequence that was decoded into a vector.
  virtual void note_place(const SequencePlace& place) noexcept = 0;
  /// A message was received as if it ended with such a sequence, but was decoded otherwise.
  virtual void forget_place(const SequencePlace& place) noexcept = 0;

 protected:
  ~SequenceMemory() = default;
};

}  // namespace perigee::cdr
