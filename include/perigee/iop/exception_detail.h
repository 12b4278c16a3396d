// The service context ExceptionDetailMessage: the text of a system exception, for readers of logs.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace perigee::iop {

/// The id of the service context. Source: CORBA 3.0, 13.7.1.
inline constexpr std::uint32_t context_exception_detail = 14;
/// The most characters of a text that are sent or read. The rest is left out.
inline constexpr std::size_t exception_detail_size_max = 1024;

/// The data of the context: an encapsulation of a wstring in UTF-16, as in GIOP 1.2. `text` is
/// UTF-8. U+FFFD replaces octets that are not valid UTF-8.
PERIGEE_API Octets encode_exception_detail(std::string_view text);
/// The text of the context in UTF-8. Control characters are escaped or replaced, since the text
/// comes from outside and goes to terminals and logs. Empty if the data does not decode.
PERIGEE_API std::string decode_exception_detail(OctetSpan data);

}  // namespace perigee::iop
