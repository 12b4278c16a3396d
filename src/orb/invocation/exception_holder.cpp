// Messaging::ExceptionHolder on the wire: the only valuetype that the ORB knows.
//
// Written with its repository id and without chunks. Read in every form that a peer may send for a
// parameter of this type: with and without ids, in chunks, and as a truncatable derived type.
// Source: CORBA 3.0, 15.3.4 (values), 22.7 (the holder).
#include "orb/invocation/call_ends.h"
#include "orb/values/system_exceptions.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/ami.h>
#include <perigee/orb/stub.h>

#include <cstdint>
#include <optional>

namespace perigee::stub {

namespace {

constexpr std::string_view holder_id = "IDL:omg.org/Messaging/ExceptionHolder:1.0";

constexpr std::uint32_t value_tag = 0x7fffff00;
constexpr std::uint32_t value_tag_max = 0x7fffffff;
constexpr std::uint32_t codebase_bit = 1;
constexpr std::uint32_t type_bits = 6;
constexpr std::uint32_t no_type = 0;
constexpr std::uint32_t one_type = 2;
constexpr std::uint32_t several_types = 6;
constexpr std::uint32_t chunked_bit = 8;

/// Limits: the types that a value may name, and the unknown chunks after its known members.
constexpr std::uint32_t types_max = 16;
constexpr std::uint32_t unknown_chunks_max = 64;

void encode_exception(cdr::Encoder& encoder, const CORBA::UserException& exception) {
  encoder.write_string(exception._rep_id());
  exception._encode(encoder);
}

/// The value's state: whether it is a system exception, the byte order of the following octets, and
/// the exception. The exception is encoded as in a reply, aligned from its own start.
template <typename Encode>
void encode_state(cdr::Encoder& encoder, bool is_system, Encode&& encode) {
  encoder.write_boolean(is_system);
  encoder.write_boolean(encoder.order() == std::endian::little);
  encoder.write(std::uint32_t{0});
  cdr::Buffer& buffer = encoder.buffer();
  const std::size_t length_offset = buffer.own_size() - sizeof(std::uint32_t);
  const std::size_t start = buffer.size();
  cdr::Encoder contents(buffer, encoder.order());
  contents.set_code_sets(encoder.code_sets());
  encode(contents);
  if (!contents.ok()) encoder.fail(contents.error().kind);
  const std::size_t length = buffer.size() - start;
  if (length > cdr::Encoder::length_max) encoder.fail(cdr::ErrorKind::too_large);
  encoder.patch(length_offset, static_cast<std::uint32_t>(length));
}

void encode_system(cdr::Encoder& encoder, const CORBA::SystemException& exception) {
  encode_state(encoder, true,
               [&](cdr::Encoder& contents) { orb::encode_system_exception(contents, exception); });
}

/// Reads the members of a value. In a chunked value, each member is within one chunk.
class ValueReader final {
 public:
  explicit ValueReader(cdr::Decoder& decoder) noexcept : decoder_(decoder) {}

  /// False for null, and after an error.
  bool begin() {
    const auto tag = decoder_.read<std::uint32_t>();
    if (tag == 0) return false;
    if (tag < value_tag || tag > value_tag_max || (tag & ~(value_tag | 0xfu)) != 0) return fail();
    if ((tag & codebase_bit) != 0) (void)decoder_.read_string_view();
    is_chunked_ = (tag & chunked_bit) != 0;
    if (!has_type(tag & type_bits)) return false;
    chunk_end_ = decoder_.position();  // there is no chunk yet
    return decoder_.ok();
  }

  template <typename Read>
  auto member(Read&& read) {
    if (is_chunked_ && decoder_.position() == chunk_end_) begin_chunk();
    const auto value = read(decoder_);
    if (is_chunked_ && decoder_.position() > chunk_end_) fail();
    return value;
  }

  /// Called after the last member. Skips the members of a derived type.
  void end() {
    if (!is_chunked_) return;
    for (std::uint32_t count = 0; decoder_.ok(); ++count) {
      const std::size_t rest = chunk_end_ - decoder_.position();
      if ((rest != 0 || count != 0) && !is_derived_) return static_cast<void>(fail());
      decoder_.skip(rest);
      const auto size = decoder_.read<std::int32_t>();
      if (size < 0) return;  // the end of all values that are open
      if (count == unknown_chunks_max) return static_cast<void>(fail());
      begin_chunk_of(size);
    }
  }

 private:
  bool fail(cdr::ErrorKind kind = cdr::ErrorKind::bad_value) noexcept {
    decoder_.fail(kind);
    return false;
  }

  /// Whether the value is a holder, or can be truncated to one.
  bool has_type(std::uint32_t kind) {
    if (kind == no_type) return true;  // the type that the operation declares
    if (kind != one_type && kind != several_types) return fail();
    const std::uint32_t count = kind == one_type ? 1 : decoder_.read<std::uint32_t>();
    if (count == 0 || count > types_max) return fail();
    std::optional<std::uint32_t> ours;
    for (std::uint32_t index = 0; index != count; ++index)
      if (decoder_.read_string_view() == holder_id && !ours) ours = index;
    is_derived_ = ours.value_or(0) != 0;
    // Only chunks show where unknown members end.
    return (ours && (is_chunked_ || !is_derived_)) || fail(cdr::ErrorKind::not_supported);
  }

  void begin_chunk() { begin_chunk_of(decoder_.read<std::int32_t>()); }
  void begin_chunk_of(std::int32_t size) {
    // Larger numbers are tags of nested values. A holder has none, and unknown members must have
    // none.
    if (size <= 0 || static_cast<std::uint32_t>(size) >= value_tag) fail();
    if (static_cast<std::size_t>(size) > decoder_.remaining()) fail(cdr::ErrorKind::bad_length);
    chunk_end_ =
        decoder_.ok() ? decoder_.position() + static_cast<std::size_t>(size) : decoder_.position();
  }

  cdr::Decoder& decoder_;
  bool is_chunked_ = false;
  bool is_derived_ = false;
  std::size_t chunk_end_ = 0;
};

/// An exception as in a reply: the decoded exception, or MARSHAL.
std::exception_ptr decode_exception(cdr::Decoder& decoder, bool is_system,
                                    const Operation& operation) {
  try {
    if (is_system) orb::decode_and_raise_system_exception(decoder);
    orb::raise_user_exception(operation, decoder);
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

cdr::Encoder& encode_holder(cdr::Encoder& encoder, const Messaging::ExceptionHolder* holder) {
  if (holder == nullptr) {
    encoder.write(std::uint32_t{0});
    return encoder;
  }
  encoder.write(value_tag | one_type);
  encoder.write_string(holder_id);
  try {
    holder->raise_exception();
  } catch (const CORBA::UserException& exception) {
    encode_state(encoder, false,
                 [&](cdr::Encoder& contents) { encode_exception(contents, exception); });
  } catch (const CORBA::SystemException& exception) {
    encode_system(encoder, exception);
  } catch (...) {
    encode_system(encoder, CORBA::UNKNOWN(0, CORBA::COMPLETED_MAYBE));
  }
  return encoder;
}

cdr::Decoder& operator>>(cdr::Decoder& decoder, const HolderToFill& filled) {
  filled.holder = nullptr;
  ValueReader value(decoder);
  if (!value.begin()) return decoder;
  const bool is_system = value.member([](cdr::Decoder& from) { return from.read_boolean(); });
  const bool is_little = value.member([](cdr::Decoder& from) { return from.read_boolean(); });
  const OctetSpan octets =
      value.member([](cdr::Decoder& from) { return from.read_octet_sequence(); });
  value.end();
  if (!decoder.ok()) return decoder;
  cdr::Decoder exception(octets, is_little ? std::endian::little : std::endian::big, 0,
                         decoder.limits_left());
  exception.set_code_sets(decoder.code_sets());
  exception.set_environment(decoder.environment());
  filled.holder = hold_exception(decode_exception(exception, is_system, filled.operation));
  return decoder;
}

}  // namespace perigee::stub
