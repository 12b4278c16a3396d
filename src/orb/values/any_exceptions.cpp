// Exceptions as values of anys. The TypeCodes of system exceptions are made here. Those of user
// exceptions are in generated code.
#include "orb/values/any_value.h"
#include "orb/values/system_exceptions.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/known_exception.h>
#include <perigee/orb/typecode_factory.h>

#include <bit>
#include <cstdint>
#include <string>

namespace CORBA {
inline namespace perigee_v1 {

namespace {

object_reference<TypeCode> type_of(const SystemException& exception) {
  const TypeCodeFactory factory;
  const auto completion =
      factory.create_enum_tc("IDL:omg.org/CORBA/CompletionStatus:1.0", "CompletionStatus",
                             EnumMemberSeq{"COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"});
  return factory.create_exception_tc(
      exception._rep_id(), exception._name(),
      {StructMember("minor", _tc_ulong), StructMember("completed", completion)});
}

}  // namespace

void operator<<=(Any& any, const SystemException& exception) {
  perigee::cdr::Buffer buffer;
  perigee::cdr::Encoder encoder(buffer);
  perigee::orb::encode_system_exception(encoder, exception);
  perigee::cdr::Decoder decoder(buffer.own_octets(), encoder.order());
  const auto type = type_of(exception);
  perigee::any::decode_value(decoder, {type->_node(), type->_owner()}, any);
}

}  // namespace perigee_v1
}  // namespace CORBA

namespace perigee::any {

namespace {

constexpr std::uint32_t completion_count = 3;
constexpr std::uint32_t minor_nil_type = 4;

}  // namespace

void refuse_nil_type() {
  throw CORBA::MARSHAL(minor_nil_type, CORBA::COMPLETED_NO,
                       "insert a nil reference to a TypeCode into an any");
}

void insert_user_exception(CORBA::Any& any, const CORBA::UserException& exception) {
  if (KnownException::insert(any, exception)) return;
  throw CORBA::BAD_TYPECODE(0, CORBA::COMPLETED_NO,
                            "insert " + std::string(exception._rep_id()) +
                                " into an any: its TypeCode is not in the program; generate the "
                                "code of its IDL file with --any, and link it");
}

bool extract_system_exception(const CORBA::Any& any, CORBA::SystemException& exception) {
  const TypeNode& type = Access::type(any);
  if (type.kind != TypeKind::tk_except || type.id != exception._rep_id()) return false;
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer, std::endian::native);
  encode_value(encoder, any);
  if (!encoder.ok()) return false;
  const Octets octets = buffer.flatten();
  cdr::Decoder decoder(octets, std::endian::native);
  (void)decoder.read_string_view();  // the repository id
  const auto minor = decoder.read<std::uint32_t>();
  const auto completed = decoder.read_enum(completion_count);
  if (!decoder.ok()) return false;
  exception.minor(minor);
  exception.completed(static_cast<CORBA::CompletionStatus>(completed));
  return true;
}

}  // namespace perigee::any
