// The rewriting of references in bodies, without connections.
#include "bridge/rewritten_values.h"
#include "support/allocations.h"

#include <doctest/doctest.h>

#include <random>

using namespace perigee;
using namespace perigee::test;
using cdr::Encoder;
using cdr::ErrorKind;
using iop::Ior;

namespace {

const TypeNode& any_type = basic_node<TypeKind::tk_any>;

/// The types of a body: a reference, an octet, the value, a double. The reference is replaced by a
/// longer one, so the value and the double move.
std::vector<const TypeNode*> types_around(const TypeNode& type) {
  return {&cdr::object_node, &basic_node<TypeKind::tk_octet>, &type,
          &basic_node<TypeKind::tk_double>};
}

Octets body_around(const Form& form, const Write& write, const Ior& ior) {
  return encode_value(
      form,
      [&write](Encoder& encoder, const Ior& reference) {
        iop::encode(encoder, reference);
        encoder.write(std::uint8_t{1});
        write(encoder, reference);
        encoder.write(1.25);
      },
      ior);
}

Octets encode_native(const Write& write) { return encode_value({}, write, reference_a); }

Octets joined(Octets first, const Octets& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

ErrorKind error_of(const Octets& octets, const std::vector<const TypeNode*>& types) {
  return rewrite({}, octets, types).error;
}

}  // namespace

TEST_CASE("references are replaced around and inside of values of each type, in each form") {
  for (const Form& form : all_forms()) {
    for (const Sample& sample : all_samples()) {
      if (form.minor < sample.minor_min) continue;
      CAPTURE(sample.name);
      CAPTURE(form.minor);
      CAPTURE(form.phase);
      const Octets received = body_around(form, sample.write, reference_a);
      const Rewritten result = rewrite(form, received, types_around(*sample.type));
      CHECK(result.error == ErrorKind::none);
      CHECK(to_hex(result.octets) == to_hex(body_around(form, sample.write, reference_b)));
    }
  }
}

TEST_CASE("a body in which no reference is replaced stays where it is") {
  for (const Form& form : all_forms()) {
    for (const Sample& sample : all_samples()) {
      if (form.minor < sample.minor_min) continue;
      CAPTURE(sample.name);
      const Octets received = body_around(form, sample.write, reference_c);
      const Rewritten result = rewrite(form, received, types_around(*sample.type));
      CHECK(result.error == ErrorKind::none);
      CHECK_FALSE(result.is_new);
    }
  }
}

TEST_CASE("a body that is cut at any octet is refused, and so is a body with one more octet") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const Sample& sample : all_samples()) {
      CAPTURE(sample.name);
      const Form form{order};
      const Octets whole = body_around(form, sample.write, reference_a);
      for (std::size_t size = 0; size < whole.size(); ++size) {
        const Octets cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(rewrite(form, cut, types_around(*sample.type)).error != ErrorKind::none);
      }
      CHECK(rewrite(form, joined(whole, octets(0)), types_around(*sample.type)).error ==
            ErrorKind::bad_length);
    }
  }
}

TEST_CASE("random octets give an error, or a rewritten body whose size is limited") {
  const auto seed = static_cast<unsigned>(std::random_device{}());
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::vector<Sample> samples = all_samples();
  for (int round = 0; round < 20'000; ++round) {
    const Sample& sample = samples[random() % samples.size()];
    Octets body = body_around({}, sample.write, reference_a);
    for (unsigned changes = random() % 4; changes > 0; --changes)
      body[random() % body.size()] = static_cast<std::byte>(random() % 256);
    const Rewritten result = rewrite({}, body, types_around(*sample.type));
    CHECK((result.error != ErrorKind::none || result.octets.size() < 2 * body.size() + 200));
  }
}

TEST_CASE("lengths that exceed the octets are refused before memory is taken") {
  const std::vector<const TypeNode*> lists[] = {
      {&cdr::string_node<>},
      {&cdr::wstring_node<>},
      {&cdr::sequence_node<basic_node<TypeKind::tk_octet>>},
      {&cdr::sequence_node<basic_node<TypeKind::tk_longdouble>>},
      {&cdr::sequence_node<cdr::object_node>},
      {&cdr::array_node<basic_node<TypeKind::tk_long>, 0xffffffff>},
      {&cdr::object_node},
      {&any_type}};
  for (const auto& types : lists) {
    for (const std::uint32_t length : {0xffffffffu, 0x7fffffffu, 0x10000000u}) {
      const Octets body = encode_native([length](Encoder& encoder, const Ior&) {
        for (int count = 0; count < 4; ++count) encoder.write(length);
      });
      ErrorKind error = ErrorKind::none;
      const Allocations used = allocations_of([&] { error = error_of(body, types); });
      CHECK(error != ErrorKind::none);
      CHECK(used.octets < 100'000);
    }
  }
}

TEST_CASE("nested anys beyond the limit are refused") {
  const auto nested = [](int depth) {
    return encode_native([depth](Encoder& encoder, const Ior&) {
      for (int level = 0; level < depth; ++level) cdr::encode_type(encoder, any_type);
      cdr::encode_type(encoder, basic_node<TypeKind::tk_null>);
    });
  };
  CHECK(error_of(nested(100), {&any_type}) == ErrorKind::none);
  CHECK(error_of(nested(10'000), {&any_type}) == ErrorKind::too_deep);
}

TEST_CASE("a long sequence of values without octets is refused") {
  static constexpr TypeNode empty{.kind = TypeKind::tk_struct, .id = "IDL:E:1.0", .name = "E"};
  static constexpr const TypeNode& many = cdr::sequence_node<empty>;
  const Octets body = encode_native([](Encoder& encoder, const Ior&) {
    cdr::encode_type(encoder, many);
    encoder.write(0xffffffffu);
  });
  CHECK(error_of(body, {&any_type}) == ErrorKind::too_large);
}

TEST_CASE("a valuetype is refused, inside of an any and in an abstract interface") {
  static constexpr TypeNode value{.kind = TypeKind::tk_value, .id = "IDL:V:1.0", .name = "V"};
  static constexpr TypeNode abstract{.kind = TypeKind::tk_abstract_interface};
  const Octets in_any = encode_native([](Encoder& encoder, const Ior&) {
    cdr::encode_type(encoder, value);
    encoder.write(std::uint32_t{0x7fffff00});
  });
  CHECK(error_of(in_any, {&any_type}) == ErrorKind::not_supported);
  const Octets in_abstract = encode_native([](Encoder& encoder, const Ior&) {
    encoder.write_boolean(false);
    encoder.write(std::uint32_t{0x7fffff00});
  });
  CHECK(error_of(in_abstract, {&abstract}) == ErrorKind::not_supported);
}

TEST_CASE("a reference with too many profiles is refused") {
  Ior ior = reference_a;
  ior.profiles.resize(65);
  const Octets body =
      encode_value({}, [](Encoder& encoder, const Ior& each) { iop::encode(encoder, each); }, ior);
  CHECK(error_of(body, {&cdr::object_node}) == ErrorKind::too_large);
}

TEST_CASE("a body that grows beyond the limit of messages is refused") {
  constexpr std::uint32_t count = 25'000;
  const auto sequence = [](Encoder& encoder, const Ior& ior) {
    encoder.write(count);
    for (std::uint32_t index = 0; index < count; ++index) iop::encode(encoder, ior);
  };
  const Octets small = encode_value({}, sequence, reference_a);
  CHECK(small.size() < rewritten_size_max);
  CHECK(encode_value({}, sequence, reference_b).size() > rewritten_size_max);
  CHECK(error_of(small, {&cdr::sequence_node<cdr::object_node>}) == ErrorKind::too_large);
}

TEST_CASE("wide characters cannot be sent in GIOP 1.0, nor in 1.1 without a code set") {
  const auto error = [](std::uint8_t minor, cdr::WideSet set) {
    const Form form{std::endian::native, minor};
    const Body body(form, octets(0, 0, 0, 0));
    cdr::Decoder values = body.values();
    values.set_code_sets({.wide = set, .giop_minor = minor});
    bridge::BodyRewriter rewriter(rewritten_size_max);
    const TypeNode* const types[] = {&cdr::wstring_node<>};
    const bridge::RawBody raw = body.raw();
    const auto result = rewriter.rewrite({raw, values}, types, replace_a);
    return result ? ErrorKind::none : result.error().kind;
  };
  CHECK(error(0, cdr::WideSet::utf_16) == ErrorKind::not_in_version);
  CHECK(error(1, cdr::WideSet::none) == ErrorKind::no_code_set);
  CHECK(error(1, cdr::WideSet::ucs_4) == ErrorKind::none);
  CHECK(error(2, cdr::WideSet::none) == ErrorKind::none);
}

TEST_CASE("a user exception is found by its repository id, and an unknown one passes unread") {
  bridge::RewritingPlan plan;
  static constexpr TypeMember members[] = {{.type = &basic_node<TypeKind::tk_octet>},
                                           {.type = &cdr::object_node}};
  static constexpr TypeNode refused{.kind = TypeKind::tk_struct, .members = members};
  plan.exceptions.emplace("IDL:Refused:1.0", &refused);
  const auto rewritten = [&plan](const Form& form, const char* id, const Ior& ior) {
    const Octets octets = encode_value(
        form,
        [id](Encoder& encoder, const Ior& reference) {
          encoder.write_string(id);
          encoder.write(std::uint8_t{1});
          iop::encode(encoder, reference);
        },
        ior);
    const Body body(form, octets);
    const bridge::RawBody raw = body.raw();
    bridge::BodyRewriter rewriter(rewritten_size_max);
    const auto result = rewriter.rewrite_exception({raw, body.values()}, plan, replace_a);
    REQUIRE(result.has_value());
    return to_hex(result->octets);
  };
  for (const Form& form : all_forms()) {
    CHECK(rewritten(form, "IDL:Refused:1.0", reference_a) ==
          rewritten(form, "IDL:Refused:1.0", reference_b));
    CHECK(rewritten(form, "IDL:Other:1.0", reference_a) !=
          rewritten(form, "IDL:Other:1.0", reference_b));
  }
}

TEST_CASE("fragments of GIOP 1.1 become one piece if a reference in them is replaced") {
  // The octet and padding fill the first piece. In the second piece alignment counts anew.
  const Octets reference = encode_value(
      {}, [](Encoder& encoder, const Ior& ior) { iop::encode(encoder, ior); }, reference_a);
  const Octets whole = joined(octets(1, 0, 0, 0), reference);
  const std::size_t sizes[] = {4, reference.size()};
  const Form form{std::endian::native, 1};
  const bridge::RawBody raw{whole, form.order, 0, sizes[0], &sizes[1]};
  cdr::Decoder values(whole, form.order);
  values.set_pieces(sizes);
  bridge::BodyRewriter rewriter(rewritten_size_max);
  const TypeNode* const types[] = {&basic_node<TypeKind::tk_octet>, &cdr::object_node};
  const auto result = rewriter.rewrite({raw, values}, types, replace_a);
  REQUIRE(result.has_value());
  CHECK(result->further_pieces == nullptr);
  const Octets expected = encode_value(
      form,
      [](Encoder& encoder, const Ior& ior) {
        encoder.write(std::uint8_t{1});
        iop::encode(encoder, ior);
      },
      reference_b);
  CHECK(to_hex(result->octets) == to_hex(expected));
  const auto unchanged =
      rewriter.rewrite({raw, values}, types, [](const Ior&) { return std::optional<Ior>(); });
  REQUIRE(unchanged.has_value());
  CHECK(unchanged->further_pieces == &sizes[1]);
}

TEST_CASE("a body without references to replace costs no allocation") {
  const auto write = [](Encoder& encoder, const Ior&) {
    encoder.write_string("text");
    iop::encode(encoder, Ior{});
    cdr::encode_type(encoder, basic_node<TypeKind::tk_double>);
    encoder.write(2.5);
  };
  const Octets octets = encode_value({}, write, reference_a);
  const Body body({}, octets);
  const bridge::RawBody raw = body.raw();
  bridge::BodyRewriter rewriter(rewritten_size_max);
  const TypeNode* const types[] = {&cdr::string_node<>, &cdr::object_node, &any_type};
  const auto pass = [&] {
    CHECK(rewriter.rewrite({raw, body.values()}, types, replace_a).has_value());
    rewriter.release();
  };
  pass();  // the buffer grows
  std::size_t count = 0;
  {
    const auto before = allocations();
    const auto result = rewriter.rewrite({raw, body.values()}, types, replace_a);
    count = allocations().count - before.count;
    CHECK(result.has_value());
  }
  CHECK(count == 0);
}
