// A deferred answer without a network, for tests of answers.
#pragma once

#include "poa/dispatcher.h"
#include "poa/fakes.h"
#include "poa/test_orb.h"
#include <perigee/poa/answer.h>

#include <atomic>
#include <string_view>

namespace perigee::test {

class Odd final : public CORBA::UserException {
 public:
  static constexpr std::string_view _type_id = "IDL:Test/Odd:1.0";
  [[nodiscard]] const char* _rep_id() const noexcept override { return _type_id.data(); }
  [[nodiscard]] const char* _name() const noexcept override { return "Odd"; }
  [[noreturn]] void _raise() const override { throw *this; }
  void _encode(cdr::Encoder& /*encoder*/) const override {}
};

inline constexpr std::string_view raises_odd[] = {Odd::_type_id};

/// An object whose servant defers every answer, and one request to it.
struct Deferred {
  explicit Deferred(std::atomic<int>* alive = nullptr)
      : object(orb.root()->servant_to_reference(make_servant(
            [this](orb::ServerRequest& given) {
              given.set_raises(raises_odd);
              given.end_of_arguments();
              answer = skeleton::Answer(given);
            },
            alive))),
        request(orb.key_of(object)) {
    orb.root()->the_POAManager()->activate();
  }
  void dispatch() { orb.dispatcher().dispatch(request); }

  TestOrb orb;
  CORBA::object_reference<CORBA::Object> object;
  FakeRequest request;
  skeleton::Answer answer;
};

}  // namespace perigee::test
