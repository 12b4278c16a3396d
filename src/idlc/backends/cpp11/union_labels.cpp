// Labels: C++ text, the first unused value, switches.
#include "idlc/backends/cpp11/union_labels.h"

#include "idlc/backends/cpp11/constants.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

namespace perigee::idlc::cpp11 {

namespace {

/// The value of the discriminator's type that is `number` steps after its zero or first enumerator.
Value nth_value(const Type& discriminator, std::uint64_t number) {
  switch (discriminator.kind) {
    case TypeKind::boolean:
      return number != 0;
    case TypeKind::char8:
      return static_cast<char>(static_cast<unsigned char>(number));
    case TypeKind::wchar:
      return static_cast<char32_t>(number);
    case TypeKind::enumeration:
      return as<Enum>(discriminator.declaration)->enumerators[number];
    case TypeKind::octet:
    case TypeKind::uint8:
    case TypeKind::uint16:
    case TypeKind::uint32:
    case TypeKind::uint64:
      return number;
    case TypeKind::int8:
      return std::int64_t{static_cast<std::int8_t>(number)};
    case TypeKind::int16:
      return std::int64_t{static_cast<std::int16_t>(number)};
    default:
      return static_cast<std::int64_t>(number);
  }
}

/// The inverse of nth_value.
struct NumberOf {
  TypeKind kind;

  std::uint64_t operator()(bool value) const { return value ? 1 : 0; }
  std::uint64_t operator()(char value) const { return static_cast<unsigned char>(value); }
  std::uint64_t operator()(char32_t value) const { return value; }
  std::uint64_t operator()(std::uint64_t value) const { return value; }
  std::uint64_t operator()(const Enumerator* value) const { return value->ordinal; }
  std::uint64_t operator()(std::int64_t value) const {
    if (kind == TypeKind::int8) return static_cast<std::uint8_t>(value);
    return kind == TypeKind::int16 ? static_cast<std::uint16_t>(value)
                                   : static_cast<std::uint64_t>(value);
  }
  template <typename Other>
  std::uint64_t operator()(const Other&) const {
    return 0;  // no label has such a value
  }
};

/// The first value that is not a label. Call only if the union has a default branch or an implicit
/// default. Then such a value exists: the front end refuses a default label that is unreachable.
std::string unlabelled(const Union& declared) {
  const Type& discriminator = unaliased(*declared.discriminator);
  std::vector<std::uint64_t> taken;
  for (const UnionBranch& branch : declared.branches)
    for (const Value& label : branch.labels)
      taken.push_back(std::visit(NumberOf{discriminator.kind}, label));
  std::ranges::sort(taken);
  std::uint64_t number = 0;
  for (const std::uint64_t label : taken) {
    if (label != number) break;
    ++number;
  }
  return value_text(nth_value(discriminator, number), *declared.discriminator);
}

bool is_boolean(const Union& declared) {
  return unaliased(*declared.discriminator).kind == TypeKind::boolean;
}

void write_labels(Writer& writer, const Union& declared, const UnionBranch& branch) {
  for (const Value& label : branch.labels) {
    const std::string text = value_text(label, *declared.discriminator);
    if (!is_boolean(declared)) {
      writer.write("case " + text + ":");
    } else {
      writer.write(text == "true" ? "case 1:" : "case 0:");
    }
  }
  if (branch.is_default) writer.write("default:");
}

bool is_default_branch(const UnionBranch& branch) { return branch.is_default; }

/// Whether the branch has the annotation itself. The default of a typedef selects no member.
bool has_own_default(const UnionBranch& branch) {
  return std::ranges::find(branch.member.annotations, "default", &Annotation::name) !=
         branch.member.annotations.end();
}

}  // namespace

bool has_several_labels(const UnionBranch& branch) {
  return branch.is_default || branch.labels.size() > 1;
}

std::string label_of(const Union& declared, const UnionBranch& branch) {
  return branch.is_default ? unlabelled(declared)
                           : value_text(branch.labels.front(), *declared.discriminator);
}

bool covers_by_labels(const Union& declared) {
  return !declared.has_implicit_default &&
         std::ranges::none_of(declared.branches, &UnionBranch::is_default);
}

InitialBranch without_member(const Union& declared) {
  return {declared.branches.size(), unlabelled(declared)};
}

InitialBranch initial_branch(const Union& declared) {
  const bool is_implicit = declared.has_implicit_default;
  const auto found =
      std::ranges::find_if(declared.branches, is_implicit ? has_own_default : is_default_branch);
  if (is_implicit && found == declared.branches.end()) return without_member(declared);
  const auto& branch = found == declared.branches.end() ? declared.branches.front() : *found;
  return {static_cast<std::size_t>(&branch - declared.branches.data()), label_of(declared, branch)};
}

void write_switch(Writer& writer, const Union& declared, const std::string& expression,
                  const std::function<void(const UnionBranch* branch)>& write_case) {
  const std::string value =
      is_boolean(declared) ? "static_cast<int>(" + expression + ")" : expression;
  writer.write("switch (" + value + ") {");
  const Indented body(writer);
  for (const UnionBranch& branch : declared.branches) {
    write_labels(writer, declared, branch);
    const Indented statements(writer);
    write_case(&branch);
  }
  if (declared.has_implicit_default) {
    writer.write("default:");
    const Indented statements(writer);
    write_case(nullptr);
  }
  writer.dedent();
  writer.write("}");
  writer.indent();
}

}  // namespace perigee::idlc::cpp11
