// Abstract interfaces: references that hold objects or values, on the wire and in calls over TCP.
#include "abstractA.h"
#include "abstractAmhS.h"
#include "abstractAmiC.h"
#include "abstractAsync.h"
#include "abstractS.h"
#include "abstract_basesAmiC.h"
#include "abstract_basesAmiS.h"
#include "abstract_basesAsync.h"
#include "abstract_basesS.h"
#include "abstract_importsAmhS.h"
#include "abstract_importsAmiC.h"
#include "abstract_importsAsync.h"
#include "abstract_importsAsyncS.h"
#include "abstract_importsS.h"
#include "compat/two_orbs.h"
#include "known_values.h"
#include "support/octets.h"
#include <perigee/orb/write.h>

#include <chrono>
#include <sstream>
#include <utility>

namespace perigee::test {

namespace {

using Shapes::Named;
using Traits = IDL::traits<Named>;
using NamedReference = Named::_ref_type;

/// A value that implements the operations of its abstract interfaces.
class SquareValue : public virtual OBV_Shapes::Square {
 public:
  std::string title(const std::string& prefix) override {
    if (prefix.empty()) throw Named::Unnamed("empty");
    return prefix + " square";
  }
  int32_t rank() override { return rank_; }
  void rank(int32_t value) override { rank_ = value; }
  double area(NamedReference) override { return side() * side(); }

 private:
  int32_t rank_ = 1;
};
class SquareFactory final : public Shapes::Square_init {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    return CORBA::make_reference<SquareValue>();
  }
};

template <typename Skeleton>
class ShapeServant : public Skeleton {
 public:
  std::string title(const std::string& prefix) override {
    if (prefix.empty()) throw Named::Unnamed("empty");
    return prefix + " object";
  }
  int32_t rank() override { return rank_; }
  void rank(int32_t value) override { rank_ = value; }
  double area(NamedReference other) override { return other ? 2 * other->rank() : 0; }
  void poke() override {}

 private:
  int32_t rank_ = 5;
};
class CircleServant : public ShapeServant<CORBA::servant_traits<Shapes::Circle>::base_type> {
 public:
  double radius() override { return 2; }
};
class RingServant final : public ShapeServant<CORBA::servant_traits<Shapes::Ring>::base_type> {
 public:
  double radius() override { return 3; }
  NamedReference inner(Shapes::Measured::_ref_type value) override { return value; }
};

class GalleryServant final : public CORBA::servant_traits<Shapes::Gallery>::base_type {
 public:
  NamedReference echo(NamedReference value, NamedReference& other, NamedReference& last) override {
    last = std::exchange(other, value);
    return value;
  }
  Shapes::NamedSeq echo_all(const Shapes::NamedSeq& values) override { return values; }
  Shapes::Pair echo_pair(const Shapes::Pair& value) override { return value; }
  Shapes::Choice echo_choice(const Shapes::Choice& value) override { return value; }
  Shapes::Names echo_names(const Shapes::Names& values) override { return values; }
  CORBA::Any echo_any(const CORBA::Any& value) override { return value; }
  CORBA::AbstractBase::_ref_type echo_base(CORBA::AbstractBase::_ref_type value) override {
    return value;
  }
  std::string kind_of(CORBA::AbstractBase::_ref_type value) override {
    if (!value) return "nil";
    return value._to_value() ? "value" : "object";
  }
  std::string title_of(NamedReference value) override { return value->title("the"); }
  void refuse(NamedReference value) override { throw Shapes::Refused(std::move(value)); }
  CORBA::StringValue::_ref_type echo_text(CORBA::StringValue::_ref_type value,
                                          CORBA::WStringValue::_ref_type wide) override {
    if (wide) value->_value(value->_value() + (wide->_value() == L"wide" ? " and wide" : ""));
    return value;
  }
  CORBA::ValueBase::_ref_type echo_value(CORBA::ValueBase::_ref_type value) override {
    return value;
  }
  Shapes::Measured::_ref_type best() override { return best_; }
  void best(Shapes::Measured::_ref_type value) override { best_ = std::move(value); }

 private:
  Shapes::Measured::_ref_type best_;
};

Shapes::Square::_ref_type make_square(double side, NamedReference other = nullptr) {
  const auto square = CORBA::make_reference<SquareValue>();
  square->side(side);
  square->other(std::move(other));
  return square;
}

void add_shape_factories(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  orb->register_value_factory(std::string(Shapes::Square::_type_id),
                              CORBA::make_reference<SquareFactory>());
  orb->register_value_factory(std::string(Shapes::Tag::_type_id),
                              CORBA::make_reference<Shapes::Tag_init>());
}

struct Connected : TwoOrbs {
  Connected() {
    add_shape_factories(server);
    add_shape_factories(client);
    gallery = serve<Shapes::Gallery>(CORBA::make_reference<GalleryServant>());
    circle = serve<Shapes::Circle>(CORBA::make_reference<CircleServant>());
  }
  NamedReference echo(const NamedReference& value) const {
    NamedReference other;
    NamedReference last;
    return gallery->echo(value, other, last);
  }
  IDL::traits<Shapes::Gallery>::ref_type gallery;
  IDL::traits<Shapes::Circle>::ref_type circle;
};

}  // namespace

// CORBA 3.0, 15.3.7.
TEST_CASE("a reference to an abstract interface is a boolean, then an object or a value") {
  constexpr std::endian big = std::endian::big;
  CHECK(encode_values(big, 0, NamedReference()) == octets(0, 0, 0, 0,    // a value
                                                          0, 0, 0, 0));  // null
  const auto tag = CORBA::make_reference<OBV_Shapes::Tag>("t");
  const Octets value = encode_values(big, 4, Shapes::Tag::_ref_type(tag));
  Octets expected = octets(0, 0, 0, 0);
  expected.insert(expected.end(), value.begin() + 4, value.end());
  CHECK(encode_values(big, 0, Shapes::Marked::_ref_type(tag)) == expected);
}

TEST_CASE("malformed references to abstract interfaces are refused") {
  constexpr std::endian big = std::endian::big;
  KnownValues known;
  known.factories().add(std::string(Shapes::Tag::_type_id),
                        CORBA::make_reference<Shapes::Tag_init>());
  NamedReference named;
  CHECK(decode_values(known, octets(2, 0, 0, 0, 0, 0, 0, 0), big, 0, named) ==
        cdr::ErrorKind::bad_boolean);
  CHECK(decode_values(known, octets(1), big, 0, named) == cdr::ErrorKind::truncated);
  CHECK(decode_values(known, octets(1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0), big, 0,
                      named) == cdr::ErrorKind::none);  // a nil object reference
  CHECK(!named);
  // A value that does not support the interface.
  const auto tag = CORBA::make_reference<OBV_Shapes::Tag>("t");
  const Octets of_tag = encode_values(big, 0, Shapes::Marked::_ref_type(tag));
  CHECK(decode_values(known, of_tag, big, 0, named) == cdr::ErrorKind::bad_value);
  Shapes::Marked::_ref_type marked;
  CHECK(decode_values(known, of_tag, big, 0, marked) == cdr::ErrorKind::none);
  const Octets of_point = encode_values(big, 4, make_point(1, 2));
  CHECK(decode_values(known, of_point, big, 3, named) == cdr::ErrorKind::bad_boolean);
  for (std::size_t size = 0; size != of_tag.size(); ++size)
    CHECK(decode_values(known, OctetSpan(of_tag).first(size), big, 0, marked) !=
          cdr::ErrorKind::none);
}

TEST_CASE("an abstract interface calls the object of a reference, and a value in the process") {
  const Connected orbs;
  const NamedReference object = orbs.echo(orbs.circle);
  REQUIRE(object);
  CHECK(object->title("an") == "an object");
  object->rank(7);
  CHECK(orbs.circle->rank() == 7);
  CHECK_THROWS_AS(object->title(""), Named::Unnamed);
  const NamedReference value = orbs.echo(make_square(3));
  REQUIRE(value);
  CHECK(value->title("a") == "a square");
  CHECK(orbs.gallery->title_of(value) == "the square");
  CHECK(orbs.gallery->title_of(object) == "the object");
  CHECK_THROWS_AS(orbs.gallery->title_of(nullptr), CORBA::INV_OBJREF);
  CHECK(!orbs.echo(nullptr));
  CHECK_THROWS_AS((void)NamedReference()->rank(), CORBA::INV_OBJREF);
}

TEST_CASE("an abstract reference is narrowed to interfaces and valuetypes") {
  const Connected orbs;
  const NamedReference object = orbs.echo(orbs.circle);
  CHECK(IDL::traits<Shapes::Circle>::narrow(object)->radius() == 2);
  CHECK(!IDL::traits<Shapes::Gallery>::narrow(object));
  CHECK(!IDL::traits<Shapes::Square>::narrow(object));
  CHECK(IDL::traits<Shapes::Measured>::narrow(object)->area(object) == 10);
  CHECK(object._to_object()->_is_equivalent(orbs.circle));
  CHECK(!object._to_value());

  const NamedReference value = orbs.echo(make_square(3));
  CHECK(IDL::traits<Shapes::Square>::narrow(value)->side() == 3);
  CHECK(IDL::traits<Shapes::Measured>::narrow(value)->area(nullptr) == 9);
  CHECK(!IDL::traits<Shapes::Circle>::narrow(value));
  CHECK(!IDL::traits<Shapes::Tag>::narrow(value));
  CHECK(!value._to_object());
  CHECK(Traits::narrow(CORBA::object_reference<CORBA::Object>(orbs.circle)) != nullptr);
  CHECK(!Traits::narrow(CORBA::object_reference<CORBA::Object>(orbs.gallery)));
  CHECK(Traits::narrow(value._to_value()) == value);
  CHECK(!Traits::narrow(NamedReference()));
  CHECK(orbs.circle->_is_a(std::string(Named::_type_id)));
  const auto weak = value.weak_reference();
  CHECK(weak.lock() == value);
}

TEST_CASE("abstract references share values with other members of their message") {
  const Connected orbs;
  const auto square = make_square(2);
  const Shapes::Pair pair = orbs.gallery->echo_pair(Shapes::Pair(square, 5, square, square));
  CHECK(pair.first() == pair.second());
  CHECK(pair.third() == pair.first()._to_value());
  NamedReference other = make_square(1, orbs.circle);
  NamedReference last;
  const NamedReference result = orbs.gallery->echo(square, other, last);
  CHECK(result == other);
  const auto old = IDL::traits<Shapes::Square>::narrow(last);
  REQUIRE(old);
  CHECK(old->other()->title("an") == "an object");
}

TEST_CASE("abstract references are passed in sequences, arrays, unions, attributes, exceptions") {
  const Connected orbs;
  const auto square = make_square(2);
  const auto all = orbs.gallery->echo_all({square, orbs.circle, nullptr, square});
  REQUIRE(all.size() == 4);
  CHECK(all[0] == all[3]);
  CHECK(all[1]->rank() == 5);
  CHECK(!all[2]);
  const auto names = orbs.gallery->echo_names({square, orbs.circle});
  CHECK(names[0]->rank() == 1);
  CHECK(names[1]->rank() == 5);
  Shapes::Choice choice;
  choice.measured(orbs.circle);
  CHECK(orbs.gallery->echo_choice(choice).measured()->rank() == 5);
  orbs.gallery->best(square);
  CHECK(orbs.gallery->best()->area(nullptr) == 4);
  try {
    orbs.gallery->refuse(square);
    FAIL("no exception");
  } catch (const Shapes::Refused& refused) {
    CHECK(refused.who()->title("the") == "the square");
  }
}

TEST_CASE("CORBA::AbstractBase accepts all objects and values of abstract interfaces") {
  const Connected orbs;
  CHECK(orbs.gallery->kind_of(orbs.circle) == "object");
  CHECK(orbs.gallery->kind_of(make_square(1)) == "value");
  CHECK(orbs.gallery->kind_of(CORBA::make_reference<OBV_Shapes::Tag>("t")) == "value");
  CHECK(orbs.gallery->kind_of(nullptr) == "nil");
  const auto base = orbs.gallery->echo_base(orbs.circle);
  CHECK(IDL::traits<Shapes::Circle>::narrow(base)->radius() == 2);
  CHECK(Traits::narrow(base)->rank() == 5);
  CHECK(!IDL::traits<CORBA::AbstractBase>::narrow(orbs.echo(nullptr)));
}

TEST_CASE("an any holds abstract references to objects and to values") {
  const Connected orbs;
  for (const NamedReference& sent :
       {NamedReference(orbs.circle), NamedReference(make_square(1)), NamedReference()}) {
    CORBA::Any any;
    any <<= sent;
    CHECK(any.type()->kind() == CORBA::TCKind::tk_abstract_interface);
    const CORBA::Any echoed = orbs.gallery->echo_any(any);
    NamedReference received;
    REQUIRE((echoed >>= received));
    CHECK(bool(received) == bool(sent));
    if (sent) CHECK(received->rank() == sent->rank());
    if (sent._to_value()) CHECK(any != echoed);
    CORBA::AbstractBase::_ref_type base;
    CHECK((echoed >>= base));
    Shapes::Measured::_ref_type measured;
    CHECK(!(echoed >>= measured));
  }
}

TEST_CASE("a struct in an any may have abstract references to objects and to values") {
  const Connected orbs;
  CORBA::Any any;
  any <<= Shapes::Pair(orbs.circle, 3, nullptr, nullptr);
  Shapes::Pair pair;
  REQUIRE((orbs.gallery->echo_any(any) >>= pair));
  CHECK(pair.first()->rank() == 5);
  CHECK(!pair.second());
  any <<= Shapes::Pair(make_square(1), 3, nullptr, nullptr);
  REQUIRE((orbs.gallery->echo_any(any) >>= pair));
  CHECK(pair.first()._to_value());
  CHECK(pair.first()->rank() == make_square(1)->rank());
}

TEST_CASE("an interface may have two bases with the same abstract base") {
  Connected orbs;
  const auto ring = orbs.serve<Shapes::Ring>(CORBA::make_reference<RingServant>());
  CHECK(ring->title("a") == "a object");
  CHECK(ring->inner(make_square(1))->title("a") == "a square");
  CHECK(ring->_is_a(std::string(Shapes::Plate::_type_id)));
  CHECK(ring->_is_a(std::string(Shapes::Marked::_type_id)));
  CHECK(orbs.gallery->title_of(ring) == "the object");
  // A call through a pointer to the skeleton is not ambiguous.
  const auto servant = CORBA::make_reference<RingServant>();
  CORBA::servant_traits<Shapes::Ring>::base_type* const skeleton = servant.get();
  CHECK(skeleton->title("a") == "a object");
}

namespace {

class SignServant final : public CORBA::servant_traits<Signs::Sign>::base_type {
 public:
  std::string title(const std::string& prefix) override { return prefix + " sign"; }
  int32_t rank() override { return 1; }
  void rank(int32_t) override {}
};
class PlainServant final : public CORBA::servant_traits<Signs::Plain>::base_type {
 public:
  void ping() override {}
};

/// The client's reference to a servant of the server. The client does not know the servant's
/// interface.
template <typename T>
CORBA::object_reference<CORBA::Object> serve_plain(
    TwoOrbs& orbs, typename CORBA::servant_traits<T>::ref_type servant) {
  const auto object = orbs.poa->id_to_reference(orbs.poa->activate_object(servant));
  return orbs.client->string_to_object(orbs.server->object_to_string(object));
}

}  // namespace

TEST_CASE("an object of an interface with abstract bases is a CORBA::AbstractBase") {
  Connected orbs;
  const std::string id(CORBA::AbstractBase::_type_id);
  for (const auto& object :
       {serve_plain<Signs::Sign>(orbs, CORBA::make_reference<SignServant>()),
        serve_plain<Signs::Plain>(orbs, CORBA::make_reference<PlainServant>()),
        serve_plain<Shapes::Ring>(orbs, CORBA::make_reference<RingServant>())}) {
    CHECK(object->_is_a(id));
    CHECK(IDL::traits<CORBA::AbstractBase>::narrow(object) != nullptr);
  }
  CHECK(orbs.circle->_is_a(id));
  CHECK_FALSE(orbs.gallery->_is_a(id));
  const auto object = serve_plain<Shapes::Gallery>(orbs, CORBA::make_reference<GalleryServant>());
  CHECK(IDL::traits<CORBA::AbstractBase>::narrow(object) == nullptr);
}

namespace {

/// Implements the abstract interface that the bases of its valuetype support.
template <typename Obv>
class SizedValue : public virtual Obv {
 public:
  void resize(int32_t size, NamedReference& other) override {
    size_ = size;
    other.reset();
  }
  int32_t measure(int32_t& rest) override {
    rest = size_ % 2;
    return size_ / 2;
  }
  int32_t size() override { return size_; }
  void size(int32_t value) override { size_ = value; }

 private:
  int32_t size_ = 0;
};
class PlaceValue final : public virtual OBV_Signs::Place {
 public:
  void ping() override { distance(distance() + 1); }
};
class LastValue final : public SizedValue<OBV_Signs::Last> {
 public:
  int32_t scale() override { return 2; }
};

}  // namespace

TEST_CASE("two bases of a valuetype may support the same interface") {
  const Signs::Both::_ref_type both = CORBA::make_reference<SizedValue<OBV_Signs::Both>>();
  NamedReference other = make_square(1);
  both->resize(3, other);
  CHECK(!other);
  const Signs::Last::_ref_type last = CORBA::make_reference<LastValue>();
  last->other(both);
  CHECK(last->other()->size() == 3);
  const Signs::Scaled::_ref_type scaled(last);
  scaled->size(4);
  CHECK(last->size() == 4);
  int32_t rest = 1;
  CHECK(last->measure(rest) == 2);
  CHECK(rest == 0);
  const Signs::Place::_ref_type place = CORBA::make_reference<PlaceValue>();
  place->ping();
  CHECK(place->distance() == 1);
  CHECK(Signs::Tall::_ref_type(last)->size() == 4);
}

TEST_CASE("CORBA::StringValue and WStringValue need no factory") {
  const Connected orbs;
  const auto text = CORBA::make_reference<CORBA::StringValue>("narrow");
  const auto wide = CORBA::make_reference<CORBA::WStringValue>(L"wide");
  CHECK(orbs.gallery->echo_text(text, wide)->_value() == "narrow and wide");
  CHECK(orbs.gallery->echo_text(text, nullptr)->_value() == "narrow");
  CHECK(!orbs.gallery->echo_text(nullptr, nullptr));
  const auto echoed = IDL::traits<CORBA::WStringValue>::narrow(orbs.gallery->echo_value(wide));
  REQUIRE(echoed);
  CHECK(echoed->_value() == L"wide");
  CORBA::Any any;
  any <<= text;
  CORBA::StringValue::_ref_type received;
  REQUIRE((orbs.gallery->echo_any(any) >>= received));
  CHECK(received->_value() == "narrow");
  CHECK(IDL::traits<CORBA::StringValue>::narrow(text->_copy_value())->_value() == "narrow");
}

namespace {

class SketchObject final : public IDL::traits<Shapes::Sketch>::base_type {
 public:
  std::string title(const std::string&) override { return "sketch"; }
  int32_t rank() override { return 2; }
  void rank(int32_t) override {}
};

/// Supports an interface that has abstract bases.
class CircularValue final : public virtual OBV_Shapes::Circular {
 public:
  std::string title(const std::string&) override { return "circular"; }
  int32_t rank() override { return 3; }
  void rank(int32_t) override {}
  double area(NamedReference) override { return 0; }
  void poke() override {}
};

}  // namespace

TEST_CASE("an abstract reference holds a local object, which cannot be sent") {
  const Connected orbs;
  const NamedReference sketch = CORBA::make_reference<SketchObject>();
  CHECK(sketch->title("") == "sketch");
  CHECK(IDL::traits<Shapes::Sketch>::narrow(sketch));
  CHECK_THROWS_AS(orbs.echo(sketch), CORBA::MARSHAL);
}

namespace {

/// A servant that is also a value.
class CircularServant final : public CORBA::servant_traits<Shapes::Shape>::base_type,
                              public virtual OBV_Shapes::Circular {
 public:
  std::string title(const std::string& prefix) override { return prefix + " servant"; }
  int32_t rank() override { return 1; }
  void rank(int32_t) override {}
  double area(NamedReference) override { return 0; }
  void poke() override {}
};

}  // namespace

TEST_CASE("a reference to a servant that is a value converts to an abstract reference") {
  const auto servant = CORBA::make_reference<CircularServant>();
  const NamedReference named = servant;
  CHECK(named->title("a") == "a servant");
  CHECK(named._to_value() != nullptr);
}

TEST_CASE("a value that supports an interface supports its abstract bases") {
  const Shapes::Circular::_ref_type circular = CORBA::make_reference<CircularValue>();
  const NamedReference named = circular;
  CHECK(named->rank() == 3);
  CHECK(IDL::traits<Shapes::Circular>::narrow(named) == circular);
}

TEST_CASE("abstract references have a text") {
  const Connected orbs;
  std::ostringstream written;
  written << orbs.echo(make_square(1)) << ' ' << NamedReference() << ' ' << orbs.echo(orbs.circle);
  CHECK(written.str() == "value of IDL:Shapes/Square:1.0 nil IDL:Shapes/Circle:1.0");
}

namespace {

using ShapeAmi = CORBA::amic_traits<Shapes::Shape>;

class TitleHandler final : public ShapeAmi::replyhandler_base_type {
 public:
  using Holder = IDL::traits<Messaging::ExceptionHolder>::ref_type;
  void title(const std::string& ami_return_val) override { received = ami_return_val; }
  void title_excep(Holder) override {}
  void get_rank(int32_t) override {}
  void get_rank_excep(Holder) override {}
  void set_rank() override {}
  void set_rank_excep(Holder) override {}
  void area(double ami_return_val) override { received = std::to_string(int(ami_return_val)); }
  void area_excep(Holder) override {}
  std::string received;
};

class DeferredShape final : public CORBA::amh_traits<Shapes::Shape>::base_type {
 public:
  using Handler = CORBA::amh_traits<Shapes::Shape>::response_handler_ref_type;
  void title(Handler handler, const std::string& prefix) override {
    handler->title(prefix + " deferred");
  }
  void get_rank(Handler handler) override { handler->get_rank(4); }
  void set_rank(Handler handler, int32_t) override { handler->set_rank(); }
  void area(Handler handler, NamedReference other) override { handler->area(other->rank()); }
  void poke(Handler) override {}
};

}  // namespace

TEST_CASE("operations of abstract bases have reply handlers, response handlers and coroutines") {
  TwoOrbs orbs;
  add_shape_factories(orbs.server);
  const auto object =
      orbs.poa->id_to_reference(orbs.poa->activate_object(CORBA::make_reference<DeferredShape>()));
  const auto shape =
      ShapeAmi::narrow(orbs.client->string_to_object(orbs.server->object_to_string(object)));
  const auto handler = CORBA::make_reference<TitleHandler>();
  shape->sendc_title(handler, "a");
  while (handler->received.empty()) orbs.client->perform_work(std::chrono::seconds(1));
  CHECK(handler->received == "a deferred");
  handler->received.clear();
  shape->sendc_area(handler, make_square(1));
  while (handler->received.empty()) orbs.client->perform_work(std::chrono::seconds(1));
  CHECK(handler->received == "1");
  CHECK(shape->_async().title("an").get() == "an deferred");
  CHECK(shape->_async().area(make_square(1)).get() == 1);
}

namespace {

class RingHandler final : public CORBA::amic_traits<Shapes::Ring>::replyhandler_base_type {
 public:
  using Holder = IDL::traits<Messaging::ExceptionHolder>::ref_type;
  void title(const std::string& ami_return_val) override { received = ami_return_val; }
  void title_excep(Holder) override {}
  void get_rank(int32_t ami_return_val) override { received = std::to_string(ami_return_val); }
  void get_rank_excep(Holder) override {}
  void set_rank() override {}
  void set_rank_excep(Holder) override {}
  void area(double) override {}
  void area_excep(Holder) override {}
  void get_radius(double) override {}
  void get_radius_excep(Holder) override {}
  void inner(NamedReference) override {}
  void inner_excep(Holder) override {}
  std::string received;
};

}  // namespace

TEST_CASE("asynchronous calls and coroutines reach operations of an abstract base of two bases") {
  Connected orbs;
  const auto ring = CORBA::amic_traits<Shapes::Ring>::narrow(
      orbs.serve<Shapes::Ring>(CORBA::make_reference<RingServant>()));
  const auto handler = CORBA::make_reference<RingHandler>();
  const auto received = [&] {
    while (handler->received.empty()) orbs.client->perform_work(std::chrono::seconds(1));
    return std::exchange(handler->received, {});
  };
  ring->sendc_title(handler, "a");
  CHECK(received() == "a object");
  ring->sendc_get_rank(handler);
  CHECK(received() == "5");
  CHECK(ring->_async().title("an").get() == "an object");
  const CORBA::amic_traits<Shapes::Plate>::replyhandler_ref_type of_base = handler;
  CORBA::amic_traits<Shapes::Plate>::narrow(ring)->sendc_title(of_base, "the");
  CHECK(received() == "the object");
}

namespace {

class ClockServant final : public CORBA::servant_traits<Signs::Clock>::base_type {
 public:
  void resize(int32_t, NamedReference&) override {}
  int32_t measure(int32_t& rest) override {
    rest = 5;
    return 12;
  }
  int32_t size() override { return 0; }
  void size(int32_t) override {}
};

}  // namespace

TEST_CASE("coroutines reach operations of an abstract base that two bases have in common") {
  TwoOrbs orbs;
  const auto clock = orbs.serve<Signs::Clock>(CORBA::make_reference<ClockServant>());
  const auto results = clock->_async().measure().get();
  CHECK(results.return_value() == 12);
  CHECK(results.rest() == 5);
}

}  // namespace perigee::test
