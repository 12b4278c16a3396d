// The rewriting of references around and inside of valuetypes, in forms that samples do not have.
#include "bridge/rewritten_values.h"
#include "support/allocations.h"
#include <perigee/cdr/value_reading.h>
#include <perigee/cdr/value_writing.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string_view>

using namespace perigee;
using namespace perigee::test;
using cdr::Encoder;
using cdr::ErrorKind;
using cdr::ValueReading;
using cdr::ValueWriting;
using iop::Ior;
using Chunks = ValueWriting::Chunks;

namespace {

constexpr std::uint32_t tag_of_declared = 0x7fffff00;
constexpr std::uint32_t tag_with_id = 0x7fffff02;
constexpr std::uint32_t chunked = 8;
constexpr std::uint32_t indirection = 0xffffffff;

const TypeNode& base_type = cdr::value_base_node;
const TypeNode& two_values = cdr::array_node<cdr::value_base_node, 2>;

using Types = std::vector<const TypeNode*>;

/// Writes the size of a chunk after its octets.
class Chunk {
 public:
  explicit Chunk(Encoder& encoder) : encoder_(encoder) {
    encoder.write(std::uint32_t{0});
    start_ = encoder.buffer().own_size();
  }
  ~Chunk() {
    encoder_.patch(start_ - 4, static_cast<std::uint32_t>(encoder_.buffer().own_size() - start_));
  }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

 private:
  Encoder& encoder_;
  std::size_t start_;
};

void write_indirection(Encoder& encoder, std::size_t target) {
  encoder.write(indirection);
  encoder.write(static_cast<std::int32_t>(target) - static_cast<std::int32_t>(encoder.position()));
}

/// The octets that `write` makes with the replaced reference are those of the rewritten body.
void check_same(const Types& types, const Write& write) {
  for (const Form& form : all_forms()) {
    CAPTURE(form.minor);
    CAPTURE(form.phase);
    const Rewritten result = rewrite(form, encode_value(form, write, reference_a), types);
    CHECK(result.error == ErrorKind::none);
    CHECK(to_hex(result.octets) == to_hex(encode_value(form, write, reference_b)));
  }
}

ErrorKind error_of(const Types& types, const Write& write) {
  return rewrite({}, encode_value({}, write, reference_a), types).error;
}

/// The reference in a body, which may have one more profile, of padding.
void check_replaced(cdr::Decoder& decoder) {
  Ior ior;
  iop::decode(decoder, ior);
  REQUIRE(ior.profiles.size() >= reference_b.profiles.size());
  if (ior.profiles.size() > reference_b.profiles.size()) {
    CHECK(ior.profiles.back().tag == 0x50474505);
    ior.profiles.pop_back();
  }
  CHECK(ior == reference_b);
}

/// A custom value with a double and a string.
void write_custom(Encoder& encoder, std::string_view id) {
  encoder.write(tag_with_id | chunked);
  encoder.write_string(id);
  {
    const Chunk chunk(encoder);
    encoder.write(std::uint16_t{7});
    encoder.write(2.5);
    encoder.write_string("custom");
  }
  encoder.write(std::int32_t{-1});
}

void check_custom(cdr::Decoder& decoder, std::string_view id) {
  ValueReading& values = *decoder.values();
  const cdr::ValueHeader header = values.begin(decoder);
  REQUIRE(header.kind == cdr::ValueHeader::Kind::state);
  REQUIRE(header.ids.size() == 1);
  CHECK(header.ids.front() == id);
  CHECK(decoder.read<std::uint16_t>() == 7);
  CHECK(decoder.read<double>() == 2.5);
  CHECK(decoder.read_string_view() == "custom");
  values.end_chunked(decoder, ValueReading::Rest::refuse);
  CHECK(decoder.ok());
}

/// A value of a type that no plan describes. Its base is an account, so its front is an account's.
void write_unknown_derived(Encoder& encoder, const Ior& ior) {
  const std::string_view ids[] = {"IDL:Unknown:1.0", "IDL:Account:1.0"};
  ValueWriting& values = *encoder.values();
  CHECK(values.begin(encoder, values.make_key(), ids, Chunks::yes));
  iop::encode(encoder, ior);
  encoder.write(2.5);
  ValueWriting::write_null(encoder);
  encoder.write(std::uint16_t{9});
  encoder.write(7.5);
  values.end(encoder);
}

}  // namespace

TEST_CASE("unread state of a chunked value keeps its alignment after a replaced reference") {
  for (const char* const id : {"IDL:Custom:1.0", "IDL:NotInPlan:1.0"}) {
    for (const Form& form : all_forms()) {
      for (std::size_t size = 0; size != 8; ++size) {
        CAPTURE(size);
        const std::string text(size, 'x');
        const Octets received = encode_value(
            form,
            [&](Encoder& encoder, const Ior& ior) {
              encoder.write_string(text);
              iop::encode(encoder, ior);
              write_custom(encoder, id);
            },
            reference_a);
        const Rewritten result =
            rewrite(form, received, {&cdr::string_node<>, &cdr::object_node, &base_type});
        REQUIRE(result.error == ErrorKind::none);
        CHECK(result.is_new);
        const Body body(form, result.octets);
        cdr::Decoder decoder = body.values();
        CHECK(decoder.read_string_view() == text);
        check_replaced(decoder);
        ValueReading values(decoder);
        check_custom(decoder, id);
        CHECK(decoder.remaining() == 0);
      }
    }
  }
}

TEST_CASE("a second pass over a body is marked, so that each reference is logged once") {
  const Ior longer_by_four{"IDL:A:1.0", {{0, octets(1, 2, 3, 4, 5)}}};
  const Octets received = encode_value(
      {},
      [](Encoder& encoder, const Ior& ior) {
        iop::encode(encoder, reference_c);
        iop::encode(encoder, ior);
        write_custom(encoder, "IDL:Custom:1.0");
      },
      reference_a);
  const Body body({}, received);
  bridge::BodyRewriter rewriter(rewritten_size_max, sample_plan());
  std::size_t first = 0;
  std::size_t repeated = 0;
  const auto replace = [&](const Ior& ior) {
    ++(rewriter.repeats() ? repeated : first);
    return ior == reference_a ? std::optional(longer_by_four) : std::nullopt;
  };
  const TypeNode* const types[] = {&cdr::object_node, &cdr::object_node, &base_type};
  for (std::size_t message = 1; message != 3; ++message) {
    REQUIRE(rewriter.rewrite({body.raw(), body.values()}, types, replace).has_value());
    CHECK(first == 2 * message);
    CHECK(repeated == 2 * message);
  }
}

TEST_CASE("a value of an unknown type is read up to the state of its known base") {
  for (const Form& form : all_forms()) {
    const Octets received = encode_value(
        form,
        [](Encoder& encoder, const Ior& ior) {
          const ValueWriting values(encoder);
          write_unknown_derived(encoder, ior);
          encoder.write(std::uint8_t{3});
        },
        reference_a);
    const Rewritten result =
        rewrite(form, received, {&account_type(), &basic_node<TypeKind::tk_octet>});
    REQUIRE(result.error == ErrorKind::none);
    const Body body(form, result.octets);
    cdr::Decoder decoder = body.values();
    ValueReading values(decoder);
    const cdr::ValueHeader header = values.begin(decoder);
    CHECK(header.ids.size() == 2);
    check_replaced(decoder);
    CHECK(decoder.read<double>() == 2.5);
    CHECK(values.begin(decoder).kind == cdr::ValueHeader::Kind::null);
    CHECK(decoder.read<std::uint16_t>() == 9);
    CHECK(decoder.read<double>() == 7.5);
    values.end_chunked(decoder, ValueReading::Rest::refuse);
    CHECK(decoder.read<std::uint8_t>() == 3);
    CHECK(decoder.ok());
    CHECK(decoder.remaining() == 0);
  }
}

TEST_CASE("references in known values inside of unread state are replaced") {
  const Write write = [](Encoder& encoder, const Ior& ior) {
    const ValueWriting writing(encoder);
    ValueWriting& values = *encoder.values();
    const std::string_view outer[] = {"IDL:Custom:1.0"};
    const std::string_view inner[] = {"IDL:Account:1.0"};
    const void* const custom = values.make_key();
    CHECK(values.begin(encoder, custom, outer, Chunks::yes));
    encoder.write(1.5);
    const void* const account = values.make_key();
    CHECK(values.begin(encoder, account, inner, Chunks::yes));
    iop::encode(encoder, ior);
    encoder.write(2.5);
    CHECK(values.write_earlier(encoder, custom));
    values.end(encoder);
    encoder.write(3.5);
    values.end(encoder);
    CHECK(values.write_earlier(encoder, account));
  };
  for (const Form& form : all_forms()) {
    const Rewritten result = rewrite(form, encode_value(form, write, reference_a), {&two_values});
    REQUIRE(result.error == ErrorKind::none);
    const Body body(form, result.octets);
    cdr::Decoder decoder = body.values();
    ValueReading values(decoder);
    CHECK(values.begin(decoder).number == 0);
    CHECK(decoder.read<double>() == 1.5);
    CHECK(values.begin(decoder).number == 1);
    check_replaced(decoder);
    CHECK(decoder.read<double>() == 2.5);
    CHECK(values.begin(decoder).number == 0);
    values.end_chunked(decoder, ValueReading::Rest::refuse);
    CHECK(decoder.read<double>() == 3.5);
    values.end_chunked(decoder, ValueReading::Rest::refuse);
    const cdr::ValueHeader last = values.begin(decoder);
    CHECK(last.kind == cdr::ValueHeader::Kind::earlier);
    CHECK(last.number == 1);
    CHECK(decoder.ok());
    CHECK(decoder.remaining() == 0);
  }
}

TEST_CASE("a value of an unknown type that is not in chunks is refused") {
  const auto value_of = [](const char* id) {
    return [id](Encoder& encoder, const Ior& ior) {
      encoder.write(tag_with_id);
      encoder.write_string(id);
      iop::encode(encoder, ior);
    };
  };
  static constexpr TypeNode abstract{.kind = TypeKind::tk_abstract_interface};
  CHECK(error_of({&base_type}, value_of("IDL:Unknown:1.0")) == ErrorKind::no_value_factory);
  CHECK(error_of({&base_type}, value_of("IDL:Custom:1.0")) == ErrorKind::no_value_factory);
  CHECK(error_of({&custom_type()}, [](Encoder& encoder, const Ior&) {
          encoder.write(tag_of_declared);
        }) == ErrorKind::no_value_factory);
  CHECK(error_of({&abstract}, [](Encoder& encoder, const Ior&) {
          encoder.write_boolean(false);
          encoder.write(tag_of_declared);
        }) == ErrorKind::no_value_factory);
}

TEST_CASE("a value without repository ids has the expected type") {
  check_same({&account_type()}, [](Encoder& encoder, const Ior& ior) {
    encoder.write(tag_of_declared);
    iop::encode(encoder, ior);
    encoder.write(2.5);
    encoder.write(std::uint32_t{0});
  });
}

TEST_CASE("a valuetype that the expected type only declares has the type of the plan") {
  static constexpr TypeNode declared{
      .kind = TypeKind::tk_value, .scale = 2, .id = "IDL:Account:1.0"};
  for (const bool has_id : {false, true}) {
    for (const std::uint32_t chunks : {std::uint32_t{0}, chunked}) {
      check_same({&declared}, [has_id, chunks](Encoder& encoder, const Ior& ior) {
        encoder.write((has_id ? tag_with_id : tag_of_declared) | chunks);
        if (has_id) encoder.write_string("IDL:Account:1.0");
        std::optional<Chunk> chunk;
        if (chunks != 0) {
          encoder.align(4);
          chunk.emplace(encoder);
        }
        iop::encode(encoder, ior);
        encoder.write(2.5);
        encoder.write(std::uint32_t{0});
        chunk.reset();
        if (chunks != 0) encoder.write(std::int32_t{-1});
      });
    }
  }
}

TEST_CASE("a valuetype in an any is copied by its TypeCode if the plan does not describe it") {
  static constexpr TypeMember members[] = {
      {.name = "target", .type = &cdr::object_node},
      {.name = "price", .type = &basic_node<TypeKind::tk_double>}};
  static constexpr TypeNode other{
      .kind = TypeKind::tk_value, .id = "IDL:Other:1.0", .name = "Other", .members = members};
  check_same({&basic_node<TypeKind::tk_any>}, [](Encoder& encoder, const Ior& ior) {
    cdr::encode_type(encoder, other);
    encoder.write(tag_with_id);
    encoder.write_string("IDL:Other:1.0");
    iop::encode(encoder, ior);
    encoder.write(2.5);
  });
}

TEST_CASE("code base URLs, and indirections to ids, lists and URLs, keep their form") {
  constexpr std::uint32_t tag_with_all = 0x7fffff00 | 1 | 6 | chunked;
  check_same({&two_values}, [](Encoder& encoder, const Ior& ior) {
    const auto state = [&encoder, &ior] {
      const Chunk chunk(encoder);
      iop::encode(encoder, ior);
      encoder.write(2.5);
      encoder.write(std::uint32_t{0});
    };
    encoder.write(tag_with_all);
    encoder.align(4);
    const std::size_t url = encoder.position();
    encoder.write_string("http://example.com/");
    encoder.align(4);
    const std::size_t ids = encoder.position();
    encoder.write(std::uint32_t{2});
    const std::size_t id = encoder.position();
    encoder.write_string("IDL:Account:1.0");
    encoder.align(4);
    write_indirection(encoder, id);
    state();
    encoder.write(std::int32_t{-1});
    encoder.write(tag_with_all);
    write_indirection(encoder, url);
    write_indirection(encoder, ids);
    state();
    encoder.write(std::int32_t{-1});
  });
}

TEST_CASE("one end tag ends several values") {
  check_same({&account_type()}, [](Encoder& encoder, const Ior& ior) {
    for (int level = 0; level != 3; ++level) {
      encoder.write(tag_with_id | chunked);
      encoder.write_string("IDL:Account:1.0");
      const Chunk chunk(encoder);
      iop::encode(encoder, ior);
      encoder.write(2.5);
      if (level == 2) encoder.write(std::uint32_t{0});
    }
    encoder.write(std::int32_t{-1});
  });
}

TEST_CASE("null and indirections between chunks stay between chunks") {
  check_same({&two_values}, [](Encoder& encoder, const Ior& ior) {
    std::size_t first = 0;
    for (int value = 0; value != 2; ++value) {
      encoder.align(4);
      if (value == 0) first = encoder.position();
      encoder.write(tag_with_id | chunked);
      encoder.write_string("IDL:Account:1.0");
      {
        const Chunk chunk(encoder);
        iop::encode(encoder, ior);
        encoder.write(2.5);
      }
      if (value == 0)
        encoder.write(std::uint32_t{0});
      else
        write_indirection(encoder, first);
      encoder.write(std::int32_t{-1});
    }
  });
}

TEST_CASE("chunks may divide texts, sequences and references") {
  static constexpr TypeMember members[] = {
      {.type = &cdr::string_node<>},
      {.type = &cdr::sequence_node<basic_node<TypeKind::tk_short>>},
      {.type = &cdr::object_node},
      {.type = &basic_node<TypeKind::tk_octet>}};
  static constexpr TypeNode divided{
      .kind = TypeKind::tk_value, .id = "IDL:Divided:1.0", .members = members};
  const Octets received = encode_value(
      {},
      [](Encoder& encoder, const Ior& ior) {
        encoder.write(tag_of_declared | chunked);
        {
          const Chunk chunk(encoder);
          encoder.write(std::uint32_t{5});
          encoder.write_octets(octets('a', 'b'));
        }
        {
          const Chunk chunk(encoder);
          encoder.write_octets(octets('c', 'd', 0));
          encoder.write(std::uint32_t{3});
          encoder.write(std::uint16_t{1});
        }
        {
          const Chunk chunk(encoder);
          encoder.write(std::uint16_t{2});
          encoder.write(std::uint16_t{3});
          encoder.write_string(ior.type_id);
        }
        {
          const Chunk chunk(encoder);
          encoder.write(std::uint32_t{1});
          encoder.write(ior.profiles.front().tag);
          encoder.write_length(ior.profiles.front().data.size());
          encoder.write_octets(ior.profiles.front().data);
          encoder.write(std::uint8_t{9});
        }
        encoder.write(std::int32_t{-1});
      },
      reference_a);
  const Rewritten result = rewrite({}, received, {&divided});
  REQUIRE(result.error == ErrorKind::none);
  const Body body({}, result.octets);
  cdr::Decoder decoder = body.values();
  ValueReading values(decoder);
  CHECK(values.begin(decoder).kind == cdr::ValueHeader::Kind::state);
  CHECK(decoder.read_string_view() == "abcd");
  std::vector<std::int16_t> numbers;
  decoder.read_sequence(numbers);
  CHECK(numbers == std::vector<std::int16_t>{1, 2, 3});
  check_replaced(decoder);
  CHECK(decoder.read<std::uint8_t>() == 9);
  values.end_chunked(decoder, ValueReading::Rest::refuse);
  CHECK(decoder.ok());
  CHECK(decoder.remaining() == 0);
}

TEST_CASE("a nil reference that chunks divide stays nil in a message with unread state") {
  static constexpr TypeMember members[] = {{.type = &cdr::object_node}};
  static constexpr TypeNode holder{
      .kind = TypeKind::tk_value, .id = "IDL:Holder:1.0", .members = members};
  const Types types{&cdr::string_node<>, &cdr::object_node, &holder, &cdr::object_node, &base_type};
  bool has_padding = false;
  for (std::size_t size = 0; size != 8; ++size) {
    CAPTURE(size);
    const Octets received = encode_value(
        {},
        [size](Encoder& encoder, const Ior& ior) {
          encoder.write_string(std::string(size, 'x'));
          iop::encode(encoder, ior);
          encoder.write(tag_of_declared | chunked);
          {
            const Chunk chunk(encoder);
            encoder.write_string("");
          }
          {
            const Chunk chunk(encoder);
            encoder.write(std::uint32_t{0});
          }
          encoder.write(std::int32_t{-1});
          iop::encode(encoder, ior);
          write_custom(encoder, "IDL:Custom:1.0");
        },
        reference_a);
    const Rewritten result = rewrite({}, received, types);
    REQUIRE(result.error == ErrorKind::none);
    const Body body({}, result.octets);
    cdr::Decoder decoder = body.values();
    (void)decoder.read_string_view();
    check_replaced(decoder);
    ValueReading values(decoder);
    CHECK(values.begin(decoder).kind == cdr::ValueHeader::Kind::state);
    Ior nil;
    iop::decode(decoder, nil);
    CHECK(nil == Ior{});
    values.end_chunked(decoder, ValueReading::Rest::refuse);
    cdr::Decoder ahead = decoder;
    iop::decode(ahead, nil);
    has_padding |= nil.profiles.size() > reference_b.profiles.size();
    check_replaced(decoder);
    check_custom(decoder, "IDL:Custom:1.0");
  }
  CHECK(has_padding);
}

TEST_CASE("a TypeCode in a chunk of two fragments stays whole") {
  static const std::string name(200, 'n');
  const TypeNode named{.kind = TypeKind::tk_alias,
                       .id = "IDL:Named:1.0",
                       .name = name,
                       .content = &basic_node<TypeKind::tk_long>};
  constexpr std::size_t front = 92;
  static constexpr TypeMember members[] = {
      {.type = &cdr::array_node<basic_node<TypeKind::tk_octet>, front>},
      {.type = &basic_node<TypeKind::tk_TypeCode>}};
  static constexpr TypeNode holder{
      .kind = TypeKind::tk_value, .id = "IDL:Holder:1.0", .members = members};
  const Write write = [&named](Encoder& encoder, const Ior& ior) {
    encoder.write(tag_of_declared | chunked);
    {
      const Chunk chunk(encoder);
      encoder.write_octets(Octets(front));
      cdr::encode_type(encoder, named);
    }
    encoder.write(std::int32_t{-1});
    iop::encode(encoder, ior);
  };
  const Form form{std::endian::native, 1};
  const Octets received = encode_value(form, write, reference_a);
  // The TypeCode begins at octet 100. It ends nearer to the start of its fragment.
  const std::size_t sizes[] = {204, received.size() - 204};
  const bridge::RawBody raw{received, form.order, 0, sizes[0], &sizes[1]};
  cdr::Decoder values(received, form.order);
  values.set_code_sets(form.code_sets());
  values.set_pieces(sizes);
  bridge::BodyRewriter rewriter(rewritten_size_max, sample_plan());
  const TypeNode* const types[] = {&holder, &cdr::object_node};
  const auto result = rewriter.rewrite({raw, values}, types, replace_a);
  REQUIRE(result.has_value());
  CHECK(to_hex(result->octets) == to_hex(encode_value(form, write, reference_b)));
}

TEST_CASE("a TypeCode that chunks divide counts towards the limit of the rewritten body") {
  static constexpr TypeMember members[] = {{.type = &basic_node<TypeKind::tk_TypeCode>}};
  static constexpr TypeNode holder{
      .kind = TypeKind::tk_value, .id = "IDL:Holder:1.0", .members = members};
  const Octets type = encode_value(
      {}, [](Encoder& encoder, const Ior&) { cdr::encode_type(encoder, account_type()); }, {});
  const Octets received = encode_value(
      {},
      [&type](Encoder& encoder, const Ior&) {
        encoder.write(tag_of_declared | chunked);
        {
          const Chunk chunk(encoder);
          encoder.write_octets(OctetSpan(type).first(20));
        }
        {
          const Chunk chunk(encoder);
          encoder.write_octets(OctetSpan(type).subspan(20));
        }
        encoder.write(std::int32_t{-1});
      },
      reference_a);
  const Body body({}, received);
  const TypeNode* const types[] = {&holder};
  const auto error = [&](std::size_t size_max) {
    bridge::BodyRewriter rewriter(size_max, sample_plan());
    const auto result = rewriter.rewrite({body.raw(), body.values()}, types, replace_a);
    return result ? ErrorKind::none : result.error().kind;
  };
  CHECK(error(received.size()) == ErrorKind::none);
  CHECK(error(type.size()) == ErrorKind::too_large);
  CHECK(error(4) == ErrorKind::too_large);
}

TEST_CASE("numbers in unread state that may be an indirection must not change their meaning") {
  // The first value is an account. The custom state contains an indirection to it.
  const auto write = [](bool has_reference_between) {
    return [has_reference_between](Encoder& encoder, const Ior& ior) {
      encoder.align(4);
      const std::size_t first = encoder.position();
      encoder.write(tag_with_id);
      encoder.write_string("IDL:Account:1.0");
      iop::encode(encoder, has_reference_between ? ior : reference_c);
      encoder.write(2.5);
      encoder.write(std::uint32_t{0});
      encoder.write(tag_with_id | chunked);
      encoder.write_string("IDL:Custom:1.0");
      {
        const Chunk chunk(encoder);
        write_indirection(encoder, first);
        encoder.write(std::uint32_t{indirection});
        encoder.write(std::int32_t{-20});  // leads to no value: these are two numbers
      }
      encoder.write(std::int32_t{-1});
      iop::encode(encoder, ior);
    };
  };
  const Types types{&two_values, &cdr::object_node};
  CHECK(error_of(types, write(true)) == ErrorKind::not_supported);
  check_same(types, write(false));
}

TEST_CASE("references in valuetypes are replaced in messages in fragments of GIOP 1.1") {
  const Form form{std::endian::native, 1};
  for (const Sample& sample : valuetype_samples()) {
    CAPTURE(sample.name);
    const Octets received = encode_value(form, sample.write, reference_a);
    const std::string expected = to_hex(encode_value(form, sample.write, reference_b));
    // At such a cut, alignment in the second fragment is the same as without fragments. A cut
    // through a double is an error.
    std::size_t passed = 0;
    for (std::size_t cut = 4; cut < received.size(); cut += 8) {
      CAPTURE(cut);
      const std::size_t sizes[] = {cut, received.size() - cut};
      const bridge::RawBody raw{received, form.order, 0, sizes[0], &sizes[1]};
      cdr::Decoder values(received, form.order);
      values.set_code_sets(form.code_sets());
      values.set_pieces(sizes);
      bridge::BodyRewriter rewriter(rewritten_size_max, sample_plan());
      const TypeNode* const types[] = {sample.type};
      const auto result = rewriter.rewrite({raw, values}, types, replace_a);
      if (!result) continue;
      CHECK(to_hex(result->octets) == expected);
      ++passed;
    }
    CHECK(passed > 1);
  }
}

TEST_CASE("unread state in fragments of GIOP 1.1 passes if no reference is replaced") {
  const Form form{std::endian::native, 1};
  // The alignment in the second fragment differs from the alignment in a message in one piece.
  const Octets front(16);
  const auto write = [](Encoder& encoder, const Ior& ior) {
    write_custom(encoder, "IDL:Custom:1.0");
    iop::encode(encoder, ior);
  };
  const TypeNode* const types[] = {&cdr::array_node<basic_node<TypeKind::tk_octet>, 16>, &base_type,
                                   &cdr::object_node};
  const auto rewritten = [&](std::size_t first, const Ior& ior) {
    Octets received = encode_value({form.order, form.minor, 4}, write, ior);
    received.insert(received.begin(), front.begin(), front.end());
    const std::size_t sizes[] = {first, received.size() - first};
    const bridge::RawBody raw{received, form.order, 0, sizes[0], &sizes[1]};
    cdr::Decoder values(received, form.order);
    values.set_code_sets(form.code_sets());
    values.set_pieces(sizes);
    bridge::BodyRewriter rewriter(rewritten_size_max, sample_plan());
    const auto result = rewriter.rewrite({raw, values}, types, replace_a);
    if (result) CHECK(result->further_pieces == &sizes[1]);
    return result ? ErrorKind::none : result.error().kind;
  };
  CHECK(rewritten(16, reference_c) == ErrorKind::none);
  CHECK(rewritten(16, reference_a) == ErrorKind::not_supported);
  // The cut divides the unread state: tag 4, id 4 + 15, padding 1, size of the chunk 4.
  CHECK(rewritten(16 + 28 + 4, reference_c) == ErrorKind::none);
  CHECK(rewritten(16 + 28 + 4, reference_a) == ErrorKind::not_supported);
}

TEST_CASE("malformed values are refused") {
  const auto of_words = [](std::vector<std::uint32_t> words) {
    return [words = std::move(words)](Encoder& encoder, const Ior&) {
      for (const std::uint32_t word : words) encoder.write(word);
    };
  };
  // An unknown tag, an indirection without a target, an indirection forwards.
  CHECK(error_of({&base_type}, of_words({17})) == ErrorKind::bad_value);
  CHECK(error_of({&base_type}, of_words({indirection, 0xfffffff8})) == ErrorKind::bad_value);
  CHECK(error_of({&base_type}, of_words({indirection, 8, 0})) == ErrorKind::bad_value);
  // A chunk beyond the message, an empty chunk, a wrong end tag.
  CHECK(error_of({&account_type()}, of_words({tag_of_declared | chunked, 0x7ffffe00})) !=
        ErrorKind::none);
  CHECK(error_of({&custom_type()}, of_words({tag_of_declared | chunked, 0, 0xffffffff})) ==
        ErrorKind::bad_value);
  CHECK(error_of({&custom_type()}, of_words({tag_of_declared | chunked, 4, 1, 0xfffffff0})) ==
        ErrorKind::bad_value);
  CHECK(error_of({&custom_type()}, of_words({tag_of_declared | chunked, 4, 1})) != ErrorKind::none);
}

TEST_CASE("values that are nested beyond the limit are refused, in read and in unread state") {
  const auto nested = [](std::uint32_t tag, int depth) {
    return [tag, depth](Encoder& encoder, const Ior&) {
      for (int level = 0; level != depth; ++level) {
        encoder.write(tag);
        if ((tag & chunked) != 0) continue;
        iop::encode(encoder, Ior{});
        encoder.write(2.5);
      }
      if ((tag & chunked) == 0) encoder.write(std::uint32_t{0});
      if ((tag & chunked) != 0) encoder.write(std::int32_t{-1});
    };
  };
  CHECK(error_of({&account_type()}, nested(tag_of_declared, 100)) == ErrorKind::none);
  CHECK(error_of({&account_type()}, nested(tag_of_declared, 10'000)) == ErrorKind::too_deep);
  CHECK(error_of({&custom_type()}, nested(tag_of_declared | chunked, 100)) == ErrorKind::none);
  CHECK(error_of({&custom_type()}, nested(tag_of_declared | chunked, 10'000)) ==
        ErrorKind::too_deep);
}

TEST_CASE("many values and indirections take memory in proportion to their octets") {
  constexpr std::uint32_t count = 20'000;
  const Octets body = encode_value(
      {},
      [](Encoder& encoder, const Ior& ior) {
        encoder.write(count);
        encoder.align(4);
        const std::size_t first = encoder.position();
        encoder.write(tag_of_declared);
        iop::encode(encoder, ior);
        encoder.write(2.5);
        encoder.write(std::uint32_t{0});
        for (std::uint32_t index = 1; index != count; ++index) write_indirection(encoder, first);
      },
      reference_a);
  TypeNode many{.kind = TypeKind::tk_sequence, .content = &account_type()};
  Rewritten result;
  const Allocations used = allocations_of([&] { result = rewrite({}, body, {&many}); });
  CHECK(result.error == ErrorKind::none);
  CHECK(used.octets < 8 * body.size());
}
