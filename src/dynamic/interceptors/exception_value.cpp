// System exceptions have TypeCodes that are made here.
#include "dynamic/interceptors/exception_value.h"

#include "dynamic/requests/any_exception.h"
#include "orb/values/any_value.h"
#include "orb/values/system_exceptions.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/typecode_factory.h>

namespace perigee::interceptors {

namespace {

using CORBA::StructMember;
using CORBA::TypeCodeFactory;

CORBA::object_reference<CORBA::TypeCode> type_of(const CORBA::SystemException& exception) {
  const TypeCodeFactory factory;
  const auto completion = factory.create_enum_tc(
      "IDL:omg.org/CORBA/CompletionStatus:1.0", "CompletionStatus",
      CORBA::EnumMemberSeq{"COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"});
  return factory.create_exception_tc(
      exception._rep_id(), exception._name(),
      {StructMember("minor", CORBA::_tc_ulong), StructMember("completed", completion)});
}

CORBA::Any any_of_system(const CORBA::SystemException& exception) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  orb::encode_system_exception(encoder, exception);
  cdr::Decoder decoder(buffer.own_octets(), encoder.order());
  const auto type = type_of(exception);
  CORBA::Any any;
  any::decode_value(decoder, {type->_node(), type->_owner()}, any);
  return any;
}

}  // namespace

SeenException see(const std::exception_ptr& exception) {
  using PortableInterceptor::SYSTEM_EXCEPTION;
  using PortableInterceptor::USER_EXCEPTION;
  try {
    std::rethrow_exception(exception);
  } catch (const CORBA::UserException& user) {
    const CORBA::Any* const contents = dynamic::contents_of(user);
    return {exception, contents != nullptr ? contents->type()->id() : user._rep_id(),
            USER_EXCEPTION};
  } catch (const CORBA::SystemException& system) {
    return {exception, system._rep_id(), SYSTEM_EXCEPTION};
  } catch (const std::exception& other) {
    const CORBA::UNKNOWN unknown(0, CORBA::COMPLETED_MAYBE, other.what());
    return {std::make_exception_ptr(unknown), unknown._rep_id(), SYSTEM_EXCEPTION};
  } catch (...) {
    const CORBA::UNKNOWN unknown(0, CORBA::COMPLETED_MAYBE);
    return {std::make_exception_ptr(unknown), unknown._rep_id(), SYSTEM_EXCEPTION};
  }
}

CORBA::Any any_of(const SeenException& seen) {
  try {
    std::rethrow_exception(seen.exception);
  } catch (const CORBA::SystemException& system) {
    return any_of_system(system);
  } catch (const CORBA::UserException& user) {
    if (const CORBA::Any* const contents = dynamic::contents_of(user)) return *contents;
    return any_of_system(CORBA::UNKNOWN(orb::minor_unlisted_user_exception, CORBA::COMPLETED_YES));
  } catch (...) {
    return any_of_system(CORBA::UNKNOWN(orb::minor_unlisted_user_exception, CORBA::COMPLETED_YES));
  }
}

}  // namespace perigee::interceptors
