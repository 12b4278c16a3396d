// The forms of formatters that programs for TAOX11 use: a specialisation for all streams, a
// formatter in a namespace that stands for TAOX11's, and an argument of write_on.
#include <perigee/orb/write.h>

#include <vector>

#define TAOX11_NAMESPACE perigee::taox11

namespace TAOX11_NAMESPACE {
namespace IDL {
template <typename Stream>
struct formatter<std::vector<short>, Stream> {
  Stream& operator()(Stream& os, const std::vector<short>& values) {
    os << values.size() << " shorts";
    return os;
  }
};
}  // namespace IDL
}  // namespace TAOX11_NAMESPACE

template <typename Stream>
struct IDL::formatter<std::vector<long>, Stream> {
  Stream& operator()(Stream& os, const std::vector<long>& values) {
    os << values.size() << " longs";
    return os;
  }
};

#include "valuesC.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

namespace {

/// A formatter that has the type of the stream as a parameter.
template <typename Stream>
struct Framed {
  Stream& operator()(Stream& os, const std::string& text) { return os << '[' << text << ']'; }
};

}  // namespace

TEST_CASE("a formatter for all streams is used by << and by write") {
  std::ostringstream out;
  out << std::vector<long>{1, 2} << ", ";
  out << IDL::traits<std::vector<long>>::write({1}) << ", ";
  IDL::traits<std::vector<long>>::write_on(out, {});
  CHECK(out.str() == "2 longs, 1 longs, 0 longs");
}

TEST_CASE("a formatter inside perigee::taox11 is used") {
  std::ostringstream out;
  out << std::vector<short>{1, 2, 3};
  CHECK(out.str() == "3 shorts");
}

TEST_CASE("other types keep the library's formatter") {
  std::ostringstream out;
  out << std::vector<int32_t>{1, 2};
  CHECK(out.str() == "{1, 2}");
}

TEST_CASE("write_on takes the types of the stream and of the formatter") {
  std::ostringstream out;
  IDL::traits<std::string>::write_on<std::ostream, Framed<std::ostream>>(out, "x");
  CHECK(out.str() == "[x]");
}
