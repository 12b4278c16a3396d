// Writes types, labels and constants as IDL.
#pragma once

#include "remote/description.h"
#include <perigee/orb/orb.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace perigee::tool {

/// Writes types as text. Not thread-safe.
class TypeText {
 public:
  /// Gives the scoped name of the type, with escapes.
  using ScopedName = std::function<std::string(const cdr::TypeNode& type)>;
  explicit TypeText(ScopedName scoped) : scoped_(std::move(scoped)) {}

  /// "::Bank::Account", "sequence<long, 4>". Throws DescriptionError for arrays without a name, and
  /// for types that IDL 3 does not have.
  [[nodiscard]] std::string type(const cdr::TypeNode& node);
  /// "long matrix[2][3]".
  [[nodiscard]] std::string declarator(const cdr::TypeNode& node, std::string_view name);
  /// A label of a union with this discriminator.
  [[nodiscard]] std::string label(const cdr::TypeNode& discriminator, std::int64_t label);
  /// The value of a constant. Throws DescriptionError for types that constants do not have.
  [[nodiscard]] std::string value(const CORBA::object_reference<CORBA::ORB>& orb,
                                  const CORBA::Any& value);
  /// Whether one of the types that were written so far needs `#include <orb.idl>`.
  [[nodiscard]] bool uses_orb_idl() const noexcept { return uses_orb_idl_; }

 private:
  [[nodiscard]] std::string enumerator(const cdr::TypeNode& node, std::int64_t ordinal);

  ScopedName scoped_;
  bool uses_orb_idl_ = false;
};

/// The name with the escape of IDL if it is a keyword. Throws DescriptionError if it is not an
/// identifier.
[[nodiscard]] std::string escaped(std::string_view name);
/// The same for an enumerator. JacORB puts an underscore before the enumerators of Java classes;
/// the function removes it.
[[nodiscard]] std::string escaped_enumerator(std::string_view name);

}  // namespace perigee::tool
