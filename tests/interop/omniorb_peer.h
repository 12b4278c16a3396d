// Interop::Peer as an omniORB servant, used by the server and, for call-backs, by the client.
#pragma once

#include "interop.hh"

#include <map>
#include <mutex>
#include <string>

namespace interop {

// The classic mapping passes values in several ways, with different copies. Each macro implements
// the echo_ operations of types that are passed in the same way.
class PeerServant : public POA_Interop::Peer {
 public:
  PeerServant(CORBA::ORB_ptr orb, const char* name)
      : orb_(CORBA::ORB::_duplicate(orb)), name_(name) {
    owner_.name = CORBA::string_dup("nobody");
    owner_.favourite = Interop::red;
    owner_.alive = false;
    owner_.place.o = 0;
    owner_.place.x = 0;
    owner_.place.y = 0;
    owner_.place.z = 0;
  }

  char* whoami(const char* greeting) override {
    return CORBA::string_dup((std::string(greeting) + ", I am " + name_).c_str());
  }
  char* preferences(const char* who, CORBA::Long_out count, CORBA::Context_ptr context) override {
    CORBA::NVList_var values;
    try {
      context->get_values("", 0, "*", values.out());
    } catch (const CORBA::BAD_CONTEXT&) {  // the request has no properties
    }
    std::map<std::string, std::string> sorted;
    const CORBA::ULong found = CORBA::is_nil(values) ? 0 : values->count();
    for (CORBA::ULong i = 0; i < found; ++i) {
      const char* value = nullptr;
      *values->item(i)->value() >>= value;
      sorted[values->item(i)->name()] = value;
    }
    std::string text = std::string(who) + ": ";
    for (const auto& property : sorted) text += property.first + "=" + property.second + ";";
    count = static_cast<CORBA::Long>(sorted.size());
    return CORBA::string_dup(text.c_str());
  }
  CORBA::Long level() override { return level_; }
  void level(CORBA::Long value) override { level_ = value; }
  char* name() override { return CORBA::string_dup(name_.c_str()); }

  void nothing() override {}

#define BASIC(NAME, TYPE)                        \
  TYPE NAME(TYPE a, TYPE& b, TYPE& c) override { \
    c = b;                                       \
    b = a;                                       \
    return a;                                    \
  }
#define BASIC_OUT(NAME, TYPE)                         \
  TYPE NAME(TYPE a, TYPE& b, TYPE##_out c) override { \
    c = b;                                            \
    b = a;                                            \
    return a;                                         \
  }
  BASIC_OUT(echo_boolean, CORBA::Boolean)
  BASIC_OUT(echo_char, CORBA::Char)
  BASIC_OUT(echo_octet, CORBA::Octet)
  BASIC_OUT(echo_short, CORBA::Short)
  BASIC_OUT(echo_ushort, CORBA::UShort)
  BASIC_OUT(echo_long, CORBA::Long)
  BASIC_OUT(echo_ulong, CORBA::ULong)
  BASIC_OUT(echo_longlong, CORBA::LongLong)
  BASIC_OUT(echo_ulonglong, CORBA::ULongLong)
  BASIC_OUT(echo_float, CORBA::Float)
  BASIC_OUT(echo_double, CORBA::Double)
  BASIC_OUT(echo_colour, Interop::Colour)
#undef BASIC
#undef BASIC_OUT

  Interop::Point echo_point(const Interop::Point& a, Interop::Point& b,
                            Interop::Point_out c) override {
    c = b;
    b = a;
    return a;
  }
  char* echo_string(const char* a, char*& b, CORBA::String_out c) override {
    c = CORBA::string_dup(b);
    CORBA::string_free(b);
    b = CORBA::string_dup(a);
    return CORBA::string_dup(a);
  }

#define VARIABLE(NAME, TYPE)                                                                      \
  Interop::TYPE* NAME(const Interop::TYPE& a, Interop::TYPE& b, Interop::TYPE##_out c) override { \
    c = new Interop::TYPE(b);                                                                     \
    b = a;                                                                                        \
    return new Interop::TYPE(a);                                                                  \
  }
  VARIABLE(echo_person, Person)
  VARIABLE(echo_octets, Octets)
  VARIABLE(echo_longs, Longs)
  VARIABLE(echo_doubles, Doubles)
  VARIABLE(echo_booleans, Booleans)
  VARIABLE(echo_names, Names)
  VARIABLE(echo_colours, Colours)
  VARIABLE(echo_points, Points)
  VARIABLE(echo_people, People)
  VARIABLE(echo_matrix, Matrix)
  VARIABLE(echo_peers, Peers)
  VARIABLE(echo_contacts, Contacts)
#undef VARIABLE

  Interop::Peer_ptr echo_peer(Interop::Peer_ptr a, Interop::Peer_ptr& b,
                              Interop::Peer_out c) override {
    c = Interop::Peer::_duplicate(b);
    CORBA::release(b);
    b = Interop::Peer::_duplicate(a);
    return Interop::Peer::_duplicate(a);
  }
  CORBA::Object_ptr echo_object(CORBA::Object_ptr a, CORBA::Object_ptr& b,
                                CORBA::Object_OUT_arg c) override {
    c = CORBA::Object::_duplicate(b);
    CORBA::release(b);
    b = CORBA::Object::_duplicate(a);
    return CORBA::Object::_duplicate(a);
  }

  void reach(const Interop::Contact& contact) override { throw Interop::Unreachable(contact); }
  CORBA::Long digest(const Interop::Octets& data, const Interop::Doubles& numbers, const char* text,
                     CORBA::Double_out sum, CORBA::String_out copy) override {
    CORBA::Double total = 0;
    for (CORBA::ULong i = 0; i < numbers.length(); ++i) total += numbers[i];
    sum = total;
    copy = CORBA::string_dup(text);
    return static_cast<CORBA::Long>(data.length());
  }

  Interop::Person* owner() override { return new Interop::Person(owner_); }
  void owner(const Interop::Person& value) override { owner_ = value; }

  void refuse(CORBA::Long code) override {
    if (code == 0) throw Interop::Empty();
    Interop::Point where;
    where.o = 1;
    where.x = code;
    where.y = -2;
    where.z = 0.5;
    throw Interop::Refused("because", code, where);
  }
  void forbid() override { throw CORBA::NO_PERMISSION(77, CORBA::COMPLETED_NO); }
  void stumble() override { throw std::string("no CORBA exception"); }

  // omniORB makes upcalls for one connection on several threads.
  void note(CORBA::Long number) override {
    const std::lock_guard<std::mutex> lock(notes_mutex_);
    ++notes_;
    sum_ += number;
  }
  CORBA::Long notes(CORBA::Long_out sum) override {
    const std::lock_guard<std::mutex> lock(notes_mutex_);
    sum = sum_;
    return notes_;
  }

  char* relay(Interop::Peer_ptr other, const char* greeting) override {
    return other->whoami(greeting);
  }
  Interop::Peer_ptr forwarder() override { return Interop::Peer::_duplicate(forwarder_); }
  void set_forwarder(Interop::Peer_ptr forwarder) {
    forwarder_ = Interop::Peer::_duplicate(forwarder);
  }
  Interop::Peer_ptr nil_peer() override { return Interop::Peer::_nil(); }
  void quit() override { orb_->shutdown(false); }

 private:
  CORBA::ORB_var orb_;
  std::string name_;
  CORBA::Long level_ = 0;
  Interop::Person owner_;
  std::mutex notes_mutex_;
  CORBA::Long notes_ = 0;
  CORBA::Long sum_ = 0;
  Interop::Peer_var forwarder_;
};

}  // namespace interop
