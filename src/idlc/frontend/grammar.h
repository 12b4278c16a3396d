// The functions of the recursive descent parser, by grammar area; each reads its construct at the
// present token and builds the model. A null or empty result means that an error was reported.
#pragma once

#include "idlc/frontend/context.h"

#include <optional>
#include <string_view>

namespace perigee::idlc {

// parse_definitions.cpp

/// The whole file.
void parse_specification(Context& context);
/// Definitions up to the closing brace, which is not taken.
void parse_definitions(Context& context);
/// `const`, `typedef`, `struct`, `union`, `enum`, `exception`, `native`, `typeid`, … if the next
/// token starts one: what may stand in modules and in interfaces. `handled` tells whether it did.
/// The result is the last declaration made, which takes trailing annotation comments.
Declaration* parse_common_definition(Context& context, Annotations annotations, bool& handled);
/// A name that is being declared.
std::optional<Identifier> parse_identifier(Context& context, std::string_view what);
/// `A`, `A::B`, `::A::B`; empty after an error.
ScopedName parse_scoped_name(Context& context, std::string_view what);
/// "'x' is a typedef, not a struct": `expected` has its article.
void report_other_kind(Context& context, const ScopedName& name, const Declaration& found,
                       std::string_view expected);
/// A base is declared only, or is what is being defined.
void report_undefined_base(Context& context, const ScopedName& name, const Declaration& base);
/// Reads `;` and the annotation comments behind it, for `declared` (may be null).
void finish_declaration(Context& context, Declaration* declared, std::string_view after);

// parse_imports.cpp

/// `import ::M;`, `import "IDL:M:1.0";`, the word is the present token.
void parse_import(Context& context);

// parse_components.cpp

/// Skips a definition of the component model after a report. False if there is none here.
bool skip_component(Context& context);

// parse_annotations.cpp

/// Annotations in front of a declaration, those in comments too.
Annotations parse_annotations(Context& context);
/// Annotation comments behind a declaration on its line.
void add_trailing_annotations(Context& context, Annotations& annotations);
/// `@annotation foo { … };`: the definition of an annotation, which is read and dropped.
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

/// A type as it may be used for members, parameters, results and typedefs. `void` is not among
/// them.
const Type* parse_type(Context& context, std::string_view what);
/// A type that may be constructed in place: `struct S { … } s;` as a member.
const Type* parse_member_type(Context& context, std::string_view what);
/// The dimensions behind a declarator's name, if there are any, around `type`.
const Type* parse_dimensions(Context& context, const Type* type);
/// The type that a declaration names, or null after a report.
const Type* type_of(Context& context, Declaration* declaration, Location location);

// parse_constructed.cpp

Declaration* parse_struct(Context& context, Annotations annotations);
Declaration* parse_exception(Context& context, Annotations annotations);
Declaration* parse_enum(Context& context, Annotations annotations);
/// One line of members: a type and its declarators, with the semicolon.
void parse_members(Context& context, std::vector<Member>& members);

// parse_union.cpp

Declaration* parse_union(Context& context, Annotations annotations);

// parse_bits.cpp

Declaration* parse_bitmask(Context& context, Annotations annotations);
Declaration* parse_bitset(Context& context, Annotations annotations);

// parse_expressions.cpp

/// A constant expression, converted to `type`.
std::optional<Value> parse_constant(Context& context, const Type& type);
/// A constant expression from 1 to `greatest`: a bound, a dimension.
std::optional<std::uint64_t> parse_positive(Context& context, std::string_view what,
                                            std::uint64_t greatest);
/// A constant expression that converts to nothing in particular; monostate if it is none.
Value parse_natural_value(Context& context);

}  // namespace perigee::idlc
