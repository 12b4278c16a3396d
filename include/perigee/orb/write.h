// Values of IDL types on output streams:
// - `os << value`;
// - `os << IDL::traits<T>::write(value)`, also for types that the standard library itself writes,
//   such as std::string;
// - `os << IDL::traits<T>::write<Formatter>(value)`, with a formatter of your own;
// - `IDL::traits<T>::write_on(os, value)` and `write_on(os, value, formatter)`.
//
// A specialisation of IDL::formatter decides how a type is written, also where a value of the type
// is a member of another type:
//
//   template <>
//   struct IDL::formatter<Stock::Quote, char> {
//     template <typename Stream>
//     static Stream& write(Stream& os, IDL::traits<Stock::Quote>::in_type quote) { … }
//   };
//
// A formatter may have `operator()(os, value)` instead of `write`. A specialisation for streams, as
// in programs for TAOX11, takes precedence over one for char:
//
//   template <typename Stream>
//   struct IDL::formatter<Stock::Quote, Stream> {
//     Stream& operator()(Stream& os, const Stock::Quote& quote) { … }
//   };
#pragma once

#include <perigee/orb/text.h>

#include <ostream>

namespace perigee::text {

/// Writes nested values by their formatters.
class StreamSink final {
 public:
  explicit StreamSink(std::ostream& os) noexcept : os_(os) {}
  void put(std::string_view text) { os_ << text; }
  template <typename T>
  void value(const T& nested) {
    output::formatter_of<T> formatter;
    output::apply(formatter, os_, nested);
  }

 private:
  std::ostream& os_;
};

}  // namespace perigee::text

namespace perigee::output::standard {

/// A value that has a text. Use it only as a parameter.
class Written final {
 public:
  template <typename T>
    requires(requires { sizeof(T); } && stub::is_written<T>::value)
  Written(const T& value) noexcept  // NOLINT(google-explicit-constructor): converts all types
      : value_(&value), write_([](std::ostream& os, const void* place) {
          formatter_of<T> formatter;
          apply(formatter, os, *static_cast<const T*>(place));
        }) {}
  void write(std::ostream& os) const { write_(os, value_); }

 private:
  const void* value_;
  void (*write_)(std::ostream&, const void*);
};

inline std::ostream& operator<<(std::ostream& os, const Written& written) {
  written.write(os);
  return os;
}

/// Writes a wchar_t, which the standard library does not write on this stream.
inline std::ostream& operator<<(std::ostream& os, wchar_t value) {
  text::StreamSink sink(os);
  text::write(sink, value);
  return os;
}

}  // namespace perigee::output::standard

namespace IDL {
inline namespace perigee_v1 {

template <typename T, typename Char>
struct formatter {
  /// Marks this general formatter, which is used if no program has specialised it.
  using _is_general = void;

  static std::ostream& write(std::ostream& os, const T& value) {
    perigee::text::StreamSink sink(os);
    perigee::text::write(sink, value);
    return os;
  }
  std::ostream& operator()(std::ostream& os, const T& value) const { return write(os, value); }
};

}  // namespace perigee_v1
}  // namespace IDL

namespace perigee::output {

template <typename T>
concept FormattedByStream = !requires { typename IDL::formatter<T, std::ostream>::_is_general; };
template <typename T>
concept FormattedForTaox11 = requires { sizeof(taox11::IDL::formatter<T, std::ostream>); };

template <typename T>
struct chosen_formatter {
  using type = IDL::formatter<T, char>;
};
template <FormattedByStream T>
struct chosen_formatter<T> {
  using type = IDL::formatter<T, std::ostream>;
};
template <typename T>
  requires(FormattedForTaox11<T> && !FormattedByStream<T>)
struct chosen_formatter<T> {
  using type = taox11::IDL::formatter<T, std::ostream>;
};

template <typename T>
struct formatter_of {
  std::ostream& operator()(std::ostream& os, const T& value) const {
    typename chosen_formatter<T>::type formatter;
    apply(formatter, os, value);
    return os;
  }
};

}  // namespace perigee::output

namespace IDL {
inline namespace perigee_v1 {

template <typename T, typename Formatter>
std::ostream& operator<<(std::ostream& os, const written<T, Formatter>& written) {
  Formatter formatter;
  perigee::output::apply(formatter, os, written.value);
  return os;
}

}  // namespace perigee_v1
}  // namespace IDL

// C++ finds operators for standard types only in namespace std, or in the scope of the expression.
// The value is converted to a Written, so that each operator of the application is a better match.
namespace std {                               // NOLINT(cert-dcl58-cpp)
using perigee::output::standard::operator<<;  // NOLINT(cert-dcl58-cpp)
}
