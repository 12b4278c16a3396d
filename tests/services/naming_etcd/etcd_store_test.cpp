// Two stores over the same names in etcd, and names that other programs have damaged.
#include "services/naming/store_changes.h"
#include "services/naming_etcd/etcd_stores.h"
#include "services/naming_etcd/keys.h"
#include "services/naming_etcd/messages.h"
#include "services/naming_etcd/transfers.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace perigee::naming::test {

namespace {

using Kind = Change::Kind;

/// Makes a request of etcd, and waits for its answer.
std::string ask(const char* path, const std::string& body) {
  etcd::Transfers transfers(etcd::TlsFiles{});
  std::optional<etcd::HttpAnswer> got;
  transfers.start({.url = etcd_options("/").members[0] + path, .body = body},
                  [&got](etcd::HttpAnswer answer) { got = std::move(answer); });
  while (!got) transfers.run(std::chrono::milliseconds(1'000));
  REQUIRE(got->status == 200);
  return got->body;
}

void put(const std::string& key, const std::string& value) {
  ask("/v3/kv/put",
      R"({"key":")" + etcd::to_base64(key) + R"(","value":")" + etcd::to_base64(value) + R"("})");
}

/// The names that a store has learned of from etcd.
class Learned {
 public:
  explicit Learned(Store& store) {
    store.on_binding_changed([this](ContextNumber, const Component* name) {
      const std::lock_guard lock(mutex_);
      ids_.insert(name == nullptr ? "all" : name->id);
      changed_.notify_all();
    });
  }
  void await(const std::string& id) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ids_.contains(id); });
    ids_.erase(id);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multiset<std::string> ids_;
};

}  // namespace

TEST_CASE("stores over the same names have the same identity and the same context numbers") {
  const std::string prefix = new_prefix();
  const auto first = open_etcd(prefix);
  const ContextNumber made = make(*first, change_of(Kind::bind_new_context, "c")).value().made;
  const auto second = open_etcd(prefix);
  CHECK(second->identity() == first->identity());
  CHECK(second->find(root_context, {"c", "k"}).value()->target.context == made);
  CHECK(open_etcd(new_prefix())->identity() != first->identity());
}

TEST_CASE("a store learns of the changes of another store") {
  const std::string prefix = new_prefix();
  const auto first = open_etcd(prefix);
  const auto second = open_etcd(prefix);
  Learned learned(*second);
  CHECK(add(*first, "a") == Outcome::done);
  learned.await("a");
  CHECK(reference_of(*second, "a") == "ref a");
  CHECK(add(*second, "a") == Outcome::already_bound);
  CHECK(outcome(*first, change_of(Kind::unbind, "a")) == Outcome::done);
  learned.await("a");
  CHECK(reference_of(*second, "a") == "none");
}

TEST_CASE("of two stores that bind the same names at the same time, one succeeds for each name") {
  const std::string prefix = new_prefix();
  const auto first = open_etcd(prefix);
  const auto second = open_etcd(prefix);
  constexpr int names = 200;
  std::atomic<int> bound = 0;
  std::atomic<int> refused = 0;
  const auto bind_all = [&](Store& store, const std::string& reference) {
    for (int number = 0; number < names; ++number) {
      Change change = change_of(Kind::bind, std::to_string(number));
      change.target.reference = reference;
      const Outcome result = outcome(store, change);
      if (result == Outcome::done) ++bound;
      if (result == Outcome::already_bound) ++refused;
    }
  };
  std::thread other([&] { bind_all(*second, "second"); });
  bind_all(*first, "first");
  other.join();
  CHECK(bound == names);
  CHECK(refused == names);
}

TEST_CASE("two stores that make contexts at the same time make different numbers") {
  const std::string prefix = new_prefix();
  const auto first = open_etcd(prefix);
  const auto second = open_etcd(prefix);
  std::set<ContextNumber> made;
  std::mutex mutex;
  const auto make_all = [&](Store& store) {
    for (int count = 0; count < 50; ++count) {
      const auto result = make(store, change_of(Kind::make_context, "")).value();
      const std::lock_guard lock(mutex);
      made.insert(result.made);
    }
  };
  std::thread other([&] { make_all(*second); });
  make_all(*first);
  other.join();
  CHECK(made.size() == 100);
  for (const ContextNumber number : made)
    CHECK(outcome(*first, change_of(Kind::destroy_context, "", number)) == Outcome::done);
}

TEST_CASE("a context in which another store binds a name is not destroyed") {
  const std::string prefix = new_prefix();
  const auto first = open_etcd(prefix);
  const auto second = open_etcd(prefix);
  for (int round = 0; round < 50; ++round) {
    const ContextNumber made = make(*first, change_of(Kind::make_context, "")).value().made;
    Outcome bound = Outcome::done;
    std::thread other([&] { bound = add(*second, "a", made); });
    const Outcome destroyed = outcome(*first, change_of(Kind::destroy_context, "", made));
    other.join();
    // `second` may not have learned of the context yet. It asks etcd before it refuses the name.
    CHECK(((bound == Outcome::done && destroyed == Outcome::not_empty) ||
           (bound == Outcome::no_context && destroyed == Outcome::done)));
  }
}

TEST_CASE("after a compaction, names are copied again and none is lost") {
  const std::string prefix = new_prefix();
  const auto store = open_etcd(prefix);
  for (int number = 0; number < 1'000; ++number)
    store->change(change_of(Kind::bind, std::to_string(number)), [](const Result&) {});
  CHECK(add(*store, "last") == Outcome::done);
  const auto revision = store->status().revision;
  ask("/v3/kv/compaction", R"({"revision":")" + std::to_string(revision) + R"("})");
  const auto other = open_etcd(prefix);  // its copy has several pages
  CHECK(reference_of(*other, "999") == "ref 999");
  CHECK(add(*other, "more") == Outcome::done);
  CHECK(other->status().bindings == 1'002);
}

TEST_CASE("a damaged binding is an error and not a wrong reference, and it can be unbound") {
  const std::string prefix = new_prefix();
  const auto store = open_etcd(prefix);
  Learned learned(*store);
  const etcd::Keys keys(prefix);
  put(keys.binding(root_context, {"a", "k"}), "damaged");
  learned.await("a");
  const auto found = store->find(root_context, {"a", "k"});
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == StoreError::Kind::corrupt);
  CHECK(found.error().text.contains("'a.k' has a damaged value"));
  CHECK(ids(*store, root_context, nullptr, 9) == "a ");
  CHECK(add(*store, "a") == Outcome::already_bound);
  CHECK(outcome(*store, change_of(Kind::unbind, "a")) == Outcome::done);
  CHECK(add(*store, "a") == Outcome::done);
}

TEST_CASE("keys of other programs below the prefix are ignored") {
  const std::string prefix = new_prefix();
  put(prefix + "b/0000000000000001/not a name", "x");
  put(prefix + "other", "x");
  const auto store = open_etcd(prefix);
  put(prefix + "c/other", "x");
  CHECK(add(*store, "a") == Outcome::done);
  CHECK(ids(*store, root_context, nullptr, 9) == "a ");
}

TEST_CASE("names of a later version, and keys that are not names, are refused") {
  const std::string later = new_prefix();
  put(etcd::Keys(later).store(), "perigee-names \2later");
  CHECK(open_etcd_store(etcd_options(later)).error().kind == StoreError::Kind::newer);
  const std::string other = new_prefix();
  put(etcd::Keys(other).store(), "other");
  const auto refused = open_etcd_store(etcd_options(other));
  CHECK(refused.error().text.contains("not the names of a naming service; choose another prefix"));
}

TEST_CASE("a store refuses names beyond its limit of memory") {
  EtcdStoreOptions options = etcd_options(new_prefix());
  options.size_max = 5'000;
  const auto store = open_etcd_store(options).value();
  Change large = change_of(Kind::bind, "large");
  large.target.reference = std::string(4'000, 'x');
  CHECK(outcome(*store, large) == Outcome::done);
  large.name.id = "second";
  CHECK(make(*store, large).error().kind == StoreError::Kind::full);
  options.size_max = 1'000;
  const auto refused = open_etcd_store(options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == StoreError::Kind::full);
}

TEST_CASE("stores that bind up to the limit of memory still resolve, unbind and start") {
  EtcdStoreOptions options = etcd_options(new_prefix());
  options.size_max = 20'000;
  const auto first = open_etcd_store(options).value();
  const auto second = open_etcd_store(options).value();
  const auto bind_until_full = [](Store& store, const std::string& id) {
    for (int number = 0;; ++number) {
      const auto made = make(store, change_of(Kind::bind, id + std::to_string(number)));
      if (!made) return made.error().kind;
    }
  };
  StoreError::Kind other_error = StoreError::Kind::failed;
  std::thread other([&] { other_error = bind_until_full(*second, "b"); });
  CHECK(bind_until_full(*first, "a") == StoreError::Kind::full);
  other.join();
  CHECK(other_error == StoreError::Kind::full);
  CHECK(reference_of(*first, "a0") == "ref a0");
  CHECK(reference_of(*second, "b0") == "ref b0");
  CHECK(open_etcd_store(options).value()->status().bindings > 50);
  CHECK(outcome(*first, change_of(Kind::rebind, "a0")) == Outcome::done);
  CHECK(outcome(*first, change_of(Kind::unbind, "a0")) == Outcome::done);
}

TEST_CASE("the destructor of a store waits until the waiting changes are made") {
  const std::string prefix = new_prefix();
  std::atomic<int> done = 0;
  {
    const auto store = open_etcd(prefix);
    for (int number = 0; number < 300; ++number)
      store->change(change_of(Kind::bind, std::to_string(number)),
                    [&done](const Result& result) { done += result ? 1 : 0; });
  }
  CHECK(done == 300);
  CHECK(open_etcd(prefix)->status().bindings == 300);
}

TEST_CASE("wrong options are refused before any request") {
  const auto mistake = [](const EtcdStoreOptions& options) {
    return open_etcd_store(options).error().text;
  };
  CHECK(mistake({}).contains("no member of etcd is named"));
  for (const char* member : {"127.0.0.1:2379", "ftp://h:1", "http://h", "http://h:1/v3",
                             "http://:1", "http://user@h:1", "http://h:x"})
    CHECK(mistake({.members = {member}}).contains("is not the address of a member"));
  CHECK(mistake({.members = {"http://h:1"}, .prefix = ""}).contains("prefix of keys is empty"));
  CHECK(mistake({.members = {"http://h:1"}, .prefix = std::string(1, '\0')})
            .contains("contains an octet of value 0"));
  CHECK(mistake({.members = {"https://h:1"}, .certificate = "c"}).contains("needs its key"));
}

}  // namespace perigee::naming::test
