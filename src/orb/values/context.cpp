// Properties of contexts: setting, finding and marshalling.
#include "orb/values/system_exceptions.h"
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/context.h>

#include <algorithm>
#include <utility>

namespace perigee::stub {

namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_property(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool matches(std::string_view pattern, std::string_view name) noexcept {
  if (!pattern.ends_with('*')) return same_property(pattern, name);
  pattern.remove_suffix(1);
  return same_property(pattern, name.substr(0, pattern.size()));
}

}  // namespace

bool PropertyOrder::operator()(std::string_view a, std::string_view b) const noexcept {
  return std::ranges::lexicographical_compare(a, b, {}, lower, lower);
}

cdr::Encoder& operator<<(cdr::Encoder& encoder, const SelectedContext& selected) {
  CORBA::ContextValues values;
  if (selected.context != nullptr) values = selected.context->_select(selected.patterns);
  if (values.size() > context_values_max) encoder.fail(cdr::ErrorKind::too_large);
  encoder.write_length(2 * values.size());
  for (const auto& [name, value] : values) {
    encoder.write_string(name);
    encoder.write_string(value);
  }
  return encoder;
}

}  // namespace perigee::stub

namespace CORBA {
inline namespace perigee_v1 {

namespace {

using perigee::orb::minor_no_context;
using perigee::orb::minor_no_property;

void check_name(std::string_view name) {
  if (name.empty() || name.ends_with('*'))
    throw BAD_PARAM(0, COMPLETED_NO, "'" + std::string(name) + "' is not the name of a property");
}

[[noreturn]] void raise_no_property(const std::string& pattern) {
  throw BAD_CONTEXT(minor_no_property, COMPLETED_NO, "no property matches '" + pattern + "'");
}

}  // namespace

Context::Context(std::string name, object_reference<Context> parent, ContextValues values)
    : name_(std::move(name)), parent_(std::move(parent)), values_(std::move(values)) {}

Context::~Context() = default;

object_reference<Context> Context::create_child(const std::string& name) {
  return object_reference<Context>(
      perigee::make_counted<Context>(name, object_reference<Context>(counted(*this))));
}

void Context::set_one_value(const std::string& name, const std::string& value) {
  check_name(name);
  const std::lock_guard lock(mutex_);
  values_.insert_or_assign(name, value);
}

void Context::set_values(const ContextValues& values) {
  for (const auto& [name, value] : values) check_name(name);
  const std::lock_guard lock(mutex_);
  for (const auto& [name, value] : values) values_.insert_or_assign(name, value);
}

// Adds the properties that were not found in a nearer context, which is searched first.
void Context::collect(std::string_view pattern, ContextValues& found) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, value] : values_)
    if (perigee::stub::matches(pattern, name)) found.emplace(name, value);
}

ContextValues Context::get_values(const std::string& start_scope, Flags flags,
                                  const std::string& pattern) const {
  const Context* scope = this;
  if (!start_scope.empty())
    while (scope != nullptr && scope->name_ != start_scope) scope = scope->parent_.get();
  if (scope == nullptr)
    throw BAD_CONTEXT(minor_no_context, COMPLETED_NO, "no context is called '" + start_scope + "'");
  ContextValues found;
  for (; scope != nullptr; scope = scope->parent_.get()) {
    scope->collect(pattern, found);
    if (flags == CTX_RESTRICT_SCOPE) break;
  }
  if (found.empty()) raise_no_property(pattern);
  return found;
}

void Context::delete_values(const std::string& pattern) {
  const std::lock_guard lock(mutex_);
  const auto deleted = std::erase_if(values_, [&](const auto& property) {
    return perigee::stub::matches(pattern, property.first);
  });
  if (deleted == 0) raise_no_property(pattern);
}

ContextValues Context::_select(std::span<const std::string_view> patterns) const {
  ContextValues found;
  for (const Context* scope = this; scope != nullptr; scope = scope->parent_.get())
    for (const std::string_view pattern : patterns) scope->collect(pattern, found);
  return found;
}

perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder,
                                  object_reference<Context>& context) {
  constexpr std::size_t string_size_min = 5;  // the length, and the NUL
  const std::size_t count = decoder.read_length(string_size_min);
  if (count % 2 != 0) decoder.fail(perigee::cdr::ErrorKind::bad_value);
  if (count / 2 > perigee::stub::context_values_max)
    decoder.fail(perigee::cdr::ErrorKind::too_large);
  ContextValues values;
  for (std::size_t index = 0; index < count / 2 && decoder.ok(); ++index) {
    std::string name;
    std::string value;
    decoder.read_string(name);
    decoder.read_string(value);
    if (decoder.ok()) values.insert_or_assign(std::move(name), std::move(value));
  }
  if (decoder.ok())
    context = object_reference<Context>(
        perigee::make_counted<Context>(std::string(), nullptr, std::move(values)));
  return decoder;
}

}  // namespace perigee_v1
}  // namespace CORBA
