// Random graphs of the valuetypes of graphs.idl, and their comparison.
#pragma once

#include "graphsA.h"
#include "random_value.h"
#include <perigee/orb/make_reference.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace perigee::test {

using ItemRef = Graphs::Item::_ref_type;

/// Which references a graph may have.
enum class Shape : std::uint8_t {
  acyclic,  ///< each item refers only to items that were made before it
  visible,  ///< the same, and state that a receiver without factories skips refers to no items
  cyclic,   ///< items refer to all items; their anys are empty
};

/// A graph of items with sharing and nulls. The state that every receiver skips refers only to
/// values of its own, since a message may not have both cycles in skipped state and references into
/// it.
class RandomGraph final {
 public:
  RandomGraph(RandomValues& random, std::size_t count, Shape shape) : random_(random) {
    for (std::size_t index = 0; index != count; ++index) {
      items_.push_back(new_item());
      if (shape != Shape::cyclic) connect(index, shape);
    }
    if (shape == Shape::cyclic)
      for (std::size_t index = 0; index != count; ++index) connect(index, shape);
  }
  ~RandomGraph() {
    for (const ItemRef& item : items_) take_apart(*item);
  }
  RandomGraph(const RandomGraph&) = delete;
  RandomGraph& operator=(const RandomGraph&) = delete;

  [[nodiscard]] const Graphs::Items& items() const noexcept { return items_; }

  /// Any contents that refer to the items: a value, a struct, a union, a sequence or another any.
  CORBA::Any any_of(std::size_t limit, int depth = 0) {
    CORBA::Any any;
    switch (random_.below(depth > 2 ? 5 : 6)) {
      case 0:
        any <<= one_of(limit);
        break;
      case 1:
        any <<= pair(limit);
        break;
      case 2:
        any <<= choice(limit);
        break;
      case 3:
        any <<= some_of(limit);
        break;
      case 4:
        random_.fill(any, 4);
        break;
      default:
        any <<= any_of(limit, depth + 1);
    }
    return any;
  }

  /// Ends cycles.
  static void take_apart(Graphs::Item& item) {
    item.next(nullptr);
    item.others().clear();
    item.both(Graphs::Pair());
    item.choice(Graphs::Choice());
    item.extra(CORBA::Any());
    if (auto* const marked = dynamic_cast<Graphs::Marked*>(&item)) marked->hidden(nullptr);
  }

 private:
  ItemRef new_item() {
    switch (random_.below(4)) {
      case 0: {
        const auto marked = CORBA::make_reference<OBV_Graphs::Marked>();
        fill(marked->mark());
        return marked;
      }
      case 1: {
        const auto unknown = CORBA::make_reference<OBV_Graphs::Unknown>();
        fill(unknown->mark());
        const ItemRef leaf = CORBA::make_reference<OBV_Graphs::Item>();
        leaf->id(-1);
        unknown->more({leaf, nullptr, leaf});
        std::vector<std::string> names;
        fill(names);
        unknown->names(CORBA::make_reference<Graphs::Names>(names));
        return unknown;
      }
      default:
        return CORBA::make_reference<OBV_Graphs::Item>();
    }
  }

  void connect(std::size_t index, Shape shape) {
    Graphs::Item& item = *items_[index];
    const std::size_t limit = shape == Shape::cyclic ? items_.size() : index;
    item.id(static_cast<std::int32_t>(index));
    item.next(one_of(limit));
    item.others(some_of(limit));
    item.count(number());
    item.both(pair(limit));
    item.choice(choice(limit));
    if (shape != Shape::cyclic) item.extra(any_of(index));
    if (shape == Shape::visible) return;
    if (auto* const marked = dynamic_cast<Graphs::Marked*>(&item)) marked->hidden(one_of(limit));
  }

  /// Null, or one of the first items.
  ItemRef one_of(std::size_t limit) {
    if (limit == 0 || random_.below(4) == 0) return nullptr;
    return items_[random_.below(limit)];
  }
  Graphs::Items some_of(std::size_t limit) {
    Graphs::Items some;
    for (std::size_t count = random_.below(3); count != 0; --count) some.push_back(one_of(limit));
    return some;
  }
  Graphs::Number::_ref_type number() {
    std::int32_t value = 0;
    fill(value);
    if (random_.below(3) == 0) return nullptr;
    return CORBA::make_reference<Graphs::Number>(value);
  }
  Graphs::Pair pair(std::size_t limit) {
    std::string name;
    fill(name);
    return Graphs::Pair(name, one_of(limit), one_of(limit));
  }
  Graphs::Choice choice(std::size_t limit) {
    Graphs::Choice choice;
    switch (random_.below(4)) {
      case 0:
        choice.item(one_of(limit));
        break;
      case 1:
        choice.items(some_of(limit));
        break;
      case 2:
        choice.number(number());
        break;
      default:
        std::string text;
        fill(text);
        choice.text(text);
    }
    return choice;
  }
  template <typename T>
  void fill(T& value) {
    random_.fill(value, 1);
  }

  RandomValues& random_;
  Graphs::Items items_;
};

/// Compares a graph with the graph that has arrived: the states, which values are shared, and the
/// classes, of which a receiver may know only a base.
class GraphComparison final {
 public:
  /// Whether a receiver keeps the state of the class Marked.
  enum class Known : std::uint8_t { item, marked };
  explicit GraphComparison(Known known) : known_(known) {}
  ~GraphComparison() {
    for (const ItemRef& item : found_) RandomGraph::take_apart(*item);
  }
  GraphComparison(const GraphComparison&) = delete;
  GraphComparison& operator=(const GraphComparison&) = delete;

  void compare(const ItemRef& sent, const ItemRef& received) {
    REQUIRE(bool(sent) == bool(received));
    if (!sent) return;
    const auto [place, is_new] = pairs_.try_emplace(sent.get(), received.get());
    REQUIRE(place->second == received.get());
    if (!is_new) return;
    const auto [its_place, is_first] = pairs_back_.try_emplace(received.get(), sent.get());
    REQUIRE(is_first);
    found_.push_back(received);
    CHECK(sent->id() == received->id());
    compare(sent->next(), received->next());
    compare(sent->others(), received->others());
    compare(sent->count(), received->count());
    compare(sent->both(), received->both());
    compare(sent->choice(), received->choice());
    compare(sent->extra(), received->extra());
    if (known_ == Known::marked) compare_marked(*sent, *received);
  }
  void compare(const Graphs::Items& sent, const Graphs::Items& received) {
    REQUIRE(sent.size() == received.size());
    for (std::size_t index = 0; index != sent.size(); ++index)
      compare(sent[index], received[index]);
  }
  void compare(const Graphs::Pair& sent, const Graphs::Pair& received) {
    CHECK(sent.name() == received.name());
    compare(sent.first(), received.first());
    compare(sent.second(), received.second());
  }
  void compare(const Graphs::Choice& sent, const Graphs::Choice& received) {
    REQUIRE(sent._d() == received._d());
    if (sent._d() == 1) return compare(sent.item(), received.item());
    if (sent._d() == 2) return compare(sent.items(), received.items());
    if (sent._d() == 3) return compare(sent.number(), received.number());
    CHECK(sent.text() == received.text());
  }
  void compare(const CORBA::Any& sent, const CORBA::Any& received) {
    REQUIRE(sent.type()->equivalent(received.type()));
    const bool is_known =
        extracted<ItemRef>(sent, received) || extracted<Graphs::Pair>(sent, received) ||
        extracted<Graphs::Choice>(sent, received) || extracted<Graphs::Items>(sent, received) ||
        extracted<CORBA::Any>(sent, received);
    if (!is_known) CHECK(sent == received);
  }

 private:
  template <typename T>
  bool extracted(const CORBA::Any& sent, const CORBA::Any& received) {
    T mine{};
    if (!(sent >>= mine)) return false;
    T its{};
    REQUIRE((received >>= its));
    compare(mine, its);
    return true;
  }
  void compare(const Graphs::Number::_ref_type& sent, const Graphs::Number::_ref_type& received) {
    REQUIRE(bool(sent) == bool(received));
    if (sent) CHECK(sent->_value() == received->_value());
  }
  void compare_marked(const Graphs::Item& sent, const Graphs::Item& received) {
    const auto* const mine = dynamic_cast<const Graphs::Marked*>(&sent);
    const auto* const its = dynamic_cast<const Graphs::Marked*>(&received);
    REQUIRE((mine == nullptr) == (its == nullptr));
    if (mine == nullptr) return;
    CHECK(mine->mark() == its->mark());
    compare(mine->hidden(), its->hidden());
  }

  Known known_;
  std::map<const void*, const void*> pairs_;
  std::map<const void*, const void*> pairs_back_;
  Graphs::Items found_;
};

}  // namespace perigee::test
