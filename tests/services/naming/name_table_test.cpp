// The tables of names that operators see on the metrics page.
#include "services/naming/name_table.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace perigee::naming::test {

namespace {

using orb::StatusQuery;
using orb::StatusTable;

/// A store of the test. Its time is 1,000 ms.
class Names {
 public:
  Names() {
    options.wall_clock = [] { return WallTime{1'000}; };
  }

  void bind(ContextNumber context, const Component& name, WallTime expires = never) {
    make({.kind = Change::Kind::bind,
          .context = context,
          .name = name,
          .target = {TargetKind::object, 0, "reference"},
          .expires = expires,
          .now = 0});
  }
  ContextNumber bind_context(ContextNumber context, const Component& name) {
    return make({.kind = Change::Kind::bind_new_context,
                 .context = context,
                 .name = name,
                 .target = {},
                 .expires = never,
                 .now = 0})
        .made;
  }
  [[nodiscard]] StatusTable read(std::vector<std::string> path, std::string after = "",
                                 std::size_t rows_max = 100) {
    return table_of_names(*store, options, {std::move(path), std::move(after), rows_max});
  }

  std::unique_ptr<Store> store = make_memory_store();
  Options options;

 private:
  ChangeResult make(Change change) {
    ChangeResult made;
    store->change(std::move(change), [&made](auto result) { made = result.value(); });
    REQUIRE(made.outcome == ChangeResult::Outcome::done);
    return made;
  }
};

using Cells = std::vector<std::string>;

}  // namespace

TEST_CASE("the root context shows its bindings, and contexts can be opened") {
  Names names;
  names.bind(root_context, {"<script>", "a/b"}, 3'500);
  const ContextNumber inner = names.bind_context(root_context, {"x.y", "k"});
  names.bind(inner, {"leaf", ""});
  const StatusTable root = names.read({});
  CHECK(root.columns == Cells{"id", "kind", "binding", "lease"});
  REQUIRE(root.rows.size() == 2);
  CHECK(root.rows[0].key.empty());
  CHECK(root.rows[0].cells == Cells{"<script>", "a/b", "object", "ends in 3 s"});
  CHECK(root.rows[1].cells == Cells{"x.y", "k", "context", "no lease"});
  CHECK(root.next.empty());
  const StatusTable opened = names.read({root.rows[1].key});
  REQUIRE(opened.rows.size() == 1);
  CHECK(opened.rows[0].cells == Cells{"leaf", "", "object", "no lease"});
}

TEST_CASE("a large context is read in parts") {
  Names names;
  std::vector<std::string> ids;
  for (int number = 100; number < 125; ++number) {
    ids.push_back("name." + std::to_string(number));
    names.bind(root_context, {ids.back(), ""});
  }
  std::vector<std::string> read;
  std::string after;
  int parts = 0;
  do {
    const StatusTable table = names.read({}, after, 10);
    CHECK(table.rows.size() <= 10);
    for (const auto& row : table.rows) read.push_back(row.cells.front());
    after = table.next;
    ++parts;
  } while (!after.empty());
  CHECK(read == ids);
  CHECK(parts == 3);
}

TEST_CASE("the keys and the positions of long names fit into a request") {
  Names names;
  const Component longest{std::string(1'024, '\\'), std::string(1'024, '/')};
  const ContextNumber outer = names.bind_context(root_context, longest);
  const ContextNumber inner = names.bind_context(outer, longest);
  names.bind(inner, longest);
  names.bind(inner, {"~last", ""});
  const std::string first = names.read({}).rows.at(0).key;
  const std::string second = names.read({first}).rows.at(0).key;
  CHECK(first.size() + second.size() <= 40);
  const StatusTable part = names.read({first, second}, "", 1);
  CHECK(part.next.size() <= 2'049);
  CHECK(names.read({first, second}, part.next, 1).rows.at(0).cells.front() == "~last");
}

TEST_CASE("an expired binding is not shown") {
  Names names;
  names.bind(root_context, {"old", ""}, 1'000);
  CHECK(names.read({}).rows.empty());
}

TEST_CASE("keys that lead to no context give an empty table with a note") {
  Names names;
  names.bind(root_context, {"object", ""});
  names.bind_context(root_context, {"context", ""});
  const std::string endless(names.options.limits.text_size_max + 1, '1');
  for (const std::vector<std::string>& path :
       {Cells{"object"}, Cells{""}, Cells{"0"}, Cells{"-1"}, Cells{"1x"}, Cells{" 1"}, Cells{"99"},
        Cells{"1", "99"}, Cells{"99999999999999999999"}, Cells{endless}}) {
    const StatusTable table = names.read(path);
    CHECK(table.rows.empty());
    CHECK(table.note == "This context does not exist, or no longer exists.");
  }
  CHECK(names.read({}, endless + std::string(1, '\0')).note ==
        "The position in the table is malformed.");
  CHECK(names.read({}, "a/b").note == "The position in the table is malformed.");
}

}  // namespace perigee::naming::test
