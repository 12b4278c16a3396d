// The table of warnings, and the -W options that select them.
#include "idlc/frontend/diagnostics.h"

#include <algorithm>
#include <array>

namespace perigee::idlc {
namespace {

constexpr std::array table = {
    WarningInfo{Warning::anonymous_parameters, "anonymous-parameters", true,
                "a parameter, result or attribute of a type without a name, like sequence<long>"},
    WarningInfo{Warning::anonymous_types, "anonymous-types", false,
                "a member or element of a type without a name, which CORBA 3 deprecates"},
    WarningInfo{Warning::builtin, "builtin", true,
                "a declaration of module CORBA that differs from the one in the built-in orb.idl"},
    WarningInfo{Warning::case_clash, "case-clash", false,
                "names that differ only in case, which other compilers may refuse"},
    WarningInfo{Warning::cpp, "cpp", true, "#warning"},
    WarningInfo{Warning::extra_tokens, "extra-tokens", true,
                "superfluous text after a preprocessor directive"},
    WarningInfo{Warning::fixed_truncated, "fixed-truncated", true,
                "a fixed-point constant with more digits after the point than its type has"},
    WarningInfo{
        Warning::ignored_annotations, "ignored-annotations", true,
        "a standard annotation that has no effect at this place, like @default of a sequence"},
    WarningInfo{Warning::include_quotes, "include-quotes", true,
                "the file name of an #include without quotes"},
    WarningInfo{Warning::literal_kind, "literal-kind", true,
                "a literal of a kind that other compilers refuse, like 3.14 for a fixed constant"},
    WarningInfo{Warning::macro_redefined, "macro-redefined", true,
                "a macro that is defined again, differently"},
    WarningInfo{Warning::missing_include, "missing-include", true,
                "a name of module CORBA without #include <orb.idl>"},
    WarningInfo{Warning::missing_semicolon, "missing-semicolon", true,
                "a typeprefix without the ';' at its end"},
    WarningInfo{Warning::not_generated, "not-generated", true,
                "a definition of the component model, which is read without generating code"},
    WarningInfo{Warning::scope_name, "scope-name", true,
                "a declaration with the name of the module around it"},
    WarningInfo{Warning::shadow, "shadow", false,
                "a declaration that hides a declaration of a scope around it"},
    WarningInfo{Warning::undefined_forward, "undefined-forward", true,
                "an interface or valuetype that is declared, but not defined in any file read"},
    WarningInfo{Warning::unknown_annotation, "unknown-annotation", true,
                "an annotation perigee::... that does not exist", true},
    WarningInfo{Warning::unknown_pragmas, "unknown-pragmas", false,
                "a #pragma that is not known and has no effect"},
    WarningInfo{Warning::unused_include, "unused-include", false,
                "an #include whose declarations the file does not use"},
};

const WarningInfo* find(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &WarningInfo::name);
  return found == table.end() ? nullptr : found;
}

/// Has more bits than the table has rows. The other bits, also that of Warning::none, are not read.
constexpr std::uint32_t all_bits = ~std::uint32_t{0};

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::span<const WarningInfo> warnings() { return table; }

WarningOptions::WarningOptions() {
  for (const WarningInfo& info : table) {
    if (info.is_on) enabled |= bit(info.warning);
    if (info.is_error) as_errors |= bit(info.warning);
  }
}

bool apply_warning_option(std::string_view text, WarningOptions& options) {
  const bool is_no = take_prefix(text, "no-");
  if (text == "all") {
    options.enabled = is_no ? 0 : all_bits;
    return true;
  }
  if (text == "error") {
    options.as_errors = is_no ? 0 : all_bits;
    return true;
  }
  const bool is_error = take_prefix(text, "error=");
  const WarningInfo* info = find(text);
  if (info == nullptr) return false;
  const std::uint32_t bit = WarningOptions::bit(info->warning);
  std::uint32_t& bits = is_error ? options.as_errors : options.enabled;
  if (is_no) {
    bits &= ~bit;
  } else {
    bits |= bit;
    options.enabled |= bit;  // -Werror=x also enables x
  }
  return true;
}

}  // namespace perigee::idlc
