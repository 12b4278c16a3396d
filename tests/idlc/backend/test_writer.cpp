// Layout of generated lines.
#include "idlc/backends/cpp11/writer.h"

#include <doctest/doctest.h>

namespace perigee::idlc::cpp11 {

TEST_CASE("placeholders in a template are filled at each occurrence") {
  CHECK(fill("$a$ and $b$ and $a$", {{"a", "one"}, {"b", "$a"}}) == "one and $a and one");
  CHECK(fill("cost: 5$", {{"a", "one"}}) == "cost: 5$");
}

TEST_CASE("lines are indented, blank ones are not") {
  Writer writer;
  const Indented indented(writer);
  writer.write("\nfirst\n\nsecond\n");
  CHECK(writer.take() == "  first\n\n  second\n");
}

TEST_CASE("a list that fits stays on one line") {
  Writer writer;
  writer.list("f(", {"a", "b"}, ");");
  CHECK(writer.take() == "f(a, b);\n");
}

TEST_CASE("a list that is too long starts on the next line and fills the lines") {
  const std::string item(40, 'x');
  Writer writer;
  writer.list("call(", {item, item, item}, ");");
  CHECK(writer.take() == "call(\n    " + item + ", " + item + ",\n    " + item + ");\n");
}

TEST_CASE("items are aligned after a bracket") {
  const std::string item(40, 'x');
  Writer writer;
  writer.list("{", {item, item, item}, "},");
  CHECK(writer.take() == "{" + item + ", " + item + ",\n " + item + "},\n");
}

TEST_CASE("a chain that is too long breaks before its operators") {
  const std::string part(42, 'x');
  Writer writer;
  writer.chain("out << ", {part, part, part}, " << ");
  CHECK(writer.take() == "out << " + part + " << " + part + "\n    << " + part + ";\n");
}

TEST_CASE("blank lines are never doubled, and never begin a block or end a file") {
  Writer writer;
  writer.separate();
  writer.write("block {");
  writer.separate();
  writer.write("text");
  writer.separate();
  writer.separate();
  writer.write("}");
  writer.separate();
  CHECK(writer.take() == "block {\ntext\n\n}\n");
}

}  // namespace perigee::idlc::cpp11
