// Insertion into and extraction from CORBA::Any, for all types that are not generated. Generated
// …A.h headers include this header and add their types.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>
#include <perigee/cdr/long_double.h>
#include <perigee/cdr/operators.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/abstract.h>
#include <perigee/orb/any.h>
#include <perigee/orb/mapping.h>
#include <perigee/orb/marshalling.h>
#include <perigee/orb/orb_enums.h>
#include <perigee/orb/value.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace IDL {
inline namespace perigee_v1 {
template <std::size_t Bound>
class bounded_string;
template <std::size_t Bound>
class bounded_wstring;
template <typename T, std::size_t Bound>
class bounded_vector;
template <typename K, typename V, std::size_t Bound>
class bounded_map;
template <std::uint16_t Digits, std::uint16_t Scale>
class Fixed;
}  // namespace perigee_v1
}  // namespace IDL

namespace perigee::any {

using cdr::TypeKind;
using cdr::TypeNode;

/// The TypeCode of a C++ type as a constant, `type`. Specialised here and by generated code.
template <typename T>
struct Traits;

template <typename T>
concept Insertable = requires {
  { &Traits<T>::type } -> std::convertible_to<const TypeNode*>;
};

// ---- types that are not generated --------------------------------------------------------------

/// The types of values that are stored inside the Any, without an allocation.
template <typename T>
concept Basic = std::is_arithmetic_v<T> && Insertable<T>;

template <TypeKind Kind>
struct BasicTraits {
  static constexpr const TypeNode& type = cdr::basic_node<Kind>;  // NOLINT
};
template <>
struct Traits<bool> : BasicTraits<TypeKind::tk_boolean> {};
template <>
struct Traits<char> : BasicTraits<TypeKind::tk_char> {};
template <>
struct Traits<wchar_t> : BasicTraits<TypeKind::tk_wchar> {};
template <>
struct Traits<std::uint8_t> : BasicTraits<TypeKind::tk_octet> {};
template <>
struct Traits<std::int8_t> : BasicTraits<TypeKind::tk_int8> {};
template <>
struct Traits<std::int16_t> : BasicTraits<TypeKind::tk_short> {};
template <>
struct Traits<std::uint16_t> : BasicTraits<TypeKind::tk_ushort> {};
template <>
struct Traits<std::int32_t> : BasicTraits<TypeKind::tk_long> {};
template <>
struct Traits<std::uint32_t> : BasicTraits<TypeKind::tk_ulong> {};
template <>
struct Traits<std::int64_t> : BasicTraits<TypeKind::tk_longlong> {};
template <>
struct Traits<std::uint64_t> : BasicTraits<TypeKind::tk_ulonglong> {};
template <>
struct Traits<float> : BasicTraits<TypeKind::tk_float> {};
template <>
struct Traits<double> : BasicTraits<TypeKind::tk_double> {};
template <>
struct Traits<long double> : BasicTraits<TypeKind::tk_longdouble> {};
template <>
struct Traits<CORBA::Any> : BasicTraits<TypeKind::tk_any> {};
template <>
struct Traits<CORBA::object_reference<CORBA::TypeCode>> : BasicTraits<TypeKind::tk_TypeCode> {};

template <>
struct Traits<std::string> {
  static constexpr const TypeNode& type = cdr::string_node<>;
};
template <>
struct Traits<std::wstring> {
  static constexpr const TypeNode& type = cdr::wstring_node<>;
};
template <>
struct Traits<CORBA::object_reference<CORBA::Object>> {
  static constexpr const TypeNode& type = cdr::object_node;
};
template <>
struct Traits<CORBA::valuetype_reference<CORBA::ValueBase>> {
  static constexpr const TypeNode& type = cdr::value_base_node;
};
template <>
struct Traits<CORBA::abstract_reference<CORBA::AbstractBase>> {
  static constexpr const TypeNode& type = cdr::abstract_base_node;
};
template <Insertable T>
struct Traits<std::vector<T>> {
  static constexpr const TypeNode& type = cdr::sequence_node<Traits<T>::type>;
};
template <Insertable T, std::size_t Length>
struct Traits<std::array<T, Length>> {
  static constexpr const TypeNode& type =
      cdr::array_node<Traits<T>::type, static_cast<std::uint32_t>(Length)>;
};
template <Insertable K, Insertable V>
struct Traits<std::map<K, V>> {
  static constexpr const TypeNode& type = cdr::map_node<Traits<K>::type, Traits<V>::type>;
};

template <std::size_t Bound>
struct Traits<IDL::bounded_string<Bound>> {
  static constexpr const TypeNode& type = cdr::string_node<static_cast<std::uint32_t>(Bound)>;
};
template <std::size_t Bound>
struct Traits<IDL::bounded_wstring<Bound>> {
  static constexpr const TypeNode& type = cdr::wstring_node<static_cast<std::uint32_t>(Bound)>;
};
template <Insertable T, std::size_t Bound>
struct Traits<IDL::bounded_vector<T, Bound>> {
  static constexpr const TypeNode& type =
      cdr::sequence_node<Traits<T>::type, static_cast<std::uint32_t>(Bound)>;
};
template <Insertable K, Insertable V, std::size_t Bound>
struct Traits<IDL::bounded_map<K, V, Bound>> {
  static constexpr const TypeNode& type =
      cdr::map_node<Traits<K>::type, Traits<V>::type, static_cast<std::uint32_t>(Bound)>;
};
template <std::uint16_t Digits, std::uint16_t Scale>
struct Traits<IDL::Fixed<Digits, Scale>> {
  static constexpr const TypeNode& type = cdr::fixed_node<Digits, static_cast<std::int16_t>(Scale)>;
};

// ---- how values are kept -----------------------------------------------------------------------

/// The value of an Any, unless its type is basic. Immutable: copies of the Any share it.
class PERIGEE_API Content {
 public:
  virtual ~Content();
  /// Writes the value, which is of type `type`.
  virtual void encode(cdr::Encoder& encoder, const TypeNode& type) const = 0;
  /// The address of the value if it has the C++ type of `tag`; otherwise nullptr.
  [[nodiscard]] virtual const void* find(const void* tag) const noexcept = 0;
  /// Lets `decode` read the value from a decoder. False if `decode` fails the decoder or does not
  /// read all octets.
  virtual bool decode(const TypeNode& type, function_ref<void(cdr::Decoder&)> decode) const = 0;
};

/// Encodes content that is not stored as octets. Then decodes these octets as another C++ type.
PERIGEE_API bool decode_again(const Content& content, const TypeNode& type,
                              function_ref<void(cdr::Decoder&)> decode);

/// One address per C++ type.
template <typename T>
inline constexpr char tag_of = 0;

template <typename T>
class Value final : public Content {
 public:
  template <typename U>
  explicit Value(U&& value) : value_(std::forward<U>(value)) {}  // NOLINT

  void encode(cdr::Encoder& encoder, const TypeNode&) const override {
    if constexpr (std::derived_from<T, CORBA::UserException>)  // as in a reply: the id comes first
      encoder.write_string(value_._rep_id());
    encoder << value_;
  }
  [[nodiscard]] const void* find(const void* tag) const noexcept override {
    return tag == &tag_of<T> ? &value_ : nullptr;
  }
  bool decode(const TypeNode& type, function_ref<void(cdr::Decoder&)> decode) const override {
    return decode_again(*this, type, decode);
  }

 private:
  T value_;
};

/// Access to the private parts of an Any, for the operators.
struct PERIGEE_API Access {
  static void set(CORBA::Any& any, const TypeNode& type, std::shared_ptr<const Content> content,
                  std::shared_ptr<const void> type_owner = nullptr);
  static const TypeNode& type(const CORBA::Any& any) noexcept { return *any.type_; }
  static const std::shared_ptr<const void>& type_owner(const CORBA::Any& any) noexcept {
    return any.type_owner_;
  }
  static const Content* content(const CORBA::Any& any) noexcept { return any.content_.get(); }
  /// The value of a basic type. A long double is kept as the octets of CDR, so that an Any that is
  /// received and sent again has all its digits.
  template <typename T>
  static void set_basic(CORBA::Any& any, const T& value) noexcept {
    if constexpr (std::is_same_v<T, long double>)
      set_basic(any, cdr::to_quad(value));
    else
      std::memcpy(any.basic_, &value, sizeof value);
  }
  template <typename T>
  static T basic(const CORBA::Any& any) noexcept {
    if constexpr (std::is_same_v<T, long double>) {
      return cdr::from_quad(basic<cdr::QuadOctets>(any));
    } else {
      T value;
      std::memcpy(&value, any.basic_, sizeof value);
      return value;
    }
  }
};

/// Whether the Any holds a value of a type that is equivalent to `type`.
PERIGEE_API bool holds(const CORBA::Any& any, const TypeNode& type);
/// Object references are kept as plain objects, whatever their interface.
PERIGEE_API void insert_object(CORBA::Any& any, const TypeNode& type,
                               CORBA::object_reference<CORBA::Object> object);
/// Makes an Any from an enumerator's ordinal or value, without the enum's C++ type. `type` is an
/// enum.
PERIGEE_API CORBA::Any make_enumerator(const TypeNode& type, std::shared_ptr<const void> type_owner,
                                       std::int64_t enumerator);
/// False if the Any holds no object reference.
PERIGEE_API bool extract_object(const CORBA::Any& any,
                                CORBA::object_reference<CORBA::Object>& object);

/// Valuetypes are kept as values, so each extraction gives the same value.
PERIGEE_API void insert_value(CORBA::Any& any, const TypeNode& type,
                              const CORBA::valuetype_reference<CORBA::ValueBase>& value);
/// False if the any has no valuetype.
PERIGEE_API bool find_value(const CORBA::Any& any,
                            CORBA::valuetype_reference<CORBA::ValueBase>& value);

template <typename T>
bool extract(const CORBA::Any& any, T& value) {
  if (!holds(any, Traits<T>::type)) return false;
  const Content& content = *Access::content(any);
  if (const void* found = content.find(&tag_of<T>)) {
    value = *static_cast<const T*>(found);
    return true;
  }
  T decoded{};
  const bool is_decoded = content.decode(Access::type(any), [&decoded](cdr::Decoder& decoder) {
    if constexpr (std::derived_from<T, CORBA::UserException>) {
      cdr::Decoder ahead = decoder;  // omniORB leaves out the repository id
      if (ahead.read_string_view() == decoded._rep_id()) decoder = ahead;
    }
    decoder >> decoded;
  });
  if (is_decoded) value = std::move(decoded);
  return is_decoded;
}

template <typename T>
struct IsReference : std::false_type {};
template <typename T>
struct IsReference<CORBA::object_reference<T>>
    : std::bool_constant<!std::is_same_v<T, CORBA::TypeCode>> {};

template <typename T>
struct IsValue : std::false_type {};
template <typename T>
struct IsValue<CORBA::valuetype_reference<T>> : std::true_type {};

/// The value must be of the C++ class, or null. If the any came from a peer, and no factory for the
/// type was registered, the value is made from its octets.
template <typename T>
bool extract_value(const CORBA::Any& any, CORBA::valuetype_reference<T>& value) {
  CORBA::valuetype_reference<CORBA::ValueBase> found;
  if (!find_value(any, found)) return false;
  CORBA::valuetype_reference<T> cast(dynamic_counted_cast<T>(found._shared()));
  const TypeNode& type = Traits<CORBA::valuetype_reference<T>>::type;
  if (!cast && !holds(any, type)) return false;
  if (!cast && found) return extract(any, value);
  value = std::move(cast);
  return true;
}

using AbstractReference = CORBA::abstract_reference<CORBA::AbstractBase>;

template <typename T>
struct IsAbstract : std::false_type {};
template <typename T>
struct IsAbstract<CORBA::abstract_reference<T>> : std::true_type {};

/// References to abstract interfaces are kept as they are, whatever their interface.
PERIGEE_API void insert_abstract(CORBA::Any& any, const TypeNode& type,
                                 AbstractReference reference);
/// False if the any has no reference to an abstract interface.
PERIGEE_API bool find_abstract(const CORBA::Any& any, AbstractReference& reference);

/// A reference to CORBA::AbstractBase extracts references to all abstract interfaces.
template <typename T>
bool extract_abstract(const CORBA::Any& any, CORBA::abstract_reference<T>& reference) {
  const bool is_base = std::is_same_v<T, CORBA::AbstractBase>;
  if (!is_base && !holds(any, Traits<CORBA::abstract_reference<T>>::type)) return false;
  AbstractReference held;
  if (!find_abstract(any, held)) return false;
  CORBA::abstract_reference<T> cast(dynamic_counted_cast<T>(held._shared()));
  if (!cast) cast = IDL::traits<T>::unchecked_narrow(held._to_object());
  if (held && !cast) return false;
  reference = std::move(cast);
  return true;
}

/// The TypeCode of `std::vector<T>`.
template <Insertable T>
inline constexpr CORBA::TypeCodeConstant sequence_of{&Traits<std::vector<T>>::type};

/// Throws MARSHAL with the minor code 4, without a vendor's number, as TAOX11 does.
[[noreturn]] PERIGEE_API void refuse_nil_type();

/// Copies the members of the exception in the any. False if the any holds no exception with the
/// same repository id.
PERIGEE_API bool extract_system_exception(const CORBA::Any& any, CORBA::SystemException& exception);

/// Copies the exception, whose class the caller does not know. Raises BAD_TYPECODE if the program
/// does not contain the generated code of the class for any.
PERIGEE_API void insert_user_exception(CORBA::Any& any, const CORBA::UserException& exception);

}  // namespace perigee::any

namespace CORBA {
inline namespace perigee_v1 {

/// @name The TypeCodes of the types without parameters.
/// @{
inline constexpr TypeCodeConstant _tc_null{&perigee::cdr::basic_node<TCKind::tk_null>};
inline constexpr TypeCodeConstant _tc_void{&perigee::cdr::basic_node<TCKind::tk_void>};
inline constexpr TypeCodeConstant _tc_short{&perigee::cdr::basic_node<TCKind::tk_short>};
inline constexpr TypeCodeConstant _tc_long{&perigee::cdr::basic_node<TCKind::tk_long>};
inline constexpr TypeCodeConstant _tc_ushort{&perigee::cdr::basic_node<TCKind::tk_ushort>};
inline constexpr TypeCodeConstant _tc_ulong{&perigee::cdr::basic_node<TCKind::tk_ulong>};
inline constexpr TypeCodeConstant _tc_longlong{&perigee::cdr::basic_node<TCKind::tk_longlong>};
inline constexpr TypeCodeConstant _tc_ulonglong{&perigee::cdr::basic_node<TCKind::tk_ulonglong>};
inline constexpr TypeCodeConstant _tc_float{&perigee::cdr::basic_node<TCKind::tk_float>};
inline constexpr TypeCodeConstant _tc_double{&perigee::cdr::basic_node<TCKind::tk_double>};
inline constexpr TypeCodeConstant _tc_longdouble{&perigee::cdr::basic_node<TCKind::tk_longdouble>};
inline constexpr TypeCodeConstant _tc_boolean{&perigee::cdr::basic_node<TCKind::tk_boolean>};
inline constexpr TypeCodeConstant _tc_char{&perigee::cdr::basic_node<TCKind::tk_char>};
inline constexpr TypeCodeConstant _tc_wchar{&perigee::cdr::basic_node<TCKind::tk_wchar>};
inline constexpr TypeCodeConstant _tc_octet{&perigee::cdr::basic_node<TCKind::tk_octet>};
inline constexpr TypeCodeConstant _tc_any{&perigee::cdr::basic_node<TCKind::tk_any>};
inline constexpr TypeCodeConstant _tc_TypeCode{&perigee::cdr::basic_node<TCKind::tk_TypeCode>};
inline constexpr TypeCodeConstant _tc_string{&perigee::cdr::string_node<>};
inline constexpr TypeCodeConstant _tc_wstring{&perigee::cdr::wstring_node<>};
inline constexpr TypeCodeConstant _tc_Object{&perigee::cdr::object_node};
/// @}

/// @name The TypeCodes of the sequences of <orb.idl>, without their names.
/// @{
inline constexpr TypeCodeConstant _tc_AnySeq = perigee::any::sequence_of<Any>;
inline constexpr TypeCodeConstant _tc_BooleanSeq = perigee::any::sequence_of<bool>;
inline constexpr TypeCodeConstant _tc_CharSeq = perigee::any::sequence_of<char>;
inline constexpr TypeCodeConstant _tc_WCharSeq = perigee::any::sequence_of<wchar_t>;
inline constexpr TypeCodeConstant _tc_OctetSeq = perigee::any::sequence_of<std::uint8_t>;
inline constexpr TypeCodeConstant _tc_ShortSeq = perigee::any::sequence_of<std::int16_t>;
inline constexpr TypeCodeConstant _tc_UShortSeq = perigee::any::sequence_of<std::uint16_t>;
inline constexpr TypeCodeConstant _tc_LongSeq = perigee::any::sequence_of<std::int32_t>;
inline constexpr TypeCodeConstant _tc_ULongSeq = perigee::any::sequence_of<std::uint32_t>;
inline constexpr TypeCodeConstant _tc_LongLongSeq = perigee::any::sequence_of<std::int64_t>;
inline constexpr TypeCodeConstant _tc_ULongLongSeq = perigee::any::sequence_of<std::uint64_t>;
inline constexpr TypeCodeConstant _tc_FloatSeq = perigee::any::sequence_of<float>;
inline constexpr TypeCodeConstant _tc_DoubleSeq = perigee::any::sequence_of<double>;
inline constexpr TypeCodeConstant _tc_LongDoubleSeq = perigee::any::sequence_of<long double>;
inline constexpr TypeCodeConstant _tc_StringSeq = perigee::any::sequence_of<std::string>;
inline constexpr TypeCodeConstant _tc_WStringSeq = perigee::any::sequence_of<std::wstring>;
/// @}
inline constexpr TypeCodeConstant _tc_AbstractBase{&perigee::cdr::abstract_base_node};
inline constexpr TypeCodeConstant _tc_ValueBase{&perigee::cdr::value_base_node};

/// Inserts a value, and moves it if it is an rvalue. The Any's TypeCode is that of the C++ type,
/// without aliases. Raises MARSHAL for a nil reference to a TypeCode.
template <typename T>
  requires perigee::any::Insertable<std::remove_cvref_t<T>>
void operator<<=(Any& any, T&& value) {
  using Plain = std::remove_cvref_t<T>;
  using perigee::any::Access;
  using perigee::any::Traits;
  if constexpr (perigee::any::Basic<Plain>) {
    Access::set(any, Traits<Plain>::type, nullptr);
    Access::set_basic<Plain>(any, value);
  } else if constexpr (perigee::any::IsReference<Plain>::value) {
    perigee::any::insert_object(any, Traits<Plain>::type, std::forward<T>(value));
  } else if constexpr (perigee::any::IsValue<Plain>::value) {
    perigee::any::insert_value(any, Traits<Plain>::type, std::forward<T>(value));
  } else if constexpr (perigee::any::IsAbstract<Plain>::value) {
    perigee::any::insert_abstract(any, Traits<Plain>::type, std::forward<T>(value));
  } else {
    if constexpr (std::is_same_v<Plain, object_reference<TypeCode>>)
      if (!value) perigee::any::refuse_nil_type();
    Access::set(any, Traits<Plain>::type,
                std::make_shared<perigee::any::Value<Plain>>(std::forward<T>(value)));
  }
}
/// Gives a compiler error that says what to write. C++ has two integer types of 64 bits, but IDL
/// has only one.
template <typename T>
  requires(!perigee::any::Insertable<std::remove_cvref_t<T>> &&
           (std::same_as<std::remove_cvref_t<T>, long long> ||
            std::same_as<std::remove_cvref_t<T>, unsigned long long>))
void operator<<=(Any& /*any*/, T&& /*value*/) {
  static_assert(sizeof(T) == 0,
                "IDL's long long is std::int64_t, and unsigned long long is std::uint64_t: write "
                "any <<= std::int64_t{5}");
}
inline void operator<<=(Any& any, const char* text) { any <<= std::string(text); }
inline void operator<<=(Any& any, const wchar_t* text) { any <<= std::wstring(text); }
inline void operator<<=(Any& any, const TypeCodeConstant& type) {
  any <<= object_reference<TypeCode>(type);
}
/// Inserts the exception with the TypeCode of its class: its members are `minor` and `completed`.
/// The detail is not part of the value.
PERIGEE_API void operator<<=(Any& any, const SystemException& exception);
/// Inserts an exception whose class the caller does not know, with the TypeCode of its class.
/// Raises BAD_TYPECODE if the program does not contain the generated code of the class for any. A
/// template, so that a class whose …A.h header is missing gives a compiler error.
template <std::same_as<UserException> T>
void operator<<=(Any& any, const T& exception) {
  perigee::any::insert_user_exception(any, exception);
}
/// False, without a change of `exception`, if the any does not hold an exception of this class.
template <std::derived_from<SystemException> T>
bool operator>>=(const Any& any, T& exception) {
  return perigee::any::extract_system_exception(any, exception);
}

/// Copies the value out if it is of an equivalent type. Otherwise returns false and leaves `value`
/// unchanged. If T is a reference to CORBA::Object, it accepts a reference to any interface.
template <typename T>
  requires perigee::any::Insertable<T>
bool operator>>=(const Any& any, T& value) {
  using perigee::any::Access;
  using perigee::any::Traits;
  if constexpr (perigee::any::Basic<T>) {
    if (!perigee::any::holds(any, Traits<T>::type)) return false;
    value = Access::basic<T>(any);
    return true;
  } else if constexpr (std::is_same_v<T, object_reference<Object>>) {
    return perigee::any::extract_object(any, value);
  } else if constexpr (perigee::any::IsReference<T>::value) {
    object_reference<Object> object;
    if (!perigee::any::holds(any, Traits<T>::type) || !perigee::any::extract_object(any, object))
      return false;
    using Interface = typename T::element_type;
    value = T(perigee::dynamic_counted_cast<Interface>(object._shared()));
    if constexpr (requires { IDL::traits<Interface>::unchecked_narrow(object); })
      if (!value) value = IDL::traits<Interface>::unchecked_narrow(object);
    return true;
  } else if constexpr (perigee::any::IsValue<T>::value) {
    return perigee::any::extract_value(any, value);
  } else if constexpr (perigee::any::IsAbstract<T>::value) {
    return perigee::any::extract_abstract(any, value);
  } else {
    return perigee::any::extract(any, value);
  }
}

}  // namespace perigee_v1
}  // namespace CORBA
