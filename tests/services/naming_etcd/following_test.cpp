// Copies of the names from members that are slow, that fail, or whose revisions become smaller.
#include "services/naming_etcd/following.h"

#include "services/naming_etcd/fake_member.h"
#include "services/naming_etcd/plan.h"
#include "support/fake_clock.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace perigee::naming::etcd {

namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using test::MemberAnswer;
using Kind = MemberAnswer::Kind;

/// The text of a member of a request.
std::string member_of(const std::string& json, const std::string& name) {
  const std::string before = "\"" + name + "\":\"";
  const std::size_t at = json.find(before);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + before.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

/// A member that has a tree of names.
class Tree {
 public:
  explicit Tree(std::size_t bindings) {
    for (const Operation& operation : creation_of_tree(keys, 1).operations)
      values_[operation.key] = operation.value;
    for (std::size_t number = 0; number < bindings; ++number)
      values_[keys.binding(root_context, {"name " + std::to_string(number), ""})] =
          encode(BindingRecord{{TargetKind::object, 0, "r"}});
  }

  /// The answer of etcd to a read.
  [[nodiscard]] MemberAnswer answer(const std::string& request) const {
    std::string found;
    const std::size_t limit = limit_of(request);
    auto at = values_.lower_bound(*from_base64(member_of(request, "key")));
    for (std::size_t count = 0; at != values_.end() && count < limit; ++count, ++at)
      found += (found.empty() ? "" : ",") + R"({"key":")"s + to_base64(at->first) +
               R"(","value":")" + to_base64(at->second) + R"(","mod_revision":"5"})";
    return {Kind::complete, R"({"header":{"revision":")" + std::to_string(revision.load()) +
                                R"("},"kvs":[)" + found + "]" +
                                (at == values_.end() ? "" : R"(,"more":true)") + "}"};
  }
  [[nodiscard]] static std::size_t limit_of(const std::string& request) {
    return std::strtoul(member_of(request, "limit").c_str(), nullptr, 10);
  }
  /// Whether the request asks for the first page of a copy.
  [[nodiscard]] bool is_first_page(const std::string& request) const {
    return member_of(request, "key") == to_base64(keys.all().begin);
  }
  /// Whether the request is a probe, and not a page.
  [[nodiscard]] bool is_probe(const std::string& request) const {
    return member_of(request, "key") == to_base64(keys.changed());
  }

  const Keys keys{"/test/"};
  std::atomic<Revision> revision = 1'000;

 private:
  std::map<std::string, std::string> values_;
};

/// Makes one copy from the member.
std::expected<Mirror, StoreError> copy_from(const test::FakeMember& member, const Tree& tree,
                                            std::chrono::milliseconds page_time_max) {
  const EtcdStoreOptions options{.members = {member.url()}, .page_time_max = page_time_max};
  Transfers transfers(TlsFiles{});
  std::atomic<std::uint64_t> failed = 0;
  Members members(options, transfers, 0, failed);
  std::optional<std::expected<Mirror, StoreError>> copy;
  Copying copying(options, tree.keys, transfers, members,
                  [&copy](std::expected<Mirror, StoreError> made) { copy = std::move(made); });
  copying.begin(1);
  while (!copy) transfers.run(100ms);
  return std::move(*copy);
}

}  // namespace

TEST_CASE("a copy goes on with smaller pages if a page takes longer than its time") {
  const Tree tree(4'000);
  constexpr std::size_t fast_max = 400;  // keys
  std::atomic<int> first_pages = 0;
  std::atomic<int> late_pages = 0;
  const test::FakeMember member([&](const std::string&, const std::string& request) {
    first_pages += tree.is_first_page(request) ? 1 : 0;
    if (Tree::limit_of(request) <= fast_max) return tree.answer(request);
    ++late_pages;
    return MemberAnswer{Kind::silence, {}};
  });
  const auto copy = copy_from(member, tree, 2s);
  REQUIRE(copy);
  CHECK(copy->bindings() == 4'000);
  CHECK(copy->revision() == 1'000);
  CHECK(first_pages == 1);
  CHECK(late_pages == 1);
}

TEST_CASE("a copy ends with an error if even a page with one key is late") {
  const Tree tree(2'000);
  std::atomic<std::size_t> least = 1'000;
  const test::FakeMember member([&](const std::string&, const std::string& request) {
    if (tree.is_first_page(request)) return tree.answer(request);
    least = std::min(least.load(), Tree::limit_of(request));
    return MemberAnswer{Kind::silence, {}};
  });
  const auto copy = copy_from(member, tree, 200ms);
  REQUIRE_FALSE(copy);
  CHECK(copy.error().kind == StoreError::Kind::unavailable);
  CHECK(least == 1);
}

TEST_CASE("a copy repeats the page that failed, and keeps the pages before it") {
  const Tree tree(4'000);
  std::atomic<int> first_pages = 0;
  std::atomic<int> pages = 0;
  const test::FakeMember member([&](const std::string&, const std::string& request) {
    first_pages += tree.is_first_page(request) ? 1 : 0;
    if (++pages == 2) return MemberAnswer{Kind::close, {}};
    return tree.answer(request);
  });
  const auto copy = copy_from(member, tree, 60s);
  REQUIRE(copy);
  CHECK(copy->bindings() == 4'000);
  CHECK(first_pages == 1);
}

TEST_CASE("a page that fails at each attempt ends the copy") {
  const Tree tree(2'000);
  std::atomic<int> failures = 0;
  const test::FakeMember member([&](const std::string&, const std::string& request) {
    if (tree.is_first_page(request)) return tree.answer(request);
    ++failures;
    return MemberAnswer{Kind::close, {}};
  });
  CHECK_FALSE(copy_from(member, tree, 60s));
  CHECK(failures == 4);
}

TEST_CASE("after a restored backup, reads neither wait nor send probes until there is a new copy") {
  Tree tree(1);
  std::atomic<int> probes = 0;
  const test::FakeMember member([&](const std::string& path, const std::string& request) {
    if (path == "/v3/watch") return MemberAnswer{Kind::begin, "{\"result\":{\"created\":true}}\n"};
    probes += tree.is_probe(request) ? 1 : 0;
    return tree.answer(request);
  });
  perigee::test::FakeClock clock;  // stands still: no probe but those of reads, and no new copy
  const EtcdStoreOptions options{.members = {member.url()}, .clock = &clock};
  Transfers transfers(TlsFiles{});
  SharedNames names(tree.keys, options);
  Following following(options, names, transfers, 1);
  const auto run_until = [&](const std::function<bool()>& is_reached) {
    for (following.step(); !is_reached(); following.step()) transfers.run(100ms);
  };
  run_until([&] { return probes == 1 && following.has_names(); });
  int ended = 0;
  tree.revision = 500;
  following.catch_up([&ended] { ++ended; });
  run_until([&] { return ended == 1; });
  const int probes_before = probes;
  for (int reads = 1; reads <= 10; ++reads) {
    following.catch_up([&ended] { ++ended; });
    run_until([&] { return ended == 1 + reads; });
  }
  CHECK(probes == probes_before);
}

}  // namespace perigee::naming::etcd
