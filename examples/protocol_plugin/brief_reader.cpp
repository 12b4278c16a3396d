// Frames out of a stream. Each message gets memory of its own, which is simple and costs a copy.
#include "brief_messages.h"
#include <perigee/cdr/decoder.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace board {
namespace {

namespace messaging = perigee::messaging;
using messaging::FramingError;
using perigee::MutableOctetSpan;
using perigee::Octets;
using perigee::OctetSpan;

constexpr std::size_t room_size = 64 * 1024;  // to receive into

struct Frame {
  messaging::MessageKind kind;
  std::endian order;
  std::size_t size;  // with the header
};

class BriefReader final : public messaging::MessageReader {
 public:
  explicit BriefReader(const messaging::Limits& limits) : limits_(limits) {}

  // As much as has really arrived, and a little more: a size that a peer only claims costs nothing.
  // What is left of frames that were taken moves to the front here, once for all of them.
  MutableOctetSpan receive_space(MutableOctetSpan /*scratch*/) override {
    std::copy(octets_.begin() + std::ptrdiff_t(begin_), octets_.begin() + std::ptrdiff_t(filled_),
              octets_.begin());
    filled_ -= std::exchange(begin_, 0);
    if (filled_ == 0 && octets_.size() > room_size) octets_ = {};  // a large frame is gone
    octets_.resize(filled_ + room_size);
    return MutableOctetSpan(octets_).subspan(filled_);
  }
  void received(std::size_t count) override { filled_ += count; }

  Next next(messaging::IncomingMessage& message) override {
    if (error_) return Next::error;
    if (at_hand() < frame_header_size) return Next::need_more;
    const auto frame = read_header();
    if (!frame) return Next::error;
    if (at_hand() < frame->size) return Next::need_more;
    message = {};
    message.kind = frame->kind;
    message.version = {1, 2};
    message.order = frame->order;
    message.header_size = frame_header_size;
    message.octets = OctetSpan(octets_).subspan(begin_, frame->size);
    message.keep();
    begin_ += frame->size;
    return Next::message;
  }

  [[nodiscard]] bool has_octets() const noexcept override { return at_hand() != 0; }
  void detach_scratch() override {}  // nothing is left there
  [[nodiscard]] FramingError error() const noexcept override {
    return error_.value_or(FramingError::bad_header);
  }

 private:
  [[nodiscard]] std::size_t at_hand() const noexcept { return filled_ - begin_; }

  std::optional<Frame> read_header() {
    const auto octet = [this](std::size_t at) {
      return std::to_integer<unsigned>(octets_[begin_ + at]);
    };
    if (octet(0) != frame_marker || octet(2) > 1) return fail(FramingError::bad_magic);
    if (octet(1) > static_cast<unsigned>(messaging::MessageKind::message_error))
      return fail(FramingError::bad_type);
    const std::endian order = octet(2) == 1 ? std::endian::little : std::endian::big;
    perigee::cdr::Decoder decoder(OctetSpan(octets_).subspan(begin_, frame_header_size), order, 4);
    const std::size_t size = frame_header_size + std::size_t{decoder.read<std::uint32_t>()};
    if (size > limits_.message_size_max) return fail(FramingError::too_large);
    return Frame{static_cast<messaging::MessageKind>(octet(1)), order, size};
  }
  std::optional<Frame> fail(FramingError error) {
    error_ = error;
    return std::nullopt;
  }

  const messaging::Limits limits_;
  Octets octets_;
  std::size_t begin_ = 0;   // a frame begins here,
  std::size_t filled_ = 0;  // and octets are at hand up to here
  std::optional<FramingError> error_;
};

}  // namespace

std::unique_ptr<messaging::MessageReader> make_brief_reader(const messaging::Limits& limits) {
  return std::make_unique<BriefReader>(limits);
}

}  // namespace board
