// One suite for all stores.
#include "services/naming/store_changes.h"
#include "services/naming/stores_under_test.h"
#include "support/temporary_folder.h"
#include <perigee/services/naming/store.h>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace perigee::naming::test {

namespace {

using Kind = Change::Kind;

/// Runs the rest of a test case with each store.
class Stores {
 public:
  template <typename Check>
  void each(Check check) {
    for (const NamedStore& each : stores_) {
      CAPTURE(each.name);
      check(*each.store);
    }
  }

 private:
  perigee::test::TemporaryFolder folder_;
  std::vector<NamedStore> stores_ = stores_under_test(folder_.path());
};

Change leased(Kind kind, const std::string& id, WallTime expires, WallTime now) {
  Change change = change_of(kind, id);
  change.expires = expires;
  change.now = now;
  return change;
}

}  // namespace

TEST_CASE("a store finds a binding, and refuses a second binding of the same name") {
  Stores().each([](Store& store) {
    CHECK(add(store, "a") == Outcome::done);
    CHECK(add(store, "a") == Outcome::already_bound);
    CHECK(reference_of(store, "a") == "ref a");
    CHECK(reference_of(store, "b") == "none");
    CHECK(outcome(store, change_of(Kind::unbind, "a")) == Outcome::done);
    CHECK(outcome(store, change_of(Kind::unbind, "a")) == Outcome::not_bound);
    CHECK(reference_of(store, "a") == "none");
  });
}

TEST_CASE("a store keeps ids and kinds with any octets apart") {
  Stores().each([](Store& store) {
    for (const Component& name :
         {Component{"", ""}, Component{"a", ""}, Component{"", "a"}, Component{"\xff/.\\", "\x01"},
          Component{"ab", ""}, Component{"a", "b"}})
      CHECK(outcome(store, {.name = name, .target = {.reference = name.id + "|" + name.kind}}) ==
            Outcome::done);
    CHECK(store.find(root_context, {"a", "b"}).value()->target.reference == "a|b");
    CHECK(store.find(root_context, {"", ""}).value()->target.reference == "|");
    CHECK(store.list(root_context, nullptr, 10, 0).value().size() == 6);
  });
}

TEST_CASE("rebind replaces an object by an object, and a context by a context") {
  Stores().each([](Store& store) {
    Change object = change_of(Kind::rebind, "a");
    CHECK(outcome(store, object) == Outcome::done);
    object.target.reference = "second";
    CHECK(outcome(store, object) == Outcome::done);
    CHECK(reference_of(store, "a") == "second");
    Change context = object;
    context.target = {TargetKind::foreign_context, 0, "other service"};
    CHECK(outcome(store, context) == Outcome::wrong_sort);
    CHECK(reference_of(store, "a") == "second");
    CHECK(outcome(store, change_of(Kind::bind_new_context, "c")) == Outcome::done);
    context.name.id = "c";
    CHECK(outcome(store, context) == Outcome::done);
    object.name.id = "c";
    CHECK(outcome(store, object) == Outcome::wrong_sort);
  });
}

TEST_CASE("a context can be destroyed when it is empty, and its number is not used again") {
  Stores().each([](Store& store) {
    const ContextNumber made = make(store, change_of(Kind::make_context, "")).value().made;
    CHECK(made != root_context);
    CHECK(add(store, "a", made) == Outcome::done);
    CHECK(reference_of(store, "a", made) == "ref a");
    CHECK(outcome(store, change_of(Kind::destroy_context, "", made)) == Outcome::not_empty);
    CHECK(outcome(store, change_of(Kind::unbind, "a", made)) == Outcome::done);
    CHECK(outcome(store, change_of(Kind::destroy_context, "", made)) == Outcome::done);
    CHECK(outcome(store, change_of(Kind::destroy_context, "", made)) == Outcome::no_context);
    CHECK(add(store, "a", made) == Outcome::no_context);
    CHECK_FALSE(store.exists(made).value());
    CHECK(make(store, change_of(Kind::make_context, "")).value().made > made);
  });
}

TEST_CASE("context 0 does not exist") {
  Stores().each([](Store& store) {
    for (const Kind kind : {Kind::bind, Kind::rebind, Kind::unbind, Kind::renew, Kind::make_context,
                            Kind::bind_new_context, Kind::destroy_context}) {
      CAPTURE(static_cast<int>(kind));
      CHECK(outcome(store, change_of(kind, "a", 0)) == Outcome::no_context);
    }
    CHECK_FALSE(store.exists(0).value());
    CHECK_FALSE(store.find(0, {"a", "k"}).value());
    CHECK(ids(store, 0, nullptr, 10).empty());
  });
}

TEST_CASE("bind_new_context makes no context if the name is bound") {
  Stores().each([](Store& store) {
    const auto made = make(store, change_of(Kind::bind_new_context, "c")).value();
    CHECK(store.exists(made.made).value());
    CHECK(outcome(store, change_of(Kind::bind_new_context, "c")) == Outcome::already_bound);
    CHECK_FALSE(store.exists(made.made + 1).value());
    CHECK(store.find(root_context, {"c", "k"}).value()->target ==
          Target{TargetKind::own_context, made.made, {}});
  });
}

TEST_CASE("a store makes no more contexts than its limit allows") {
  const perigee::test::TemporaryFolder folder;
  for (const auto& [kind, store] : stores_under_test(folder.path(), 2)) {
    CAPTURE(kind);
    const auto made = make(*store, change_of(Kind::make_context, "")).value();
    CHECK(outcome(*store, change_of(Kind::make_context, "")) == Outcome::too_many);
    CHECK(outcome(*store, change_of(Kind::bind_new_context, "a")) == Outcome::too_many);
    CHECK(reference_of(*store, "a") == "none");
    CHECK(outcome(*store, change_of(Kind::destroy_context, "", made.made)) == Outcome::done);
    CHECK(outcome(*store, change_of(Kind::bind_new_context, "a")) == Outcome::done);
    CHECK(outcome(*store, change_of(Kind::make_context, "")) == Outcome::too_many);
  }
}

TEST_CASE("list returns pages in the order of the names") {
  Stores().each([](Store& store) {
    for (const char* id : {"d", "b", "a", "e", "c"}) CHECK(add(store, id) == Outcome::done);
    CHECK(ids(store, root_context, nullptr, 2) == "a b ");
    const Component b{"b", "k"};
    CHECK(ids(store, root_context, &b, 2) == "c d ");
    const Component between{"bb", ""};  // the position may have been unbound
    CHECK(ids(store, root_context, &between, 10) == "c d e ");
    CHECK(ids(store, 77, nullptr, 10).empty());
  });
}

TEST_CASE("a binding with a lease counts as removed when its time has come") {
  Stores().each([](Store& store) {
    CHECK(outcome(store, leased(Kind::bind, "a", 100, 0)) == Outcome::done);
    CHECK(outcome(store, leased(Kind::bind, "a", 200, 99)) == Outcome::already_bound);
    CHECK(outcome(store, leased(Kind::renew, "a", 150, 99)) == Outcome::done);
    CHECK(ids(store, root_context, nullptr, 9, 149) == "a ");
    CHECK(ids(store, root_context, nullptr, 9, 150).empty());
    CHECK(outcome(store, leased(Kind::renew, "a", 300, 150)) == Outcome::not_bound);
    CHECK(outcome(store, leased(Kind::unbind, "a", 0, 150)) == Outcome::not_bound);
    CHECK(outcome(store, leased(Kind::bind, "a", never, 150)) == Outcome::done);
    CHECK(outcome(store, leased(Kind::renew, "a", 300, 151)) == Outcome::done);
    CHECK(ids(store, root_context, nullptr, 9, 1000) == "a ");  // renew gives no lease
  });
}

TEST_CASE("bindings whose leases have ended neither stay nor keep a context from being destroyed") {
  Stores().each([](Store& store) {
    const ContextNumber made = make(store, change_of(Kind::make_context, "")).value().made;
    Change change = leased(Kind::bind, "a", 100, 0);
    change.context = made;
    CHECK(outcome(store, change) == Outcome::done);
    CHECK(outcome(store, leased(Kind::bind, "b", 100, 0)) == Outcome::done);
    CHECK(outcome(store, leased(Kind::remove_expired, "", 0, 99)) == Outcome::done);
    CHECK(store.find(root_context, {"b", "k"}).value());
    CHECK(outcome(store, leased(Kind::remove_expired, "", 0, 100)) == Outcome::done);
    CHECK_FALSE(store.find(root_context, {"b", "k"}).value());
    change.kind = Kind::bind;
    CHECK(outcome(store, change) == Outcome::done);
    change.kind = Kind::destroy_context;
    change.now = 100;
    CHECK(outcome(store, change) == Outcome::done);
  });
}

TEST_CASE("a store knows whether leases have ended that it has not removed") {
  Stores().each([](Store& store) {
    CHECK(add(store, "forever") == Outcome::done);
    CHECK(outcome(store, leased(Kind::bind, "a", 200, 0)) == Outcome::done);
    CHECK(outcome(store, leased(Kind::renew, "a", 100, 0)) == Outcome::done);
    CHECK_FALSE(store.has_expired(99).value());
    CHECK(store.has_expired(100).value());
    CHECK(outcome(store, leased(Kind::remove_expired, "", 0, 100)) == Outcome::done);
    CHECK_FALSE(store.has_expired(1'000).value());
    CHECK(outcome(store, leased(Kind::bind, "a", 300, 100)) == Outcome::done);
    CHECK(outcome(store, leased(Kind::unbind, "a", 0, 100)) == Outcome::done);
    CHECK_FALSE(store.has_expired(300).value());
  });
}

TEST_CASE("lists are answered while the bindings of 10,000 ended leases are removed") {
  Stores().each([](Store& store) {
    constexpr int leases = 10'000;
    ManyChanges changes(store);
    for (int number = 0; number < leases; ++number)
      changes.make(leased(Kind::bind, "a" + std::to_string(number), 100, 0));
    CHECK(changes.failed() == 0);
    CHECK(add(store, "valid") == Outcome::done);  // after all the others in the order of names
    std::promise<void> removed;
    int parts = 0;
    // As in the service, the end of a part of the removal starts the next part.
    std::function<void()> remove_part = [&] {
      store.change(leased(Kind::remove_expired, "", 0, 100), [&](const Result& result) {
        ++parts;
        if (result && result->has_more) return remove_part();
        removed.set_value();
      });
    };
    remove_part();
    const auto all_removed = removed.get_future();
    int lists = 0;
    do {
      CHECK(ids(store, root_context, nullptr, 9, 100) == "valid ");
      ++lists;
    } while (all_removed.wait_for(std::chrono::seconds(0)) != std::future_status::ready);
    MESSAGE(lists << " lists during the removal in " << parts << " parts");
    CHECK(lists >= parts);  // a list takes no longer than one part of the removal
    CHECK_FALSE(store.has_expired(100).value());
  });
}

TEST_CASE("a store in memory refuses names beyond its limit, and takes them when others are gone") {
  const auto store = make_memory_store({.size_max = 3'000});
  Change large = change_of(Kind::bind, "large");
  large.target.reference = std::string(2'000, 'x');
  CHECK(outcome(*store, large) == Outcome::done);
  Change second = large;
  second.name.id = "second";
  CHECK(make(*store, second).error().kind == StoreError::Kind::full);
  Change again = large;
  again.kind = Kind::rebind;  // takes the place of the first binding
  CHECK(make(*store, again));
  CHECK(outcome(*store, change_of(Kind::unbind, "large")) == Outcome::done);
  CHECK(outcome(*store, second) == Outcome::done);
}

}  // namespace perigee::naming::test
