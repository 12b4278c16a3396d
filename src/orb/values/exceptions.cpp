// The exception classes: their names and texts. Their marshalling is in system_exceptions.cpp.
#include <perigee/orb/exceptions.h>

#include <string_view>
#include <utility>

namespace CORBA {
inline namespace perigee_v1 {

namespace {

std::string minor_text(std::uint32_t minor) {
  constexpr std::uint32_t vendor_mask = 0xfffff000;
  const std::string number = std::to_string(minor & ~vendor_mask);
  if ((minor & vendor_mask) == OMGVMCID) return "OMG " + number;
  if ((minor & vendor_mask) == PERIGEE_VMCID) return "Perigee " + number;
  return std::to_string(minor);
}

const char* completed_text(CompletionStatus completed) noexcept {
  switch (completed) {
    case COMPLETED_YES:
      return "COMPLETED_YES";
    case COMPLETED_NO:
      return "COMPLETED_NO";
    case COMPLETED_MAYBE:
      return "COMPLETED_MAYBE";
  }
  return "completion unknown";
}

}  // namespace

Exception::~Exception() = default;
UserException::~UserException() = default;

const char* UserException::what() const noexcept {
  try {
    what_.clear();
    _describe(what_);
    return what_.c_str();
  } catch (...) {
    return _rep_id();
  }
}

void UserException::_describe(std::string& text) const { text += _rep_id(); }

SystemException::~SystemException() = default;

SystemException::SystemException(std::uint32_t minor, CompletionStatus completed,
                                 std::string detail)
    : minor_(minor), completed_(completed), detail_(std::move(detail)) {}

const char* SystemException::what() const noexcept {
  try {
    what_ = _name();
    if (minor_ != 0) what_ += ", minor " + minor_text(minor_);
    what_ += std::string(", ") + completed_text(completed_);
    if (!detail_.empty()) what_ += ": " + detail_;
    return what_.c_str();
  } catch (...) {
    return _rep_id();
  }
}

std::string _text_of_exception(const std::exception& exception) {
  const auto* const system = dynamic_cast<const SystemException*>(&exception);
  if (system == nullptr) return exception.what();
  constexpr std::string_view prefix = "COMPLETED_";
  std::string_view completed = completed_text(system->completed());
  if (completed.starts_with(prefix)) completed.remove_prefix(prefix.size());
  std::string text = system->_name();
  text.append(" {Minor code : ").append(minor_text(system->minor()));
  text.append(", Completed : ").append(completed).append("}");
  if (!system->detail().empty()) text.append(": ").append(system->detail());
  return text;
}

#define PERIGEE_DEFINE_SYSTEM_EXCEPTION(NAME)                                              \
  NAME::NAME(std::uint32_t minor, CompletionStatus completed, std::string detail)          \
      : SystemException(minor, completed, std::move(detail)) {}                            \
  NAME::~NAME() = default;                                                                 \
  const char* NAME::_rep_id() const noexcept { return "IDL:omg.org/CORBA/" #NAME ":1.0"; } \
  const char* NAME::_name() const noexcept { return #NAME; }                               \
  void NAME::_raise() const { throw *this; }
PERIGEE_SYSTEM_EXCEPTIONS(PERIGEE_DEFINE_SYSTEM_EXCEPTION)
#undef PERIGEE_DEFINE_SYSTEM_EXCEPTION

}  // namespace perigee_v1
}  // namespace CORBA
