// The checked and resolved model of one IDL compilation, which back ends read. Every name is bound
// to its declaration, every constant is evaluated, and all rules that the front end checks are
// satisfied. The model owns all nodes. Pointers between nodes do not own and live as long as the
// model. Contains data only: earlier phases build and check it.
#pragma once

#include "idlc/frontend/source.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace perigee::idlc {

struct Declaration;
struct Enumerator;
struct Interface;
struct Exception;
struct Struct;
struct ValueType;

// ---- types -------------------------------------------------------------------------------------

/// The kinds of types. A type of kind `alias` or a later kind is named, and `Type::declaration` is
/// its declaration.
enum class TypeKind {
  void_type,
  boolean,
  octet,
  char8,     ///< char
  wchar,     ///< wchar
  int8,      ///< IDL 4: int8
  uint8,     ///< IDL 4: uint8
  int16,     ///< short, int16
  uint16,    ///< unsigned short, uint16
  int32,     ///< long, int32
  uint32,    ///< unsigned long, uint32
  int64,     ///< long long, int64
  uint64,    ///< unsigned long long, uint64
  float32,   ///< float
  float64,   ///< double
  float128,  ///< long double
  any,
  object,       ///< Object, CORBA::Object
  value_base,   ///< ValueBase
  type_code,    ///< CORBA::TypeCode
  string,       ///< `bound` 0: unbounded
  wstring,      ///< `bound` 0: unbounded
  sequence,     ///< `element`, `bound` (0: unbounded)
  array,        ///< `element`, `dimensions` (outermost first, at least one)
  map,          ///< IDL 4: `key`, `element`, `bound`
  optional,     ///< IDL 4: the type of a member with @optional; `element`
  fixed,        ///< `digits`, `scale`
  alias,        ///< Typedef
  enumeration,  ///< Enum
  structure,    ///< Struct
  union_type,   ///< Union
  interface,    ///< Interface
  native,       ///< Native
  value_type,   ///< ValueType
  value_box,    ///< ValueBox
  bitmask,      ///< Bitmask
  bitset,       ///< Bitset
};

/// A type in use. Basic types, unbounded strings and named types exist once per model: equal
/// pointers mean equal types. Sequences, arrays and other templates exist once per use.
struct Type {
  TypeKind kind = TypeKind::void_type;
  std::uint64_t bound = 0;
  const Type* element = nullptr;
  const Type* key = nullptr;
  std::vector<std::uint64_t> dimensions;
  std::uint16_t digits = 0;
  std::uint16_t scale = 0;
  const Declaration* declaration = nullptr;  ///< for named kinds, else nullptr
};

/// The type without the typedefs around it. An array or sequence keeps the typedefs of its
/// elements.
const Type& unaliased(const Type& type);

// ---- values ------------------------------------------------------------------------------------

/// A decimal value: `digits` (no sign, no leading zeros) divided by ten to the `scale`.
struct FixedValue {
  bool is_negative = false;
  std::string digits;
  std::uint16_t scale = 0;
  friend bool operator==(const FixedValue&, const FixedValue&) = default;
};

/// The value of a constant or a label; monostate if the expression had an error:
/// - bool for boolean;
/// - int64_t for signed integers;
/// - uint64_t for unsigned integers, octet and uint8;
/// - long double (rounded to the type) for float, double and long double;
/// - FixedValue for fixed;
/// - char for char, and char32_t (a Unicode code point) for wchar;
/// - std::string for string, and std::u32string for wstring;
/// - a pointer to the declaration for an enumerator.
using Value = std::variant<std::monostate, bool, char, char32_t, std::int64_t, std::uint64_t,
                           long double, FixedValue, std::string, std::u32string, const Enumerator*>;

// ---- annotations -------------------------------------------------------------------------------

struct AnnotationParameter {
  std::string name;  ///< empty for the single unnamed parameter of `@id(3)`
  std::string text;  ///< as written
  Value value;       ///< evaluated; monostate if `text` is not a constant expression
};

/// `@name(parameters)` before a declaration, or `//@name(…)` in a comment, which other compilers
/// skip.
struct Annotation {
  std::string name;  ///< without "@", e.g. "perigee::borrowed"
  Location location;
  std::vector<AnnotationParameter> parameters;
};

// ---- declarations ------------------------------------------------------------------------------

enum class DeclarationKind {
  module,
  interface,
  forward,
  operation,
  attribute,
  exception,
  structure,
  union_type,
  enumeration,
  enumerator,
  type_definition,
  constant,
  native,
  value_type,
  value_box,
  factory,
  bitmask,
  bitset,
};

/// The common fields of all declarations.
struct Declaration {
  explicit Declaration(DeclarationKind declaration_kind) : kind(declaration_kind) {}

  DeclarationKind kind;
  std::string name;           ///< the identifier, without the escape of `_interface`
  std::string scoped_name;    ///< "::Stock::Quoter"
  std::string repository_id;  ///< "IDL:Stock/Quoter:1.0"
  Location location;          ///< of the identifier
  /// The file whose C++ contains the declaration: the file of the identifier. A declaration from a
  /// file that is included inside a scope belongs to the file that opened the scope.
  const SourceFile* unit = nullptr;
  bool is_imported = false;  ///< its `unit` is not the main file: no code is generated for it
  const Declaration* parent = nullptr;  ///< enclosing module, interface, …; nullptr at file level
  std::vector<Annotation> annotations;

  /// The annotation of that name, or nullptr.
  [[nodiscard]] const Annotation* annotation(std::string_view annotation_name) const;
};

using Declarations = std::vector<const Declaration*>;

/// One opening of a module. Each further opening is another node with the same names.
struct Module final : Declaration {
  static constexpr auto kind_of = DeclarationKind::module;
  Module() : Declaration(kind_of) {}
  Declarations contents;
  const Module* first_opening = nullptr;  ///< points to itself in the first opening
  std::vector<const Module*> openings;    ///< all openings, of all files; only in the first one
};

/// `contents` holds operations, attributes and nested types in the order of the text.
struct Interface final : Declaration {
  static constexpr auto kind_of = DeclarationKind::interface;
  Interface() : Declaration(kind_of) {}
  bool is_local = false;
  bool is_abstract = false;
  bool is_defined = false;              ///< false: only forward declared in this compilation
  bool is_component = false;            ///< stands for a component, home, …; in no `contents`
  std::vector<const Interface*> bases;  ///< direct bases, as written
  Declarations contents;
};

/// All bases, direct and indirect, each once. A base always comes before the interfaces that derive
/// from it.
std::vector<const Interface*> all_bases(const Interface& interface);

/// `interface I;` or `struct S;`. `declared` is the node of the full declaration. If this
/// compilation has none, it is a node of an interface or valuetype with `is_defined == false`.
struct Forward final : Declaration {
  static constexpr auto kind_of = DeclarationKind::forward;
  Forward() : Declaration(kind_of) {}
  const Declaration* declared = nullptr;
};

enum class Direction { in, out, inout };

struct Parameter {
  std::string name;
  Location location;
  Direction direction = Direction::in;
  const Type* type = nullptr;
  std::vector<Annotation> annotations;
};

struct Operation final : Declaration {
  static constexpr auto kind_of = DeclarationKind::operation;
  Operation() : Declaration(kind_of) {}
  bool is_oneway = false;
  bool is_joined = false;             ///< implied: hides the same operation of several bases
  const Type* return_type = nullptr;  ///< of kind void_type if there is no result
  std::vector<Parameter> parameters;
  std::vector<const Exception*> raises;
  std::vector<std::string> contexts;
};

/// `attribute long a, b;` makes two nodes.
struct Attribute final : Declaration {
  static constexpr auto kind_of = DeclarationKind::attribute;
  Attribute() : Declaration(kind_of) {}
  bool is_readonly = false;
  const Type* type = nullptr;
  std::vector<const Exception*> get_raises;
  std::vector<const Exception*> set_raises;
};

/// A member of a struct, exception, union or valuetype.
struct Member {
  std::string name;
  Location location;
  const Type* type = nullptr;
  std::vector<Annotation> annotations;
  Value initial = {};  ///< `@default`, except in a valuetype; else monostate
};

struct Exception final : Declaration {
  static constexpr auto kind_of = DeclarationKind::exception;
  Exception() : Declaration(kind_of) {}
  Declarations nested;  ///< types that are declared inside members
  std::vector<Member> members;
};

struct Struct final : Declaration {
  static constexpr auto kind_of = DeclarationKind::structure;
  Struct() : Declaration(kind_of) {}
  bool is_defined = false;
  bool has_later_parts = false;  ///< a member holds a sequence of a type that is defined later
  const Struct* base = nullptr;  ///< IDL 4: struct inheritance
  Declarations nested;
  std::vector<Member> members;
};

/// One branch of a union: its labels (several `case X:` may share a member) and its member.
struct UnionBranch {
  std::vector<Value> labels;  ///< of the discriminator's type; without the default label
  bool is_default = false;
  Member member;
};

struct Union final : Declaration {
  static constexpr auto kind_of = DeclarationKind::union_type;
  Union() : Declaration(kind_of) {}
  bool is_defined = false;
  bool has_later_parts = false;  ///< as for a struct
  const Type* discriminator =
      nullptr;  ///< unaliased kind: boolean, char8, wchar, octet, integer or enum
  Declarations nested;
  std::vector<UnionBranch> branches;
  bool has_implicit_default = false;  ///< no `default:` and labels that do not cover every value
};

/// An enumerator belongs to the scope that contains its enum: `scoped_name` is "::Stock::red".
struct Enumerator final : Declaration {
  static constexpr auto kind_of = DeclarationKind::enumerator;
  Enumerator() : Declaration(kind_of) {}
  /// The position in the enum. It is sent on the wire, unless the enum has @value or @bit_bound.
  std::uint32_t ordinal = 0;
  std::int64_t value = 0;  ///< `@value`, or the previous value plus one
  const Declaration* enumeration = nullptr;
};

struct Enum final : Declaration {
  static constexpr auto kind_of = DeclarationKind::enumeration;
  Enum() : Declaration(kind_of) {}
  std::vector<const Enumerator*> enumerators;
  const Enumerator* initial = nullptr;  ///< `@default_literal`, otherwise the first; never null
};

/// One declarator of a typedef. `typedef long a, b[3];` makes two nodes.
struct Typedef final : Declaration {
  static constexpr auto kind_of = DeclarationKind::type_definition;
  Typedef() : Declaration(kind_of) {}
  const Type* type = nullptr;
  Value initial = {};  ///< `@default` for members of this type; else monostate
};

struct Constant final : Declaration {
  static constexpr auto kind_of = DeclarationKind::constant;
  Constant() : Declaration(kind_of) {}
  const Type* type = nullptr;  ///< as written; the value is of its unaliased kind
  Value value;
};

struct Native final : Declaration {
  static constexpr auto kind_of = DeclarationKind::native;
  Native() : Declaration(kind_of) {}
};

/// `factory name(in …) raises (…)` of a valuetype.
struct Factory final : Declaration {
  static constexpr auto kind_of = DeclarationKind::factory;
  Factory() : Declaration(kind_of) {}
  std::vector<Parameter> parameters;
  std::vector<const Exception*> raises;
};

enum class Access { public_state, private_state };

struct StateMember {
  Access access = Access::public_state;
  Member member;
};

struct ValueType final : Declaration {
  static constexpr auto kind_of = DeclarationKind::value_type;
  ValueType() : Declaration(kind_of) {}
  bool is_custom = false;
  bool is_abstract = false;
  bool is_truncatable = false;
  bool is_defined = false;
  bool is_component = false;            ///< stands for an event type; in no `contents`
  bool is_holder = false;               ///< an implied exception holder, which is no value in C++
  std::vector<const ValueType*> bases;  ///< the first may be concrete, the others are abstract
  std::vector<const Interface*> supports;  ///< at most one of them is concrete
  Declarations contents;                   ///< operations, attributes, factories, nested types
  std::vector<StateMember> state;
};

struct ValueBox final : Declaration {
  static constexpr auto kind_of = DeclarationKind::value_box;
  ValueBox() : Declaration(kind_of) {}
  const Type* type = nullptr;
};

/// IDL 4. A flag's `position` is its bit.
struct BitFlag {
  std::string name;
  Location location;
  std::uint16_t position = 0;
};

struct Bitmask final : Declaration {
  static constexpr auto kind_of = DeclarationKind::bitmask;
  Bitmask() : Declaration(kind_of) {}
  std::uint16_t bit_bound = 32;  ///< 1 to 64
  std::vector<BitFlag> flags;
};

/// IDL 4. A field without a name is padding.
struct BitField {
  std::string name;
  Location location;
  std::uint16_t size = 0;      ///< bits, 1 to 64
  const Type* type = nullptr;  ///< the destination type; `size` decides if none was written
};

struct Bitset final : Declaration {
  static constexpr auto kind_of = DeclarationKind::bitset;
  Bitset() : Declaration(kind_of) {}
  const Bitset* base = nullptr;
  std::vector<BitField> fields;
  std::uint64_t bit_count = 0;  ///< of the fields and of all bases
};

/// The declaration as a `T`, or nullptr if it is of another kind.
template <typename T>
const T* as(const Declaration* declaration) {
  return declaration != nullptr && declaration->kind == T::kind_of
             ? static_cast<const T*>(declaration)
             : nullptr;
}
template <typename T>
T* as(Declaration* declaration) {
  return declaration != nullptr && declaration->kind == T::kind_of ? static_cast<T*>(declaration)
                                                                   : nullptr;
}

// ---- the model ---------------------------------------------------------------------------------

/// All data of one compilation. Not copyable, because nodes point to each other.
class Model final {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Definitions at file level in the order of the text, including definitions of included files.
  Declarations definitions;
  /// All files that were read, in the order in which they were first opened, and files that only
  /// #line names. The first one is the main file.
  std::deque<SourceFile> files;

  /// A new node, owned by the model; its address never changes.
  template <typename T>
  T& make() {
    return std::get<std::deque<T>>(nodes_).emplace_back();
  }

 private:
  std::tuple<std::deque<Type>, std::deque<Module>, std::deque<Interface>, std::deque<Forward>,
             std::deque<Operation>, std::deque<Attribute>, std::deque<Exception>,
             std::deque<Struct>, std::deque<Union>, std::deque<Enumerator>, std::deque<Enum>,
             std::deque<Typedef>, std::deque<Constant>, std::deque<Native>, std::deque<Factory>,
             std::deque<ValueType>, std::deque<ValueBox>, std::deque<Bitmask>, std::deque<Bitset>>
      nodes_;
};

/// The value in the syntax of IDL: 3, TRUE, 'a', "text", ::Stock::red.
std::string to_text(const Value& value);

/// The same, with as many digits as the floating-point type needs.
std::string to_text(const Value& value, const Type& type);

/// The type in the syntax of IDL, with full names: sequence<::Stock::Quote, 3>.
std::string to_text(const Type& type);

/// The kind of declaration in the words of IDL: "struct", "operation", "constant".
std::string_view to_text(DeclarationKind kind);

/// The model as stable text, two spaces per level: for golden tests and `perigee-idl --dump-model`.
std::string dump_model(const Model& model);

}  // namespace perigee::idlc
