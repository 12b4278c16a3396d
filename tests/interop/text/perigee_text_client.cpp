// The Perigee client of the tests of code sets:
//   perigee_text_client FILE [options of samples.h] [Perigee options]
#include "../checks.h"
#include "samples.h"
#include "textC.h"
#include <perigee/corba.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/ior.h>

#include <iostream>
#include <string>

namespace {

using interop::clef;
using interop::e_acute;
using interop::euro;
using interop::in_code_set;
using interop::TextOptions;
using WideReference = IDL::traits<Text::Wide>::ref_type;

Text::Octets octets(const std::string& text) { return {text.begin(), text.end()}; }

/// Sends a character, checks how the server sees it, and checks that it comes back.
void check_passes(const WideReference& peer, const TextOptions& options, std::uint32_t character) {
  const std::string ours = "<" + in_code_set(options.own, character) + ">";
  const std::string theirs = "<" + in_code_set(options.peer, character) + ">";
  CHECK(peer->octets_of(ours) == octets(theirs));
  CHECK(peer->string_of(octets(theirs)) == ours);
  CHECK(peer->echo_string(ours) == ours);
}

void check_narrow(const WideReference& peer, const TextOptions& options) {
  CHECK(peer->echo_string("plain") == "plain");
  CHECK(peer->echo_string("").empty());
  CHECK(peer->echo_char('x') == 'x');
  check_passes(peer, options, 'x');
  check_passes(peer, options, e_acute);
  const bool both =
      !in_code_set(options.own, euro).empty() && !in_code_set(options.peer, euro).empty();
  if (both && options.euro_passes) return check_passes(peer, options, euro);
  const std::string ours = in_code_set(options.own, euro);
  if (!ours.empty()) CHECK_THROWS(peer->echo_string(ours), CORBA::DATA_CONVERSION);
  const std::string theirs = in_code_set(options.peer, euro);
  // omniORB has begun the reply when it finds that it cannot convert the character. In GIOP 1.2
  // omniORB can then only end the connection.
  if (!theirs.empty() && options.surrogates)
    CHECK_THROWS(peer->string_of(octets(theirs)), CORBA::SystemException);
  else if (!theirs.empty())
    CHECK_THROWS(peer->string_of(octets(theirs)), CORBA::DATA_CONVERSION);
  CHECK(peer->echo_string("the connection goes on") == "the connection goes on");
}

void check_characters(const WideReference& peer, const TextOptions& options) {
  if (options.own == "UTF-8") {
    if (options.peer != "UTF-8") CHECK_THROWS(peer->echo_char('\xe9'), CORBA::DATA_CONVERSION);
    return;
  }
  if (options.peer == "UTF-8") return;
  CHECK(peer->echo_char('\xe9') == '\xe9');
  const Text::Characters characters{'a', '\xe9'};
  CHECK(peer->echo_characters(characters) == characters);
}

void check_wide_string(const WideReference& peer, const TextOptions& options,
                       const std::wstring& text) {
  std::wstring b = L"old";
  std::wstring c;
  CHECK(peer->echo_wstring(text, b, c) == text);
  CHECK(b == text);
  CHECK(c == L"old");
  const auto seen = interop::as_seen({text.begin(), text.end()}, options.surrogates);
  CHECK(peer->code_points_of(text) == seen);
  CHECK(peer->wstring_of(seen) == text);
}

void check_wide(const WideReference& peer, const TextOptions& options) {
  for (const std::wstring& text :
       {std::wstring(L"plain"), std::wstring(), std::wstring(L"\u00e9\u20ac"),
        std::wstring(L"a\U0001d11e"
                     L"b"),
        std::wstring(1000, L'\u20ac')})
    check_wide_string(peer, options, text);
  for (const wchar_t character : {L'a', L'\u00e9', L'\u20ac', L'\uffee'})
    CHECK(peer->echo_wchar(character) == character);
  const Text::WideCharacters characters{L'a', L'\u20ac'};
  CHECK(peer->echo_wide_characters(characters) == characters);
  const Text::WideStrings strings{L"", L"\U0001d11e", L"x"};
  CHECK(peer->echo_wide_strings(strings) == strings);
  const Text::WideStrings many(600'000, L"a\U0001d11eb");  // 10 MB, about
  CHECK(peer->echo_wide_strings(many) == many);
  const Text::Entry entry("plain", L"\U0001d11e", L'\u20ac', 'c');
  CHECK(peer->echo_entry(entry) == entry);
  CHECK_THROWS(peer->refuse("no", L"\u20ac"), Text::Refused, CHECK(caught.reason() == "no");
               CHECK(caught.wide_reason() == L"\u20ac"));
  CHECK_THROWS(peer->echo_wchar(wchar_t{0xd834}), CORBA::DATA_CONVERSION);
  CHECK(peer->echo_wchar(L'x') == L'x');
}

void check_no_wide(const WideReference& peer, bool in_1_0) {
  std::wstring b = L"b";
  std::wstring c;
  if (in_1_0) {
    CHECK_THROWS(peer->echo_wchar(L'a'), CORBA::MARSHAL, CHECK(caught.minor() == 0x4f4d0005));
    CHECK_THROWS(peer->echo_wstring(L"a", b, c), CORBA::MARSHAL);
  } else {
    CHECK_THROWS(peer->echo_wchar(L'a'), CORBA::INV_OBJREF, CHECK(caught.minor() == 0x4f4d0002));
    CHECK_THROWS(peer->echo_wstring(L"a", b, c), CORBA::INV_OBJREF);
  }
  CHECK(peer->echo_string("the connection goes on") == "the connection goes on");
}

/// The reference with only its first profile, which gets no components. A corbaloc URL gives the
/// same profile, but no type id.
std::string without_components(const std::string& text) {
  perigee::iop::Ior ior = perigee::iop::parse_ior_string(text).value();
  auto profile = perigee::iop::decode_iiop_profile(ior.profiles.at(0)).value();
  profile.components.clear();
  ior.profiles = {perigee::iop::encode_profile(profile)};
  return perigee::iop::to_ior_string(ior);
}

bool is_1_0(const std::string& text) {
  const perigee::iop::Ior ior = perigee::iop::parse_ior_string(text).value();
  return perigee::iop::decode_iiop_profile(ior.profiles.at(0)).value().minor == 0;
}

int run(const IDL::traits<CORBA::ORB>::ref_type& orb, const TextOptions& options) {
  const std::string text = options.corbaloc ? without_components(options.ior) : options.ior;
  const auto peer = IDL::traits<Text::Wide>::narrow(orb->string_to_object(text));
  CHECK(peer != nullptr);
  if (!peer) return interop::finish("Perigee client");
  check_narrow(peer, options);
  check_characters(peer, options);
  if (options.wide)
    check_wide(peer, options);
  else
    check_no_wide(peer, is_1_0(text));
  if (options.quit) peer->quit();
  return interop::finish("Perigee client");
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    auto orb = CORBA::ORB_init(argc, argv);
    const int status = run(orb, interop::text_options(argc, argv));
    orb->destroy();
    return status;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "perigee_text_client: " << exception.what() << '\n';
    return 1;
  }
}
