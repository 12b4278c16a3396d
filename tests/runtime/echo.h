// A small interface for the runtime's tests, written by hand in the form of generated code:
//   interface Echo {
//     void ping();
//     long twice(in long value);
//     sequence<octet> same(in sequence<octet> data);
//     oneway void count_up();
//     long call_back(in Echo other, in long value);             // returns other.twice(value)
//     long bounce(in Echo here, in Echo there, in long count);  // there.bounce(…, count - 1)
//     void fail() raises (Failure);
//     void forward_me();
//     void stop();
//   };
#pragma once

#include <perigee/corba.h>
#include <perigee/orb/stub.h>
#include <perigee/poa/skeleton.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace perigee::test {

class Failure final : public CORBA::UserException {
 public:
  std::int32_t reason = 0;
  [[nodiscard]] const char* _rep_id() const noexcept override { return "IDL:Failure:1.0"; }
  [[nodiscard]] const char* _name() const noexcept override { return "Failure"; }
  [[noreturn]] void _raise() const override { throw *this; }
  void _encode(cdr::Encoder& encoder) const override { encoder << reason; }
  friend cdr::Decoder& operator>>(cdr::Decoder& decoder, Failure& failure) {
    return decoder >> failure.reason;
  }
};

using OctetVector = std::vector<std::uint8_t>;

class Echo;

}  // namespace perigee::test

template <>
struct IDL::traits<perigee::test::Echo> {
  using ref_type = CORBA::object_reference<perigee::test::Echo>;
  using is_local = std::false_type;
  static ref_type _stub(perigee::counted_ptr<perigee::orb::Reference> reference);
  static const CORBA::Object* _object(const ref_type& object) noexcept;
};

namespace perigee::test {

class Echo : public CORBA::Object {
 public:
  using Ref = CORBA::object_reference<Echo>;
  static constexpr std::string_view _type_id = "IDL:Echo:1.0";
  using Object::Object;

  void ping() { call("ping", nullptr, nullptr); }
  std::int32_t twice(std::int32_t value) {
    std::int32_t result = 0;
    call(
        "twice", [&](cdr::Encoder& encoder) { encoder << value; },
        [&](cdr::Decoder& decoder) { decoder >> result; });
    return result;
  }
  OctetVector same(const OctetVector& data) {
    OctetVector result;
    call(
        "same", [&](cdr::Encoder& encoder) { encoder << data; },
        [&](cdr::Decoder& decoder) { decoder >> result; });
    return result;
  }
  void count_up() { call("count_up", nullptr, nullptr, stub::Operation::Kind::oneway); }
  std::int32_t call_back(const Ref& other, std::int32_t value) {
    std::int32_t result = 0;
    call(
        "call_back", [&](cdr::Encoder& encoder) { encoder << other << value; },
        [&](cdr::Decoder& decoder) { decoder >> result; });
    return result;
  }
  std::int32_t bounce(const Ref& here, const Ref& there, std::int32_t count) {
    std::int32_t result = 0;
    call(
        "bounce", [&](cdr::Encoder& encoder) { encoder << here << there << count; },
        [&](cdr::Decoder& decoder) { decoder >> result; });
    return result;
  }
  void fail() { call("fail", nullptr, nullptr); }
  void forward_me() { call("forward_me", nullptr, nullptr); }
  void stop() { call("stop", nullptr, nullptr); }

 protected:
  [[nodiscard]] bool _implements(std::string_view repository_id) const noexcept override {
    return repository_id == _type_id || Object::_implements(repository_id);
  }

 private:
  void call(std::string_view name, stub::ArgumentEncoder encode, stub::ResultDecoder decode,
            stub::Operation::Kind kind = stub::Operation::Kind::twoway) {
    static constexpr stub::RaisedException raises[] = {{"IDL:Failure:1.0", stub::raise<Failure>}};
    stub::invoke(*this, {name, kind, raises}, encode, decode);
  }
};

}  // namespace perigee::test

inline auto IDL::traits<perigee::test::Echo>::_stub(
    perigee::counted_ptr<perigee::orb::Reference> reference) -> ref_type {
  return ref_type(perigee::make_counted<perigee::test::Echo>(std::move(reference)));
}
inline const CORBA::Object* IDL::traits<perigee::test::Echo>::_object(
    const ref_type& object) noexcept {
  return object.get();
}

namespace perigee::test {

/// The servant.
class EchoServant : public PortableServer::Servant {
 public:
  std::atomic<int> counted{0};
  std::function<void()> on_stop;
  Echo::Ref forward_target;

  [[nodiscard]] std::string_view _primary_interface() const noexcept override {
    return Echo::_type_id;
  }
  void _dispatch(orb::ServerRequest& request) override {
    const std::string_view operation = request.operation();
    if (operation == "ping") return done(request);
    if (operation == "twice") return twice(request);
    if (operation == "same") return same(request);
    if (operation == "count_up") return count_up(request);
    if (operation == "call_back") return call_back(request);
    if (operation == "bounce") return bounce(request);
    if (operation == "fail") return fail(request);
    if (operation == "forward_me") return forward_me(request);
    if (operation == "stop") return stop(request);
    if (operation == "_is_a") return skeleton::is_a(*this, request);
    if (operation == "_non_existent") return skeleton::non_existent(*this, request);
    skeleton::unknown(request);
  }

 private:
  static void done(orb::ServerRequest& request) {
    request.end_of_arguments();
    request.reply(nullptr);
  }
  static void twice(orb::ServerRequest& request) {
    std::int32_t value = 0;
    request.arguments() >> value;
    request.end_of_arguments();
    request.reply([&](cdr::Encoder& encoder) { encoder << value * 2; });
  }
  static void same(orb::ServerRequest& request) {
    OctetVector data;
    request.arguments() >> data;
    request.end_of_arguments();
    request.reply([&](cdr::Encoder& encoder) { encoder << data; });
  }
  void count_up(orb::ServerRequest& request) {
    request.end_of_arguments();
    ++counted;
    counted.notify_all();
    request.reply(nullptr);
  }
  static void call_back(orb::ServerRequest& request) {
    Echo::Ref other;
    std::int32_t value = 0;
    request.arguments() >> other >> value;
    request.end_of_arguments();
    const std::int32_t result = other->twice(value);
    request.reply([&](cdr::Encoder& encoder) { encoder << result; });
  }
  static void bounce(orb::ServerRequest& request) {
    Echo::Ref here;
    Echo::Ref there;
    std::int32_t count = 0;
    request.arguments() >> here >> there >> count;
    request.end_of_arguments();
    const std::int32_t result = count == 0 ? 0 : there->bounce(there, here, count - 1) + 1;
    request.reply([&](cdr::Encoder& encoder) { encoder << result; });
  }
  static void fail(orb::ServerRequest& request) {
    static constexpr std::string_view raises[] = {"IDL:Failure:1.0"};
    request.set_raises(raises);
    Failure failure;
    failure.reason = 77;
    throw failure;
  }
  void forward_me(orb::ServerRequest& request) {
    if (forward_target) throw PortableServer::ForwardRequest(forward_target);
    done(request);
  }
  void stop(orb::ServerRequest& request) {
    if (on_stop) on_stop();
    done(request);
  }
};

}  // namespace perigee::test
