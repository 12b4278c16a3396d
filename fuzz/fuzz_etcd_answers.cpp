// Answers of etcd to the naming service. The first octet selects the kind of answer; the rest is
// the answer. Octets that were read from base64 must give the same base64.
#include "require.h"
#include "services/naming_etcd/messages.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

using namespace perigee::naming;
using perigee::fuzz::require;

void try_base64(std::string_view text) {
  if (const auto octets = etcd::from_base64(text)) require(etcd::to_base64(*octets) == text);
  require(etcd::from_base64(etcd::to_base64(text)) == text);
}

template <typename Answer>
void require_result(const std::expected<Answer, std::string>& answer) {
  require(answer || !answer.error().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      require_result(etcd::parse_range(text));
      break;
    case 1:
      require_result(etcd::parse_transaction(text));
      break;
    case 2:
      require_result(etcd::parse_watch(text));
      break;
    case 3:
      if (const auto error = etcd::parse_error(text)) require(!error->text.empty());
      break;
    default:
      try_base64(text);
  }
  return 0;
}
