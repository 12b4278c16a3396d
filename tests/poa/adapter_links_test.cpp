// An adapter's links to other adapters: its parent, its children, and children that are being made.
#include "poa/adapter_links.h"

#include <doctest/doctest.h>

#include <mutex>
#include <thread>

using namespace perigee;
using namespace perigee::poa;

namespace {

class Node final {};
using Links = AdapterLinks<Node>;

}  // namespace

TEST_CASE("a child is found by name until it is removed") {
  Links links(nullptr, {});
  const auto child = make_counted<Node>();
  const auto successor = make_counted<Node>();
  CHECK(links.find("a") == nullptr);
  links.add("a", child);
  CHECK(links.contains("a"));
  CHECK(links.find("a") == child);
  CHECK(links.all().size() == 1);
  CHECK(links.check_invariants());
  links.remove("a", successor.get());  // another child of that name
  CHECK(links.contains("a"));
  links.remove("a", child.get());
  CHECK_FALSE(links.contains("a"));
  CHECK(links.all().empty());
}

TEST_CASE("an adapter keeps no reference to its parent") {
  auto parent = make_counted<Node>();
  const Links links(parent, Octets(3));
  CHECK(links.parent() == parent);
  CHECK(links.path().size() == 3);
  parent = nullptr;
  CHECK(links.parent() == nullptr);
}

TEST_CASE("other threads wait for a child until it is made") {
  std::mutex mutex;
  Links links(nullptr, {});
  {
    const std::lock_guard lock(mutex);
    links.begin_making("a");
    CHECK(links.is_being_made("a"));
    CHECK_FALSE(links.is_being_made_elsewhere("a"));
    CHECK(links.makes_child());
    CHECK(links.check_invariants());
  }
  bool elsewhere = false;
  counted_ptr<Node> found;
  std::thread waiting([&] {
    std::unique_lock lock(mutex);
    elsewhere = links.is_being_made_elsewhere("a") && !links.makes_child();
    links.wait_until_made(lock, "a");
    found = links.find("a");
  });
  {
    std::unique_lock lock(mutex);
    links.add("a", make_counted<Node>());
    links.wait_until_made(lock, "a");  // by this thread itself: does not wait
  }
  for (bool seen = false; !seen; std::this_thread::yield()) {
    const std::lock_guard lock(mutex);
    seen = elsewhere;
  }
  {
    const std::lock_guard lock(mutex);
    links.end_making("a");
  }
  waiting.join();
  CHECK(found != nullptr);
  CHECK_FALSE(links.makes_child());
}
