// The service context with the text of an exception. A decoded text does not exceed the limit, and
// has no control characters. After it was written and read again, it is the same.
#include "require.h"
#include <perigee/iop/exception_detail.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

using namespace perigee;
using fuzz::require;

namespace {

constexpr std::size_t octets_per_character_max = 4;

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return code < 0x20 || code == 0x7f;
}

void check(const std::string& text) {
  require(text.size() <= octets_per_character_max * iop::exception_detail_size_max);
  require(std::ranges::none_of(text, is_control));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const OctetSpan octets = std::as_bytes(std::span(data, size));
  const std::string text = iop::decode_exception_detail(octets);
  check(text);
  // Escapes make a text longer, so only a short text is sent whole.
  if (text.size() <= iop::exception_detail_size_max)
    require(iop::decode_exception_detail(iop::encode_exception_detail(text)) == text);
  const std::string_view any(reinterpret_cast<const char*>(octets.data()), octets.size());
  check(iop::decode_exception_detail(iop::encode_exception_detail(any)));
  return 0;
}
