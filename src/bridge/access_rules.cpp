// Compares operations and object keys with the lists of a bridge.
#include <perigee/bridge/access_rules.h>

#include <algorithm>

namespace perigee::bridge {

namespace {

bool matches(const std::string& rule, std::string_view operation) noexcept {
  const std::string_view text = rule;
  if (!text.ends_with('*')) return text == operation;
  return operation.starts_with(text.substr(0, text.size() - 1));
}

bool any_matches(const std::vector<std::string>& rules, std::string_view operation) noexcept {
  return std::ranges::any_of(rules,
                             [&](const std::string& rule) { return matches(rule, operation); });
}

bool any_is_prefix(const std::vector<iop::ObjectKey>& prefixes, OctetSpan key) noexcept {
  return std::ranges::any_of(prefixes, [&](const iop::ObjectKey& prefix) {
    return prefix.size() <= key.size() && std::ranges::equal(prefix, key.first(prefix.size()));
  });
}

}  // namespace

bool AccessRules::allows_operation(std::string_view operation) const noexcept {
  if (any_matches(operations_denied, operation)) return false;
  return operations_allowed.empty() || any_matches(operations_allowed, operation);
}

bool AccessRules::allows_object(OctetSpan object_key) const noexcept {
  if (any_is_prefix(objects_denied, object_key)) return false;
  return objects_allowed.empty() || any_is_prefix(objects_allowed, object_key);
}

}  // namespace perigee::bridge
