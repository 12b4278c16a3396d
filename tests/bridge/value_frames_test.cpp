// The work of copying the frames of valuetypes in messages that come in many pieces.
#include "bridge/rewriting/value_frames.h"

#include "support/octets.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

using namespace perigee;
using namespace perigee::test;
using bridge::ValueFrames;
using cdr::Decoder;
using cdr::Encoder;
using Kind = cdr::ValueHeader::Kind;

namespace {

constexpr std::uint32_t declared_tag = 0x7fffff00;
constexpr std::uint32_t chunked_tag = 0x7fffff08;
constexpr std::size_t piece_count = 65'536;  // the default limit of fragments
constexpr std::size_t piece_size = 4;
constexpr std::size_t tag_count = 10'000;

class NoInnerValues final : public ValueFrames::InnerValues {
 public:
  void copy_inner(const cdr::ValueHeader& /*header*/) override {}
};

/// The octets in pieces of four octets. The last piece holds the rest.
struct Pieces {
  Octets octets;
  std::vector<std::size_t> sizes;

  explicit Pieces(const std::function<void(Encoder&)>& write) {
    cdr::Buffer buffer;
    Encoder encoder(buffer, std::endian::native, Encoder::Borrowing::no);
    write(encoder);
    octets = buffer.flatten();
    sizes.assign(piece_count, piece_size);
    sizes.back() += octets.size() - piece_count * piece_size;
  }
  [[nodiscard]] Decoder decoder() const {
    Decoder decoder(octets, std::endian::native);
    decoder.set_code_sets({.giop_minor = 1});
    decoder.set_pieces(sizes.data());
    return decoder;
  }
};

/// The copy of a body.
struct Copy {
  explicit Copy(const Pieces& pieces)
      : in(pieces.decoder()),
        out(buffer, std::endian::native, Encoder::Borrowing::no),
        frames(in, pieces.decoder(), out, inner) {}

  NoInnerValues inner;
  cdr::Buffer buffer;
  Decoder in;
  Encoder out;
  ValueFrames frames;
};

}  // namespace

TEST_CASE("indirections in a message of many fragments take linear time") {
  const Pieces body([](Encoder& encoder) {
    encoder.write(declared_tag);
    encoder.write_octets(Octets(piece_count * piece_size));
    for (std::size_t index = 0; index != tag_count; ++index) {
      encoder.write(std::uint32_t{0xffffffff});
      encoder.write(-static_cast<std::int32_t>(encoder.position()));
    }
  });
  Copy copy(body);
  CHECK(copy.frames.copy_header().kind == Kind::state);
  copy.out.write_octets(copy.in.read_octets(piece_count * piece_size));
  for (std::size_t index = 0; index != tag_count; ++index)
    REQUIRE(copy.frames.copy_header().kind == Kind::earlier);
  CHECK(copy.in.ok());
  CHECK(copy.in.remaining() == 0);
  CHECK(copy.buffer.flatten() == body.octets);
  CHECK(copy.frames.passed_octets() < 2 * body.octets.size());
}

TEST_CASE("null values in a chunk of many fragments take linear time") {
  const Pieces body([](Encoder& encoder) {
    encoder.write(chunked_tag);
    encoder.write(static_cast<std::uint32_t>(piece_count * piece_size + tag_count * 4));
    for (std::size_t index = 0; index != tag_count; ++index) encoder.write(std::uint32_t{0});
    encoder.write_octets(Octets(piece_count * piece_size));
    encoder.write(std::int32_t{-1});
  });
  Copy copy(body);
  CHECK(copy.frames.copy_header().kind == Kind::state);
  for (std::size_t index = 0; index != tag_count; ++index)
    REQUIRE(copy.frames.copy_header().kind == Kind::null);
  for (std::size_t index = 0; index != piece_count; ++index)
    copy.out.write(copy.in.read<std::uint32_t>());
  copy.frames.end_state(ValueFrames::Rest::refuse);
  CHECK(copy.in.ok());
  CHECK(copy.in.remaining() == 0);
  CHECK(copy.buffer.flatten() == body.octets);
  CHECK(copy.frames.passed_octets() < 3 * body.octets.size());
}

TEST_CASE("octets of unread state that cannot be indirections cause no searches") {
  constexpr std::size_t count = 100'000;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    cdr::Buffer written;
    Encoder encoder(written, order, Encoder::Borrowing::no);
    encoder.write(chunked_tag);
    encoder.write(static_cast<std::uint32_t>(count * 4));
    encoder.write_octets(Octets(count * 4, std::byte{0xff}));
    encoder.write(std::int32_t{-1});
    const Octets body = written.flatten();
    NoInnerValues inner;
    cdr::Buffer buffer;
    Decoder in(body, order);
    Encoder out(buffer, order, Encoder::Borrowing::no);
    ValueFrames frames(in, Decoder(body, order), out, inner);
    CHECK(frames.copy_header().kind == Kind::state);
    frames.end_state(ValueFrames::Rest::skip);
    CHECK(in.ok());
    CHECK(buffer.flatten() == body);
    CHECK_FALSE(frames.unmovable().has_value());
    CHECK(frames.searches() < 100);
  }
}
