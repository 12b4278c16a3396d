// Applies events, and answers reads.
#include "services/naming_etcd/mirror.h"

#include <perigee/base/log.h>

#include <algorithm>

namespace perigee::naming::etcd {

namespace {

constexpr std::size_t node_size = 160;  // octets of memory for a binding without its octets

bool has_ended(WallTime expires, WallTime now) { return expires != never && expires <= now; }
WallTime end_of(const Entry& entry) { return entry.record ? entry.record->expires : never; }

void log_damage(const std::string& what) {
  log::write(log::Level::error, "naming",
             "etcd: " + what + " has a damaged value; bind the name again after unbinding it");
}

}  // namespace

std::size_t size_of_binding(const Component& name, const Target& target) noexcept {
  return node_size + name.id.size() + name.kind.size() + target.reference.size();
}

std::size_t size_of_binding(const Component& name, const Entry& entry) noexcept {
  return entry.record ? size_of_binding(name, entry.record->target)
                      : node_size + name.id.size() + name.kind.size();
}

std::string too_large_text(std::size_t limit) {
  return "the names take more than " + std::to_string(limit) +
         " octets of memory; remove keys of this prefix from etcd";
}

void Mirror::apply(const Event& event) {
  revision_ = std::max(revision_, event.value.modified);
  const auto key = keys_.parse(event.value.key);
  if (!key) return;
  if (const auto* binding = std::get_if<BindingKey>(&*key))
    apply_binding(*binding, event);
  else if (const auto* context = std::get_if<ContextKey>(&*key))
    apply_context(context->context, event);
  else
    apply_single(std::get<SingleKey>(*key), event);
}

void Mirror::apply_single(SingleKey key, const Event& event) {
  const std::string& value = event.value.value;
  if (key == SingleKey::last) {
    last_ = event.is_removal ? std::nullopt : decode_last(value);
    last_modified_ = event.is_removal ? 0 : event.value.modified;
  } else if (key == SingleKey::store) {
    store_ = event.is_removal ? std::nullopt : std::optional(value);
  }
}

// A context with a damaged value exists: its mark is unknown, and no change has the mark zero.
void Mirror::apply_context(ContextNumber context, const Event& event) {
  if (event.is_removal)
    contexts_.erase(context);
  else
    contexts_[context] = decode_context(event.value.value).value_or(ContextRecord{});
}

void Mirror::apply_binding(const BindingKey& key, const Event& event) {
  remove(key);
  if (event.is_removal) return;
  Entry entry{decode_binding(event.value.value), event.value.modified};
  if (!entry.record) log_damage("the binding '" + key.name.id + "." + key.name.kind + "'");
  size_ += size_of_binding(key.name, entry);
  ++bindings_;
  if (end_of(entry) != never) leases_.emplace(end_of(entry), key.context, key.name);
  names_[key.context].emplace(key.name, std::move(entry));
}

void Mirror::remove(const BindingKey& key) {
  const auto context = names_.find(key.context);
  if (context == names_.end()) return;
  const auto found = context->second.find(key.name);
  if (found == context->second.end()) return;
  size_ -= size_of_binding(key.name, found->second);
  --bindings_;
  if (const WallTime end = end_of(found->second); end != never)
    leases_.erase({end, key.context, key.name});
  context->second.erase(found);
  if (context->second.empty()) names_.erase(context);
}

const Entry* Mirror::find(ContextNumber context, const Component& name) const {
  const auto bindings = names_.find(context);
  if (bindings == names_.end()) return nullptr;
  const auto found = bindings->second.find(name);
  return found == bindings->second.end() ? nullptr : &found->second;
}

const ContextRecord* Mirror::find_context(ContextNumber context) const {
  const auto found = contexts_.find(context);
  return found == contexts_.end() ? nullptr : &found->second;
}

std::vector<Binding> Mirror::list(ContextNumber context, const Component* after, std::size_t count,
                                  WallTime now) const {
  std::vector<Binding> page;
  const auto found = names_.find(context);
  if (found == names_.end()) return page;
  const Bindings& bindings = found->second;
  auto at = after == nullptr ? bindings.begin() : bindings.upper_bound(*after);
  for (; at != bindings.end() && page.size() < count; ++at) {
    const auto& [name, entry] = *at;
    if (has_ended(end_of(entry), now)) continue;
    // A name with a damaged value is listed as an object, so that operators see it.
    Binding binding{name, {}, end_of(entry)};
    if (entry.record)
      binding.target = {entry.record->target.kind, entry.record->target.context, {}};
    page.push_back(std::move(binding));
  }
  return page;
}

const std::pair<const Component, Entry>* Mirror::find_valid(ContextNumber context,
                                                            WallTime now) const {
  const auto found = names_.find(context);
  if (found == names_.end()) return nullptr;
  const auto valid = std::ranges::find_if(found->second, [now](const auto& binding) {
    return !has_ended(end_of(binding.second), now);
  });
  return valid == found->second.end() ? nullptr : &*valid;
}

std::vector<std::pair<BindingKey, Revision>> Mirror::expired(std::size_t count,
                                                             WallTime now) const {
  std::vector<std::pair<BindingKey, Revision>> found;
  for (const auto& [end, context, name] : leases_) {
    if (end > now || found.size() == count) break;
    found.emplace_back(BindingKey{context, name}, find(context, name)->modified);
  }
  return found;
}

bool Mirror::has_expired(WallTime now) const {
  return !leases_.empty() && std::get<WallTime>(*leases_.begin()) <= now;
}

std::expected<StoreRecord, StoreError> Mirror::store_record() const {
  if (!store_)
    return std::unexpected(StoreError{StoreError::Kind::corrupt, "the key 'store' is missing"});
  auto record = decode_store(*store_);
  if (record && !last_)
    return std::unexpected(
        StoreError{StoreError::Kind::corrupt, "the key 'last' is missing or damaged"});
  return record;
}

}  // namespace perigee::naming::etcd
