// Local interfaces: making objects with the traits, and references of an object to itself.
#include "valuesC.h"

#include <doctest/doctest.h>

namespace {

class Watch : public IDL::traits<Compat::Stopwatch>::base_type {
 public:
  Watch() : made_reference_early_(static_cast<bool>(_this())) {}
  int32_t next() override { return ++count_; }
  void stop() override { count_ = 0; }
  [[nodiscard]] bool made_reference_early() const { return made_reference_early_; }

 private:
  bool made_reference_early_;
  int32_t count_ = 0;
};

}  // namespace

TEST_CASE("the traits of a local interface make its objects") {
  const IDL::traits<Compat::Stopwatch>::ref_type watch =
      IDL::traits<Compat::Stopwatch>::make_reference<Watch>();
  CHECK(watch->next() == 1);
  const IDL::traits<Compat::Counter>::ref_type counter = watch;
  CHECK(counter->next() == 2);
}

TEST_CASE("the traits of a class of the program are those of its local interface") {
  const IDL::traits<Compat::Counter>::ref_type counter = CORBA::make_reference<Watch>();
  const IDL::traits<Watch>::ref_type watch = IDL::traits<Watch>::narrow(counter);
  REQUIRE(watch);
  CHECK(watch->next() == 1);
  CHECK(IDL::traits<Watch>::is_local());
}

TEST_CASE("a local object has a reference to itself") {
  const auto watch = CORBA::make_reference<Watch>();
  CHECK(watch->_this() == watch);
  CHECK(IDL::traits<Compat::Counter>::narrow(watch->_lock()) == watch);
  CHECK(!watch->made_reference_early());
}

TEST_CASE("the traits of LocalObject describe a local interface that is not abstract") {
  static_assert(IDL::traits<CORBA::LocalObject>::is_local());
  static_assert(!IDL::traits<CORBA::LocalObject>::is_abstract());
  CHECK(!IDL::traits<Compat::Counter>::narrow(nullptr));
  CHECK(!IDL::traits<Compat::Store>::narrow(nullptr));
}

TEST_CASE("weak_reference() returns a reference that equals nullptr when the object is gone") {
  auto watch = CORBA::make_reference<Watch>();
  CORBA::weak_reference<Watch> weak = watch.weak_reference();
  CHECK(weak.lock() == watch);
  CHECK(weak != nullptr);
  watch.reset();
  CHECK(weak == nullptr);
  CHECK(weak.expired());
}

TEST_CASE("object_traits is another name of traits") {
  static_assert(std::is_same_v<CORBA::object_traits<Compat::Store>::ref_type,
                               IDL::traits<Compat::Store>::ref_type>);
}

TEST_CASE("references and weak references swap their objects") {
  auto first = CORBA::make_reference<Watch>();
  auto second = CORBA::make_reference<Watch>();
  const auto* const object = first.get();
  first.swap(second);
  CHECK(second.get() == object);
  swap(first, second);
  CHECK(first.get() == object);
  CORBA::weak_reference<Watch> weak = first.weak_reference();
  CORBA::weak_reference<Watch> none;
  weak.swap(none);
  CHECK(weak.expired());
  CHECK(none.lock() == first);
}
