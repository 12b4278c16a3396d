// The gateway for ValuesInterop::Peer. It has no value factories.
#include "gateway.h"
#include "values_interopA.h"

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
  all.add("type_of", {{"value", _tc_Point}}, CORBA::_tc_string);
  all.add("is_same", {{"a", _tc_Node}, {"b", _tc_Node}}, CORBA::_tc_boolean);
  all.add("refuse", {{"place", _tc_Point}}).raises = {_tc_Refused};
  all.add("quit").is_oneway = true;
  return all;
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::run_gateway(argc, argv, ValuesInterop::Peer::_type_id, signatures_of_peer());
}
