// Encodes arguments; decodes results and listed user exceptions.
#include "dynamic/requests/dynamic_call.h"

#include "dynamic/requests/coded_values.h"
#include "orb/values/any_value.h"
#include <perigee/orb/marshalling.h>
#include <perigee/orb/typecode.h>
#include <perigee/orb/value_marshalling.h>

#include <algorithm>
#include <utility>

namespace perigee::dynamic {

namespace {

bool have_same_directions(const CORBA::NVList& one, const CORBA::NVList& other) {
  return std::ranges::equal(one, other, {}, &CORBA::NamedValue::flags, &CORBA::NamedValue::flags);
}

// The lists have the same directions.
void move_results(CORBA::NVList& from, CORBA::NVList& to) {
  auto target = to.begin();
  for (CORBA::NamedValue& item : from) {
    if ((item.flags() & CORBA::ARG_OUT) != 0) target->value(std::move(item.value()));
    ++target;
  }
}

}  // namespace

CalledOperation::CalledOperation(std::string_view called, Kind sent,
                                 const CORBA::ExceptionList& exceptions)
    : DynamicOperation{{called, sent, {}}, &raise_listed}, exceptions_(exceptions) {}

// In CDR, the exception of a reply has the form of an exception in an any: its id and its members.
void CalledOperation::raise_listed(const stub::DynamicOperation& operation, cdr::Decoder& decoder) {
  const auto& called = static_cast<const CalledOperation&>(operation);
  cdr::Decoder front = decoder;
  const std::string_view id = front.read_string_view();
  if (!front.ok()) return;
  for (const auto& type : called.exceptions_) {
    if (type->_node()->id != id) continue;
    CORBA::Any exception;
    value::Reading values(decoder);
    any::decode_value(decoder, type_ref(type), exception);
    stub::check_decoded(decoder);
    throw CORBA::UnknownUserException(std::move(exception));
  }
}

void DynamicCall::check_before(CalledOperation::Kind kind) const {
  check_values(arguments, CORBA::ARG_IN, CORBA::COMPLETED_NO);
  if (kind != CalledOperation::Kind::oneway) check_types(arguments, CORBA::ARG_OUT);
}

void DynamicCall::encode(cdr::Encoder& encoder) const {
  const value::Writing values(encoder);
  encode_values(encoder, arguments, CORBA::ARG_IN);
  if (patterns) encoder << stub::selected(context, patterns->views());
}

void DynamicCall::decode(cdr::Decoder& decoder) {
  CORBA::Any returned;
  CORBA::NVList received = arguments;
  value::Reading values(decoder);
  if (!is_void(result.type())) any::decode_value(decoder, type_ref(result.type()), returned);
  decode_values(decoder, received, CORBA::ARG_OUT);
  if (!decoder.ok()) return;
  result.value(std::move(returned));
  move_results(received, arguments);
}

void DynamicCall::take_results(DynamicCall&& ended) {
  result.value(std::move(ended.result.value()));
  if (have_same_directions(ended.arguments, arguments))
    move_results(ended.arguments, arguments);
  else
    arguments = std::move(ended.arguments);
}

}  // namespace perigee::dynamic
