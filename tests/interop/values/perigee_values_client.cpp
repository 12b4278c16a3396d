// The Perigee client of the interoperability tests of valuetypes:
//   perigee_values_client FILE [--quit] [--truncate] [--small] [--jacorb] [--dynamic]
//                         [Perigee options]
// reads the server's IOR from FILE. --truncate: the server has no factory for Detailed. --small: no
// value is larger than the buffer of omniORB. --jacorb: the server is JacORB, which does not skip
// values inside of truncated state. JacORB can read values in anys and as abstract interfaces, but
// cannot send them. --dynamic: a gateway of dynamic calls is between the client and the server. It
// cannot pass structs that share values in a cycle.
#include "../checks.h"
#include "../perigee_call.h"
#include "perigee_values_peer.h"
#include "random_nodes.h"

#include <cstdint>
#include <iostream>
#include <string>

namespace {

using namespace ValuesInterop;
using PeerReference = IDL::traits<Peer>::ref_type;
using PointReference = Point::_ref_type;
using NodeReference = Node::_ref_type;

PointReference make_point(int32_t x) {
  return CORBA::make_reference<OBV_ValuesInterop::Point>(x, x + 0.5);
}
Named::_ref_type make_named(int32_t x, const std::string& name) {
  return CORBA::make_reference<OBV_ValuesInterop::Named>(x, x + 0.5, name, int16_t{7});
}
NodeReference make_node(int32_t id) {
  return CORBA::make_reference<OBV_ValuesInterop::Node>(id, NodeReference(), Nodes());
}
/// Octets of the blob in a Detailed.
std::size_t blob_size = 20'001;

Detailed::_ref_type make_detailed() {
  Octets blob(blob_size);
  for (std::size_t index = 0; index < blob.size(); ++index)
    blob[index] = static_cast<uint8_t>(index);
  return CORBA::make_reference<OBV_ValuesInterop::Detailed>(
      1, 2.5, std::string("detailed"), int16_t{9}, make_named(5, "inner"), blob, Named::_ref_type(),
      std::string("tail"));
}

void check_point(const PeerReference& peer, const PointReference& value) {
  PointReference b = make_named(8, "old");
  PointReference c;
  const PointReference result = peer->echo_point(value, b, c);
  CHECK(bool(result) == bool(value));
  CHECK(b == result);  // one value in the reply
  if (value) {
    CHECK(result->x() == value->x());
    CHECK(result->y() == value->y());
  }
  const auto old = IDL::traits<Named>::narrow(c);
  CHECK(old && old->name() == "old");
}

enum class Server { complete, jacorb };

/// The TypeCode of the any is that of Point, so a server without Detailed may truncate the value.
void check_types_in_anys(const PeerReference& peer, bool truncates) {
  CORBA::Any any;
  any <<= make_point(3);
  CHECK(peer->type_in_any(any) == "Point");
  any <<= PointReference(make_named(4, "named"));
  CHECK(peer->type_in_any(any) == "Named");
  any <<= PointReference(make_detailed());
  CHECK(peer->type_in_any(any) == (truncates ? "Named" : "Detailed"));
}

void check_points(const PeerReference& peer, bool truncates, Server server) {
  check_point(peer, nullptr);
  check_point(peer, make_point(3));
  check_point(peer, make_named(4, "named"));
  if (!truncates || server == Server::complete) check_point(peer, make_detailed());
  CHECK(peer->type_of(make_point(3)) == "Point");
  CHECK(peer->type_of(make_named(4, "named")) == "Named");
  CHECK(peer->type_of(make_detailed()) == (truncates ? "Named" : "Detailed"));
  CHECK(peer->type_of(nullptr) == "null");
  check_types_in_anys(peer, truncates);
  if (truncates) return;
  PointReference b;
  PointReference c;
  const auto again = IDL::traits<Detailed>::narrow(peer->echo_point(make_detailed(), b, c));
  CHECK(again && again->blob() == make_detailed()->blob());
  CHECK(again && again->tail() == "tail");
  CHECK(again && again->inner()->x() == 5);
}

void check_graphs(const PeerReference& peer) {
  const NodeReference first = make_node(1);
  const NodeReference second = make_node(2);
  first->next(second);
  second->next(first);  // a cycle
  second->others({first, nullptr});
  CHECK(peer->is_same(first, first));
  CHECK(!peer->is_same(first, second));
  NodeReference b = second;
  NodeReference c;
  const NodeReference result = peer->echo_node(first, b, c);
  CHECK(result->id() == 1);
  CHECK(result->next()->id() == 2);
  CHECK(result->next()->next() == result);
  CHECK(result->next() == c);
  CHECK(b == result);
  CHECK(c->others().size() == 2 && c->others()[0] == result);
  const Nodes echoed = peer->echo_nodes({first, nullptr, first});
  CHECK(echoed.size() == 3 && echoed[0] == echoed[2] && !echoed[1]);
  interop::take_apart({second, result, echoed[0]});
}

/// Sends random graphs, which the peer returns.
void check_random_graphs(const PeerReference& peer, interop::Cycles cycles) {
  const std::uint64_t seed = interop::graph_seed();
  for (std::uint64_t round = 0; round < 50; ++round) {
    const interop::RandomNodes graph(seed + round, cycles);
    const Nodes received = peer->echo_nodes(graph.nodes());
    const bool is_same = interop::SameShape()(graph.nodes(), received);
    CHECK(is_same);
    if (!is_same) std::cerr << "PERIGEE_TEST_SEED=" << seed + round << std::endl;
    interop::take_apart(received);
  }
}

void check_pairs(const PeerReference& peer, interop::Cycles cycles) {
  const NodeReference first = make_node(1);
  const NodeReference second = make_node(2);
  first->next(second);
  if (cycles == interop::Cycles::allowed) second->next(first);
  Pair pair_b(second, 1, nullptr, nullptr);
  Pair pair_c;
  const Pair pair = peer->echo_pair(Pair(first, 5, first, make_point(1)), pair_b, pair_c);
  CHECK(pair.first() == pair.second());
  CHECK(pair.place()->x() == 1);
  CHECK(pair_b.first() == pair.first());
  CHECK(pair_c.first() == pair.first()->next());
  interop::take_apart({second, pair.first()});
}

void check_boxes(const PeerReference& peer) {
  CHECK(peer->echo_number(CORBA::make_reference<Number>(-7))->_value() == -7);
  CHECK(!peer->echo_number(nullptr));
  CHECK(peer->echo_title(CORBA::make_reference<Title>("title"))->_value() == "title");
  const std::vector<int32_t> longs{1, -2, 3};
  CHECK(peer->echo_longs(CORBA::make_reference<Longs>(longs))->_value() == longs);
  CHECK(peer->echo_empty(CORBA::make_reference<OBV_ValuesInterop::Empty>()));
}

Note::_ref_type make_note(const std::string& text, Described::_ref_type about = nullptr) {
  const auto note = CORBA::make_reference<interop::NoteValue>();
  note->text(text);
  note->about(std::move(about));
  return note;
}

void check_objects_and_values(const PeerReference& peer) {
  const Thing::_ref_type thing = peer->make_thing();
  CHECK(thing->describe("a") == "a thing");
  CHECK(peer->describe(thing) == "the thing");
  CHECK(peer->describe(make_note("n")) == "the note n");
  CHECK(peer->describe(nullptr) == "nil");
  Described::_ref_type b;
  Described::_ref_type c = make_note("old");
  CHECK(peer->echo_described(thing, b, c)->describe("a") == "a thing");
  CHECK(b->describe("b") == "b thing");
  CHECK(!c);
}

void check_echoed_values(const PeerReference& peer) {
  const Thing::_ref_type thing = peer->make_thing();
  Described::_ref_type b = thing;
  Described::_ref_type c;
  const Described::_ref_type result = peer->echo_described(make_note("about", thing), b, c);
  CHECK(b == result);  // one value in the reply
  CHECK(c->describe("a") == "a thing");
  CHECK(IDL::traits<Thing>::narrow(c)->number() == 5);
  const auto note = IDL::traits<Note>::narrow(result);
  CHECK(note && note->text() == "about");
  CHECK(note && note->about()->describe("its") == "its thing");
  const auto shared = make_note("shared");
  const Labels labels = peer->echo_labels(Labels(shared, 7, shared));
  CHECK(labels.first()._to_value() == labels.second());
  CORBA::Any any;
  any <<= Described::_ref_type(make_note("in any"));
  Described::_ref_type extracted;
  CHECK((peer->echo_any(any) >>= extracted) && extracted->describe("a") == "a note in any");
  any <<= Described::_ref_type(thing);
  CHECK((peer->echo_any(any) >>= extracted) && extracted->describe("a") == "a thing");
}

/// The TypeCode of the any is that of Point, so a receiver may truncate the value.
void check_truncated_any(const PeerReference& peer, bool truncates) {
  CORBA::Any any;
  any <<= ValuesInterop::Point::_ref_type(make_detailed());
  ValuesInterop::Point::_ref_type point;
  CHECK((peer->echo_any(any) >>= point));
  const auto named = IDL::traits<Named>::narrow(point);
  CHECK(named && named->name() == make_detailed()->name());
  CHECK(bool(IDL::traits<Detailed>::narrow(point)) == !truncates);
}

void check_anys(const PeerReference& peer) {
  CORBA::Any any;
  any <<= make_node(6);
  NodeReference node;
  CHECK((peer->echo_any(any) >>= node) && node->id() == 6);
  any <<= make_named(3, "in any");
  Named::_ref_type named;
  CHECK((peer->echo_any(any) >>= named) && named->name() == "in any");
  any <<= CORBA::make_reference<Title>("boxed");
  Title::_ref_type title;
  CHECK((peer->echo_any(any) >>= title) && title->_value() == "boxed");
  const NodeReference shared = make_node(7);
  any <<= Pair(shared, 2, shared, make_point(5));
  Pair pair;
  CHECK((peer->echo_any(any) >>= pair) && pair.second()->id() == 7 && pair.place()->x() == 5);
}

int run(const CORBA::object_reference<CORBA::ORB>& orb, const std::vector<std::string>& arguments) {
  interop::register_factories(*orb, interop::Factories::all);
  if (interop::has_option(arguments, "--small")) blob_size = 1'001;
  const auto peer = IDL::traits<Peer>::narrow(interop::object_in_file(*orb, arguments));
  const Server server =
      interop::has_option(arguments, "--jacorb") ? Server::jacorb : Server::complete;
  const bool truncates = interop::has_option(arguments, "--truncate");
  check_points(peer, truncates, server);
  check_graphs(peer);
  const bool is_direct = !interop::has_option(arguments, "--dynamic");
  const auto cycles = is_direct ? interop::Cycles::allowed : interop::Cycles::none;
  check_random_graphs(peer, cycles);
  check_pairs(peer, cycles);
  check_boxes(peer);
  check_objects_and_values(peer);
  if (server == Server::complete) {
    check_echoed_values(peer);
    check_anys(peer);
    check_truncated_any(peer, truncates);
  }
  CHECK_THROWS(peer->refuse(make_point(4)), Refused, CHECK(caught.place()->x() == 4));
  if (interop::has_option(arguments, "--quit")) peer->quit();
  return interop::finish("perigee_values_client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "perigee_values_client",
                       "FILE [--quit] [--truncate] [--small] [--jacorb] [--dynamic]", run);
}
