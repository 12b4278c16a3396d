// The transactions of changes, and what a store makes of an attempt without an answer.
#include "services/naming_etcd/plan.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace perigee::naming::etcd {

namespace {

using Outcome = ChangeResult::Outcome;
using Kind = Change::Kind;

const Mark our_mark = {'o', 'u', 'r', 's'};
const Mark other_mark = {'o', 't', 'h', 'e', 'r'};

class Names {
 public:
  Names() {
    put(keys.store(), encode(StoreRecord{1}), 2);
    put(keys.last(), encode(LastRecord{1, 1}), 2);
    put(keys.context(root_context), encode(ContextRecord{}), 2);
  }
  void put(std::string key, std::string value, Revision revision) {
    mirror.apply({false, {std::move(key), std::move(value), revision}});
  }
  void bind(const std::string& id, const Mark& mark, Revision revision) {
    put(keys.binding(root_context, {id, ""}),
        encode(BindingRecord{{TargetKind::object, 0, "r"}, never, mark}), revision);
  }
  void remove(const std::string& id, Revision revision) {
    mirror.apply({true, {keys.binding(root_context, {id, ""}), "", revision}});
  }
  Plan plan(Progress& progress) const {
    Plan plan = make_plan(keys, mirror, {.contexts_max = 100, .size_max = 10'000}, progress);
    progress.writes = plan.writes();
    return plan;
  }
  /// The next plan after an attempt without an answer.
  Plan plan_again(Progress& progress) const {
    progress.note_lost_answer();
    return plan(progress);
  }

  const Keys keys{"/p/"};
  Mirror mirror{keys};
};

Progress progress_of(Kind kind, const std::string& id) {
  return {.change = {.kind = kind, .name = {id, ""}, .target = {.reference = "ref"}},
          .mark = our_mark};
}

}  // namespace

TEST_CASE("a bind expects that the name is free, and an occupied name is confirmed") {
  Names names;
  Progress progress = progress_of(Kind::bind, "a");
  const Plan plan = names.plan(progress);
  REQUIRE(plan.transaction.compares.size() == 2);
  CHECK(plan.transaction.compares[0].kind == Compare::Kind::exists);
  CHECK(plan.transaction.compares[1].kind == Compare::Kind::modified_at);
  CHECK(plan.transaction.compares[1].revision == 0);
  REQUIRE(plan.transaction.operations.size() == 2);
  CHECK(plan.transaction.operations[1].key == names.keys.changed());
  names.bind("a", other_mark, 5);
  const Plan refused = names.plan(progress);
  CHECK_FALSE(refused.writes());
  CHECK(refused.result.outcome == Outcome::already_bound);
  CHECK(refused.transaction.compares[1].revision == 5);
}

TEST_CASE("a bind without an answer is done if the binding has its mark") {
  Names names;
  Progress progress = progress_of(Kind::bind, "a");
  (void)names.plan(progress);
  CHECK_FALSE(names.plan_again(progress).known);  // nothing has changed: tries again
  names.bind("a", our_mark, 5);
  const Plan plan = names.plan_again(progress);
  REQUIRE(plan.known);
  CHECK(plan.known->value().outcome == Outcome::done);
}

TEST_CASE("a bind that etcd got twice is done although etcd refused the repetition") {
  Names names;
  Progress progress = progress_of(Kind::bind, "a");
  (void)names.plan(progress);
  names.bind("a", our_mark, 5);
  CHECK(names.plan(progress).known->value().outcome == Outcome::done);
}

TEST_CASE("a rebind without an answer never overwrites a later binding of another client") {
  Names names;
  names.bind("a", other_mark, 5);
  Progress progress = progress_of(Kind::rebind, "a");
  (void)names.plan(progress);
  names.bind("a", other_mark, 7);
  const Plan plan = names.plan_again(progress);
  REQUIRE(plan.known);
  CHECK(plan.known->error().kind == StoreError::Kind::uncertain);
}

TEST_CASE("an unbind without an answer is done if the binding is gone") {
  Names names;
  names.bind("a", other_mark, 5);
  Progress progress = progress_of(Kind::unbind, "a");
  (void)names.plan(progress);
  names.remove("a", 6);
  CHECK(names.plan_again(progress).known->value().outcome == Outcome::done);
  names.bind("a", other_mark, 7);
  CHECK(names.plan_again(progress).known->error().kind == StoreError::Kind::uncertain);
}

TEST_CASE("an attempt that only confirms a result makes nothing, even without an answer") {
  Names names;
  Progress unbind = progress_of(Kind::unbind, "a");
  CHECK_FALSE(names.plan(unbind).writes());
  const Plan again = names.plan_again(unbind);
  CHECK_FALSE(again.known);
  CHECK(again.result.outcome == Outcome::not_bound);

  Progress destroy{.change = {.kind = Kind::destroy_context, .context = 2}, .mark = our_mark};
  (void)names.plan(destroy);
  CHECK(names.plan_again(destroy).result.outcome == Outcome::no_context);

  names.bind("b", other_mark, 5);
  Progress bind = progress_of(Kind::bind, "b");
  (void)names.plan(bind);
  names.bind("b", other_mark, 7);
  CHECK(names.plan_again(bind).result.outcome == Outcome::already_bound);
}

TEST_CASE("a new context without an answer is recognised by its mark") {
  Names names;
  Progress progress = progress_of(Kind::make_context, "");
  const Plan first = names.plan(progress);
  CHECK(first.result.made == 2);
  names.put(names.keys.last(), encode(LastRecord{2, 2}), 6);
  names.put(names.keys.context(2), encode(ContextRecord{other_mark}), 6);
  CHECK_FALSE(names.plan_again(progress).known);  // of another store: plans number 3
  names.put(names.keys.context(3), encode(ContextRecord{our_mark}), 7);
  CHECK(names.plan_again(progress).known->value().made == 3);
}

TEST_CASE("a context is destroyed only if no name was bound since the copy") {
  Names names;
  names.put(names.keys.context(2), encode(ContextRecord{}), 8);
  Progress progress{.change = {.kind = Kind::destroy_context, .context = 2}, .mark = our_mark};
  const Plan plan = names.plan(progress);
  REQUIRE(plan.transaction.compares.size() == 3);
  CHECK(plan.transaction.compares[1].kind == Compare::Kind::modified_before);
  CHECK(plan.transaction.compares[1].revision == 9);
  CHECK(plan.transaction.compares[1].end == names.keys.bindings_of(2).end);
}

TEST_CASE("a tree without its counter refuses new contexts with a clear error") {
  Names names;
  names.put(names.keys.last(), "damaged", 9);
  Progress progress = progress_of(Kind::bind_new_context, "c");
  const Plan plan = names.plan(progress);
  REQUIRE(plan.known);
  CHECK(plan.known->error().text.contains("'/p/last' is missing or damaged"));
}

TEST_CASE("a bind is refused exactly when the copy with the binding would exceed its limit") {
  Names names;
  Progress progress = progress_of(Kind::bind, "a");
  const std::size_t added = size_of_binding(progress.change.name, progress.change.target);
  names.put(names.keys.binding(root_context, {"large", ""}),
            encode(BindingRecord{{TargetKind::object, 0, std::string(5'000, 'x')}, never, {}}), 5);
  const auto plan_with = [&](std::size_t size_max) {
    return make_plan(names.keys, names.mirror, {.contexts_max = 100, .size_max = size_max},
                     progress);
  };
  const std::size_t full = names.mirror.size() + added;
  CHECK(plan_with(full).writes());
  CHECK(plan_with(full - 1).known->error().kind == StoreError::Kind::full);
  CHECK(plan_with(added - 1).known->error().kind == StoreError::Kind::full);
  names.put(names.keys.binding(root_context, {"a", ""}),
            encode(BindingRecord{progress.change.target, never, other_mark}), 6);
  CHECK(names.mirror.size() == full);
  progress.change.kind = Kind::rebind;
  CHECK(plan_with(0).writes());  // a binding of the same size takes the place of the present one
}

TEST_CASE("a sweep removes at most as many bindings as a transaction of etcd may") {
  Names names;
  for (int number = 0; number < 70; ++number)
    names.put(names.keys.binding(root_context, {std::to_string(number), ""}),
              encode(BindingRecord{{TargetKind::object, 0, "r"}, 10, other_mark}), 5);
  Progress progress{.change = {.kind = Kind::remove_expired, .now = 10}, .mark = our_mark};
  const Plan plan = names.plan(progress);
  CHECK(plan.transaction.operations.size() == 61);
  CHECK(plan.result.has_more);
}

}  // namespace perigee::naming::etcd
