// The base of the objects that a decoder may need besides its octets: the numbers of a sequence
// that were received straight into a vector (LandedSequence), or the valuetypes of the message.
#pragma once

#include <cstdint>

namespace perigee::cdr {

/// A decoder has one pointer for both kinds of parts, and `kind` tells them apart. Messages
/// without parts have no further cost.
class DecoderPart {
 public:
  enum class Kind : std::uint8_t { landed, values };

  [[nodiscard]] Kind kind() const noexcept { return kind_; }

 protected:
  explicit DecoderPart(Kind kind) noexcept : kind_(kind) {}
  ~DecoderPart() = default;

 private:
  Kind kind_;
};

}  // namespace perigee::cdr
