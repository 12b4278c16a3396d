// Random graphs of nodes, and the comparison of a graph with the graph that a peer has returned.
#pragma once

#include "values_interopC.h"
#include <perigee/corba.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <utility>

namespace interop {

/// The seed of the graphs. The environment variable PERIGEE_TEST_SEED sets another seed.
inline std::uint64_t graph_seed() {
  const char* const text = std::getenv("PERIGEE_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 19980507;
}

/// Whether nodes refer to all nodes of their graph, or only to nodes that were made before them.
enum class Cycles : std::uint8_t { none, allowed };

/// Ends the cycles of these nodes.
inline void take_apart(const ValuesInterop::Nodes& nodes) {
  for (const ValuesInterop::Node::_ref_type& node : nodes) {
    if (!node) continue;
    node->next(nullptr);
    node->others().clear();
  }
}

/// A graph with sharing and nulls.
class RandomNodes final {
 public:
  RandomNodes(std::uint64_t seed, Cycles cycles) : random_(seed) {
    const std::size_t count = 1 + below(24);
    for (std::size_t index = 0; index < count; ++index) {
      nodes_.push_back(CORBA::make_reference<OBV_ValuesInterop::Node>());
      nodes_.back()->id(static_cast<std::int32_t>(index));
    }
    for (std::size_t index = 0; index < count; ++index)
      connect(*nodes_[index], cycles == Cycles::allowed ? count : index);
  }
  ~RandomNodes() { take_apart(nodes_); }
  RandomNodes(const RandomNodes&) = delete;
  RandomNodes& operator=(const RandomNodes&) = delete;

  [[nodiscard]] const ValuesInterop::Nodes& nodes() const noexcept { return nodes_; }

 private:
  void connect(ValuesInterop::Node& node, std::size_t limit) {
    node.next(one_of(limit));
    for (std::size_t count = below(4); count != 0; --count) node.others().push_back(one_of(limit));
  }
  ValuesInterop::Node::_ref_type one_of(std::size_t limit) {
    if (limit == 0 || below(4) == 0) return nullptr;
    return nodes_[below(limit)];
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::mt19937_64 random_;
  ValuesInterop::Nodes nodes_;
};

/// Compares ids and nulls, and which references lead to the same node.
class SameShape final {
 public:
  bool operator()(const ValuesInterop::Nodes& sent, const ValuesInterop::Nodes& received) {
    if (sent.size() != received.size()) return false;
    for (std::size_t index = 0; index < sent.size(); ++index)
      if (!is_same(sent[index], received[index])) return false;
    return true;
  }

 private:
  using NodeReference = ValuesInterop::Node::_ref_type;

  bool is_same(const NodeReference& sent, const NodeReference& received) {
    if (!sent || !received) return !sent && !received;
    const auto [place, is_new] = received_for_.try_emplace(sent.get(), received.get());
    if (!is_new) return place->second == received.get();
    if (!sent_for_.try_emplace(received.get(), sent.get()).second) return false;
    return sent->id() == received->id() && is_same(sent->next(), received->next()) &&
           (*this)(sent->others(), received->others());
  }

  std::map<const void*, const void*> received_for_;
  std::map<const void*, const void*> sent_for_;
};

}  // namespace interop
