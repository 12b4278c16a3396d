// A server under attack, in a process whose address space is limited. It must not crash, and must
// not allocate the lengths that messages claim. It must serve other clients all the time.
#include "faults/hostile_messages.h"
#include "faults/process_limits.h"
#include "orb/server/server_fixture.h"
#include <perigee/orb/any.h>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace perigee::test {
namespace {

/// How the server ends a hostile conversation.
enum class Answer : std::uint8_t {
  refused,    // MessageError, and the end
  exception,  // a system exception; the connection goes on
  answered,   // nothing was wrong after all
  silence,    // nothing to answer: the end came from the client
  bounded,    // any of these: what counts is that it costs little
};

template <typename Value>
void read(orb::ServerRequest& request) {
  Value value{};
  request.arguments() >> value;
  request.end_of_arguments();
}

void read_what_is_asked(orb::ServerRequest& request) {
  std::uint32_t what = 0;
  request.arguments() >> what;
  switch (static_cast<Reads>(what)) {
    case Reads::any:
      return read<CORBA::Any>(request);
    case Reads::strings:
      return read<std::vector<std::string>>(request);
    case Reads::numbers:
      return read<std::vector<std::uint64_t>>(request);
    case Reads::text:
      return read<std::string>(request);
    case Reads::octets:
      return read<std::vector<std::uint8_t>>(request);
    case Reads::type_code:
      return read<CORBA::object_reference<CORBA::TypeCode>>(request);
    case Reads::count:
      break;
  }
  request.reply([what](cdr::Encoder& encoder) { encoder << what + 1; });
}

/// Calls all the time, and gets a reply to every call.
class HealthyClient {
 public:
  explicit HealthyClient(const ServerFixture& server)
      : caller_([this, &server](const std::stop_token& stop) {
          RawClient client(server.endpoint);
          for (std::uint32_t number = 1000; !stop.stop_requested(); ++number) {
            const RawReply reply =
                client.call({.key = server.key, .id = number, .argument = number});
            wrong_ += reply.id() == number && reply.result() == number + 1 ? 0 : 1;
            answers_.fetch_add(1);
            answers_.notify_all();
          }
        }) {}

  /// Returns when a call that began after the begin of this function has its reply.
  void check_served() {
    const int before = answers_;
    for (int seen = before; seen < before + 2; seen = answers_) answers_.wait(seen);
    CHECK(wrong_ == 0);
  }

 private:
  std::atomic<int> answers_{0};
  std::atomic<int> wrong_{0};
  std::jthread caller_;
};

Answer attack(const transport::Endpoint& endpoint, const Octets& octets) {
  RawClient client(endpoint);
  (void)client.try_send(octets);
  client.end_sending();
  Answer answer = Answer::silence;
  for (Octets message = client.receive(); !message.empty(); message = client.receive()) {
    const RawReply reply(message);
    if (reply.type() == type_message_error) answer = Answer::refused;
    if (reply.type() == type_reply)
      answer = reply.status() == 0 ? Answer::answered : Answer::exception;
  }
  return answer;
}

struct Attack {
  const char* name;
  const char* cause;  ///< a known failure of this kind, or the kind of lie
  Answer answer;
  std::function<Octets(OctetSpan key)> make;
};

Attack reading(const char* name, const char* cause, Reads reads, const Arguments& write) {
  return {name, cause, Answer::exception,
          [=](OctetSpan key) { return request_reading(key, reads, write); }};
}

// ---- Framing -----------------------------------------------------------------------------------

const Attack framing_attacks[] = {
    {"another protocol", "wrong magic", Answer::refused,
     [](OctetSpan) {
       return octets('G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P', '/', '1', '\n');
     }},
    {"GIOP 3.0", "unknown version", Answer::refused,
     [](OctetSpan) { return octets('G', 'I', 'O', 'P', 3, 0, 1, 0, 0, 0, 0, 0); }},
    {"type 8", "unknown message type", Answer::refused,
     [](OctetSpan) { return bare_header(8, 0); }},
    {"a size of 2^32-1", "CVE-2023-48230: sizes near the end of the range", Answer::refused,
     [](OctetSpan) { return bare_header(0, 0xffffffff); }},
    {"a size that is negative if signed", "CVE-2026-32239: negative Content-Length",
     Answer::refused, [](OctetSpan) { return bare_header(0, 0x80000000); }},
    {"the largest size, and nothing after it", "CVE-2002-0404: memory by what a length claims",
     Answer::silence, [](OctetSpan) { return bare_header(0, 0x03ffff00); }},
    {"a Request of no octets", "Wireshark CVE-2018-9269: lengths that are too short",
     Answer::refused, [](OctetSpan) { return bare_header(0, 0); }},
    {"a LocateRequest of no octets", "lengths that are too short", Answer::refused,
     [](OctetSpan) { return bare_header(3, 0); }},
    {"a CancelRequest of no octets", "lengths that are too short", Answer::refused,
     [](OctetSpan) { return bare_header(2, 0); }},
    {"a Fragment of nothing", "fragment of no message", Answer::refused,
     [](OctetSpan) { return piece(7, false, false); }},
    {"a Fragment without an id", "fragment of no message", Answer::refused,
     [](OctetSpan) { return bare_header(7, 0); }},
    {"CloseConnection in fragments", "a kind that cannot be fragmented", Answer::refused,
     [](OctetSpan) { return bare_header(5, 0, 3); }},
    {"a Reply to nothing", "what a client does not send", Answer::refused,
     [](OctetSpan) { return bare_header(1, 0); }},
};

// ---- Fragments, ids, cancelling ----------------------------------------------------------------

const Attack flood_attacks[] = {
    {"a thousand messages that are never finished", "fragment flood", Answer::refused,
     [](OctetSpan) {
       return repeated(1000, [](std::uint32_t id) { return piece(id, true, true, Octets(64)); });
     }},
    {"a message of empty fragments without end", "CVE-2023-33953: unbounded work", Answer::refused,
     [](OctetSpan) {
       return piece(1, true, true) +
              repeated(70'000, [](std::uint32_t) { return piece(1, false, true); });
     }},
    {"a first piece twice, with the same id", "id collision", Answer::bounded,
     [](OctetSpan) { return piece(1, true, true) + piece(1, true, true); }},
    {"two requests in progress with the same id", "id collision", Answer::bounded,
     [](OctetSpan key) {
       const Octets one = make_request({.key = key, .argument = 1000});
       return one + one + one;
     }},
    {"fragments after the request was cancelled", "CancelRequest race", Answer::bounded,
     [](OctetSpan) {
       return piece(1, true, true, Octets(16)) + make_cancel_request(1) + piece(1, false, false);
     }},
    {"requests that are cancelled at once", "CVE-2023-44487: rapid reset", Answer::bounded,
     [](OctetSpan key) {
       return repeated(3000, [&](std::uint32_t id) {
         return make_request({.key = key, .id = id, .argument = 1000}) + make_cancel_request(id);
       });
     }},
    {"ten thousand CancelRequests of nothing", "CancelRequest flood", Answer::silence,
     [](OctetSpan) {
       return repeated(10'000, [](std::uint32_t id) { return make_cancel_request(id); });
     }},
    {"a CancelRequest in the middle of another message", "interleaving", Answer::refused,
     [](OctetSpan key) {
       const Octets request = make_request({.key = key, .argument = 1000});
       return Octets(request.begin(), request.begin() + 20) + make_cancel_request(1) +
              Octets(request.begin() + 20, request.end());
     }},
};

// ---- Headers -----------------------------------------------------------------------------------

Octets request_with_contexts(OctetSpan key, std::uint32_t claimed, std::uint32_t real) {
  Writer writer(std::endian::little);
  begin_message(writer, 2, std::endian::little, 0);
  writer.ulong(5).octet(3).octet(0).octet(0).octet(0).ushort(0).sequence(key).text("act");
  writer.ulong(claimed);
  for (std::uint32_t context = 0; context < real; ++context)
    writer.ulong(0x50000000 + context).sequence(octets(1, 2, 3));
  writer.align(8).ulong(1000);
  return finish(writer, std::endian::little);
}

const Attack header_attacks[] = {
    {"a list of 2^32-1 service contexts", "giant service context list", Answer::refused,
     [](OctetSpan key) { return request_with_contexts(key, 0xffffffff, 2); }},
    {"a list of ten thousand service contexts", "giant service context list", Answer::refused,
     [](OctetSpan key) { return request_with_contexts(key, 10'000, 10'000); }},
    {"an object key of all ones", "ACE_TAO#1840: an index from the wire, not checked",
     Answer::exception,
     [](OctetSpan key) {
       const Octets ones(key.size(), std::byte{0xff});
       return make_request({.key = ones, .argument = 1000});
     }},
    {"an object key of one octet", "ACE_TAO#1840", Answer::exception,
     [](OctetSpan key) { return make_request({.key = key.first(1), .argument = 1000}); }},
    {"a key of a hundred thousand octets", "ACE_TAO#1840", Answer::exception,
     [](OctetSpan) {
       const Octets key(100'000, std::byte{1});
       return make_request({.key = key, .argument = 1000});
     }},
    {"an operation's name of a hundred thousand characters", "CVE-2008-7126", Answer::exception,
     [](OctetSpan key) {
       const std::string name(100'000, 'x');
       return make_request({.key = key, .operation = name});
     }},
};

// ---- Arguments ---------------------------------------------------------------------------------

void any_of_empty_structs(Writer& writer) {
  sequence_type(writer, [](Writer& element) { struct_type(element, 0, [](Writer&) {}); });
  writer.ulong(0xfffffff0);
}

void struct_that_is_itself(Writer& writer) {
  struct_type(writer, 1, [](Writer& inner) {
    inner.text("me");
    kind(inner, Kind::indirection).ulong(static_cast<std::uint32_t>(-56));
  });
}

/// The TypeCode of a value, and the front of the value: its tag and id.
void value_of_unknown_type(Writer& writer, std::uint32_t tag) {
  kind(writer, Kind::value).sequence(encapsulated([](Writer& inner) {
    inner.text("IDL:Evil:1.0").text("Evil").ushort(0);
    kind(inner, Kind::null_type).ulong(0);
  }));
  writer.ulong(tag).text("IDL:Evil:1.0");
}

constexpr std::uint32_t with_id = 0x7fffff02;
constexpr std::uint32_t chunked_with_id = 0x7fffff0a;

const Attack argument_attacks[] = {
    reading("a string of 2^32-1 characters", "CVE-2008-7126: overflow of a string's length",
            Reads::text, [](Writer& writer) { writer.ulong(0xffffffff).octet('x').octet(0); }),
    reading("a string whose aligned end is beyond 2^32", "CVE-2015-2310: overflow in validation",
            Reads::text, [](Writer& writer) { writer.ulong(0xfffffffd).octet('x').octet(0); }),
    reading("a string without an end", "OpenDDS#1826: strlen beyond the message", Reads::text,
            [](Writer& writer) { writer.ulong(3).octet('a').octet('b').octet('c'); }),
    reading("2^29 numbers of eight octets", "CVE-2015-2310: count times size is 2^32",
            Reads::numbers, [](Writer& writer) { writer.ulong(0x20000000).ulong(0); }),
    reading("a count that fits octets, not numbers", "TAO: one octet per element in the check",
            Reads::numbers, [](Writer& writer) { writer.ulong(60'000).raw(Octets(64'000)); }),
    reading("a count of strings that no message holds", "CVE-2022-46149: lists of pointers",
            Reads::strings, [](Writer& writer) { writer.ulong(0x3fffffff).raw(Octets(64)); }),
    reading("2^31 octets", "CVE-2017-7892: check by pointers that overflow", Reads::octets,
            [](Writer& writer) { writer.ulong(0x7fffffff).raw(Octets(64)); }),
    reading("four thousand million empty structs", "CVE-2015-2312: elements of no size", Reads::any,
            any_of_empty_structs),
    reading("an indirection before the message", "TAO TypeCode_CDR_Extraction: no lower bound",
            Reads::any,
            [](Writer& writer) {
              kind(writer, Kind::indirection).ulong(static_cast<std::uint32_t>(-100'000));
            }),
    reading("an indirection by the smallest number", "ice#6178: INT_MIN as an index", Reads::any,
            [](Writer& writer) { kind(writer, Kind::indirection).ulong(0x80000000); }),
    reading("an indirection to itself", "TAO TypeCode_CDR_Extraction", Reads::any,
            [](Writer& writer) {
              kind(writer, Kind::indirection).ulong(static_cast<std::uint32_t>(-4));
            }),
    reading("a struct that is a member of itself", "recursion without a sequence", Reads::any,
            struct_that_is_itself),
    reading("a TypeCode of three thousand levels", "TAO tc_demarshal, Cyclone#1243: no depth limit",
            Reads::type_code, [](Writer& writer) { writer.raw(deep_sequence_type(3000)); }),
    reading("anys in anys, a hundred thousand", "Cyclone#1243: no depth limit", Reads::any,
            [](Writer& writer) {
              for (int level = 0; level < 100'000; ++level) kind(writer, Kind::any);
              kind(writer, Kind::null_type);
            }),
    reading("a struct of 2^32-1 members", "length lie in a TypeCode", Reads::type_code,
            [](Writer& writer) { struct_type(writer, 0xffffffff, [](Writer&) {}); }),
    reading("arrays of arrays of 2^16 elements", "CVE-2015-2313: a loop of few octets", Reads::any,
            [](Writer& writer) {
              Octets type = octets(11, 0, 0, 0);  // tk_any
              for (int level = 0; level < 8; ++level) {
                Writer outer(std::endian::little);
                kind(outer, Kind::array).sequence(encapsulated([&type](Writer& inner) {
                  inner.align(4).raw(type).ulong(0x10000);
                }));
                type = outer.octets();
              }
              writer.raw(type);
            }),
    reading("a fixed of nibbles that are no digits", "ACE_TAO#2196: Fixed::from_string", Reads::any,
            [](Writer& writer) {
              kind(writer, Kind::fixed).ushort(31).ushort(2).raw(Octets(16, std::byte{0xff}));
            }),
    reading("a fixed of 65535 digits", "ACE_TAO#2198", Reads::any,
            [](Writer& writer) { kind(writer, Kind::fixed).ushort(0xffff).ushort(0); }),
    {"a value of the sender's class", "CVE-2020-2551: objects that the sender chooses",
     Answer::answered,  // the any keeps the octets: no code of the class runs
     [](OctetSpan key) {
       return request_reading(key, Reads::any,
                              [](Writer& writer) { value_of_unknown_type(writer, with_id); });
     }},
    reading("a value in a chunk of 2^30 octets", "length lie in a valuetype", Reads::any,
            [](Writer& writer) {
              value_of_unknown_type(writer, chunked_with_id);
              writer.ulong(0x40000000).ulong(0);
            }),
    reading("a kind of TypeCode that does not exist", "unknown kinds", Reads::any,
            [](Writer& writer) { writer.ulong(4711); }),
};

// ---- The tests ---------------------------------------------------------------------------------

template <std::size_t Count>
void attack_all(const Attack (&attacks)[Count]) {
  const ServerFixture server(each_strategy(), read_what_is_asked);
  HealthyClient healthy(server);
  healthy.check_served();
  const MemoryWatch memory;
  for (const Attack& it : attacks) {
    CAPTURE(it.name);
    CAPTURE(it.cause);
    const Answer answer = attack(server.endpoint, it.make(server.key));
    CHECK((it.answer == Answer::bounded || it.answer == answer));
    healthy.check_served();
    CHECK(memory.grown() < 32u << 20);
  }
}

TEST_CASE("lies in framing are refused; other clients are served") { attack_all(framing_attacks); }

TEST_CASE("floods and collisions of ids cost little, and other clients are served") {
  attack_all(flood_attacks);
}

TEST_CASE("lies in the headers of requests are refused, and other clients are served") {
  attack_all(header_attacks);
}

TEST_CASE("lies in arguments are answered by exceptions, and other clients are served") {
  attack_all(argument_attacks);
}

TEST_CASE("a lie in any field of a request harms no other client") {
  const ServerFixture server(each_strategy(), read_what_is_asked);
  HealthyClient healthy(server);
  healthy.check_served();
  const MemoryWatch memory;
  for (const unsigned minor : {0U, 1U, 2U}) {
    const Octets request = make_request({.key = server.key, .minor = minor, .argument = 1000});
    for (std::size_t field = 0; field + 4 <= request.size(); ++field)
      for (const std::uint32_t lie : {0xffffffffU, 0x7fffffffU, 0x80000000U, 0x00ffffffU, 0U}) {
        Octets message = request;
        Writer value(std::endian::little);
        value.ulong(lie);
        std::copy_n(value.octets().begin(), 4,
                    message.begin() + static_cast<std::ptrdiff_t>(field));
        (void)attack(server.endpoint, message);
      }
    healthy.check_served();
  }
  CHECK(memory.grown() < 32u << 20);
}

TEST_CASE("a hundred peers that leave messages unfinished harm no other client") {
  const ServerFixture server(each_strategy(), read_what_is_asked);
  HealthyClient healthy(server);
  healthy.check_served();
  const MemoryWatch memory;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int count = 0; count < 100; ++count) {
    clients.push_back(std::make_unique<RawClient>(server.endpoint));
    (void)clients.back()->try_send(bare_header(0, 0x03ffff00) + Octets(100));
    healthy.check_served();
  }
  CHECK(memory.grown() < 64u << 20);
}

}  // namespace
}  // namespace perigee::test
