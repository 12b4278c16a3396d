// All exception texts from one source begin with the same words. So the beginning shows the source.
#include "orb/serving/sent_details.h"

#include "orb/connection/invocation_error.h"
#include "orb/values/system_exceptions.h"

#include <new>
#include <string>

namespace perigee::orb {

// If there is no memory for the text, the exception has none.
CORBA::UNKNOWN replaced_exception(std::uint32_t minor, std::string_view thrown) noexcept try {
  std::string detail(undeclared_exception);
  detail.append(": ").append(thrown);
  return CORBA::UNKNOWN(minor, CORBA::COMPLETED_MAYBE, std::move(detail));
} catch (const std::bad_alloc&) {
  return CORBA::UNKNOWN(minor, CORBA::COMPLETED_MAYBE);
}

std::string_view sent_part(std::string_view detail, SentDetails which) noexcept {
  if (which == SentDetails::all) return detail;
  if (which == SentDetails::none) return {};
  if (detail.starts_with(undeclared_exception)) return undeclared_exception;
  const bool is_of_call = detail.starts_with(raised_by_server) || tells_of_call(detail);
  return is_of_call ? std::string_view() : detail;
}

}  // namespace perigee::orb
