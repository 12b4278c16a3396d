// Exceptions in anys: encoded as in a reply, or made into system exceptions.
#include "dynamic/requests/any_exception.h"

#include "dynamic/requests/minor_codes.h"
#include "orb/values/any_value.h"
#include "orb/values/system_exceptions.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/typecode.h>
#include <perigee/dynamic/exception_list.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/typecode.h>
#include <perigee/orb/value_marshalling.h>

#include <cstdint>
#include <string>
#include <utility>

namespace perigee::dynamic {

namespace {

using cdr::TypeKind;
using cdr::TypeNode;

/// For values of this process.
constexpr cdr::Limits unlimited_memory{.decoded_size_max = ~std::uint32_t{0}};

/// Encodes the exception as in an any and in a reply: the id, then the members.
Octets encoded(const CORBA::Any& exception, std::endian order, const cdr::CodeSets& code_sets) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, order);
  encoder.set_code_sets(code_sets);
  const value::Writing values(encoder);
  any::encode_value(encoder, exception);
  if (!encoder.ok())
    orb::raise_encode_error(encoder.error(), orb::Sender::server, CORBA::COMPLETED_YES);
  return buffer.flatten();
}

/// A user exception without a C++ class.
class AnyException final : public CORBA::UserException {
 public:
  explicit AnyException(CORBA::Any contents)
      : type_(contents.type()), id_(type_->id()), contents_(std::move(contents)) {}

  [[nodiscard]] const CORBA::Any& contents() const noexcept { return contents_; }
  [[nodiscard]] const char* _rep_id() const noexcept override { return id_.c_str(); }
  [[nodiscard]] const char* _name() const noexcept override { return "UserException"; }
  [[noreturn]] void _raise() const override { throw *this; }

  // The any is encoded with the id, which the caller has written already.
  void _encode(cdr::Encoder& encoder) const override {
    const Octets octets = encoded(contents_, encoder.order(), encoder.code_sets());
    cdr::Decoder decoder(octets, encoder.order(), 0, unlimited_memory);
    decoder.set_code_sets(encoder.code_sets());
    value::Reading read(decoder);
    const value::Writing written(encoder);
    (void)decoder.read_string_view();
    for (const cdr::TypeMember& member : type_->_node()->members)
      cdr::copy_value(decoder, encoder, *member.type);
    if (!decoder.ok()) encoder.fail(decoder.error().kind);
  }

 protected:
  void _describe(std::string& text) const override { text += id_; }

 private:
  CORBA::object_reference<CORBA::TypeCode> type_;
  std::string id_;
  CORBA::Any contents_;
};

// A system exception has the members `minor` and `completed`. No user exception of module CORBA has
// the same.
bool is_system_exception(const TypeNode& type) {
  return type.id.starts_with("IDL:omg.org/CORBA/") && type.members.size() == 2 &&
         cdr::unaliased(*type.members[0].type).kind == TypeKind::tk_ulong &&
         cdr::unaliased(*type.members[1].type).kind == TypeKind::tk_enum;
}

std::exception_ptr system_exception_in(const CORBA::Any& any) {
  const Octets octets = encoded(any, std::endian::native, {});
  cdr::Decoder decoder(octets, std::endian::native);
  const std::string id(decoder.read_string_view());
  const auto minor = decoder.read<std::uint32_t>();
  const auto completed = static_cast<CORBA::CompletionStatus>(decoder.read<std::uint32_t>());
  if (!decoder.ok() || completed > CORBA::COMPLETED_MAYBE)
    throw CORBA::BAD_PARAM(minor_not_an_exception, CORBA::COMPLETED_NO,
                           "the any has no valid system exception");
  try {
    orb::raise_system_exception(id, minor, completed);
  } catch (const CORBA::SystemException&) {
    return std::current_exception();
  }
}

}  // namespace

std::exception_ptr exception_in(CORBA::Any any) {
  const CORBA::object_reference<CORBA::TypeCode> type = any.type();
  if (type->kind() != TypeKind::tk_except)
    throw CORBA::BAD_PARAM(minor_not_an_exception, CORBA::COMPLETED_NO,
                           "the value is not an exception, but " + CORBA::_text_of(any));
  if (is_system_exception(*type->_node())) return system_exception_in(any);
  return std::make_exception_ptr(AnyException(std::move(any)));
}

const CORBA::Any* contents_of(const CORBA::UserException& exception) noexcept {
  if (const auto* received = dynamic_cast<const CORBA::UnknownUserException*>(&exception))
    return &received->exception();
  const auto* const sent = dynamic_cast<const AnyException*>(&exception);
  return sent != nullptr ? &sent->contents() : nullptr;
}

}  // namespace perigee::dynamic
