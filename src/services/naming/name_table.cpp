// Reads one part of one context from the store, and changes nothing.
#include "services/naming/name_table.h"

#include "services/naming/wall_clock.h"

#include <charconv>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace perigee::naming {

namespace {

using orb::StatusQuery;
using orb::StatusTable;

std::unexpected<std::string> missing() {
  return std::unexpected(std::string("This context does not exist, or no longer exists."));
}

/// A position is an id, an octet of zero, and a kind: names have no such octet. Escapes would make
/// the position of a long name too large for a request.
std::string position_of(const Component& name) { return (name.id + '\0') += name.kind; }

std::optional<Component> component_of(const std::string& position, const Limits& limits) {
  const auto end = position.find('\0');
  if (end == std::string::npos || position.size() > limits.text_size_max) return std::nullopt;
  return Component{position.substr(0, end), position.substr(end + 1)};
}

std::expected<ContextNumber, std::string> context_of(Store& store, const StatusQuery& query) {
  if (query.path.empty()) return root_context;
  const std::string& key = query.path.back();
  ContextNumber context = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), context);
  if (error != std::errc() || end != key.data() + key.size()) return missing();
  const auto exists = store.exists(context);
  if (!exists) return std::unexpected(exists.error().text);
  if (!*exists) return missing();
  return context;
}

std::string_view text_of(TargetKind kind) noexcept {
  switch (kind) {
    case TargetKind::object:
      return "object";
    case TargetKind::foreign_context:
      return "context of another service";
    case TargetKind::own_context:
      return "context";
  }
  return "";
}

std::string text_of_lease(WallTime expires, WallTime now) {
  if (expires == never) return "no lease";
  return "ends in " + std::to_string((expires - now + 999) / 1'000) + " s";
}

}  // namespace

StatusTable table_of_names(Store& store, const Options& options, const StatusQuery& query) {
  StatusTable table{
      .columns = {"id", "kind", "binding", "lease"}, .rows = {}, .next = "", .note = ""};
  const auto context = context_of(store, query);
  const auto after = component_of(query.after, options.limits);
  if (!context) {
    table.note = context.error();
    return table;
  }
  if (!after && !query.after.empty()) {
    table.note = "The position in the table is malformed.";
    return table;
  }
  const WallTime now = now_of(options);
  const auto bindings = store.list(*context, after ? &*after : nullptr, query.rows_max + 1, now);
  if (!bindings) {
    table.note = bindings.error().text;
    return table;
  }
  for (const Binding& binding : *bindings) {
    if (table.rows.size() == query.rows_max) {
      table.next = position_of(bindings->at(query.rows_max - 1).name);
      break;
    }
    const bool opens = binding.target.kind == TargetKind::own_context;
    table.rows.push_back(
        {opens ? std::to_string(binding.target.context) : std::string(),
         {binding.name.id, binding.name.kind, std::string(text_of(binding.target.kind)),
          text_of_lease(binding.expires, now)}});
  }
  return table;
}

}  // namespace perigee::naming
