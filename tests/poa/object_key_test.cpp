// Object keys as octets: the parser reads every key that is written, and refuses other octets.
#include "poa/object_key.h"

#include "support/octets.h"

#include <random>

using namespace perigee;
using namespace perigee::poa;

namespace {

std::vector<std::string_view> names_of(OctetSpan path) {
  std::vector<std::string_view> names;
  PathNames reader(path);
  while (const auto name = reader.next()) names.push_back(*name);
  return names;
}

}  // namespace

TEST_CASE("the key of a slot is a kind, a nonce, the adapter's slot and the object's") {
  const Octets key = make_slot_key({0x0102030405060708, {0x11, 0x12}}, {0x21, 0x22});
  CHECK(key == test::octets(0xf1,                                            // kind
                            0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,  // nonce
                            0, 0, 0, 0x11, 0, 0, 0, 0x12,    // adapter: slot, generation
                            0, 0, 0, 0x21, 0, 0, 0, 0x22));  // object: slot, generation
  const auto view = parse_key(key);
  REQUIRE(view);
  CHECK(view->nonce == 0x0102030405060708);
  CHECK(view->adapter == SlotRef{0x11, 0x12});
  CHECK(view->object == SlotRef{0x21, 0x22});
  CHECK(Octets(view->id.begin(), view->id.end()) == test::octets(0, 0, 0, 0x21, 0, 0, 0, 0x22));
}

TEST_CASE("a transient key with an id does not contain the slot of the object") {
  const std::vector<std::uint8_t> id{'a', 'b'};
  const Octets key = make_id_key({0x0102030405060708, {2, 3}}, id);
  CHECK(key == test::octets(0xf2,                                            // kind
                            0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,  // nonce
                            0, 0, 0, 2, 0, 0, 0, 3,                          // adapter
                            'a', 'b'));                                      // id
  const auto view = parse_key(key);
  REQUIRE(view);
  CHECK(view->kind == KeyKind::transient_id);
  CHECK(view->adapter == SlotRef{2, 3});
  CHECK(Octets(view->id.begin(), view->id.end()) == test::octets('a', 'b'));
}

TEST_CASE("a persistent key is the adapter's path and the id") {
  const std::string_view names[] = {"bank", "x/y"};
  const std::vector<std::uint8_t> id{9};
  const Octets path = encode_path(names);
  const Octets key = make_persistent_key(path, id);
  CHECK(key == test::octets(0xf3,                      // kind
                            0, 2,                      // two names
                            0, 4, 'b', 'a', 'n', 'k',  // length, name
                            0, 3, 'x', '/', 'y', 9));  // length, name; the id
  const auto view = parse_key(key);
  REQUIRE(view);
  CHECK(Octets(view->path.begin(), view->path.end()) == path);
  CHECK(names_of(view->path) == std::vector<std::string_view>{"bank", "x/y"});
  CHECK(path_depth(view->path) == 2);
  CHECK(extend_path(encode_path(std::span(names).first(1)), "x/y") == path);
}

TEST_CASE("a truncated key is not a valid key") {
  const std::string_view names[] = {"bank", "x"};
  for (const Octets& key :
       {make_slot_key({1, {2, 3}}, {4, 5}), make_persistent_key(encode_path(names), {})})
    for (std::size_t size = 0; size < key.size(); ++size)
      CHECK_MESSAGE(!parse_key(OctetSpan(key).first(size)), size);
}

TEST_CASE("a slot's key with further octets is invalid") {
  Octets key = make_slot_key({1, {2, 3}}, {4, 5});
  key.push_back(std::byte{0});
  CHECK(!parse_key(key));
}

TEST_CASE("any octets can be parsed") {
  std::mt19937 random(20251121);
  for (int round = 0; round < 20'000; ++round) {
    Octets key(random() % 64);
    for (std::byte& octet : key) octet = static_cast<std::byte>(random());
    if (!key.empty()) key[0] = static_cast<std::byte>(0xf0 + random() % 5);
    const auto view = parse_key(key);
    if (view && view->kind == KeyKind::persistent)
      CHECK(encode_path(names_of(view->path)).size() == view->path.size());
  }
}

TEST_CASE("a key with more adapter names than adapters can be nested is not a valid key") {
  const std::vector<std::string_view> names(adapter_depth_max);
  CHECK(parse_key(make_persistent_key(encode_path(names), {})).has_value());
  const std::vector<std::string_view> more(adapter_depth_max + 1);
  CHECK(!parse_key(make_persistent_key(encode_path(more), {})).has_value());
}
