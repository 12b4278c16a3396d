// The texts of input and output errors.
#include <perigee/base/io_error.h>

#include <doctest/doctest.h>

#include <cerrno>

using perigee::IoError;
using perigee::IoErrorKind;
using perigee::IoOperation;
using perigee::to_string;

TEST_CASE("an error names the operation, the endpoint and the system's reason") {
  CHECK(to_string(IoError{IoErrorKind::system, IoOperation::connect, ECONNREFUSED,
                          "127.0.0.1:9"}) == "connect to 127.0.0.1:9: Connection refused");
  CHECK(to_string(IoError{IoErrorKind::system, IoOperation::bind, EADDRINUSE, "[::1]:80"}) ==
        "bind [::1]:80: Address already in use");
}

TEST_CASE("without a system code the kind is the reason") {
  CHECK(to_string(IoError{IoErrorKind::timed_out, IoOperation::receive, 0, ""}) ==
        "receive: timed out");
  CHECK(to_string(IoError{IoErrorKind::bad_address, IoOperation::none, 0, "a:b:c"}) ==
        "a:b:c: bad address");
  CHECK(to_string(IoError{}) == "system error");
}

TEST_CASE("the resolver's codes have texts of their own") {
  constexpr int name_or_service_unknown = -2;  // EAI_NONAME
  CHECK(to_string(IoError{IoErrorKind::bad_address, IoOperation::resolve, name_or_service_unknown,
                          "no.such.host"}) ==
        "resolve no.such.host: bad address: Name or service not known");
  CHECK(to_string(IoError{IoErrorKind::system, IoOperation::resolve, EMFILE, "h"}) ==
        "resolve h: Too many open files");
}
