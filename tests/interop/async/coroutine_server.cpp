// The Perigee server of the interoperability tests whose servants are coroutines, which wait before
// they reply. Its clients see no difference from the server with synchronous servants.
#include "../perigee_peer.h"
#include "../perigee_serve.h"
#include "interopAsync.h"
#include "interopAsyncS.h"
#include "later.h"
#include <perigee/async/completion.h>
#include <perigee/async/task.h>

#include <functional>
#include <string>
#include <utility>

namespace {

using perigee::task;
using Peer = Interop::Peer;
using PeerReference = IDL::traits<Peer>::ref_type;
using ObjectReference = IDL::traits<CORBA::Object>::ref_type;

class CoroutinePeer : public CORBA::async_traits<Peer>::base_type {
 public:
  CoroutinePeer(interop::Later& later, std::function<void()> on_quit)
      : state_("Perigee", std::move(on_quit)), later_(later) {}

  void set_forwarder(PeerReference forwarder) { state_.set_forwarder(std::move(forwarder)); }

  task<std::string> whoami(std::string greeting) override {
    co_await pause();
    co_return state_.whoami(greeting);
  }
  task<std::int32_t> level() override { co_return state_.level(); }
  task<void> level(std::int32_t level) override {
    state_.level(level);
    co_await pause();
  }
  task<std::string> name() override { co_return state_.name(); }
  task<void> nothing() override { co_await pause(); }

// Returns a, b becomes a, and c the old b.
#define ECHO(NAME, TYPE)                               \
  task<NAME##_results> NAME(TYPE a, TYPE b) override { \
    co_await pause();                                  \
    NAME##_results results(a, a, b);                   \
    co_return results;                                 \
  }
  ECHO(echo_boolean, bool)
  ECHO(echo_char, char)
  ECHO(echo_octet, std::uint8_t)
  ECHO(echo_short, std::int16_t)
  ECHO(echo_ushort, std::uint16_t)
  ECHO(echo_long, std::int32_t)
  ECHO(echo_ulong, std::uint32_t)
  ECHO(echo_longlong, std::int64_t)
  ECHO(echo_ulonglong, std::uint64_t)
  ECHO(echo_float, float)
  ECHO(echo_double, double)
  ECHO(echo_colour, Interop::Colour)
  ECHO(echo_string, std::string)
  ECHO(echo_point, Interop::Point)
  ECHO(echo_person, Interop::Person)
  ECHO(echo_octets, Interop::Octets)
  ECHO(echo_longs, Interop::Longs)
  ECHO(echo_doubles, Interop::Doubles)
  ECHO(echo_booleans, Interop::Booleans)
  ECHO(echo_names, Interop::Names)
  ECHO(echo_colours, Interop::Colours)
  ECHO(echo_points, Interop::Points)
  ECHO(echo_people, Interop::People)
  ECHO(echo_matrix, Interop::Matrix)
  ECHO(echo_peers, Interop::Peers)
  ECHO(echo_contacts, Interop::Contacts)
  ECHO(echo_peer, PeerReference)
  ECHO(echo_object, ObjectReference)
#undef ECHO

  task<void> reach(Interop::Contact contact) override {
    co_await pause();
    throw Interop::Unreachable(contact);
  }
  task<digest_results> digest(perigee::pinned<uint8_t> data, perigee::pinned<double> numbers,
                              perigee::pinned<char> text) override {
    double sum = 0;
    std::string copy;
    const std::int32_t size = state_.digest(data, numbers, text, sum, copy);
    digest_results results(size, sum, copy);
    co_return results;
  }
  task<Interop::Person> owner() override { co_return state_.owner(); }
  task<void> owner(Interop::Person owner) override {
    state_.owner(owner);
    co_return;
  }

  // Raises exceptions before and after the coroutine has waited.
  task<void> refuse(std::int32_t code) override {
    if (code != 0) co_await pause();
    state_.refuse(code);
  }
  task<void> forbid() override {
    co_await pause();
    state_.forbid();
  }
  task<void> stumble() override {
    co_await pause();
    state_.stumble();
  }

  task<void> note(std::int32_t number) override {
    state_.note(number);
    co_return;
  }
  task<notes_results> notes() override {
    std::int32_t sum = 0;
    const std::int32_t count = state_.notes(sum);
    notes_results results(count, sum);
    co_return results;
  }
  task<preferences_results> preferences(std::string who,
                                        IDL::traits<CORBA::Context>::ref_type context) override {
    co_await pause();
    std::int32_t count = 0;
    const std::string text = state_.preferences(who, count, context);
    preferences_results results(text, count);
    co_return results;
  }
  task<std::string> relay(PeerReference other, std::string greeting) override {
    std::string answer = co_await other->_async().whoami(std::move(greeting));
    co_return answer;
  }
  task<PeerReference> forwarder() override { co_return state_.forwarder(); }
  task<PeerReference> nil_peer() override { co_return nullptr; }
  task<void> quit() override {
    state_.quit();
    co_return;
  }

 protected:
  // Continues on another thread.
  task<void> pause() {
    perigee::completion<void> over;
    later_.add([&over] { over.complete(); });
    co_await over;
  }

 private:
  interop::PeerServant state_;
  interop::Later& later_;
};

class Forwarder final : public CoroutinePeer {
 public:
  Forwarder(interop::Later& later, PeerReference target)
      : CoroutinePeer(later, [] {}), target_(std::move(target)) {}
  task<std::string> whoami(std::string /*greeting*/) override {
    co_await pause();
    throw PortableServer::ForwardRequest(target_);
  }
  task<echo_long_results> echo_long(std::int32_t /*a*/, std::int32_t /*b*/) override {
    co_await pause();
    throw PortableServer::ForwardRequest(target_);
  }

 private:
  PeerReference target_;
};

}  // namespace

int main(int argc, char* argv[]) {
  interop::Later later;
  return interop::serve(
      argc, argv, "coroutine_server",
      [&later](const interop::OrbReference& orb, const interop::PoaReference& /*poa*/) {
        const auto servant =
            CORBA::make_reference<CoroutinePeer>(later, [orb] { orb->shutdown(false); });
        const auto peer = servant->_this();
        servant->set_forwarder(CORBA::make_reference<Forwarder>(later, peer)->_this());
        return peer;
      });
}
