// Local interfaces, native types, and references to interfaces that a file only declares.
// forwardC.h comes first: it must not need the classes that forward_definitionC.h defines.
// clang-format off
#include "forwardC.h"
// clang-format on
#include "forward_definitionC.h"
#include "forward_definitionS.h"
#include "localC.h"
#include <perigee/cdr/buffer.h>
#include <perigee/cdr/operators.h>
#include <perigee/orb/stub.h>
#include <perigee/poa/servant.h>

#include <doctest/doctest.h>

#include <concepts>

class Near::Canvas {
 public:
  int strokes = 0;
};

namespace {

using perigee::cdr::Buffer;
using perigee::cdr::Decoder;
using perigee::cdr::Encoder;
using perigee::cdr::ErrorKind;

/// Derives twice from LocalObject, once through each base: bases are virtual.
class Square final : public virtual IDL::traits<Near::Both>::base_type {
 public:
  explicit Square(std::string name) : name_(std::move(name)) {}

  void draw(Near::Canvas* target, Near::Canvas*& copy, Near::Canvas*& other) override {
    if (target == nullptr) throw Near::OutOfPaper(1);
    target->strokes += 4;
    copy = target;
    other = nullptr;
  }
  Near::Canvas* surface() override { return nullptr; }
  std::string name() override { return name_; }
  void name(const std::string& value) override { name_ = value; }
  IDL::traits<Near::Shape>::ref_type twin(const Near::Lines&,
                                          IDL::traits<Near::Shape>::ref_type other,
                                          Near::Shape::Group& parts) override {
    parts.push_back(other);
    return other;
  }
  void combine(IDL::traits<CORBA::Object>::ref_type one,
               IDL::traits<Near::Remote>::ref_type& two) override {
    two = IDL::traits<Near::Remote>::narrow(one);
  }
  std::string id() override { return "square"; }
  int32_t level() override { return 0; }
  void level(int32_t) override {}

 private:
  std::string name_;
};

template <typename T>
ErrorKind error_of_encoding(const T& value) {
  Buffer buffer;
  Encoder encoder(buffer);
  encoder << value;
  return encoder.ok() ? ErrorKind::none : encoder.error().kind;
}

}  // namespace

TEST_CASE("local interfaces may derive from those of orb.idl") {
  class Three final : public IDL::traits<Near::Depth>::base_type {
    int32_t value() override { return 3; }
  };
  class Red final : public IDL::traits<Near::Colour>::base_type {
    int32_t value() override { return 1; }
    [[nodiscard]] CORBA::PolicyType policy_type() const noexcept override { return 99; }
    [[nodiscard]] IDL::traits<CORBA::Policy>::ref_type copy() const override { return nullptr; }
  };
  const IDL::traits<CORBA::Current>::ref_type current = CORBA::make_reference<Three>();
  const auto depth = IDL::traits<Near::Depth>::narrow(current);
  REQUIRE(depth);
  CHECK(depth->value() == 3);
  const IDL::traits<CORBA::Policy>::ref_type policy = CORBA::make_reference<Red>();
  CHECK(policy->policy_type() == 99);
  const auto colour = IDL::traits<Near::Colour>::narrow(policy);
  REQUIRE(colour);
  CHECK(colour->value() == 1);
}

TEST_CASE("a local object can be called in C++ through each of its interfaces") {
  const IDL::traits<Near::Shape>::ref_type shape = CORBA::make_reference<Square>("first");
  Near::Canvas canvas;
  Near::Canvas* copy = nullptr;
  Near::Canvas* other = &canvas;
  shape->draw(&canvas, copy, other);
  CHECK(canvas.strokes == 4);
  CHECK(copy == &canvas);
  CHECK(other == nullptr);
  CHECK_THROWS_AS(shape->draw(nullptr, copy, other), Near::OutOfPaper);
  Near::Shape::Group parts;
  CHECK(shape->twin({}, shape, parts) == shape);
  CHECK(parts.size() == 1);
  shape->name("second");
  CHECK(shape->name() == "second");
}

TEST_CASE("local references are narrowed by their C++ type and know their interfaces") {
  static_assert(IDL::traits<Near::Shape>::is_local::value);
  static_assert(!IDL::traits<Near::Remote>::is_local::value);
  static_assert(std::same_as<IDL::traits<Near::Shape>::base_type, Near::Shape>);
  const IDL::traits<CORBA::Object>::ref_type object = CORBA::make_reference<Square>("square");
  const auto both = IDL::traits<Near::Both>::narrow(object);
  REQUIRE(both);
  const auto remote = IDL::traits<Near::Remote>::narrow(object);
  REQUIRE(remote);
  CHECK(remote->id() == "square");
  CHECK(object->_is_a("IDL:Near/Shape:1.0"));
  CHECK(object->_is_a("IDL:Near/Remote:1.0"));
  CHECK_FALSE(object->_is_a("IDL:Elsewhere/Clock:1.0"));
  CHECK_FALSE(IDL::traits<Elsewhere::Clock>::narrow(object));
  CHECK_FALSE(object->_non_existent());
  CHECK(object->_is_equivalent(both));
}

TEST_CASE("a local reference is never marshalled, as its own type or as a remote type") {
  const IDL::traits<Near::Both>::ref_type both = CORBA::make_reference<Square>("square");
  CHECK(error_of_encoding(Near::Shape::Placed(both, 1)) == ErrorKind::local_object);
  CHECK(error_of_encoding(Near::Shape::Placed(nullptr, 1)) == ErrorKind::local_object);
  CHECK(error_of_encoding(IDL::traits<Near::Remote>::ref_type(both)) == ErrorKind::local_object);
}

TEST_CASE("references to forward-declared interfaces are marshalled without their classes") {
  Buffer buffer;
  Encoder encoder(buffer);
  encoder << Orders::Order() << Orders::Rejected();
  REQUIRE(encoder.ok());
  const perigee::Octets octets = buffer.flatten();
  Decoder decoder(octets, std::endian::native);
  Orders::Order order;
  decoder >> order;
  CHECK(decoder.ok());
  CHECK(order == Orders::Order());
}

TEST_CASE("weak references convert to weak references to bases, and do not keep objects alive") {
  IDL::traits<Near::Both>::ref_type both = CORBA::make_reference<Square>("square");
  const IDL::traits<Near::Shape>::weak_ref_type shape = both;
  const IDL::traits<Near::Both>::weak_ref_type weak = both;
  const IDL::traits<CORBA::Object>::weak_ref_type object = weak;
  CHECK(shape.lock() == both);
  CHECK_FALSE(object.expired());
  both.reset();
  CHECK_FALSE(shape.lock());
  CHECK(object.expired());
}
