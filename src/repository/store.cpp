// Rules about names, repository ids, containers and dependencies.
#include "repository/store.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>
#include <utility>

namespace perigee::repository {

namespace {

constexpr std::uint32_t minor_id_exists = 2;
constexpr std::uint32_t minor_name_exists = 3;
constexpr std::uint32_t minor_bad_container = 4;
constexpr std::uint32_t minor_inherited_name = 5;
constexpr std::uint32_t minor_used = 1;
constexpr std::uint32_t minor_indestructible = 2;
constexpr auto primitive_count = static_cast<std::size_t>(CORBA::PrimitiveKind::pk_event) + 1;

char lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

[[noreturn]] void raise_limit(const std::string& text) {
  throw CORBA::NO_RESOURCES(0, CORBA::COMPLETED_NO, text);
}

/// The definition in `container` whose name clashes with `name`, or nullptr. CORBA 3.0, 3.2.3.
const Definition* clashing(const Definition& container, const std::string& name) {
  const auto found = container.names_inside.find(in_lower_case(name));
  return found == container.names_inside.end() ? nullptr : found->second;
}

/// Definitions in interfaces whose names derived interfaces may not define again. CORBA 3.0, 3.8.2.
bool is_member(const Definition& definition) {
  return definition.kind == Kind::dk_Attribute || definition.kind == Kind::dk_Operation ||
         definition.kind == Kind::dk_ValueMember;
}

bool is_unnamed(const Definition& definition) {
  return definition.id.empty() && definition.kind != Kind::dk_Repository &&
         definition.kind != Kind::dk_Primitive;
}

const Definition* find_in(const Definition& container, std::string_view name) {
  const Definition* found = clashing(container, std::string(name));
  return found != nullptr && found->name == name ? found : nullptr;
}

const Definition* find_inherited(const Definition& scope, std::string_view name) {
  const Definition* found = find_in(scope, name);
  if (found != nullptr) return found;
  for (const Definition* base : all_bases(scope))
    if (found == nullptr) found = find_in(*base, name);
  return found;
}

void remove_use(Definition& user, Definition& used) noexcept {
  const auto found = used.users.find(&user);
  if (found != used.users.end() && --found->second == 0) used.users.erase(found);
}

void remove_uses(Definition& user, const Details& details) {
  for (Definition* used : uses_of(details)) remove_use(user, *used);
}

/// Adds `user` to the users of each definition that it uses. If it throws, nothing has changed.
void add_uses(Definition& user) {
  std::vector<Definition*> used = uses_of(user);
  std::erase_if(used, [](const Definition* one) { return one->kind == Kind::dk_Primitive; });
  std::size_t noted = 0;
  try {
    for (; noted < used.size(); ++noted) ++used[noted]->users[&user];
  } catch (...) {
    for (std::size_t index = 0; index < noted; ++index) remove_use(user, *used[index]);
    throw;
  }
}

/// The size after one of the texts has been replaced.
Size with_text(Size size, const std::string& former, const std::string& text) {
  size.octets = size.octets - former.size() + text.size();
  return size;
}

/// The number of levels of definitions inside a definition.
std::size_t levels_inside(const Definition& definition) {
  std::size_t levels = 0;
  std::vector<const Definition*> level(definition.contents.begin(), definition.contents.end());
  for (; !level.empty(); ++levels) {
    std::vector<const Definition*> next;
    for (const Definition* scope : level)
      next.insert(next.end(), scope->contents.begin(), scope->contents.end());
    level = std::move(next);
  }
  return levels;
}

/// "A", "B" and "C" of "A::B::C".
std::vector<std::string_view> components_of(std::string_view scoped_name) {
  std::vector<std::string_view> result;
  for (std::size_t end = 0; (end = scoped_name.find("::")) != std::string_view::npos;) {
    result.push_back(scoped_name.substr(0, end));
    scoped_name.remove_prefix(end + 2);
  }
  result.push_back(scoped_name);
  return result;
}

}  // namespace

std::string in_lower_case(std::string_view name) {
  std::string result(name);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

void raise_bad_param(std::uint32_t omg_minor, const std::string& text) {
  const std::uint32_t minor = omg_minor == 0 ? 0 : CORBA::OMGVMCID | omg_minor;
  throw CORBA::BAD_PARAM(minor, CORBA::COMPLETED_NO, text);
}

void raise_bad_order(std::uint32_t omg_minor, const std::string& text) {
  throw CORBA::BAD_INV_ORDER(CORBA::OMGVMCID | omg_minor, CORBA::COMPLETED_NO, text);
}

Store::Store(const Limits& limits) : limits_(limits) {
  auto root = std::make_unique<Definition>();
  root->kind = Kind::dk_Repository;
  root_ = &keep(std::move(root));
  for (std::size_t index = 0; index < primitive_count; ++index) {
    auto primitive = std::make_unique<Definition>();
    primitive->kind = Kind::dk_Primitive;
    primitive->primitive = static_cast<CORBA::PrimitiveKind>(index);
    primitives_.push_back(&keep(std::move(primitive)));
  }
}

Definition& Store::keep(std::unique_ptr<Definition> definition) {
  definition->key = next_key_++;
  Definition& kept = *definition;
  definitions_.emplace(kept.key, std::move(definition));
  return kept;
}

Definition* Store::find(std::uint64_t key) noexcept {
  const auto found = definitions_.find(key);
  return found == definitions_.end() ? nullptr : found->second.get();
}

Definition* Store::find_id(const std::string& id) noexcept {
  const auto found = ids_.find(id);
  return found == ids_.end() ? nullptr : found->second;
}

Definition& Store::primitive(CORBA::PrimitiveKind kind) {
  return *primitives_.at(static_cast<std::size_t>(kind));
}

// Searches the first component in the scope and in its containers. Searches each later component
// only in the definition that the components before it name. CORBA 3.0, 3.15.
Definition* Store::lookup(Definition& container, std::string_view scoped_name) {
  const bool is_absolute = scoped_name.starts_with("::");
  if (is_absolute) scoped_name.remove_prefix(2);
  const std::vector<std::string_view> components = components_of(scoped_name);
  const Definition* found = nullptr;
  for (const Definition* scope = is_absolute ? root_ : &container;
       scope != nullptr && found == nullptr; scope = is_absolute ? nullptr : scope->container)
    found = find_inherited(*scope, components.front());
  for (std::size_t index = 1; index < components.size() && found != nullptr; ++index)
    found = find_inherited(*found, components[index]);
  return found == nullptr ? nullptr : find(found->key);
}

std::vector<Definition*> Store::contents(const Definition& container, Kind limit,
                                         bool with_inherited) const {
  std::vector<Definition*> result;
  const auto add = [&](const Definition& scope) {
    for (Definition* content : scope.contents)
      if (matches(content->kind, limit)) result.push_back(content);
  };
  add(container);
  if (with_inherited)
    for (const Definition* base : all_bases(container)) add(*base);
  return result;
}

std::vector<Definition*> Store::lookup_name(const Definition& container, std::string_view name,
                                            std::int32_t levels, Kind limit,
                                            bool with_inherited) const {
  std::vector<Definition*> result;
  std::unordered_set<const Definition*> known;  // a base of several interfaces is met several times
  std::vector<const Definition*> scopes = {&container};
  for (std::int32_t level = 0; !scopes.empty() && (levels < 0 || level < levels); ++level) {
    std::vector<const Definition*> inner;
    for (const Definition* scope : scopes) {
      for (Definition* content : contents(*scope, Kind::dk_all, with_inherited)) {
        const bool is_found = content->name == name && matches(content->kind, limit);
        if (is_found && known.insert(content).second) result.push_back(content);
        if (is_container(content->kind) && content->container == scope) inner.push_back(content);
      }
    }
    scopes = std::move(inner);
  }
  return result;
}

void Store::check_total(const Definition& definition, const Size& size) const {
  const auto check = [](std::size_t total, std::size_t former, std::size_t next, std::size_t limit,
                        const char* what) {
    // A change that adds nothing is always possible.
    if (next > former && total - former + next > limit)
      throw CORBA::IMP_LIMIT(
          0, CORBA::COMPLETED_NO,
          "the repository has reached its limit of " + std::to_string(limit) + what);
  };
  check(total_.parts, definition.size.parts, size.parts, limits_.parts_max,
        " members, parameters, bases, exceptions, enumerators and contexts");
  check(total_.octets, definition.size.octets, size.octets, limits_.octets_max,
        " octets of texts, constants and labels");
}

Size Store::checked_size(const Definition& definition) const {
  const Size size = size_of(definition);
  check_total(definition, size);
  return size;
}

void Store::count(Definition& definition, const Size& size) noexcept {
  total_.parts += size.parts - definition.size.parts;
  total_.octets += size.octets - definition.size.octets;
  definition.size = size;
}

void Store::erase(const Definition& definition) {
  total_.parts -= definition.size.parts;
  total_.octets -= definition.size.octets;
  definitions_.erase(definition.key);
}

void Store::check_count(std::size_t count) const {
  if (count > limits_.list_size_max)
    raise_limit("a list of the definition has more than " + std::to_string(limits_.list_size_max) +
                " elements");
}

void Store::check_room() const {
  if (definitions_.size() >= limits_.definitions_max)
    raise_limit("the repository has reached its limit of " +
                std::to_string(limits_.definitions_max) + " definitions");
}

void Store::check_text(const std::string& text) const {
  if (text.size() > limits_.text_size_max)
    raise_limit("a name, repository id or version has more than " +
                std::to_string(limits_.text_size_max) + " octets");
}

void Store::check_identifier(const std::string& name) const {
  check_text(name);
  const auto is_letter = [](char one) {
    return std::isalpha(static_cast<unsigned char>(one)) != 0;
  };
  const auto may_follow = [&](char one) {
    return is_letter(one) || one == '_' || (one >= '0' && one <= '9');
  };
  if (name.empty() || !is_letter(name.front()) || !std::ranges::all_of(name, may_follow))
    raise_bad_param(0, "'" + name.substr(0, 64) + "' is not an IDL identifier");
}

// CORBA 3.0, 10.7: the part before the first colon is the format.
void Store::check_id(const std::string& id) const {
  check_text(id);
  const bool is_printed = std::ranges::all_of(id, [](char one) { return one > ' ' && one <= '~'; });
  const std::size_t colon = id.find(':');
  if (!is_printed || colon == std::string::npos || colon == 0)
    raise_bad_param(
        0, "'" + id.substr(0, 64) + "' is not a repository id; write IDL:<name>:<version>");
  if (ids_.contains(id))
    raise_bad_param(minor_id_exists, "the repository id exists already: " + id);
}

void Store::check_place(const Definition& container, Kind kind, const std::string& name,
                        const Definition* moved) const {
  if (!may_contain(container.kind, kind))
    raise_bad_param(minor_bad_container, "this container cannot have definitions of this kind");
  std::size_t depth = 1;
  for (const Definition* scope = &container; scope->container != nullptr;
       scope = scope->container) {
    if (scope == moved)
      raise_bad_param(minor_bad_container, "a definition cannot move into itself");
    ++depth;
  }
  if (moved != nullptr) depth += levels_inside(*moved);
  if (depth > limits_.depth_max)
    raise_limit("more than " + std::to_string(limits_.depth_max) + " containers are nested");
  const Definition* present = clashing(container, name);
  if (present != nullptr && present != moved)
    raise_bad_param(minor_name_exists, "the container has this name already: " + name);
  for (const Definition* base : all_bases(container)) {
    const Definition* inherited = clashing(*base, name);
    if (inherited != nullptr && inherited != moved && is_member(*inherited))
      raise_bad_param(minor_inherited_name, "a base has this name already: " + name);
  }
}

std::unique_ptr<Definition> Store::prepare(Definition& container, Kind kind,
                                           const NewName& name) const {
  check_identifier(name.name);
  check_id(name.id);
  check_text(name.version);
  check_place(container, kind, name.name, nullptr);
  check_room();
  auto prepared = std::make_unique<Definition>();
  prepared->kind = kind;
  prepared->id = name.id;
  prepared->name = name.name;
  prepared->version = name.version;
  prepared->container = &container;
  return prepared;
}

void Store::attach(Definition& container, Definition& definition) {
  const auto [entry, is_new] =
      container.names_inside.emplace(in_lower_case(definition.name), &definition);
  try {
    container.contents.push_back(&definition);
  } catch (...) {
    container.names_inside.erase(entry);
    throw;
  }
  definition.container = &container;
}

void Store::detach(Definition& definition) noexcept {
  Definition& container = *definition.container;
  std::erase_if(container.names_inside,
                [&](const auto& entry) { return entry.second == &definition; });
  std::erase(container.contents, &definition);
}

Definition& Store::commit(std::unique_ptr<Definition> prepared) {
  Definition& container = *prepared->container;
  const Size size = checked_size(*prepared);
  const auto entry = ids_.emplace(prepared->id, prepared.get()).first;
  try {
    Definition& kept = keep(std::move(prepared));
    add_uses(kept);
    attach(container, kept);
    count(kept, size);
    changed();
    return kept;
  } catch (...) {
    ids_.erase(entry);
    throw;
  }
}

Definition& Store::add_anonymous(std::unique_ptr<Definition> prepared) {
  check_room();
  const Size size = checked_size(*prepared);
  Definition& kept = keep(std::move(prepared));
  add_uses(kept);
  count(kept, size);
  return kept;
}

void Store::set_id(Definition& definition, const std::string& id) {
  if (definition.id == id) return;
  check_id(id);
  const Size size = with_text(definition.size, definition.id, id);
  check_total(definition, size);
  ids_.emplace(id, &definition);
  ids_.erase(definition.id);
  definition.id = id;
  count(definition, size);
  changed();
}

void Store::set_name(Definition& definition, const std::string& name) {
  move(definition, *definition.container, {definition.id, name, definition.version});
}

void Store::set_version(Definition& definition, const std::string& version) {
  check_text(version);
  const Size size = with_text(definition.size, definition.version, version);
  check_total(definition, size);
  definition.version = version;
  count(definition, size);
  changed();
}

void Store::move(Definition& definition, Definition& container, const NewName& name) {
  check_identifier(name.name);
  check_text(name.version);
  check_place(container, definition.kind, name.name, &definition);
  const Size size = with_text(with_text(definition.size, definition.name, name.name),
                              definition.version, name.version);
  check_total(definition, size);
  std::string new_name = name.name;  // it may refer to the definition's own text
  std::string new_version = name.version;
  Definition& old_container = *definition.container;
  detach(definition);
  std::swap(definition.name, new_name);
  try {
    attach(container, definition);
  } catch (...) {
    std::swap(definition.name, new_name);
    attach(old_container, definition);
    throw;
  }
  definition.version = std::move(new_version);
  count(definition, size);
  changed();
}

std::vector<Definition*> Store::subtree(Definition& definition) const {
  std::vector<Definition*> result = {&definition};
  for (std::size_t index = 0; index < result.size(); ++index) {
    const Definition& scope = *result[index];
    result.insert(result.end(), scope.contents.begin(), scope.contents.end());
  }
  return result;
}

/// The definitions that are destroyed with one: its contents, and the types without a name that use
/// them. Raises BAD_INV_ORDER if another definition uses one of them.
std::vector<Definition*> Store::doomed_with(Definition& definition) const {
  std::vector<Definition*> doomed = subtree(definition);
  std::unordered_set<const Definition*> all(doomed.begin(), doomed.end());
  for (std::size_t index = 0; index < doomed.size(); ++index) {
    const Definition& used = *doomed[index];
    for (const auto& [user, count] : used.users) {
      if (all.contains(user)) continue;
      if (!is_unnamed(*user))
        raise_bad_order(minor_used, absolute_name(*user) + " uses the definition or its contents");
      all.insert(user);
      doomed.push_back(user);
    }
  }
  return doomed;
}

void Store::destroy(Definition& definition) {
  if (definition.kind == Kind::dk_Repository || definition.kind == Kind::dk_Primitive)
    raise_bad_order(minor_indestructible, "repositories and primitive types cannot be destroyed");
  const std::vector<Definition*> doomed = doomed_with(definition);
  const std::unordered_set<const Definition*> all(doomed.begin(), doomed.end());
  std::vector<Definition*> candidates;
  for (const Definition* one : doomed)
    std::ranges::copy_if(uses_of(*one), std::back_inserter(candidates),
                         [&](const Definition* used) { return !all.contains(used); });
  if (definition.container != nullptr) detach(definition);
  for (Definition* one : doomed) {
    remove_uses(*one, *one);
    if (!one->id.empty()) ids_.erase(one->id);
  }
  for (const Definition* one : doomed) erase(*one);
  drop_unused(candidates);
  changed();
}

void Store::replaced(Definition& definition, const Details& former) {
  const std::vector<Definition*> candidates = uses_of(former);
  const Size size = checked_size(definition);
  add_uses(definition);
  count(definition, size);
  remove_uses(definition, former);
  drop_unused(candidates);
}

/// Removes the candidates that are types without a name, and that no definition uses. CORBA 3.0,
/// 10.5.7.
void Store::drop_unused(const std::vector<Definition*>& candidates) {
  std::unordered_set<Definition*> open(candidates.begin(), candidates.end());
  while (!open.empty()) {
    Definition* one = *open.begin();
    open.erase(open.begin());
    if (!is_unnamed(*one) || !one->users.empty()) continue;
    for (Definition* element : uses_of(*one)) {
      remove_use(*one, *element);
      open.insert(element);
    }
    erase(*one);
  }
}

void Store::check_inherited(const Definition& definition) const {
  std::unordered_map<std::string, const Definition*> names;
  const auto add = [&](const Definition& scope) {
    for (const auto& [name, content] : scope.names_inside) {
      if (!is_member(*content)) continue;
      const auto [first, is_new] = names.emplace(name, content);
      if (!is_new && first->second != content)
        raise_bad_param(minor_inherited_name, "two bases have this name: " + content->name);
    }
  };
  add(definition);
  for (const Definition* base : all_bases(definition)) add(*base);
}

}  // namespace perigee::repository
