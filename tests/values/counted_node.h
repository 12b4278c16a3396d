// Nodes that are counted, and their factory: to see whether decoded values stay in memory.
#pragma once

#include "valuesC.h"
#include <perigee/orb/make_reference.h>

#include <atomic>

namespace perigee::test {

class CountedNode final : public OBV_Ledger::Node {
 public:
  CountedNode() noexcept { ++count; }
  ~CountedNode() override { --count; }
  CountedNode(const CountedNode&) = delete;
  CountedNode& operator=(const CountedNode&) = delete;

  static inline std::atomic<int> count = 0;  ///< nodes that exist
};

class CountedFactory final : public Ledger::Node_init {
 public:
  Ledger::Node::_ref_type make(int32_t /*id*/) override { return nullptr; }
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    was_used = true;
    return CORBA::make_reference<CountedNode>();
  }
  std::atomic<bool> was_used = false;
};

}  // namespace perigee::test
