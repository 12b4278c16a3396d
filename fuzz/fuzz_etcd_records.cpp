// Keys and values of the naming service in etcd. The first octet selects the kind of the rest. An
// accepted key or value must be the same after it was written and read again.
#include "require.h"
#include "services/naming_etcd/keys.h"
#include "services/naming_etcd/records.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

using namespace perigee::naming;
using perigee::fuzz::require;

void try_key(std::string_view text) {
  const etcd::Keys keys("/p/");
  const auto key = keys.parse(text);
  if (!key) return;
  if (const auto* binding = std::get_if<etcd::BindingKey>(&*key))
    require(keys.binding(binding->context, binding->name) == text);
  else if (const auto* context = std::get_if<etcd::ContextKey>(&*key))
    require(keys.context(context->context) == text);
}

/// Checks that the keys of two names have the order of the names. A line feed separates the names.
void try_order(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return;
  const etcd::Keys keys("/p/");
  const Component first{std::string(text.substr(0, end)), "k"};
  const Component second{std::string(text.substr(end + 1)), ""};
  require((keys.binding(1, first) < keys.binding(1, second)) == (first < second));
  require(keys.parse(keys.binding(1, second)) == etcd::Key{etcd::BindingKey{1, second}});
}

template <typename Record>
void require_same(const Record& record, std::string_view value) {
  if (record) require(etcd::encode(*record) == value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      try_key(text);
      break;
    case 1:
      try_order(text);
      break;
    case 2:
      require_same(etcd::decode_binding(text), text);
      break;
    case 3:
      require_same(etcd::decode_context(text), text);
      break;
    case 4:
      require_same(etcd::decode_last(text), text);
      break;
    default:
      require_same(etcd::decode_store(text), text);
  }
  return 0;
}
