// Facts about definitions that follow from their kinds and fields.
#include "repository/definition.h"

#include <perigee/cdr/encoder.h>

#include <algorithm>
#include <unordered_set>

namespace perigee::repository {

namespace {

std::size_t encoded_size(const CORBA::Any& value) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << value;
  return buffer.size();
}

std::vector<const Definition*> direct_bases(const Definition& derived) {
  std::vector<const Definition*> result;
  if (derived.base_value != nullptr) result.push_back(derived.base_value);
  result.insert(result.end(), derived.bases.begin(), derived.bases.end());
  result.insert(result.end(), derived.supported.begin(), derived.supported.end());
  return result;
}

/// All bases, each once. The definition itself is among them if it is its own base.
std::vector<const Definition*> reachable_bases(const Definition& definition) {
  std::vector<const Definition*> result;
  std::unordered_set<const Definition*> known;
  const auto add_direct = [&](const Definition& derived) {
    for (const Definition* base : direct_bases(derived))
      if (known.insert(base).second) result.push_back(base);
  };
  add_direct(definition);
  for (std::size_t index = 0; index < result.size(); ++index) add_direct(*result[index]);
  return result;
}

}  // namespace

bool is_interface(Kind kind) noexcept {
  return kind == Kind::dk_Interface || kind == Kind::dk_AbstractInterface ||
         kind == Kind::dk_LocalInterface;
}

bool is_typedef(Kind kind) noexcept {
  switch (kind) {
    case Kind::dk_Alias:
    case Kind::dk_Struct:
    case Kind::dk_Union:
    case Kind::dk_Enum:
    case Kind::dk_Native:
    case Kind::dk_ValueBox:
      return true;
    default:
      return false;
  }
}

bool is_type(Kind kind) noexcept {
  switch (kind) {
    case Kind::dk_Primitive:
    case Kind::dk_String:
    case Kind::dk_Wstring:
    case Kind::dk_Fixed:
    case Kind::dk_Sequence:
    case Kind::dk_Array:
    case Kind::dk_Value:
      return true;
    default:
      return is_typedef(kind) || is_interface(kind);
  }
}

bool is_container(Kind kind) noexcept {
  switch (kind) {
    case Kind::dk_Repository:
    case Kind::dk_Module:
    case Kind::dk_Struct:
    case Kind::dk_Union:
    case Kind::dk_Exception:
    case Kind::dk_Value:
      return true;
    default:
      return is_interface(kind);
  }
}

// CORBA 3.0, 10.4.1 and 10.5.4.
bool may_contain(Kind container, Kind content) noexcept {
  const bool is_nested_type =
      content == Kind::dk_Struct || content == Kind::dk_Union || content == Kind::dk_Enum;
  switch (container) {
    case Kind::dk_Repository:
    case Kind::dk_Module:
      return content == Kind::dk_Module || content == Kind::dk_Constant ||
             content == Kind::dk_Exception || content == Kind::dk_Value || is_typedef(content) ||
             is_interface(content);
    case Kind::dk_Struct:
    case Kind::dk_Union:
    case Kind::dk_Exception:
      return is_nested_type;
    default:
      break;
  }
  if (container == Kind::dk_Value && content == Kind::dk_ValueMember) return true;
  if (container != Kind::dk_Value && !is_interface(container)) return false;
  return is_nested_type || content == Kind::dk_Alias || content == Kind::dk_Native ||
         content == Kind::dk_Constant || content == Kind::dk_Exception ||
         content == Kind::dk_Attribute || content == Kind::dk_Operation;
}

bool matches(Kind kind, Kind limit) noexcept {
  return limit == Kind::dk_all || kind == limit || (limit == Kind::dk_Typedef && is_typedef(kind));
}

std::string absolute_name(const Definition& definition) {
  std::vector<const Definition*> scopes;  // the innermost first, without the repository
  for (const Definition* scope = &definition; scope->container != nullptr; scope = scope->container)
    scopes.push_back(scope);
  std::string result;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    result.append("::").append((*scope)->name);
  return result;
}

std::vector<Definition*> uses_of(const Details& definition) {
  std::vector<Definition*> result;
  const auto add = [&result](Definition* used) {
    if (used != nullptr) result.push_back(used);
  };
  add(definition.type);
  add(definition.base_value);
  for (const Part& part : definition.parts) add(part.type);
  std::ranges::copy(definition.bases, std::back_inserter(result));
  std::ranges::copy(definition.supported, std::back_inserter(result));
  std::ranges::copy(definition.exceptions, std::back_inserter(result));
  std::ranges::copy(definition.writing_exceptions, std::back_inserter(result));
  for (const Creator& creator : definition.creators) {
    for (const Part& part : creator.parameters) add(part.type);
    std::ranges::copy(creator.exceptions, std::back_inserter(result));
  }
  return result;
}

Size size_of(const Definition& definition) {
  Size size;
  size.octets = definition.id.size() + definition.name.size() + definition.version.size();
  const auto add_parts = [&size](const std::vector<Part>& parts) {
    size.parts += parts.size();
    for (const Part& part : parts)
      size.octets += part.name.size() + (part.label.has_value() ? encoded_size(part.label) : 0);
  };
  add_parts(definition.parts);
  size.parts += definition.names.size() + definition.bases.size() + definition.supported.size() +
                definition.exceptions.size() + definition.writing_exceptions.size() +
                definition.creators.size();
  for (const std::string& name : definition.names) size.octets += name.size();
  for (const Creator& creator : definition.creators) {
    size.octets += creator.name.size();
    size.parts += creator.exceptions.size();
    add_parts(creator.parameters);
  }
  if (definition.value.has_value()) size.octets += encoded_size(definition.value);
  return size;
}

bool is_own_base(const Definition& definition) {
  const auto bases = reachable_bases(definition);
  return std::ranges::find(bases, &definition) != bases.end();
}

std::vector<const Definition*> all_bases(const Definition& definition) {
  std::vector<const Definition*> result = reachable_bases(definition);
  std::erase(result, &definition);
  return result;
}

}  // namespace perigee::repository
