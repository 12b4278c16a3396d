// The functions of the recursive descent parser, by area of the grammar. Each reads its construct
// from the current token on and builds the model. A null or empty result means that an error was
// reported, unless the function's comment says otherwise.
#pragma once

#include "idlc/frontend/context.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace perigee::idlc {

// parse_definitions.cpp

/// The whole file.
void parse_specification(Context& context);
/// Definitions up to the closing brace. Leaves the brace to the caller.
void parse_definitions(Context& context);
/// The current token is `module`. Null after an error, and for a template module.
Declaration* parse_module(Context& context, Annotations annotations);
/// Reads `const`, `typedef`, `struct`, `union`, `enum`, `exception`, `native`, `typeid`, …, if the
/// next token starts one of them. These definitions may stand in modules and in interfaces.
/// `handled` tells whether one was read. The result is the last declaration made. It is null, also
/// without an error, if nothing was read, and for `typeid` and `typeprefix`: these declare nothing.
Declaration* parse_common_definition(Context& context, Annotations annotations, bool& handled);
/// A name that is being declared.
std::optional<Identifier> parse_identifier(Context& context, std::string_view what);
/// `A`, `A::B`, `::A::B`; empty after an error.
ScopedName parse_scoped_name(Context& context, std::string_view what);
/// Reports "'x' is a typedef, not a struct". `expected` includes the article.
void report_other_kind(Context& context, const ScopedName& name, const Declaration& found,
                       std::string_view expected);
/// Reports a base that is only declared, or that is just being defined.
void report_undefined_base(Context& context, const ScopedName& name, const Declaration& base);
/// Reads `;` and the annotation comments after it, for `declared` (may be null).
void finish_declaration(Context& context, Declaration* declared, std::string_view after);
/// The same for a list of declarators, such as `a, b` in `attribute long a, b;`. Annotation
/// comments after the `;` apply to each of them.
void finish_declarations(Context& context, const std::vector<Declaration*>& declared,
                         std::string_view after);

// parse_imports.cpp

/// `import ::M;`, `import "IDL:M:1.0";`. The current token is the word `import`.
void parse_import(Context& context);

// parse_components.cpp

/// Skips a definition of the component model, with a warning. False if there is no such definition
/// here.
bool skip_component(Context& context);

// parse_template_modules.cpp

/// A template module, or an instance of a visible one. The current token is the `<` after the name.
void parse_template_module(Context& context, const Identifier& identifier, Annotations annotations);
/// `A::B<long> C;` after `module`: an instance of a template in another scope. False if no scoped
/// name is here.
bool parse_scoped_instance(Context& context, Annotations annotations);
/// `alias A<T> B;` inside a template module: each instance of it has an instance of `A`. The
/// current token is the word `alias`.
void parse_template_alias(Context& context, Annotations annotations);

// parse_annotations.cpp

/// Only members of structs and exceptions can be @optional. At other places, @optional gets a
/// warning.
enum class AnnotatedPlace { member, other };
/// Annotations in front of a declaration, also in comments. Empty if there are none.
Annotations parse_annotations(Context& context, AnnotatedPlace place = AnnotatedPlace::other);
/// Annotation comments on the same line after a declaration.
void add_trailing_annotations(Context& context, Annotations& annotations,
                              AnnotatedPlace place = AnnotatedPlace::other);
/// The integer in `@name(integer)`, or `otherwise` if there is no such annotation. An integer
/// outside the range is reported.
struct NumberRange {
  std::uint64_t least;
  std::uint64_t greatest;
};
std::uint64_t annotated_number(Context& context, const Annotations& annotations,
                               std::string_view name, std::uint64_t otherwise, NumberRange range);
/// The initial value of a member with this type and these annotations: that of `@default`, or else
/// that of the nearest typedef of the type with `@default`. monostate if there is none.
Value default_of(Context& context, const Annotations& annotations, const Type& type);
/// `@optional` of a member of a struct or exception. Its `@default` is an error.
void apply_optional(Context& context, Member& member);
/// Warns about an annotation of that name, because it has no effect at this place.
void warn_of_ignored(Context& context, const Annotations& annotations, std::string_view name);
/// `@annotation foo { … };`: reads and drops the definition of an annotation.
void skip_annotation_definition(Context& context);

// parse_interfaces.cpp

bool at_interface(const Context& context);
Declaration* parse_interface(Context& context, Annotations annotations);
/// One operation or attribute, with its semicolon.
void parse_operation_or_attribute(Context& context, Annotations annotations);
/// `(in long a, …)`
void parse_parameters(Context& context, std::vector<Parameter>& parameters);
/// `(E1, E2)`
std::vector<const Exception*> parse_exception_list(Context& context);

// parse_values.cpp

bool at_value_type(const Context& context);
Declaration* parse_value_type(Context& context, Annotations annotations);

// parse_types.cpp

/// A type for members, parameters, results and typedefs. `void` is not included.
const Type* parse_type(Context& context, std::string_view what);
/// A type that may be defined in place: `struct S { … } s;` as a member.
const Type* parse_member_type(Context& context, std::string_view what);
/// Reads the dimensions after a declarator's name, if there are any, and applies them to `type`.
const Type* parse_dimensions(Context& context, const Type* type);
/// The type that a declaration names, or null after a report.
const Type* type_of(Context& context, Declaration* declaration, Location location);

// parse_constructed.cpp

Declaration* parse_struct(Context& context, Annotations annotations);
Declaration* parse_exception(Context& context, Annotations annotations);
Declaration* parse_enum(Context& context, Annotations annotations);
/// The enumerators' values must fit into the bits of the enum.
void check_enumerators(Context& context, const Enum& enumeration);
/// One line of members: a type and its declarators, with the semicolon.
void parse_members(Context& context, std::vector<Member>& members,
                   AnnotatedPlace place = AnnotatedPlace::other);

// parse_union.cpp

Declaration* parse_union(Context& context, Annotations annotations);

// parse_bits.cpp

/// The largest number of bits of a bitmask, bitset or enum.
inline constexpr std::uint64_t bit_count_max = 64;

Declaration* parse_bitmask(Context& context, Annotations annotations);
Declaration* parse_bitset(Context& context, Annotations annotations);

// parse_expressions.cpp

/// A constant expression, converted to `type`.
std::optional<Value> parse_constant(Context& context, const Type& type);
/// A constant expression from 1 to `greatest`: a bound, a dimension.
std::optional<std::uint64_t> parse_positive(Context& context, std::string_view what,
                                            std::uint64_t greatest);
/// A constant expression without a target type; monostate if it is invalid.
Value parse_natural_value(Context& context);

}  // namespace perigee::idlc
