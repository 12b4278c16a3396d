// An adapter's place in the tree: children, and children that are being made.
#include "poa/adapter_tree.h"

#include <doctest/doctest.h>

#include <mutex>
#include <thread>

using namespace perigee;
using namespace perigee::poa;

namespace {

class Node final {};
using Tree = AdapterTree<Node>;

}  // namespace

TEST_CASE("a child is found by name until it is removed") {
  Tree tree(nullptr, {});
  const auto child = make_counted<Node>();
  const auto successor = make_counted<Node>();
  CHECK(tree.find("a") == nullptr);
  tree.add("a", child);
  CHECK(tree.contains("a"));
  CHECK(tree.find("a") == child);
  CHECK(tree.all().size() == 1);
  CHECK(tree.check_invariants());
  tree.remove("a", successor.get());  // another child of that name
  CHECK(tree.contains("a"));
  tree.remove("a", child.get());
  CHECK_FALSE(tree.contains("a"));
  CHECK(tree.all().empty());
}

TEST_CASE("an adapter keeps no reference to its parent") {
  auto parent = make_counted<Node>();
  const Tree tree(parent, Octets(3));
  CHECK(tree.parent() == parent);
  CHECK(tree.path().size() == 3);
  parent = nullptr;
  CHECK(tree.parent() == nullptr);
}

TEST_CASE("other threads wait for a child until it is made") {
  std::mutex mutex;
  Tree tree(nullptr, {});
  {
    const std::lock_guard lock(mutex);
    tree.begin_making("a");
    CHECK(tree.is_being_made("a"));
    CHECK_FALSE(tree.is_being_made_elsewhere("a"));
    CHECK(tree.makes_child());
    CHECK(tree.check_invariants());
  }
  bool elsewhere = false;
  counted_ptr<Node> found;
  std::thread waiting([&] {
    std::unique_lock lock(mutex);
    elsewhere = tree.is_being_made_elsewhere("a") && !tree.makes_child();
    tree.wait_until_made(lock, "a");
    found = tree.find("a");
  });
  {
    std::unique_lock lock(mutex);
    tree.add("a", make_counted<Node>());
    tree.wait_until_made(lock, "a");  // by this thread itself: does not wait
  }
  for (bool seen = false; !seen; std::this_thread::yield()) {
    const std::lock_guard lock(mutex);
    seen = elsewhere;
  }
  {
    const std::lock_guard lock(mutex);
    tree.end_making("a");
  }
  waiting.join();
  CHECK(found != nullptr);
  CHECK_FALSE(tree.makes_child());
}
