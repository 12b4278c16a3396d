// Values of IDL types as text, for logs and messages: `Stock::Quote{symbol="ACME", price=3}`.
//
// The same code writes to strings and streams, through a sink. A sink has `put(std::string_view)`,
// and `value(v)` for nested values. Does not include <ostream>. The text cannot be read back.
#pragma once

#include <perigee/orb/mapping.h>

#include <concepts>
#include <cstdint>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

namespace perigee::text {

/// The text of an object: the repository id that its reference has, "nil" or "local object".
PERIGEE_API std::string reference_text(const CORBA::Object* object);
/// The IDL name of an interface of the library, found by its repository id.
PERIGEE_API std::string name_of_interface(std::string_view repository_id);
/// The text in quotes, with C's escapes for characters that cannot be printed.
PERIGEE_API std::string quoted(std::string_view text, char quote);
/// The same for wide text: as UTF-8, with the prefix L.
PERIGEE_API std::string quoted(std::wstring_view text, char quote);
/// The number in decimal. Floating-point numbers have the fewest digits that give the same number.
PERIGEE_API std::string number(std::int64_t value);
PERIGEE_API std::string number(std::uint64_t value);
PERIGEE_API std::string number(float value);
PERIGEE_API std::string number(double value);
PERIGEE_API std::string number(long double value);

template <typename T>
concept StringLike = std::convertible_to<const T&, std::string_view>;
template <typename T>
concept WideStringLike = std::convertible_to<const T&, std::wstring_view>;
template <typename T>
concept Range = requires(const T& value) {
  std::begin(value);
  std::end(value);
};
template <typename T>
concept Map = Range<T> && requires { typename T::mapped_type; };
/// std::optional, recognised without its header.
template <typename T>
concept Optional = requires(const T& value) {
  value.has_value();
  *value;
};
template <typename T>
concept HasText = requires(const T& value) {
  { value.to_string() } -> StringLike;
};
/// A function `std::string _text_of(const T&)`, found by ADL, for other types of the library.
template <typename T>
concept HasTextFunction = requires(const T& value) {
  { _text_of(value) } -> StringLike;
};

template <typename Sink, typename Number>
void write_number(Sink& sink, Number value) {
  if constexpr (std::is_floating_point_v<Number>)
    sink.put(number(value));
  else if constexpr (std::is_signed_v<Number>)
    sink.put(number(static_cast<std::int64_t>(value)));
  else
    sink.put(number(static_cast<std::uint64_t>(value)));
}

template <typename Sink, typename T>
void write_scalar(Sink& sink, T value) {
  if constexpr (std::same_as<T, bool>) {
    sink.put(value ? "true" : "false");
  } else if constexpr (std::same_as<T, char>) {
    sink.put(quoted(std::string_view(&value, 1), '\''));
  } else if constexpr (std::same_as<T, wchar_t>) {
    sink.put(quoted(std::wstring_view(&value, 1), '\''));
  } else if constexpr (std::is_enum_v<T>) {
    const std::string_view name = _enumerator_name(value);
    if (name.empty()) return write_number(sink, static_cast<std::underlying_type_t<T>>(value));
    sink.put(name);
  } else {
    write_number(sink, value);
  }
}

/// "{member=value, member=value}"
template <typename Sink, typename T>
void write_members(Sink& sink, const T& value) {
  std::string_view separator = "{";
  T::_visit(value, [&](std::string_view name, const auto& member) {
    sink.put(separator);
    sink.put(name);
    sink.put("=");
    sink.value(member);
    separator = ", ";
  });
  sink.put(separator == "{" ? "{}" : "}");
}

template <typename Sink, typename T>
void write_range(Sink& sink, const T& values) {
  std::string_view separator;
  sink.put("{");
  for (const auto& value : values) {
    sink.put(separator);
    separator = ", ";
    if constexpr (Map<T>) {
      sink.value(value.first);
      sink.put(": ");
      sink.value(value.second);
    } else {
      sink.value(static_cast<const typename T::value_type&>(value));  // not vector<bool>'s proxy
    }
  }
  sink.put("}");
}

/// Whether references to T may refer to remote objects. They do not if T is a local interface, the
/// ORB, or a class of the application without traits.
template <typename T>
concept MayBeRemote = requires(const CORBA::object_reference<T>& object) {
  IDL::traits<T>::_object(object);
  requires !IDL::traits<T>::is_local::value;
};

/// The interface of a reference, as the program has declared it. Empty for a class of the
/// application. The traits also have the name of an interface that is only declared forward.
template <typename T>
std::string interface_name() {
  if constexpr (requires { IDL::traits<T>::_interface_name; })
    return std::string(IDL::traits<T>::_interface_name);
  else if constexpr (requires { IDL::traits<T>::repository_id(); })
    return name_of_interface(IDL::traits<T>::repository_id());
  else
    return {};
}

/// The type of a reference, as a program writes it. Empty for a class of the application.
template <typename T>
std::string reference_type() {
  if constexpr (requires { T::_synchronous_name; }) {  // for asynchronous calls
    return "CORBA::amic_traits<" + std::string(T::_synchronous_name) + ">::ref_type";
  } else {
    const std::string interface = interface_name<T>();
    return interface.empty() ? "" : "IDL::traits<" + interface + ">::ref_type";
  }
}

/// "IDL::traits<Bank::Account>::ref_type{IDL:Bank/Savings:1.0}", and "{nil}" for a nil reference
template <typename Sink, typename T>
void write(Sink& sink, const CORBA::object_reference<T>& object) {
  if constexpr (HasTextFunction<CORBA::object_reference<T>>) {  // TypeCodes
    sink.put(_text_of(object));
  } else {
    const std::string type = reference_type<T>();
    sink.put(type);
    if (!type.empty()) sink.put("{");
    if constexpr (MayBeRemote<T>)
      sink.put(reference_text(IDL::traits<T>::_object(object)));
    else
      sink.put(object ? "local object" : "nil");
    if (!type.empty()) sink.put("}");
  }
}

/// The text of `what()`, so that it is the same through a reference to a base class.
template <typename Sink, typename T>
void write_exception(Sink& sink, const T& exception) {
  sink.put(T::_type_id);
  bool has_members = false;
  T::_visit(exception, [&](std::string_view, const auto&) { has_members = true; });
  if (!has_members) return;
  sink.put(" ");
  write_members(sink, exception);
}

template <typename Sink, typename T>
void write(Sink& sink, const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    write_scalar(sink, value);
  } else if constexpr (StringLike<T>) {
    sink.put(quoted(std::string_view(value), '"'));
  } else if constexpr (WideStringLike<T>) {
    sink.put(quoted(std::wstring_view(value), '"'));
  } else if constexpr (stub::Visitable<T> && std::derived_from<T, CORBA::UserException>) {
    write_exception(sink, value);
  } else if constexpr (stub::Visitable<T>) {
    sink.put(T::_type_name);
    write_members(sink, value);
  } else if constexpr (std::derived_from<T, std::exception>) {
    sink.put(CORBA::_text_of_exception(value));
  } else if constexpr (Range<T>) {
    write_range(sink, value);
  } else if constexpr (Optional<T>) {
    value.has_value() ? sink.value(*value) : sink.put("nothing");
  } else if constexpr (HasText<T>) {
    sink.put(value.to_string());
  } else {
    static_assert(HasTextFunction<T>, "a value of this type has no text");
    sink.put(_text_of(value));
  }
}

/// Appends to a string.
class StringSink final {
 public:
  explicit StringSink(std::string& text) noexcept : text_(text) {}
  void put(std::string_view text) { text_ += text; }
  template <typename T>
  void value(const T& nested) {
    write(*this, nested);
  }

 private:
  std::string& text_;
};

/// Appends the text of an exception: `IDL:Stock/Invalid:1.0 {reason="none"}`. `_describe` of
/// generated exceptions calls this.
template <typename T>
void describe(std::string& text, const T& exception) {
  text.append(T::_type_id).append(" ");
  StringSink sink(text);
  write_members(sink, exception);
}

}  // namespace perigee::text
