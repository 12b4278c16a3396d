// Names as text, and URLs.
#include "services/naming/name_text.h"

#include <doctest/doctest.h>

namespace perigee::naming {

TEST_CASE("a name becomes text with escapes, and the text becomes the same name") {
  const Components name{{"a.b", "c/d"}, {"", ""}, {"", "kind"}, {"x\\y", ""}};
  CHECK(to_text(name) == "a\\.b.c\\/d/./.kind/x\\\\y");
  CHECK(parse_text(to_text(name)) == name);
}

TEST_CASE("texts that are not names are refused") {
  for (const char* text : {"", "/", "a/", "/a", "a//b", "a.", "a.b.c", "a\\", "a\\b", ".."}) {
    CAPTURE(text);
    CHECK_FALSE(parse_text(text));
  }
}

TEST_CASE("a URL has %xx for the characters that need it") {
  CHECK(make_url(":host:2809", "a b/x\\/y.k") == "corbaname::host:2809#a%20b/x%5c/y.k");
  CHECK(make_url("iiop:1.2@host/Other", "\xc3\xa4") == "corbaname:iiop:1.2@host/Other#%c3%a4");
}

TEST_CASE("a URL needs an address") {
  for (const char* address : {"", "host", ":host:99999", ":host#x"}) {
    CAPTURE(address);
    CHECK_FALSE(make_url(address, "a"));
  }
}

}  // namespace perigee::naming
