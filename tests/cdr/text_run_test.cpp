// Structs of strings and values of fixed size get the same octets as an encoding member by member.
#include <perigee/cdr/operators.h>
#include <perigee/cdr/text_run.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace perigee;
using cdr::Encoder;
using cdr::ErrorKind;

namespace {

struct Record {
  std::string name;
  std::int32_t count = 0;
  double price = 0;
  bool is_open = false;
  std::string note;
};

struct Wire {
  static constexpr std::size_t fixed_size = 8 + 3 + 4 + 7 + 8 + 1 + 8;
  static std::size_t text_size(const Record& value) {
    return value.name.size() + value.note.size();
  }
  static void members(auto& run, const Record& value) {
    run.text(value.name);
    run.align(4);
    run.field(value.count);
    run.align(8);
    run.field(value.price);
    run.field(value.is_open);
    run.text(value.note);
  }
};

void write_by_member(Encoder& encoder, const Record& value) {
  encoder << value.name << value.count << value.price << value.is_open << value.note;
}

/// Fills memory with `dirt`, then writes `prefix` octets, the values, and a double, which needs
/// padding.
template <typename Write>
Octets written(std::size_t prefix, std::endian order, std::byte dirt, const Write& write) {
  cdr::Buffer buffer;
  std::memset(buffer.extend(4096), static_cast<int>(dirt), 4096);
  buffer.clear();
  Encoder encoder(buffer, order);
  for (std::size_t index = 0; index < prefix; ++index) encoder << std::uint8_t{0x55};
  write(encoder);
  encoder << 0.5;
  CHECK(encoder.ok());
  return buffer.flatten();
}

void check_written(const std::vector<Record>& values, std::size_t prefix, std::endian order) {
  const Octets expected = written(prefix, order, std::byte{0}, [&](Encoder& encoder) {
    for (const Record& value : values) write_by_member(encoder, value);
  });
  const Octets actual = written(prefix, order, std::byte{0xee}, [&](Encoder& encoder) {
    cdr::write_texts<Wire>(encoder, values.data(), values.size());
  });
  CHECK(actual == expected);
}

ErrorKind error_of(const std::vector<Record>& values, std::endian order) {
  cdr::Buffer buffer;
  Encoder encoder(buffer, order);
  cdr::write_texts<Wire>(encoder, values.data(), values.size());
  return encoder.error().kind;
}

}  // namespace

TEST_CASE("texts of all lengths are written, at every alignment and in both byte orders") {
  for (const std::endian order : {std::endian::little, std::endian::big})
    for (std::size_t prefix = 0; prefix < 8; ++prefix)
      for (std::size_t length = 0; length < 40; ++length)
        check_written({{std::string(length, 'a'), -2, 0.25, true, std::string(39 - length, 'b')},
                       {std::string(length / 2, 'c'), 3, -1, false, std::string(length % 7, 'd')}},
                      prefix, order);
}

TEST_CASE("a short text whose memory has room for a long text is written") {
  std::string text(100, 'x');
  text.resize(3);
  check_written({{text, 1, 2, true, text}}, 0, std::endian::native);
}

TEST_CASE("the buffer grows as needed, and an empty list of structs takes no octets") {
  check_written({}, 5, std::endian::native);
  std::vector<Record> values;
  for (std::size_t index = 0; index < 3000; ++index)
    values.push_back({std::string(index % 33, 'x'), 1, 2, true, std::string(index % 5, 'y')});
  values.push_back({std::string(100'000, 'z'), 1, 2, true, "end"});
  check_written(values, 3, std::endian::native);
}

// Interop fact 26 of docs/interop.md.
TEST_CASE("a NUL is refused at every place of every text of a struct") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (std::size_t length = 1; length < 40; ++length) {
      for (std::size_t place = 0; place < length; ++place) {
        std::string text(length, 'a');
        text[place] = '\0';
        CHECK(error_of({{text, 1, 2, true, "good"}, {"good", 1, 2, true, "good"}}, order) ==
              ErrorKind::bad_string);
        CHECK(error_of({{"good", 1, 2, true, text}}, order) == ErrorKind::bad_string);
      }
    }
  }
}

TEST_CASE("an error is not forgotten when the buffer grows") {
  std::vector<Record> values{{std::string("a\0b", 3), 1, 2, true, "good"}};
  values.push_back({std::string(100'000, 'x'), 1, 2, true, "good"});
  CHECK(error_of(values, std::endian::native) == ErrorKind::bad_string);
}

TEST_CASE("texts are converted where the code sets differ") {
  cdr::Buffer buffer;
  Encoder encoder(buffer);
  encoder.set_code_sets({cdr::CharSet::utf_8, cdr::CharSet::iso_8859_1});
  const Record value{"\xc3\xa4", 1, 2, true, ""};
  cdr::write_texts<Wire>(encoder, &value, 1);
  CHECK(encoder.ok());
  CHECK(buffer.flatten().at(4) == std::byte{0xe4});
}
