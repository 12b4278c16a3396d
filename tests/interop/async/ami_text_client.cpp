// Sends characters and strings, narrow and wide, to a Text::Wide, and checks the results that reply
// handlers get:
//   ami_text_client FILE [--quit] [--no-wide] [Perigee options]
#include "../checks.h"
#include "../perigee_call.h"
#include "call_outcome.h"
#include "textAmiC.h"

#include <string>
#include <vector>

namespace {

using Traits = CORBA::amic_traits<Text::Wide>;

class Handler final : public Traits::replyhandler_base_type {
 public:
  PERIGEE_STORE(echo_string, const std::string&)
  PERIGEE_STORE(echo_char, char)
  PERIGEE_STORE(echo_characters, const Text::Characters&)
  PERIGEE_STORE(octets_of, const Text::Octets&)
  PERIGEE_STORE(string_of, const std::string&)
  PERIGEE_STORE_ECHO(echo_wstring, const std::wstring&)
  PERIGEE_STORE(echo_wchar, wchar_t)
  PERIGEE_STORE(echo_wide_characters, const Text::WideCharacters&)
  PERIGEE_STORE(echo_wide_strings, const Text::WideStrings&)
  PERIGEE_STORE(code_points_of, const Text::CodePoints&)
  PERIGEE_STORE(wstring_of, const std::wstring&)
  PERIGEE_STORE(echo_entry, const Text::Entry&)
  PERIGEE_STORE_DONE(refuse)

  interop::CallOutcome outcome;
};

/// A peer, and the handler of its calls.
struct Exchange {
  CORBA::ORB& orb;
  Traits::ref_type peer;
  CORBA::object_reference<Handler> handler = CORBA::make_reference<Handler>();

  /// Checks that the handler gets `expected` from the call.
  template <typename Result, typename Send>
  void check(const Result& expected, const Send& send) const {
    handler->outcome.await(orb, send);
    const auto* const results = handler->outcome.results<Result>();
    CHECK((results != nullptr && std::get<0>(*results) == expected));
  }
};

void check_narrow(const Exchange& to) {
  const std::string text = "caf\u00e9";
  to.check(text, [&] { to.peer->sendc_echo_string(to.handler, text); });
  to.check(std::string(), [&] { to.peer->sendc_echo_string(to.handler, ""); });
  to.check('x', [&] { to.peer->sendc_echo_char(to.handler, 'x'); });
  const Text::Characters characters{'a', 'b'};
  to.check(characters, [&] { to.peer->sendc_echo_characters(to.handler, characters); });
  const Text::Octets octets(text.begin(), text.end());
  to.check(octets, [&] { to.peer->sendc_octets_of(to.handler, text); });
  to.check(text, [&] { to.peer->sendc_string_of(to.handler, octets); });
}

void check_wide(const Exchange& to) {
  const std::wstring text = L"caf\u00e9 \u20ac";
  interop::check_outcome(to.orb, to.handler->outcome, text, std::wstring(L"old"),
                         [&](const std::wstring& a, const std::wstring& b) {
                           to.peer->sendc_echo_wstring(to.handler, a, b);
                         });
  to.check(L'\u20ac', [&] { to.peer->sendc_echo_wchar(to.handler, L'\u20ac'); });
  const Text::WideCharacters characters{L'a', L'\u00e9'};
  to.check(characters, [&] { to.peer->sendc_echo_wide_characters(to.handler, characters); });
  const Text::WideStrings strings{L"", text};
  to.check(strings, [&] { to.peer->sendc_echo_wide_strings(to.handler, strings); });
  const Text::CodePoints points{'c', 0xe9, 0x20ac};
  const std::wstring of_points = L"c\u00e9\u20ac";
  to.check(points, [&] { to.peer->sendc_code_points_of(to.handler, of_points); });
  to.check(of_points, [&] { to.peer->sendc_wstring_of(to.handler, points); });
  const Text::Entry entry("plain", text, L'\u20ac', 'x');
  to.check(entry, [&] { to.peer->sendc_echo_entry(to.handler, entry); });
  CHECK_THROWS(interop::await_or_throw(to.orb, to.handler->outcome,
                                       [&] { to.peer->sendc_refuse(to.handler, "no", text); }),
               Text::Refused, CHECK(caught.reason() == "no");
               CHECK(caught.wide_reason() == text));
}

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::vector<std::string>& arguments) {
  const bool quit = interop::has_option(arguments, "--quit");
  const bool has_wide = !interop::has_option(arguments, "--no-wide");
  const Exchange to{*orb, Traits::narrow(interop::object_in_file(*orb, arguments))};
  CHECK(to.peer != nullptr);
  if (!to.peer) return interop::finish("Perigee client of text with handlers");
  if (has_wide) {  // else the peers agree on no code set
    check_narrow(to);
    check_wide(to);
  } else {
    to.check(std::string("plain"), [&] { to.peer->sendc_echo_string(to.handler, "plain"); });
  }
  if (quit) to.peer->quit();
  return interop::finish("Perigee client of text with handlers");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "ami_text_client", "IOR-FILE [--quit] [--no-wide]", run);
}
