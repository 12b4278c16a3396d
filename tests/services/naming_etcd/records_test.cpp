// The keys and values of names in etcd.
#include "services/naming_etcd/records.h"

#include "services/naming_etcd/keys.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace perigee::naming::etcd {

using namespace std::string_literals;

TEST_CASE("keys are in the order of names, and lead back to their names") {
  const Keys keys("/p");
  CHECK(keys.prefix() == "/p/");
  const std::vector<Component> names = {{"", ""},      {"", "a"},      {"\0"s, ""}, {"\0\0"s, "k"},
                                        {"\0\1"s, ""}, {"a", ""},      {"a", "b"},  {"a\0"s, ""},
                                        {"ab", ""},    {"\xff/.", "k"}};
  for (std::size_t index = 0; index < names.size(); ++index) {
    const std::string key = keys.binding(7, names[index]);
    CHECK(keys.parse(key) == Key{BindingKey{7, names[index]}});
    if (index > 0) CHECK(keys.binding(7, names[index - 1]) < key);
    CHECK(keys.bindings_of(7).begin <= key);
    CHECK(key < keys.bindings_of(7).end);
  }
  CHECK(keys.parse(keys.context(0xabcdef)) == Key{ContextKey{0xabcdef}});
  CHECK(keys.parse(keys.last()) == Key{SingleKey::last});
  CHECK(keys.binding(7, {"a", ""}) == "/p/b/0000000000000007/a\0\1"s);
}

TEST_CASE("keys that are not names of the tree are not parsed") {
  const Keys keys("/p/");
  for (const std::string& key :
       {"/p/"s, "/q/store"s, "/p/c/12"s, "/p/c/000000000000000g"s, "/p/c/00000000000000001"s,
        "/p/b/0000000000000001"s, "/p/b/0000000000000001/a"s, "/p/b/0000000000000001/a\0"s,
        "/p/b/0000000000000001/a\0\2"s, "/p/b/0000000000000001xa\0\1"s, "/p/x"s, ""s})
    CHECK_FALSE(keys.parse(key));
}

TEST_CASE("values are the same after they were written and read") {
  BindingRecord binding{{TargetKind::object, 0, "a\0reference"s}, 123'456, {'m', 'a', 'r', 'k'}};
  CHECK(decode_binding(encode(binding)) == binding);
  binding.target = {TargetKind::own_context, 99, {}};
  CHECK(decode_binding(encode(binding)) == binding);
  const ContextRecord context{{'m'}};
  CHECK(decode_context(encode(context)) == context);
  const LastRecord last{99, 7};
  CHECK(decode_last(encode(last)) == last);
  CHECK(decode_store(encode(StoreRecord{42})) == StoreRecord{42});
}

// version 1, object, mark, expires 2, context 0, reference "r"
TEST_CASE("the value of a binding has a fixed form") {
  const std::string value =
      "\1\0"s + "0123456789abcdef" + "\0\0\0\0\0\0\0\2"s + "\0\0\0\0\0\0\0\0"s + "r";
  const auto record = decode_binding(value);
  REQUIRE(record);
  CHECK(record->target == Target{TargetKind::object, 0, "r"});
  CHECK(record->expires == 2);
  CHECK(record->mark[15] == 'f');
}

TEST_CASE("values that are cut, of another version, or contradictory are damaged") {
  const std::string value = encode(BindingRecord{{TargetKind::own_context, 5, {}}, 0, {}});
  for (std::size_t size = 0; size < value.size(); ++size)
    CHECK_FALSE(decode_binding(value.substr(0, size)));
  CHECK_FALSE(decode_binding(value + "reference of an own context"));
  CHECK_FALSE(decode_binding("\2" + value.substr(1)));
  CHECK_FALSE(decode_binding("\1\3" + value.substr(2)));
  CHECK_FALSE(decode_binding(encode(BindingRecord{{TargetKind::own_context, 0, {}}, 0, {}})));
  CHECK_FALSE(decode_binding(encode(BindingRecord{{TargetKind::object, 5, "r"}, 0, {}})));
  CHECK_FALSE(decode_binding(encode(BindingRecord{{TargetKind::object, 0, "r"}, -1, {}})));
  CHECK_FALSE(decode_last(encode(LastRecord{1, 2})));
  CHECK_FALSE(decode_last(encode(LastRecord{0, 0})));
  CHECK_FALSE(decode_last(encode(LastRecord{}) + "x"));
  CHECK_FALSE(decode_context("\1short"));
  CHECK(decode_store("perigee-names \2later").error().kind == StoreError::Kind::newer);
  for (const char* other : {"", "other", "perigee-names \1", "perigee-names "})
    CHECK(decode_store(other).error().kind == StoreError::Kind::corrupt);
}

}  // namespace perigee::naming::etcd
