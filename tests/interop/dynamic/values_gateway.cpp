// The gateway for ValuesInterop::Peer. It has factories: a value without a factory would be
// truncated to the type of its parameter.
#include "../values/perigee_values_peer.h"
#include "gateway.h"
#include "values_interopA.h"

#include <mutex>
#include <vector>

namespace {

interop::Signatures signatures_of_peer() {
  using namespace ValuesInterop;  // NOLINT(google-build-using-namespace)
  interop::Signatures all;
  all.add_echo("echo_point", _tc_Point);
  all.add_echo("echo_node", _tc_Node);
  all.add_echo("echo_pair", _tc_Pair);
  all.add("echo_nodes", {{"a", _tc_Nodes}}, _tc_Nodes);
  all.add("echo_number", {{"a", _tc_Number}}, _tc_Number);
  all.add("echo_title", {{"a", _tc_Title}}, _tc_Title);
  all.add("echo_longs", {{"a", _tc_Longs}}, _tc_Longs);
  all.add("echo_empty", {{"a", _tc_Empty}}, _tc_Empty);
  all.add("echo_any", {{"a", CORBA::_tc_any}}, CORBA::_tc_any);
  all.add("make_thing", {}, _tc_Thing);
  all.add_echo("echo_described", _tc_Described);
  all.add("echo_labels", {{"a", _tc_Labels}}, _tc_Labels);
  all.add("describe", {{"value", _tc_Described}}, CORBA::_tc_string);
  all.add("type_of", {{"value", _tc_Point}}, CORBA::_tc_string);
  all.add("type_in_any", {{"a", CORBA::_tc_any}}, CORBA::_tc_string);
  all.add("is_same", {{"a", _tc_Node}, {"b", _tc_Node}}, CORBA::_tc_boolean);
  all.add("refuse", {{"place", _tc_Point}}).raises = {_tc_Refused};
  all.add("quit").is_oneway = true;
  return all;
}

/// Clients and servers send cycles of nodes, which nothing else breaks.
class Nodes final {
 public:
  Nodes() = default;
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;
  ~Nodes() {
    for (const ValuesInterop::Node::_ref_type& node : nodes_) {
      node->next(nullptr);
      node->others().clear();
    }
  }

  void keep(const CORBA::Any& any) {
    ValuesInterop::Node::_ref_type node;
    if (any.type()->kind() != CORBA::TCKind::tk_value || !(any >>= node) || !node) return;
    const std::lock_guard lock(mutex_);
    nodes_.push_back(node);
  }

 private:
  std::mutex mutex_;
  std::vector<ValuesInterop::Node::_ref_type> nodes_;
};

}  // namespace

int main(int argc, char* argv[]) {
  Nodes nodes;
  return interop::run_gateway(
      argc, argv, ValuesInterop::Peer::_type_id, signatures_of_peer(),
      [](CORBA::ORB& orb) { interop::register_factories(orb, interop::Factories::all); },
      [&nodes](const CORBA::NVList& values, const CORBA::Any& result) {
        for (const CORBA::NamedValue& value : values) nodes.keep(value.value());
        nodes.keep(result);
      });
}
