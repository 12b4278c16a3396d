// Reads one part of one context from the store, and changes nothing.
#include "services/naming/name_table.h"

#include "services/naming/name_text.h"
#include "services/naming/wall_clock.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::naming {

namespace {

using orb::StatusQuery;
using orb::StatusTable;

std::unexpected<std::string> missing() {
  return std::unexpected(std::string("This context does not exist, or no longer exists."));
}

/// The key must be the text of one component within the limits.
std::optional<Component> component_of(const std::string& key, const Limits& limits) {
  if (key.size() > limits.text_size_max) return std::nullopt;
  auto name = parse_text(key);
  if (!name || name->size() != 1) return std::nullopt;
  return std::move(name->front());
}

std::expected<ContextNumber, std::string> context_of(Store& store, const Options& options,
                                                     const StatusQuery& query) {
  if (query.path.size() > options.limits.components_max) return missing();
  const WallTime now = now_of(options);
  ContextNumber context = root_context;
  for (const std::string& key : query.path) {
    const auto component = component_of(key, options.limits);
    if (!component) return missing();
    const auto found = store.find(context, *component);
    if (!found) return std::unexpected(found.error().text);
    const bool leads_on = *found && (*found)->target.kind == TargetKind::own_context &&
                          !has_ended((*found)->expires, now);
    if (!leads_on) return missing();
    context = (*found)->target.context;
  }
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
  const auto context = context_of(store, options, query);
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
      table.next = to_text({bindings->at(query.rows_max - 1).name});
      break;
    }
    const bool opens = binding.target.kind == TargetKind::own_context;
    table.rows.push_back(
        {opens ? to_text({binding.name}) : std::string(),
         {binding.name.id, binding.name.kind, std::string(text_of(binding.target.kind)),
          text_of_lease(binding.expires, now)}});
  }
  return table;
}

}  // namespace perigee::naming
