// A naming service over names that another program changes, too.
#include "services/naming/naming_server.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

namespace perigee::naming::test {

namespace {

/// Names in memory. While the store is late, reads find no name and no inner context. `catch_up`
/// ends this.
class LateStore final : public SharedStore {
 public:
  ~LateStore() override {
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] std::uint64_t identity() const noexcept override { return store_->identity(); }
  [[nodiscard]] std::expected<std::optional<Binding>, StoreError> find(
      ContextNumber context, const Component& name) override {
    if (is_late_) return std::nullopt;
    return store_->find(context, name);
  }
  [[nodiscard]] std::expected<std::vector<Binding>, StoreError> list(ContextNumber context,
                                                                     const Component* after,
                                                                     std::size_t count,
                                                                     WallTime now) override {
    return store_->list(context, after, count, now);
  }
  [[nodiscard]] std::expected<bool, StoreError> exists(ContextNumber context) override {
    if (is_late_ && context != root_context) return false;
    return store_->exists(context);
  }
  [[nodiscard]] std::expected<bool, StoreError> has_expired(WallTime now) override {
    return store_->has_expired(now);
  }
  void on_binding_changed(const BindingChanged& changed) override { changed_ = changed; }
  void change(Change change, Done done) override {
    store_->change(std::move(change), std::move(done));
  }
  void catch_up(CaughtUp done) override {
    ++catch_ups_;
    is_late_ = false;
    if (thread_.joinable()) thread_.join();
    thread_ = std::thread(std::move(done));
  }

  void be_late() {
    changed_(root_context, nullptr);
    is_late_ = true;
  }
  [[nodiscard]] int catch_ups() const { return catch_ups_; }

 private:
  const std::unique_ptr<Store> store_ = make_memory_store();
  BindingChanged changed_;
  std::atomic<bool> is_late_ = false;
  std::atomic<int> catch_ups_ = 0;
  std::thread thread_;  // calls `done`, as a thread of a store does
};

/// A service with the name "a/b", and the context "a".
class Scene {
 public:
  Scene() {
    inner = IDL::traits<NamingContext>::narrow(root->bind_new_context(name({"a"})));
    root->bind(name({"a", "b"}), object(client, "b"));
  }

 private:
  std::unique_ptr<LateStore> made_ = std::make_unique<LateStore>();

 public:
  LateStore& store = *made_;
  const TestOrb client;
  const Server server{{}, std::move(made_)};
  const ContextRef root = server.root(client);
  IDL::traits<NamingContext>::ref_type inner;
};

}  // namespace

TEST_CASE("a resolve finds a name that another program has bound a moment ago") {
  Scene scene;
  scene.store.be_late();
  CHECK(scene.root->resolve(name({"a", "b"}))->_is_equivalent(object(scene.client, "b")));
  CHECK(scene.store.catch_ups() == 1);
  (void)scene.root->resolve(name({"a", "b"}));
  CHECK(scene.store.catch_ups() == 1);  // a call that finds the name does not wait
}

TEST_CASE("changes and lists find a context that another program has made a moment ago") {
  Scene scene;
  scene.store.be_late();
  scene.root->bind(name({"a", "c"}), object(scene.client, "c"));
  scene.store.be_late();
  (void)scene.root->bind_new_context(name({"a", "d"}));
  scene.store.be_late();
  scene.root->unbind(name({"a", "c"}));
  scene.store.be_late();
  CosNaming::BindingList bindings;
  IteratorRef rest;
  scene.inner->list(10, bindings, rest);
  CHECK(bindings.size() == 2);
  CHECK(scene.store.catch_ups() == 4);
}

TEST_CASE("a call for a name that no program has bound waits once, and fails") {
  Scene scene;
  CHECK(failure([&] { (void)scene.root->resolve(name({"a", "x"})); }) == "missing_node x");
  CHECK(scene.store.catch_ups() == 1);
  CHECK(failure([&] { scene.root->bind(name({"x", "y"}), scene.root); }) == "missing_node x y");
  CHECK(scene.store.catch_ups() == 2);
}

}  // namespace perigee::naming::test
