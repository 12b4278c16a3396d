// Values of IDL types on output streams:
// - `os << value`;
// - `os << IDL::traits<T>::write(value)`, for types whose `operator<<` C++ does not find, such as
//   std::vector<int32_t>;
// - `os << IDL::traits<T>::write<Formatter>(value)`, with a formatter of your own.
//
// A specialisation of IDL::formatter decides how a type is written, also where a value of the type
// is a member of another type:
//
//   template <>
//   struct IDL::formatter<Stock::Quote, char> {
//     template <typename Stream>
//     static Stream& write(Stream& os, IDL::traits<Stock::Quote>::in_type quote) { … }
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
    IDL::formatter<T, char>().write(os_, nested);
  }

 private:
  std::ostream& os_;
};

}  // namespace perigee::text

namespace IDL {
inline namespace perigee_v1 {

template <typename T, typename Char>
struct formatter {
  static std::ostream& write(std::ostream& os, const T& value) {
    perigee::text::StreamSink sink(os);
    perigee::text::write(sink, value);
    return os;
  }
};

template <typename T, typename Formatter>
std::ostream& operator<<(std::ostream& os, const written<T, Formatter>& written) {
  Formatter().write(os, written.value);
  return os;
}

}  // namespace perigee_v1
}  // namespace IDL
