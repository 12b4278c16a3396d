// The base of the objects that a decoder may need besides its octets: the numbers of a sequence
// that were received straight into a vector (LandedSequence), or the valuetypes of the message.
#pragma once

#include <cstdint>

namespace perigee::cdr {

/// The base tells the two kinds of parts from each other. So a decoder needs one pointer for both,
/// and messages without them cost nothing more.
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
