// The Perigee server of the interoperability tests with deferred replies (AMH), most of them from
// another thread. Its clients see no difference from the server with synchronous servants.
#include "../perigee_peer.h"
#include "../perigee_serve.h"
#include "interopAmhS.h"
#include "interopAmiC.h"
#include "later.h"

#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace {

using Peer = Interop::Peer;
using PeerReference = IDL::traits<Peer>::ref_type;
using ObjectReference = IDL::traits<CORBA::Object>::ref_type;
using Holder = CORBA::amh_traits<Peer>::exception_holder_type;
using BaseHolder = CORBA::amh_traits<Interop::Base>::exception_holder_type;
using BaseHandler = CORBA::amh_traits<Interop::Base>::response_handler_ref_type;
using Handler = CORBA::amh_traits<Peer>::response_handler_ref_type;

/// Forwards the reply of another peer to the client.
class Relayed final : public CORBA::amic_traits<Interop::Base>::replyhandler_base_type {
 public:
  using Raised = IDL::traits<Messaging::ExceptionHolder>::ref_type;

  explicit Relayed(Handler handler) : handler_(std::move(handler)) {}
  void whoami(const std::string& text) override { handler_->relay(text); }
  void whoami_excep(Raised raised) override {
    try {
      raised->raise_exception();
    } catch (...) {
      handler_->relay_excep(Holder(std::current_exception()));
    }
  }
  void get_level(std::int32_t /*level*/) override {}
  void get_level_excep(Raised /*raised*/) override {}
  void set_level() override {}
  void set_level_excep(Raised /*raised*/) override {}
  void get_name(const std::string& /*name*/) override {}
  void get_name_excep(Raised /*raised*/) override {}

 private:
  const Handler handler_;
};

class AmhPeer : public CORBA::amh_traits<Peer>::base_type {
 public:
  AmhPeer(interop::Later& later, std::function<void()> on_quit)
      : state_("Perigee", std::move(on_quit)), later_(later) {}

  void set_forwarder(PeerReference forwarder) { state_.set_forwarder(std::move(forwarder)); }

  void whoami(BaseHandler handler, const std::string& greeting) override {
    later_.add([handler, text = state_.whoami(greeting)] { handler->whoami(text); });
  }
  void get_level(BaseHandler handler) override {
    later_.add([handler, level = state_.level()] { handler->get_level(level); });
  }
  void set_level(BaseHandler handler, std::int32_t level) override {
    state_.level(level);
    later_.add([handler] { handler->set_level(); });
  }
  void get_name(BaseHandler handler) override { handler->get_name(state_.name()); }

  void nothing(Handler handler) override {
    later_.add([handler] { handler->nothing(); });
  }

// Returns a, b becomes a, and c the old b.
#define BASIC(NAME, TYPE)                                    \
  void NAME(Handler handler, TYPE a, TYPE b) override {      \
    later_.add([handler, a, b] { handler->NAME(a, a, b); }); \
  }
#define VARIABLE(NAME, TYPE)                                          \
  void NAME(Handler handler, const TYPE& a, const TYPE& b) override { \
    later_.add([handler, a, b] { handler->NAME(a, a, b); });          \
  }
  BASIC(echo_boolean, bool)
  BASIC(echo_char, char)
  BASIC(echo_octet, std::uint8_t)
  BASIC(echo_short, std::int16_t)
  BASIC(echo_ushort, std::uint16_t)
  BASIC(echo_long, std::int32_t)
  BASIC(echo_ulong, std::uint32_t)
  BASIC(echo_longlong, std::int64_t)
  BASIC(echo_ulonglong, std::uint64_t)
  BASIC(echo_float, float)
  BASIC(echo_double, double)
  BASIC(echo_colour, Interop::Colour)
  VARIABLE(echo_string, std::string)
  VARIABLE(echo_point, Interop::Point)
  VARIABLE(echo_person, Interop::Person)
  VARIABLE(echo_octets, Interop::Octets)
  VARIABLE(echo_longs, Interop::Longs)
  VARIABLE(echo_doubles, Interop::Doubles)
  VARIABLE(echo_booleans, Interop::Booleans)
  VARIABLE(echo_names, Interop::Names)
  VARIABLE(echo_colours, Interop::Colours)
  VARIABLE(echo_points, Interop::Points)
  VARIABLE(echo_people, Interop::People)
  VARIABLE(echo_matrix, Interop::Matrix)
  VARIABLE(echo_peers, Interop::Peers)
  VARIABLE(echo_contacts, Interop::Contacts)
  BASIC(echo_peer, PeerReference)
  BASIC(echo_object, ObjectReference)
#undef BASIC
#undef VARIABLE

  void reach(Handler handler, const Interop::Contact& contact) override {
    later_.add([handler, contact] { handler->reach_excep(Holder(Interop::Unreachable(contact))); });
  }
  void digest(Handler handler, perigee::pinned<uint8_t> data, perigee::pinned<double> numbers,
              perigee::pinned<char> text) override {
    double sum = 0;
    std::string copy;
    const std::int32_t size = state_.digest(data, numbers, text, sum, copy);
    later_.add([handler, size, sum, copy] { handler->digest(size, sum, copy); });
  }
  void get_owner(Handler handler) override { handler->get_owner(state_.owner()); }
  void set_owner(Handler handler, const Interop::Person& owner) override {
    state_.owner(owner);
    handler->set_owner();
  }

  // Raises an exception in the upcall, or later through the handler.
  void refuse(Handler handler, std::int32_t code) override {
    if (code == 0) state_.refuse(code);
    later_.add([handler, code] {
      handler->refuse_excep(
          Holder(Interop::Refused("because", code, Interop::Point(1, code, -2, 0.5))));
    });
  }
  void forbid(Handler handler) override {
    later_.add([handler] {
      handler->forbid_excep(Holder(CORBA::NO_PERMISSION(77, CORBA::COMPLETED_NO)));
    });
  }
  void stumble(Handler /*handler*/) override { state_.stumble(); }

  void note(Handler /*handler*/, std::int32_t number) override { state_.note(number); }
  void notes(Handler handler) override {
    std::int32_t sum = 0;
    const std::int32_t count = state_.notes(sum);
    handler->notes(count, sum);
  }
  void preferences(Handler handler, const std::string& who,
                   IDL::traits<CORBA::Context>::ref_type context) override {
    std::int32_t count = 0;
    const std::string text = state_.preferences(who, count, context);
    later_.add([handler, text, count] { handler->preferences(text, count); });
  }
  void relay(Handler handler, PeerReference other, const std::string& greeting) override {
    CORBA::amic_traits<Interop::Base>::narrow(other)->sendc_whoami(
        CORBA::make_reference<Relayed>(handler), greeting);
  }
  void forwarder(Handler handler) override { handler->forwarder(state_.forwarder()); }
  void nil_peer(Handler handler) override { handler->nil_peer(nullptr); }
  void quit(Handler /*handler*/) override { state_.quit(); }

 private:
  interop::PeerServant state_;
  interop::Later& later_;
};

// Forwards whoami and echo_long, with exceptions that another thread gives to the handler.
class Forwarder final : public AmhPeer {
 public:
  Forwarder(interop::Later& later, PeerReference target)
      : AmhPeer(later, [] {}), later_(later), target_(std::move(target)) {}
  void whoami(BaseHandler handler, const std::string& /*greeting*/) override {
    later_.add([handler, target = target_] {
      handler->whoami_excep(BaseHolder(PortableServer::ForwardRequest(target)));
    });
  }
  void echo_long(Handler handler, std::int32_t /*a*/, std::int32_t /*b*/) override {
    later_.add([handler, target = target_] {
      handler->echo_long_excep(Holder(PortableServer::ForwardRequest(target)));
    });
  }

 private:
  interop::Later& later_;
  PeerReference target_;
};

}  // namespace

int main(int argc, char* argv[]) {
  interop::Later later;
  return interop::serve(
      argc, argv, "amh_server",
      [&later](const interop::OrbReference& orb, const interop::PoaReference& /*poa*/) {
        const auto servant = CORBA::make_reference<AmhPeer>(later, [orb] { orb->shutdown(false); });
        const auto peer = servant->_this();
        servant->set_forwarder(CORBA::make_reference<Forwarder>(later, peer)->_this());
        return peer;
      });
}
