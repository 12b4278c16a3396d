// Decodes one hostile message: decode_attacks ATTACK SIZE. The message has about SIZE octets.
// Prints the error, or "decoded", and the largest memory of the process during the decoding, in
// KiB. count_decoding.py runs this program, and counts the instructions of decode_attack.
#include "attacksC.h"
#include <perigee/cdr/operators.h>
#include <perigee/cdr/typecode.h>
#include <perigee/cdr/value_format.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/value_marshalling.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace perigee;
using cdr::Encoder;
using cdr::TypeKind;
using cdr::TypeMember;
using cdr::TypeNode;

const TypeNode& octet = cdr::basic_node<TypeKind::tk_octet>;
// Encoding also has limits. They must not stop these messages.
constexpr cdr::TypeLimits no_limits{
    .depth_max = 64, .nodes_max = ~0u, .octets_max = ~std::size_t{0}};

struct Attack {
  /// Writes a message of about `size` octets.
  std::function<void(Encoder&, std::size_t size)> write;
  std::function<void(cdr::Decoder&)> read;
};

void read_any(cdr::Decoder& decoder) {
  CORBA::Any value;
  decoder >> value;
}
void read_type(cdr::Decoder& decoder) { (void)cdr::decode_type(decoder); }
template <typename T>
void read(cdr::Decoder& decoder) {
  T value;
  decoder >> value;
}

void write_repeated(Encoder& encoder, std::size_t count, std::uint8_t value) {
  for (std::size_t index = 0; index < count; ++index) encoder.write(value);
}

// Each element begins with the length of the id. So the decoder compares the octets after the
// length with the id, and finds that only the first octet is equal.
void write_exceptions(Encoder& encoder, std::size_t size) {
  const std::string id(0x01010100 % (size / 2) + size / 4, '\x01');
  const TypeMember member[] = {{"", &octet}};
  const TypeNode exception{.kind = TypeKind::tk_except, .id = id, .members = member};
  const TypeNode type{.kind = TypeKind::tk_sequence, .content = &exception};
  cdr::encode_type(encoder, type, no_limits);
  encoder.write(static_cast<std::uint32_t>(size / 16));
  const auto length = static_cast<std::uint32_t>(id.size() + 1);
  for (std::size_t index = 0; index < size / 16; ++index) {
    encoder.write(length);
    encoder.write(std::uint8_t{1});
  }
}

std::vector<TypeMember> many_members(std::size_t count, const TypeNode* type) {
  std::vector<TypeMember> members(count);
  for (std::size_t index = 0; index < count; ++index)
    members[index] = {"", type, static_cast<std::int64_t>(index)};
  return members;
}

// Half of the octets are the type, and half are values with the last label of the type.
void write_labels(Encoder& encoder, std::size_t size) {
  const std::vector<TypeMember> branches = many_members(size / 64, &octet);
  const TypeNode choice{.kind = TypeKind::tk_union,
                        .content = &cdr::basic_node<TypeKind::tk_ushort>,
                        .members = branches};
  const TypeNode type{.kind = TypeKind::tk_sequence, .content = &choice};
  cdr::encode_type(encoder, type, no_limits);
  encoder.write(static_cast<std::uint32_t>(size / 8));
  for (std::size_t index = 0; index < size / 8; ++index) {
    encoder.write(static_cast<std::uint16_t>(branches.size() - 1));
    encoder.write(std::uint8_t{0});
  }
}

void write_enumerators(Encoder& encoder, std::size_t size) {
  const std::vector<TypeMember> enumerators = many_members(size / 64, nullptr);
  const TypeNode number{.kind = TypeKind::tk_valued_enum, .bound = 32, .members = enumerators};
  const TypeNode type{.kind = TypeKind::tk_sequence, .content = &number};
  cdr::encode_type(encoder, type, no_limits);
  encoder.write(static_cast<std::uint32_t>(size / 8));
  for (std::size_t index = 0; index < size / 8; ++index)
    encoder.write(static_cast<std::uint32_t>(enumerators.size() - 1));
}

/// An indirection to octet `target` of the message.
void write_indirection(Encoder& encoder, std::size_t target) {
  encoder.write(std::uint32_t{0xffffffff});
  encoder.write(static_cast<std::int32_t>(static_cast<std::int64_t>(target) -
                                          static_cast<std::int64_t>(encoder.buffer().size())));
}

/// A struct. Its first member has the type `first`. `write_type` writes the type of each other
/// member.
template <typename WriteType>
void write_struct(Encoder& encoder, const TypeNode& first, std::size_t others,
                  const WriteType& write_type) {
  encoder.write(static_cast<std::uint32_t>(TypeKind::tk_struct));
  encoder.write_encapsulation([&](Encoder& body) {
    body.write_string("");
    body.write_string("");
    body.write_length(others + 1);
    body.write_string("");
    body.align(4);
    const std::size_t target = body.buffer().size();
    cdr::encode_type(body, first, no_limits);
    for (std::size_t index = 0; index < others; ++index) {
      body.write_string("");
      write_type(body, target);
    }
  });
}

// Many unions share one enum with many enumerators. Each union has one branch: its default.
void write_shared_enum(Encoder& encoder, std::size_t size) {
  const std::vector<TypeMember> enumerators = many_members(size / 64, nullptr);
  const TypeNode number{.kind = TypeKind::tk_valued_enum, .bound = 32, .members = enumerators};
  write_struct(encoder, number, size / 128, [](Encoder& body, std::size_t target) {
    body.align(4);
    body.write(static_cast<std::uint32_t>(TypeKind::tk_union));
    body.write_encapsulation([&](Encoder& inner) {
      inner.write_string("");
      inner.write_string("");
      inner.align(4);
      write_indirection(inner, target);
      inner.write(std::int32_t{0});
      inner.write_length(1);
      inner.write(std::int32_t{1});
      inner.write_string("");
      cdr::encode_type(inner, octet);
    });
  });
}

void write_indirections(Encoder& encoder, std::size_t size) {
  const std::vector<TypeMember> members = many_members(size / 64, &cdr::string_node<7>);
  const TypeNode first{.kind = TypeKind::tk_struct, .members = members};
  write_struct(encoder, first, size / 64, [](Encoder& body, std::size_t target) {
    body.align(4);
    write_indirection(body, target);
  });
}

void write_members(Encoder& encoder, std::size_t size) {
  const std::vector<TypeMember> enumerators = many_members(size / 8, nullptr);
  cdr::encode_type(encoder, {.kind = TypeKind::tk_enum, .members = enumerators}, no_limits);
}

// Anys without a value: four octets each.
void write_anys(Encoder& encoder, std::size_t size) {
  encoder.write(static_cast<std::uint32_t>(size / 4));
  for (std::size_t index = 0; index < size / 4; ++index) encoder.write(std::uint32_t{0});
}

void write_pictures(Encoder& encoder, std::size_t size) {
  encoder.write(static_cast<std::uint32_t>(size / 2));
  write_repeated(encoder, size / 2 * 2, 0);
}

// Each value is chunked, and has the ids of the first value: only the last id is known.
void write_marks(Encoder& encoder, std::size_t size) {
  constexpr std::size_t mark_size = 24;
  const auto count = static_cast<std::uint32_t>(size / mark_size);
  constexpr std::uint32_t tag = cdr::value_tag | cdr::value_with_ids | cdr::value_chunked_bit;
  std::size_t ids = 0;
  encoder.write(count);
  for (std::uint32_t index = 0; index < count; ++index) {
    encoder.write(tag);
    if (index == 0) {
      ids = encoder.position();
      encoder.write(static_cast<std::uint32_t>(cdr::value_ids_max));
      for (std::size_t unknown = 1; unknown < cdr::value_ids_max; ++unknown)
        encoder.write_string("IDL:Attacks/Mask:1.0");
      encoder.write_string(Attacks::Mark::_type_id);
    } else {
      encoder.write(cdr::value_indirection_tag);
      encoder.write(static_cast<std::int32_t>(ids - encoder.position()));
    }
    encoder.write(std::int32_t{1});
    encoder.write(std::uint8_t{7});
    encoder.write(std::int32_t{-1});
  }
}

/// The type of a sequence of empty values. The program has no class for them.
void write_empty_values_type(Encoder& encoder, const std::string& id) {
  const TypeNode value{.kind = TypeKind::tk_value, .id = id};
  const TypeNode sequence{.kind = TypeKind::tk_sequence, .content = &value};
  cdr::encode_type(encoder, sequence, no_limits);
}

// Each value is written again with its id.
void write_long_ids(Encoder& encoder, std::size_t size, std::size_t id_size) {
  write_empty_values_type(encoder, std::string(id_size, 'x'));
  const auto count = static_cast<std::uint32_t>(size / 8);
  encoder.write(count);
  for (std::uint32_t index = 0; index < count; ++index) encoder.write(cdr::value_tag);
}
void write_ids(Encoder& encoder, std::size_t size) {
  write_long_ids(encoder, size, cdr::value_id_size_max);
}
void write_endless_ids(Encoder& encoder, std::size_t size) {
  write_long_ids(encoder, size, size / 2);
}

// Each value has the same list of ids. The last id is the id of the type, and the other ids differ
// from it in their last octet.
void write_id_lists(Encoder& encoder, std::size_t size) {
  std::string id(cdr::value_id_size_max, 'x');
  write_empty_values_type(encoder, id);
  id.back() = 'y';
  const auto count = static_cast<std::uint32_t>(size / 16);
  constexpr std::uint32_t tag = cdr::value_tag | cdr::value_with_ids | cdr::value_chunked_bit;
  std::size_t list = 0;
  encoder.write(count);
  for (std::uint32_t index = 0; index < count; ++index) {
    encoder.write(tag);
    if (index == 0) {
      list = encoder.position();
      encoder.write(static_cast<std::uint32_t>(cdr::value_ids_max));
      const std::size_t first = encoder.position();
      encoder.write_string(id);
      for (std::size_t more = 2; more < cdr::value_ids_max; ++more) {
        encoder.align(4);
        encoder.write(cdr::value_indirection_tag);
        encoder.write(static_cast<std::int32_t>(first - encoder.position()));
      }
      encoder.write_string(std::string(cdr::value_id_size_max, 'x'));
    } else {
      encoder.write(cdr::value_indirection_tag);
      encoder.write(static_cast<std::int32_t>(list - encoder.position()));
    }
    encoder.write(std::int32_t{-1});
  }
}

// A value with many numbers that might be the size of an exception's id, in one chunk.
void write_chunked_exceptions(Encoder& encoder, std::size_t size) {
  const std::string id(size / 4, 'x');
  const TypeMember member[] = {{"", &cdr::basic_node<TypeKind::tk_ulong>}};
  const TypeNode exception{.kind = TypeKind::tk_except, .id = id, .members = member};
  const TypeNode exceptions{.kind = TypeKind::tk_sequence, .content = &exception};
  const TypeMember held[] = {{"", &exceptions, 1}};
  cdr::encode_type(encoder, {.kind = TypeKind::tk_value, .id = "IDL:V:1.0", .members = held},
                   no_limits);
  const auto count = static_cast<std::uint32_t>(size / 16);
  encoder.write(cdr::value_tag | cdr::value_chunked_bit);
  encoder.write(4 + 4 * count);
  encoder.write(count);
  for (std::uint32_t index = 0; index < count; ++index)
    encoder.write(static_cast<std::uint32_t>(id.size() + 1));
  encoder.write(static_cast<std::uint32_t>(size / 2));
  write_repeated(encoder, size / 2, 'x');
}

// One value, and indirections to it.
void write_shared_marks(Encoder& encoder, std::size_t size) {
  const auto count = static_cast<std::uint32_t>(size / 8);
  encoder.write(count);
  const std::size_t first = encoder.position();
  encoder.write(cdr::value_tag);
  encoder.write(std::uint8_t{7});
  for (std::uint32_t index = 1; index < count; ++index) {
    encoder.write(cdr::value_indirection_tag);
    encoder.write(static_cast<std::int32_t>(first - encoder.position()));
  }
}

void read_marks(cdr::Decoder& decoder) {
  Attacks::Marks marks;
  value::Reading(decoder).decoder() >> marks;
}

void write_texts(Encoder& encoder, std::size_t size) {
  encoder << std::vector<std::string>(size / 40, std::string(31, 'a'));
}

const std::map<std::string, Attack> attacks = {
    {"exceptions", {write_exceptions, read_any}},
    {"labels", {write_labels, read_any}},
    {"enumerators", {write_enumerators, read_any}},
    {"shared_enum", {write_shared_enum, read_type}},
    {"indirections", {write_indirections, read_type}},
    {"members", {write_members, read_type}},
    {"anys", {write_anys, read<std::vector<CORBA::Any>>}},
    {"marks", {write_marks, read_marks}},
    {"shared_marks", {write_shared_marks, read_marks}},
    {"ids", {write_ids, read_any}},
    {"endless_ids", {write_endless_ids, read_any}},
    {"id_lists", {write_id_lists, read_any}},
    {"chunked_exceptions", {write_chunked_exceptions, read_any}},
    {"pictures", {write_pictures, read<Attacks::Pictures>}},
    {"texts", {write_texts, read<std::vector<std::string>>}},  // no attack: must be decoded
};

/// The largest memory of the process since `forget_largest`, in KiB.
long largest_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::strtol(line.c_str() + 6, nullptr, 10);
  std::abort();
}

/// Begins to measure the largest memory anew: `man proc_pid_clear_refs`.
void forget_largest() {
  std::ofstream file("/proc/self/clear_refs");
  file << 5 << std::flush;
  if (!file) std::abort();
}

}  // namespace

/// Not static and not inlined, because count_decoding.py counts the instructions in this function.
[[gnu::noinline]] void decode_attack(const Attack& attack, cdr::Decoder& decoder) {
  attack.read(decoder);
}

int main(int argc, char** argv) {
  if (argc != 3 || !attacks.contains(argv[1])) {
    std::fputs("usage: decode_attacks ATTACK SIZE\n", stderr);
    return 2;
  }
  const Attack& attack = attacks.at(argv[1]);
  cdr::Buffer buffer;
  Encoder encoder(buffer);
  attack.write(encoder, std::strtoul(argv[2], nullptr, 10));
  if (!encoder.ok()) {
    std::fprintf(stderr, "decode_attacks: %s\n", to_string(encoder.error()).c_str());
    return 1;
  }
  const Octets message = buffer.flatten();
  buffer = cdr::Buffer();
  cdr::Decoder decoder(message, std::endian::native);
  forget_largest();
  const long before = largest_kib();
  decode_attack(attack, decoder);
  const std::string outcome = decoder.ok() ? "decoded" : to_string(decoder.error());
  std::printf("%zu octets, %ld KiB: %s\n", message.size(), largest_kib() - before, outcome.c_str());
  return 0;
}
