// Calls all operations of an AllTypes::Peer and checks the results:
//   perigee_all_types_client FILE [--quit] [--no-wide] [--no-fixed] [--latin-1] [--no-forward]
//                            [--details] [--large OCTETS] [Perigee options]
// --no-wide is for GIOP 1.0, and --no-fixed for servers without the type fixed. With --latin-1 the
// client sends no text that ISO-8859-1 lacks. --no-forward leaves out the calls that the server
// forwards. --details is for servers that send the texts of their exceptions.
#include "../checks.h"
#include "../perigee_call.h"
#include "all_types_peer.h"

#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using interop::has_option;
using interop::ObjectReference;
using interop::PeerReference;
using interop::TypeCodeReference;
using OrbReference = IDL::traits<CORBA::ORB>::ref_type;

constexpr int seed_count = 4;

/// Prints the subject of a failure: the line of the macro is the same for all types.
class Subject {
 public:
  explicit Subject(std::string_view name) : name_(name) {}
  ~Subject() {
    if (interop::checks_failed != failed_before_) std::cerr << "… in " << name_ << std::endl;
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

 private:
  std::string_view name_;
  int failed_before_ = interop::checks_failed;
};

/// Runs checks of one subject. A CORBA exception fails the subject, and the next subject is
/// checked.
template <typename Check>
void check_subject(std::string_view name, Check check) {
  const Subject subject(name);
  try {
    check();
  } catch (const CORBA::Exception& exception) {
    std::cerr << exception.what() << '\n';
    interop::check(false, "no exception", __LINE__);
  }
}

template <typename T, typename Call>
void check_echo(std::string_view name, Call call, const T& a, const T& b) {
  check_subject(name, [&] {
    T changing = b;
    T c{};
    const T result = call(a, changing, c);
    CHECK((result == a));
    CHECK((changing == a));
    CHECK((c == b));
  });
}

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define CHECK_ECHO(NAME, TYPE)                                                            \
  check_echo<AllTypes::TYPE>(                                                             \
      #NAME, [&](const auto& a, auto& b, auto& c) { return peer->echo_##NAME(a, b, c); }, \
      one.a_##NAME(), other.a_##NAME());

// `b` is an in parameter.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define CHECK_IN_ECHO(NAME, TYPE)                         \
  check_echo<AllTypes::TYPE>(                             \
      #NAME,                                              \
      [&](const auto& a, auto& b, auto& c) {              \
        const AllTypes::TYPE old_b = std::exchange(b, a); \
        return peer->echo_##NAME(a, old_b, c);            \
      },                                                  \
      one.a_##NAME(), other.a_##NAME());

/// Unions whose discriminator equals no label. The JDK's ORB cannot copy them into an any.
/// For the default member, JacORB's classes know one discriminator: the least natural number that
/// is no label.
void check_defaults(const PeerReference& peer) {
  AllTypes::ByFlag flag;
  flag._d(false);
  AllTypes::BySmall small;
  small._d(0);
  check_echo(
      "by_flag", [&](const auto& a, auto& b, auto& c) { return peer->echo_by_flag(a, b, c); }, flag,
      flag);
  check_echo(
      "by_small", [&](const auto& a, auto& b, auto& c) { return peer->echo_by_small(a, b, c); },
      small, small);
  AllTypes::ByCount count;
  count.data({1, 2, 3}, 1);
  check_echo(
      "by_count", [&](const auto& a, auto& b, auto& c) { return peer->echo_by_count(a, b, c); },
      count, count);
  AllTypes::ByUCount unsigned_count;
  unsigned_count.rest(-7, 0);
  check_echo(
      "by_u_count", [&](const auto& a, auto& b, auto& c) { return peer->echo_by_u_count(a, b, c); },
      unsigned_count, unsigned_count);
}

void check_anys_of(const PeerReference& peer, const AllTypes::Anys& members) {
  for (const CORBA::Any& any : members) {
    const std::string name = any.type()->_text();
    if (name == "string<5>") continue;  // JacORB forgets the bound
    check_echo(
        name, [&](const auto& a, auto& b, auto& c) { return peer->echo_any(a, b, c); }, any,
        CORBA::Any());
  }
}

void check_types(const PeerReference& peer, int seed) {
  const AllTypes::Samples one = interop::make_samples(seed);
  const AllTypes::Samples other = interop::make_samples(seed + 1);
  PERIGEE_BASIC_TYPES(CHECK_ECHO)
  PERIGEE_OTHER_TYPES(CHECK_ECHO)
  check_echo(
      "samples", [&](const auto& a, auto& b, auto& c) { return peer->echo_samples(a, b, c); }, one,
      other);
  check_subject("samples", [&] { CHECK(peer->samples(seed) == one); });
  check_anys_of(peer, interop::pack_members(one));
  check_subject("pack",
                [&] { CHECK(interop::unpack_members<AllTypes::Samples>(peer->pack(one)) == one); });
  check_subject("unpack", [&] { CHECK(peer->unpack(interop::pack_members(other)) == other); });
}

void check_wide_types(const PeerReference& peer, int seed) {
  const AllTypes::WideSamples one = interop::make_wide_samples(seed);
  const AllTypes::WideSamples other = interop::make_wide_samples(seed + 1);
  CHECK_IN_ECHO(wide_letter, WideLetter)
  CHECK_IN_ECHO(wide_text, WideText)
  CHECK_IN_ECHO(wide_code, WideCode)
  PERIGEE_WIDE_TYPES(CHECK_ECHO)
  check_subject("wide_samples", [&] { CHECK(peer->wide_samples(seed) == one); });
  check_subject("pack_wide", [&] {
    CHECK(interop::unpack_members<AllTypes::WideSamples>(peer->pack_wide(one)) == one);
  });
  check_subject("unpack_wide",
                [&] { CHECK(peer->unpack_wide(interop::pack_members(other)) == other); });
}

void check_fixed_types(const PeerReference& peer, int seed) {
  const AllTypes::FixedSamples one = interop::make_fixed_samples(seed);
  const AllTypes::FixedSamples other = interop::make_fixed_samples(seed + 1);
  PERIGEE_FIXED_TYPES(CHECK_ECHO)
  check_subject("fixed_samples", [&] { CHECK(peer->fixed_samples(seed) == one); });
  check_subject("pack_fixed", [&] {
    CHECK(interop::unpack_members<AllTypes::FixedSamples>(peer->pack_fixed(one)) == one);
  });
  check_subject("unpack_fixed",
                [&] { CHECK(peer->unpack_fixed(interop::pack_members(other)) == other); });
}

template <typename T>
CORBA::Any any_of(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

std::vector<CORBA::Any> make_anys(bool has_wide) {
  std::vector<CORBA::Any> anys{any_of(std::int32_t{-7}),
                               any_of(true),
                               any_of('x'),
                               any_of(std::uint8_t{200}),
                               any_of(std::uint16_t{65535}),
                               any_of(std::uint64_t{1} << 63),
                               any_of(1.5F),
                               any_of(-1e300),
                               any_of(std::string("text")),
                               any_of(interop::make_samples(1)),
                               any_of(interop::make_tree(3, 1)),
                               any_of(AllTypes::Refused("no", 3, interop::make_point(1)))};
  if (has_wide) {
    anys.push_back(any_of(L'\u20ac'));
    anys.push_back(any_of(std::wstring(L"\u65e5\u672c")));
  }
  const CORBA::Any inner = any_of(any_of(std::int16_t{-3}));
  anys.push_back(any_of(AllTypes::Parcel(1, inner, inner.type())));
  return anys;
}

/// The JDK's ORB writes the profile of a corbaloc again in its own byte order. So the anys may
/// differ in octets, and the references in them are compared.
void check_reference_in_any(const PeerReference& peer) {
  const CORBA::Any any = any_of(peer);
  CORBA::Any b = any;
  CORBA::Any c;
  for (const CORBA::Any& got : {peer->echo_any(any, b, c), b, c}) {
    PeerReference reference;
    CHECK(got >>= reference);
    CHECK(reference && reference->_is_equivalent(peer));
  }
  TypeCodeReference type = any.type();
  TypeCodeReference other;
  CHECK(peer->echo_type(any.type(), type, other)->equal(any.type()));
}

void check_anys(const PeerReference& peer, bool has_wide) {
  const std::vector<CORBA::Any> anys = make_anys(has_wide);
  for (std::size_t index = 0; index < anys.size(); ++index)
    check_echo(
        anys[index].type()->_text(),
        [&](const auto& a, auto& b, auto& c) { return peer->echo_any(a, b, c); }, anys[index],
        anys[(index + 1) % anys.size()]);
  check_echo(
      "parcel", [&](const auto& a, auto& b, auto& c) { return peer->echo_parcel(a, b, c); },
      AllTypes::Parcel(1, anys[0], anys[9].type()), AllTypes::Parcel(2, anys[10], anys[1].type()));
  for (const CORBA::Any& any : anys) {
    const std::string name = any.type()->_text();
    const Subject subject(name);
    TypeCodeReference b = anys[0].type();
    TypeCodeReference c;
    CHECK(peer->echo_type(any.type(), b, c)->equal(any.type()));
    CHECK(b->equal(any.type()));
    CHECK(c->equal(anys[0].type()));
  }
}

void check_text(const PeerReference& peer, const AllTypes::CodePoints& points) {
  const std::string text = interop::utf8_of(points);
  CHECK(peer->code_points_of(text) == points);
  CHECK(peer->text_of(points) == text);
}

void check_wide_text(const PeerReference& peer, const AllTypes::CodePoints& points) {
  const std::wstring text(points.begin(), points.end());
  CHECK(peer->code_points_of_wide(text) == points);
  CHECK(peer->wide_text_of(points) == text);
}

void check_texts(const PeerReference& peer, const std::vector<std::string>& arguments) {
  const AllTypes::CodePoints latin{0xe9, 't', 0xe9};
  const AllTypes::CodePoints unicode{0x20ac, ' ', 0x65e5, 0x672c, ' ', 0x1d11e};
  check_text(peer, latin);
  if (has_option(arguments, "--latin-1"))
    CHECK_THROWS(peer->echo_any(any_of(interop::utf8_of(unicode)), *std::make_unique<CORBA::Any>(),
                                *std::make_unique<CORBA::Any>()),
                 CORBA::DATA_CONVERSION);
  else
    check_text(peer, unicode);
  if (has_option(arguments, "--no-wide")) {
    CHECK_THROWS(peer->code_points_of_wide(L"wide"), CORBA::MARSHAL,
                 CHECK(caught.minor() == 0x4f4d0005));
    CHECK(!peer->whoami("the connection goes on").empty());
    return;
  }
  check_wide_text(peer, latin);
  check_wide_text(peer, unicode);
}

void check_inherited(const PeerReference& peer) {
  CHECK(peer->whoami("good day").starts_with("good day, I am "));
  peer->level(12);
  CHECK(peer->level() == 12);
  CHECK(!peer->name().empty());
  CHECK(peer->_is_a("IDL:AllTypes/Base:1.0"));
  CHECK(!peer->_is_a("IDL:AllTypes/Other:1.0"));
  CHECK(!peer->_non_existent());
  CHECK(IDL::traits<AllTypes::Base>::narrow(peer)->level() == 12);
}

void check_references(const OrbReference& orb, const PeerReference& peer) {
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto servant = CORBA::make_reference<interop::AllTypesServant>("the client", [] {});
  const PeerReference own = servant->_this();
  PeerReference b = peer;
  PeerReference c;
  CHECK(peer->echo_peer(own, b, c)->_is_equivalent(own));
  CHECK(b->_is_equivalent(own));
  CHECK(c->_is_equivalent(peer));
  ObjectReference object_b = peer;
  ObjectReference object_c;
  CHECK(peer->echo_object(nullptr, object_b, object_c) == nullptr);
  CHECK(object_c->_is_equivalent(peer));
  AllTypes::Peers peers_b;
  AllTypes::Peers peers_c;
  const AllTypes::Peers peers = peer->echo_peers({peer, nullptr, own}, peers_b, peers_c);
  CHECK(peers.size() == 3 && peers.at(1) == nullptr && peers.at(2)->_is_equivalent(own));
  CHECK(peer->nothing() == nullptr);
  CHECK(peer->relay(own, "hello") == "hello, I am the client");
}

void check_exceptions(const PeerReference& peer) {
  CHECK_THROWS(peer->refuse(7), AllTypes::Refused, CHECK(caught.code() == 7);
               CHECK(caught.reason() == "because");
               CHECK(caught.where() == interop::make_point(7)));
  CHECK_THROWS(peer->refuse(0), AllTypes::Empty);
  CHECK_THROWS(peer->forbid(), CORBA::NO_PERMISSION, CHECK(caught.minor() == 77);
               CHECK(caught.completed() == CORBA::COMPLETED_NO));
  CHECK_THROWS(peer->stumble(), CORBA::UNKNOWN);
}

/// The text of the server's exception, which the JDK's ORB and Perigee send.
void check_details(const PeerReference& peer) {
  CHECK_THROWS(peer->forbid(), CORBA::NO_PERMISSION,
               CHECK(std::string_view(caught.what()).contains("only for brokers")));
}

// A server may execute a later request first, so the client asks until all notes have arrived.
void check_oneway(const PeerReference& peer) {
  constexpr int attempts_max = 100'000;
  const std::int32_t before = peer->notes();
  for (std::int32_t number = 1; number <= 10; ++number) peer->note(number);
  for (int attempt = 0; attempt < attempts_max && peer->notes() != before + 55; ++attempt) {
  }
  CHECK(peer->notes() == before + 55);
}

void check_forward(const PeerReference& peer) {
  const PeerReference forwarder = peer->forwarder();
  peer->level(34);
  CHECK(forwarder->level() == 34);
  CHECK(forwarder->name() == peer->name());
  CHECK(forwarder->samples(2) == interop::make_samples(2));
}

void check_gone(const PeerReference& peer) {
  const PeerReference gone = peer->gone();
  CHECK(gone->_non_existent());
  CHECK_THROWS(gone->level(), CORBA::OBJECT_NOT_EXIST);
}

void check_large(const PeerReference& peer, std::size_t octets) {
  AllTypes::Octets data(octets);
  for (std::size_t index = 0; index < octets; ++index)
    data[index] = static_cast<std::uint8_t>(index * 31 >> 3);
  check_echo(
      "large octets", [&](const auto& a, auto& b, auto& c) { return peer->echo_octets(a, b, c); },
      data, AllTypes::Octets{1});
  AllTypes::Precises numbers(octets / 32, 0.25);
  check_echo(
      "large numbers",
      [&](const auto& a, auto& b, auto& c) { return peer->echo_precises(a, b, c); },
      AllTypes::Precises{1}, numbers);
  AllTypes::People people;
  for (std::size_t index = 0; index < octets / 200; ++index)
    people.push_back(interop::make_person(static_cast<int>(index % 100)));
  check_echo(
      "large people", [&](const auto& a, auto& b, auto& c) { return peer->echo_people(a, b, c); },
      people, AllTypes::People());
}

std::size_t large_size(const std::vector<std::string>& arguments) {
  for (std::size_t index = 0; index + 1 < arguments.size(); ++index)
    if (arguments[index] == "--large") return std::stoul(arguments[index + 1]);
  return 10'000'000;
}

void check_objects(const OrbReference& orb, const PeerReference& peer,
                   const std::vector<std::string>& arguments) {
  check_subject("inherited operations", [&] { check_inherited(peer); });
  check_subject("references", [&] { check_references(orb, peer); });
  check_subject("exceptions", [&] { check_exceptions(peer); });
  if (has_option(arguments, "--details")) check_subject("details", [&] { check_details(peer); });
  check_subject("oneways", [&] { check_oneway(peer); });
  if (!has_option(arguments, "--no-forward"))
    check_subject("forwards", [&] { check_forward(peer); });
  check_subject("no object", [&] { check_gone(peer); });
}

int run(const OrbReference& orb, const std::vector<std::string>& arguments) {
  const auto peer = IDL::traits<AllTypes::Peer>::narrow(interop::object_in_file(*orb, arguments));
  CHECK(peer != nullptr);
  if (!peer) return interop::finish("Perigee client");
  const bool has_wide = !has_option(arguments, "--no-wide");
  for (int seed = 0; seed < seed_count; ++seed) {
    check_types(peer, seed);
    if (has_wide) check_wide_types(peer, seed);
    if (!has_option(arguments, "--no-fixed")) check_fixed_types(peer, seed);
  }
  check_defaults(peer);
  check_subject("anys", [&] { check_anys(peer, has_wide); });
  check_subject("references in anys", [&] { check_reference_in_any(peer); });
  check_subject("text", [&] { check_texts(peer, arguments); });
  check_objects(orb, peer, arguments);
  check_large(peer, large_size(arguments));
  if (has_option(arguments, "--quit")) peer->quit();
  return interop::finish("Perigee client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "perigee_all_types_client", "IOR-FILE [--quit] ...", run);
}
