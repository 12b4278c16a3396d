// CORBA::Object and the exception classes.
#include "orb/fixture.h"
#include "orb/references/reference.h"
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any.h>

#include <doctest/doctest.h>

#include <thread>

namespace perigee::test {

namespace {

// Stands for a generated stub.
class Animal : public CORBA::Object {
 public:
  static constexpr std::string_view _type_id = "IDL:Animal:1.0";
  using Object::Object;

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id || Object::_implements(repository_id);
  }
};

class LocalThing : public CORBA::Object {};

BodyWriter boolean(bool value) {
  return [value](cdr::Encoder& encoder) { encoder.write_boolean(value); };
}

using AnimalTraits = stub::interface_traits<Animal>;

}  // namespace

TEST_CASE("using a nil reference raises INV_OBJREF") {
  const ObjectRef nil;
  CHECK_THROWS_AS((void)nil->_is_a("IDL:X:1.0"), CORBA::INV_OBJREF);
}

TEST_CASE("a reference with the type's id is narrowed without a call to the object") {
  Fixture fixture;
  const auto object = fixture.core().make_object(fixture.ior({"peer"}, "IDL:Animal:1.0"));
  CHECK(AnimalTraits::narrow(object));
  CHECK(fixture.counts("peer").connects == 0);
}

TEST_CASE("a reference with another type id, or none, is narrowed by a call to the object") {
  Fixture fixture;
  fixture.peer("yes", reply_with(ReplyStatus::no_exception, boolean(true)));
  fixture.peer("no", reply_with(ReplyStatus::no_exception, boolean(false)));
  CHECK(AnimalTraits::narrow(fixture.core().make_object(fixture.ior({"yes"}, ""))));
  CHECK_FALSE(AnimalTraits::narrow(fixture.core().make_object(fixture.ior({"no"}, "IDL:Dog:1.0"))));
}

TEST_CASE("a stub knows its own interfaces, and every stub is an Object") {
  Fixture fixture;
  const auto animal = AnimalTraits::unchecked_narrow(fixture.object({"nobody"}));
  CHECK(animal->_is_a("IDL:Animal:1.0"));
  CHECK(animal->_is_a("IDL:omg.org/CORBA/Object:1.0"));
}

TEST_CASE("_non_existent returns the object's result, or true after OBJECT_NOT_EXIST") {
  Fixture fixture;
  fixture.peer("there", reply_with(ReplyStatus::no_exception, boolean(false)));
  fixture.peer("gone", reply_with_exception("IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0", 0,
                                            CORBA::COMPLETED_NO));
  CHECK_FALSE(fixture.object({"there"})->_non_existent());
  CHECK(fixture.object({"gone"})->_non_existent());
  CHECK_THROWS_AS((void)fixture.object({"nobody"})->_non_existent(), CORBA::TRANSIENT);
}

TEST_CASE("_repository_id asks the object for its id") {
  Fixture fixture;
  fixture.peer("peer", reply_with(ReplyStatus::no_exception, [](cdr::Encoder& encoder) {
                 encoder.write_string("IDL:Dog:1.0");
               }));
  CHECK(fixture.object({"peer"})->_repository_id() == "IDL:Dog:1.0");
}

TEST_CASE("equivalent references have equal hashes, within the maximum") {
  Fixture fixture;
  const auto one = fixture.object({"peer", "a"});
  const auto two = fixture.object({"peer", "b"});
  CHECK(one->_is_equivalent(two));
  CHECK(one->_hash(1000) == two->_hash(1000));
  CHECK(one->_hash(0) == 0);
  CHECK_FALSE(one->_is_equivalent(fixture.object({"elsewhere"})));
  CHECK_FALSE(one->_is_equivalent(nullptr));
}

TEST_CASE("object references travel as arguments and results, nil and foreign profiles included") {
  Fixture fixture;
  iop::Ior ior = fixture.ior({"peer"});
  ior.profiles.push_back({4711, Octets(5, std::byte{9})});
  const auto object = fixture.core().make_object(ior);
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << object << ObjectRef();
  cdr::Decoder decoder(buffer.own_octets(), std::endian::native);
  decoder.set_environment(&fixture.core());
  ObjectRef first;
  ObjectRef second = object;
  decoder >> first >> second;
  CHECK(decoder.ok());
  CHECK(first->_reference()->ior() == ior);
  CHECK_FALSE(second);
}

TEST_CASE("a local object cannot be an argument: MARSHAL, OMG minor 4") {
  Fixture fixture;
  fixture.peer("peer", reply_with_nothing());
  const ObjectRef local(make_counted<LocalThing>());
  const auto call = [&] {
    stub::invoke(
        *fixture.object({"peer"}), ping_operation, [&](cdr::Encoder& encoder) { encoder << local; },
        nullptr);
  };
  const auto exception = caught<CORBA::MARSHAL>(call);
  CHECK(exception.minor() == (CORBA::OMGVMCID | 4));
  CHECK(exception.completed() == CORBA::COMPLETED_NO);
}

TEST_CASE("every system exception has its name, and is sent by its repository id"){
#define PERIGEE_CHECK_EXCEPTION(NAME)                                                  \
  {                                                                                    \
    const CORBA::NAME exception(7, CORBA::COMPLETED_MAYBE, "text");                    \
    CHECK(std::string(exception._rep_id()) == "IDL:omg.org/CORBA/" #NAME ":1.0");      \
    CHECK(std::string(exception.what()) == #NAME ", minor 7, COMPLETED_MAYBE: text");  \
    CHECK_THROWS_AS(exception._raise(), CORBA::NAME);                                  \
    cdr::Buffer buffer;                                                                \
    cdr::Encoder encoder(buffer);                                                      \
    orb::encode_system_exception(encoder, exception);                                  \
    cdr::Decoder decoder(buffer.own_octets(), std::endian::native);                    \
    const auto decoded =                                                               \
        caught<CORBA::NAME>([&] { orb::decode_and_raise_system_exception(decoder); }); \
    CHECK(decoded.minor() == 7);                                                       \
    CHECK(decoded.completed() == CORBA::COMPLETED_MAYBE);                              \
  }
    PERIGEE_SYSTEM_EXCEPTIONS(PERIGEE_CHECK_EXCEPTION)
#undef PERIGEE_CHECK_EXCEPTION
}

TEST_CASE("what() names the vendor of a minor code") {
  CHECK(std::string(CORBA::TRANSIENT(CORBA::OMGVMCID | 2, CORBA::COMPLETED_NO).what()) ==
        "TRANSIENT, minor OMG 2, COMPLETED_NO");
  CHECK(std::string(CORBA::TRANSIENT(CORBA::PERIGEE_VMCID | 1, CORBA::COMPLETED_NO).what()) ==
        "TRANSIENT, minor Perigee 1, COMPLETED_NO");
}

TEST_CASE("a call can be made while its thread's own objects are destroyed") {
  struct CallsAtTheEnd {
    ObjectRef object;
    int* calls = nullptr;
    ~CallsAtTheEnd() {
      ping(object);
      ++*calls;
    }
  };
  Fixture fixture;
  fixture.peer("peer", reply_with_nothing());
  int calls = 0;
  std::thread([&] {
    thread_local CallsAtTheEnd last;
    last.object = fixture.object({"peer"});
    last.calls = &calls;
    ping(last.object);
  }).join();
  CHECK(calls == 1);
}

TEST_CASE("a call tries a limited number of a reference's profiles") {
  orb::Settings settings;
  settings.targets_max = 3;
  Fixture fixture(settings);
  const auto object = fixture.object({"a", "b", "c", "d", "e"});
  CHECK(object->_reference()->base()->targets.size() == 3);
  CHECK(object->_reference()->ior().profiles.size() == 5);
  CHECK_THROWS_AS(ping(object), CORBA::TRANSIENT);
}

TEST_CASE("the references in one message are limited, since each takes more memory than octets") {
  Fixture fixture;
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  for (int number = 0; number < 3; ++number) iop::encode(encoder, fixture.ior({"a"}));
  const Octets octets = buffer.flatten();
  cdr::Limits limits;
  limits.objects_max = 2;
  cdr::Decoder decoder(octets, std::endian::native, 0, limits);
  decoder.set_environment(&fixture.core());
  CHECK(stub::decode_reference(decoder));
  CHECK(stub::decode_reference(decoder));
  CHECK(!stub::decode_reference(decoder));
  CHECK(decoder.error().kind == cdr::ErrorKind::too_large);
}

TEST_CASE("the anys in one message are limited if they hold more than basic values") {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  const auto write_any = [&](const cdr::TypeNode& type) {
    cdr::encode_type(encoder, type);
    encoder.write(std::uint32_t{0});  // a long, or the empty string
  };
  write_any(cdr::basic_node<cdr::TypeKind::tk_long>);
  for (int number = 0; number < 3; ++number) write_any(cdr::string_node<>);
  cdr::Limits limits;
  limits.objects_max = 2;
  cdr::Decoder decoder(buffer.own_octets(), std::endian::native, 0, limits);
  CORBA::Any any;
  for (int number = 0; number < 3; ++number) decoder >> any;
  CHECK(decoder.ok());
  decoder >> any;
  CHECK(decoder.error().kind == cdr::ErrorKind::too_large);
}

}  // namespace perigee::test
