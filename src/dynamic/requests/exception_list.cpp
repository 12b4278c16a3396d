// ExceptionList and UnknownUserException.
#include <perigee/cdr/typecode.h>
#include <perigee/dynamic/exception_list.h>

namespace CORBA {
inline namespace perigee_v1 {

ExceptionList::ExceptionList(std::initializer_list<object_reference<TypeCode>> types) {
  for (const object_reference<TypeCode>& type : types) add(type);
}

void ExceptionList::add(object_reference<TypeCode> type) {
  if (!type || type->kind() != TCKind::tk_except)
    throw BAD_TYPECODE(0, COMPLETED_NO, "an exception list may contain only types of exceptions");
  types_.push_back(std::move(type));
}

const object_reference<TypeCode>& ExceptionList::item(std::uint32_t index) const {
  if (index >= types_.size()) throw Bounds();
  return types_[index];
}

void ExceptionList::remove(std::uint32_t index) {
  if (index >= types_.size()) throw Bounds();
  types_.erase(types_.begin() + index);
}

UnknownUserException::~UnknownUserException() = default;
const char* UnknownUserException::_rep_id() const noexcept {
  return "IDL:omg.org/CORBA/UnknownUserException:1.0";
}
const char* UnknownUserException::_name() const noexcept { return "UnknownUserException"; }
void UnknownUserException::_raise() const { throw *this; }
void UnknownUserException::_encode(perigee::cdr::Encoder& encoder) const { encoder << exception_; }

void UnknownUserException::_describe(std::string& text) const {
  text += _rep_id();
  text += ": " + _text_of(exception_);
}

}  // namespace perigee_v1
}  // namespace CORBA
