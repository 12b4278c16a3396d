// The omniORB client of the interoperability tests of valuetypes:
//   omniorb_values_client FILE [--quit] [--truncate] [--small] [--dynamic] [omniORB options]
// reads the server's IOR from FILE. --truncate: the server has no factory for Detailed. --small: no
// value is larger than the buffer of omniORB. --dynamic: between both is a gateway of dynamic calls,
// which cannot pass structs that share values in a cycle.
#include <cstring>
#include <fstream>
#include <string>

#include "../checks.h"
#include "../omniorb_call.h"
#include "omniorb_values_peer.h"

namespace {

using namespace ValuesInterop;
using interop::share;

Point* make_point(CORBA::Long x) { return new OBV_ValuesInterop::Point(x, x + 0.5); }
Named* make_named(CORBA::Long x, const char* name) {
  return new OBV_ValuesInterop::Named(x, x + 0.5, name, 7);
}
Node* make_node(CORBA::Long id) {
  Nodes others;
  return new OBV_ValuesInterop::Node(id, nullptr, others);
}
/// Octets of the blob in a Detailed.
CORBA::ULong blob_size = 20'001;

Detailed* make_detailed() {
  Octets blob;
  blob.length(blob_size);
  for (CORBA::ULong index = 0; index < blob.length(); ++index)
    blob[index] = static_cast<CORBA::Octet>(index);
  return new OBV_ValuesInterop::Detailed(1, 2.5, "detailed", 9, make_named(5, "inner"), blob, nullptr,
                                         "tail");
}

void check_point(Peer_ptr peer, Point* value) {
  Point_var b = make_named(8, "old");
  Point_var c;
  Point_var result = peer->echo_point(value, b.inout(), c.out());
  if (value == nullptr) {
    CHECK(result.in() == nullptr);
    CHECK(b.in() == nullptr);
  } else {
    CHECK(result->x() == value->x());
    CHECK(result->y() == value->y());
    CHECK(b.in() == result.in());  // one value in the reply
  }
  Named* const old = Named::_downcast(c);
  CHECK(old != nullptr && std::string(old->name()) == "old");
}

void check_points(Peer_ptr peer, bool truncates) {
  check_point(peer, nullptr);
  Point_var point = make_point(3);
  check_point(peer, point);
  Point_var named = make_named(4, "named");
  check_point(peer, named);
  Point_var detailed = make_detailed();
  check_point(peer, detailed);
  CORBA::String_var type = peer->type_of(point);
  CHECK(std::string(type.in()) == "Point");
  type = peer->type_of(named);
  CHECK(std::string(type.in()) == "Named");
  type = peer->type_of(detailed);
  CHECK(std::string(type.in()) == (truncates ? "Named" : "Detailed"));
  type = peer->type_of(nullptr);
  CHECK(std::string(type.in()) == "null");
  if (truncates) return;
  Point_var b;
  Point_var c;
  Point_var result = peer->echo_point(detailed, b.inout(), c.out());
  Detailed* const again = Detailed::_downcast(result);
  CHECK(again != nullptr && again->blob().length() == blob_size);
  CHECK(again != nullptr && again->blob()[blob_size - 1] == ((blob_size - 1) & 255));
  CHECK(again != nullptr && std::string(again->tail()) == "tail");
  CHECK(again != nullptr && again->inner()->x() == 5);
}

// The first of two nodes that refer to each other.
Node* make_cycle(Node* second) {
  Node_var first = make_node(1);
  first->next(second);
  second->next(first);
  second->others().length(2);
  second->others()[0] = share(first.in());
  second->others()[1] = static_cast<Node*>(nullptr);
  return first._retn();
}

void check_graphs(Peer_ptr peer) {
  Node_var second = make_node(2);
  Node_var first = make_cycle(second);
  CHECK(peer->is_same(first, first));
  CHECK(!peer->is_same(first, second));
  Node_var b = share(second.in());
  Node_var c;
  Node_var result = peer->echo_node(first, b.inout(), c.out());
  CHECK(result->id() == 1);
  CHECK(result->next()->id() == 2);
  CHECK(result->next()->next() == result.in());
  CHECK(result->next() == c.in());
  CHECK(b.in() == result.in());
  CHECK(c->others().length() == 2 && c->others()[0].in() == result.in());
  Nodes nodes;
  nodes.length(3);
  nodes[0] = share(first.in());
  nodes[2] = share(first.in());
  nodes[1] = static_cast<Node*>(nullptr);
  Nodes_var echoed = peer->echo_nodes(nodes);
  CHECK(echoed->length() == 3 && echoed[0u].in() == echoed[2u].in());
  second->next(nullptr);
  second->others().length(0);
}

void check_pairs(Peer_ptr peer, bool is_direct) {
  Node_var second = make_node(2);
  Node_var first = make_cycle(second);
  if (!is_direct) {  // a gateway of dynamic calls cannot pass structs that share values in a cycle
    second->next(nullptr);
    second->others().length(0);
  }
  Pair pair;
  pair.first = share(first.in());
  pair.between = 5;
  pair.second = share(first.in());
  pair.place = make_point(1);
  Pair pair_b = pair;
  Pair_var pair_c;
  Pair_var pair_result = peer->echo_pair(pair, pair_b, pair_c.out());
  CHECK(pair_result->first.in() == pair_result->second.in());
  CHECK(pair_result->place->x() == 1);
  second->next(nullptr);
  second->others().length(0);
}

void check_boxes(Peer_ptr peer) {
  Number_var number = new Number(-7);
  Number_var number_result = peer->echo_number(number);
  CHECK(number_result->_value() == -7);
  number_result = peer->echo_number(nullptr);
  CHECK(number_result.in() == nullptr);
  Title_var title = new Title("title");
  Title_var title_result = peer->echo_title(title);
  CHECK(std::string(title_result->_value()) == "title");
  Empty_var empty = new OBV_ValuesInterop::Empty;
  Empty_var empty_result = peer->echo_empty(empty);
  CHECK(empty_result.in() != nullptr);
}

Note* make_note(const char* text, Described_ptr about) {
  auto* const note = new interop::NoteValue;
  note->text(text);
  note->about(about);
  return note;
}

void check_abstract(Peer_ptr peer) {
  Thing_var thing = peer->make_thing();
  Note_var note = make_note("about", thing);
  CORBA::String_var text = peer->describe(thing);
  CHECK(std::string(text.in()) == "the thing");
  text = peer->describe(note);
  CHECK(std::string(text.in()) == "the note about");
  text = peer->describe(Described::_nil());
  CHECK(std::string(text.in()) == "nil");
  Described_var b = Described::_duplicate(thing);
  Described_var c;
  Described_var result = peer->echo_described(note, b.inout(), c.out());
  text = c->describe("a");
  CHECK(std::string(text.in()) == "a thing");
  CORBA::Object_var object = c->_to_object();
  Thing_var again = Thing::_narrow(object);
  CHECK(!CORBA::is_nil(again) && again->number() == 5);
  CORBA::ValueBase_var value = result->_to_value();
  Note* const received = Note::_downcast(value);
  CHECK(received != nullptr && std::string(received->text()) == "about");
  CORBA::ValueBase_var second = b->_to_value();
  CHECK(value.in() == second.in());  // one value in the reply
  Labels labels;
  labels.first = Described::_duplicate(note);
  labels.between = 7;
  labels.second = share(note.in());
  Labels_var echoed = peer->echo_labels(labels);
  CORBA::ValueBase_var first = echoed->first->_to_value();
  CHECK(Note::_downcast(first) == echoed->second.in());
}

// Not with a Node: the TypeCode that omniidl generates for this recursive type is incomplete
// (BAD_TYPECODE when it is sent).
void check_anys(Peer_ptr peer) {
  CORBA::Any any;
  Named_var named = make_named(3, "in any");
  any <<= named.in();
  CORBA::Any_var result = peer->echo_any(any);
  Named* again = nullptr;
  CHECK((result.in() >>= again) && again != nullptr && std::string(again->name()) == "in any");
}

// The TypeCode of the any is that of Point, so a receiver may truncate the value.
void check_truncated_any(Peer_ptr peer, bool truncates) {
  CORBA::Any any;
  Detailed_var detailed = make_detailed();
  any <<= static_cast<Point*>(detailed.in());
  CORBA::Any_var result = peer->echo_any(any);
  Point* point = nullptr;
  CHECK((result.in() >>= point) && point != nullptr);
  Named* const named = Named::_downcast(point);
  CHECK(named != nullptr && std::string(named->name()) == "detailed");
  CHECK((Detailed::_downcast(point) != nullptr) == !truncates);
}

void check_exception(Peer_ptr peer) {
  Point_var place = make_point(4);
  CHECK_THROWS(peer->refuse(place), Refused, CHECK(caught.place->x() == 4));
}

int run(CORBA::ORB_ptr orb, int argc, char* argv[]) {
  bool quits = false;
  bool truncates = false;
  bool is_direct = true;
  for (int index = 2; index < argc; ++index) {
    quits = quits || std::strcmp(argv[index], "--quit") == 0;
    truncates = truncates || std::strcmp(argv[index], "--truncate") == 0;
    is_direct = is_direct && std::strcmp(argv[index], "--dynamic") != 0;
    if (std::strcmp(argv[index], "--small") == 0) blob_size = 1'001;
  }
  interop::register_factories(orb, 0, nullptr);
  std::string ior;
  std::ifstream(argv[1]) >> ior;
  CORBA::Object_var object = orb->string_to_object(ior.c_str());
  Peer_var peer = Peer::_narrow(object);
  check_points(peer, truncates);
  check_graphs(peer);
  check_pairs(peer, is_direct);
  check_boxes(peer);
  check_abstract(peer);
  check_anys(peer);
  check_truncated_any(peer, truncates);
  check_exception(peer);
  if (quits) peer->quit();
  return interop::finish("omniorb_values_client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "omniorb_values_client", "FILE [--quit] [--truncate] [--small] [--dynamic]", run);
}
