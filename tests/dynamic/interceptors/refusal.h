// The text of the exception with which a policy refuses its values.
#pragma once

#include <string>

namespace perigee::test {

/// Calls `make`. Returns the text of the exception that it raises, or "accepted".
template <typename Exception, typename Make>
std::string refusal(const Make& make) {
  try {
    (void)make();
  } catch (const Exception& exception) {
    return exception.detail();
  }
  return "accepted";
}

}  // namespace perigee::test
