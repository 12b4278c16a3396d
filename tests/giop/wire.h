// Helpers of the GIOP tests: expected octets written field by field, independently of the encoder,
// and readers fed in pieces of chosen sizes.
#pragma once

#include "support/octets.h"
#include "support/reader.h"
#include <perigee/giop/giop.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::giop::test {

inline constexpr std::endian both_orders[] = {std::endian::little, std::endian::big};
inline constexpr messaging::Version all_versions[] = {{1, 0}, {1, 1}, {1, 2}};

/// Expected octets. The class does not align: tests write the padding of the specification.
class Wire {
 public:
  explicit Wire(std::endian order = std::endian::little) : order_(order) {}

  Wire& text(std::string_view characters) {
    for (const char character : characters) octets_.push_back(static_cast<std::byte>(character));
    return *this;
  }
  Wire& octet(unsigned value) {
    octets_.push_back(static_cast<std::byte>(value));
    return *this;
  }
  Wire& zeros(std::size_t count) {
    octets_.resize(octets_.size() + count);
    return *this;
  }
  Wire& ushort(unsigned value) { return number(value, 2); }
  Wire& ulong(std::uint32_t value) { return number(value, 4); }
  Wire& octets(const Octets& more) {
    octets_.insert(octets_.end(), more.begin(), more.end());
    return *this;
  }
  /// The twelve octets of a frame header.
  Wire& frame(messaging::Version version, unsigned type, std::uint32_t size, unsigned flags = 0) {
    return text("GIOP")
        .octet(version.major)
        .octet(version.minor)
        .octet((order_ == std::endian::little ? 1u : 0u) | flags)
        .octet(type)
        .ulong(size);
  }
  operator const Octets&() const { return octets_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] const Octets& get() const { return octets_; }

 private:
  Wire& number(std::uint32_t value, unsigned size) {
    for (unsigned index = 0; index < size; ++index) {
      const unsigned place = order_ == std::endian::little ? index : size - 1 - index;
      octet((value >> (8 * place)) & 0xff);
    }
    return *this;
  }

  std::endian order_;
  Octets octets_;
};

using perigee::test::from_hex;
using perigee::test::make_reader;

/// GIOP with a session of its own, for encoding and parsing.
class OpenGiop {
 public:
  explicit OpenGiop(const messaging::Limits& limits)
      : protocol_(make_giop(limits)), session_(protocol_->open(messaging::Role::opener, {})) {}
  const messaging::MessagingProtocol& operator*() const { return *protocol_; }
  const messaging::Session* operator->() const { return session_.get(); }

 private:
  std::unique_ptr<messaging::MessagingProtocol> protocol_;
  std::unique_ptr<messaging::Session> session_;
};

inline OpenGiop open_giop(const messaging::Limits& limits) { return OpenGiop(limits); }

/// GIOP with the default limits.
inline const OpenGiop giop = open_giop({});

/// The octets as text, so that a failed comparison is readable: "47 49 4f 50 …".
inline std::string hex(OctetSpan octets) { return perigee::test::to_hex(octets); }

inline Octets octets_from(std::string_view text) {
  const OctetSpan span = octets_of(text);
  return {span.begin(), span.end()};
}
inline std::string text_from(OctetSpan octets) {
  std::string text;
  for (const std::byte octet : octets) text += static_cast<char>(octet);
  return text;
}

/// `count` octets that show their position: 0, 1, … 250, 0, …
inline Octets pattern(std::size_t count) {
  Octets octets(count);
  for (std::size_t index = 0; index < count; ++index)
    octets[index] = static_cast<std::byte>(index % 251);
  return octets;
}

/// Runs `encode` on a new encoder and returns all octets.
inline Octets encoded(std::endian order, const std::function<void(cdr::Encoder&)>& encode) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  encode(encoder);
  return buffer.flatten();
}

/// A whole message to parse: views into `octets`, which must outlive it.
inline messaging::IncomingMessage incoming(const Octets& octets) {
  messaging::IncomingMessage message;
  message.kind = static_cast<messaging::MessageKind>(octets[7]);
  message.version = {std::to_integer<std::uint8_t>(octets[4]),
                     std::to_integer<std::uint8_t>(octets[5])};
  message.order =
      (octets[6] & std::byte{1}) != std::byte{0} ? std::endian::little : std::endian::big;
  message.octets = octets;
  return message;
}

/// The result of a reader: a copy of every message, and the error if there was one.
struct ReadResult {
  struct Message {
    messaging::MessageKind kind;
    messaging::Version version;
    std::endian order;
    std::string octets;  ///< hexadecimal
    friend bool operator==(const Message&, const Message&) = default;
  };
  std::vector<Message> messages;
  bool failed = false;
  messaging::FramingError error = {};
  bool has_octets = false;
  friend bool operator==(const ReadResult&, const ReadResult&) = default;
};

/// The receiving side of a connection: feeds a reader like a transport, at most `piece` octets at
/// once.
class Feeder {
 public:
  explicit Feeder(const messaging::MessagingProtocol& protocol, std::size_t scratch_size = 1024)
      : reader_(make_reader(protocol)), scratch_(scratch_size) {}

  perigee::test::MessageReader& reader() { return *reader_; }
  ReadResult& result() { return result_; }

  /// Feeds all of `octets` in pieces, and takes messages after each piece.
  void feed(OctetSpan octets, std::size_t piece = ~std::size_t{0}) {
    while (!octets.empty() && !result_.failed) {
      const MutableOctetSpan space = reader_->receive_space(scratch_);
      const std::size_t count = std::min({octets.size(), piece, space.size()});
      std::copy_n(octets.begin(), count, space.begin());
      reader_->received(count);
      octets = octets.subspan(count);
      drain();
    }
  }
  void drain() {
    messaging::IncomingMessage message;
    for (;;) {
      const auto next = reader_->next(message);
      if (next == perigee::test::Next::error) {
        result_.failed = true;
        result_.error = reader_->error();
      }
      if (next != perigee::test::Next::message) break;
      result_.messages.push_back(
          {message.kind, message.version, message.order, hex(message.octets)});
    }
    result_.has_octets = reader_->has_octets();
  }

 private:
  std::unique_ptr<perigee::test::MessageReader> reader_;
  Octets scratch_;
  ReadResult result_;
};

/// The result of a reader for `octets` in pieces of `piece` octets.
inline ReadResult read_all(const messaging::MessagingProtocol& protocol, OctetSpan octets,
                           std::size_t piece = ~std::size_t{0}, std::size_t scratch_size = 1024) {
  Feeder feeder(protocol, scratch_size);
  feeder.feed(octets, piece);
  return feeder.result();
}

}  // namespace perigee::giop::test
