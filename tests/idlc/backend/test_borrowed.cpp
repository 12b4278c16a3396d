// Parameters with @perigee::borrowed: the servant reads them in the receive buffer, and the steady
// state allocates nothing.
#include "borrowedS.h"
#include "fake_request.h"
#include "support/allocations.h"

#include <doctest/doctest.h>

#include <numeric>
#include <type_traits>

namespace {

class Sink final : public CORBA::servant_traits<Media::Sink>::base_type {
 public:
  int32_t put(std::span<const uint8_t> data) override {
    seen = std::as_bytes(data);
    return static_cast<int32_t>(data.size());
  }
  double mean(const std::string&, std::span<const double> values) override {
    seen = std::as_bytes(values);
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
  void log(std::string_view line, const Media::Names&) override {
    seen = std::as_bytes(std::span(line));
    text = line;
  }
  void all(std::span<const uint8_t>, std::string_view, const Media::Names&,
           Media::Frame&) override {}
  void pour(std::span<const uint64_t> values) override {
    sum = std::accumulate(values.begin(), values.end(), uint64_t{0});
  }

  perigee::OctetSpan seen;
  std::string text;
  uint64_t sum = 0;
};

bool is_inside(perigee::OctetSpan part, perigee::OctetSpan whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

}  // namespace

TEST_CASE("octets and strings are read in the receive buffer") {
  Sink sink;
  FakeRequest put("put", Media::Frame(100, 7));
  sink._dispatch(put);
  CHECK(put.result<int32_t>() == 100);
  CHECK(is_inside(sink.seen, put.octets()));
  FakeRequest log("log", std::string("a line"), Media::Names{"name"});
  sink._dispatch(log);
  CHECK(sink.text == "a line");
  CHECK(is_inside(sink.seen, log.octets()));
}

TEST_CASE("numbers are read in place if they are aligned and in the native byte order") {
  Sink sink;
  FakeRequest aligned("mean", std::string("c"), Media::Samples{1, 2, 6});
  sink._dispatch(aligned);
  CHECK(aligned.result<double>() == 3);
  CHECK(is_inside(sink.seen, aligned.octets()));
}

TEST_CASE("numbers in the other byte order are converted in scratch memory, which is reused") {
  const std::endian other =
      std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
  perigee::cdr::Buffer buffer;
  perigee::cdr::Encoder encoder(buffer, other);
  encoder << Media::Samples{1, 2, 6};
  const perigee::Octets octets = buffer.flatten();
  const auto decode = [&] {
    perigee::cdr::Decoder decoder(octets, other);
    perigee::cdr::BorrowedSequence<double> values;
    decoder >> values;
    const std::span<const double> span = values;
    return decoder.ok() && span.size() == 3 && span[2] == 6 &&
           !is_inside(std::as_bytes(span), octets);
  };
  CHECK(decode());
  bool decoded = false;
  CHECK(perigee::test::allocations_of([&] { decoded = decode(); }).count == 0);
  CHECK(decoded);
}

TEST_CASE("a length beyond the octets is an error before memory is allocated for it") {
  perigee::cdr::Buffer buffer;
  perigee::cdr::Encoder encoder(buffer);
  encoder << uint32_t{0x7fffffff};
  const perigee::Octets octets = buffer.flatten();
  perigee::cdr::Decoder decoder(octets, std::endian::native);
  perigee::cdr::BorrowedSequence<uint64_t> values;
  decoder >> values;
  CHECK_FALSE(decoder.ok());
  CHECK(std::span<const uint64_t>(values).empty());
}

TEST_CASE("a borrowing upcall allocates nothing, however large its data") {
  Sink sink;
  FakeRequest put("put", Media::Frame(1 << 20, 7));
  put.keep_reply(false);
  CHECK(perigee::test::allocations_of([&] { sink._dispatch(put); }).count == 0);
  CHECK(is_inside(sink.seen, put.octets()));
}

TEST_CASE("stubs take spans and views without copies, and all types that convert to them") {
  static_assert(
      std::is_invocable_v<decltype(static_cast<int32_t (Media::Sink::*)(std::span<const uint8_t>)>(
                              &Media::Sink::put)),
                          Media::Sink&, const std::vector<uint8_t>&>);
  static_assert(std::is_invocable_v<decltype(&Media::Sink::log), Media::Sink&, const char*,
                                    const Media::Names&>);
  static_assert(std::is_same_v<decltype(&Media::Sink::pour),
                               void (Media::Sink::*)(std::span<const uint64_t>)>);
}

TEST_CASE("borrowed arguments are sent like the sequence or the string that they view") {
  const Media::Samples samples{1, 2};
  perigee::cdr::Buffer buffer;
  perigee::cdr::Encoder encoder(buffer);
  encoder << samples << std::string("text");
  perigee::cdr::Buffer lent_buffer;
  perigee::cdr::Encoder lent(lent_buffer);
  lent << perigee::cdr::borrowed(std::span<const double>(samples))
       << perigee::cdr::borrowed(std::string_view("text"));
  CHECK(lent_buffer.flatten() == buffer.flatten());
}
