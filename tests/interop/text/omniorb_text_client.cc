// The omniORB client of the tests of code sets:
//   omniorb_text_client FILE [options of samples.h] [omniORB options]
#include "../checks.h"
#include "../omniorb_call.h"
#include "samples.h"
#include "text.hh"
#include <omniORB4/optionalFeatures.h>  // links omniORB's optional code sets

#include <cstring>
#include <string>

namespace {

using interop::e_acute;
using interop::euro;
using interop::in_code_set;
using interop::TextOptions;

std::string octets_of(Text::Wide_ptr peer, const std::string& text) {
  Text::Octets_var octets = peer->octets_of(text.c_str());
  std::string result;
  for (CORBA::ULong i = 0; i < octets->length(); ++i) result += static_cast<char>(octets[i]);
  return result;
}

std::string string_of(Text::Wide_ptr peer, const std::string& text) {
  Text::Octets octets;
  octets.length(static_cast<CORBA::ULong>(text.size()));
  for (CORBA::ULong i = 0; i < octets.length(); ++i)
    octets[i] = static_cast<CORBA::Octet>(text[i]);
  const CORBA::String_var result = peer->string_of(octets);
  return result.in();
}

std::string echo(Text::Wide_ptr peer, const std::string& text) {
  const CORBA::String_var result = peer->echo_string(text.c_str());
  return result.in();
}

void check_passes(Text::Wide_ptr peer, const TextOptions& options, std::uint32_t character) {
  const std::string ours = "<" + in_code_set(options.own, character) + ">";
  const std::string theirs = "<" + in_code_set(options.peer, character) + ">";
  CHECK(octets_of(peer, ours) == theirs);
  CHECK(string_of(peer, theirs) == ours);
  CHECK(echo(peer, ours) == ours);
}

void check_narrow(Text::Wide_ptr peer, const TextOptions& options) {
  CHECK(echo(peer, "plain") == "plain");
  CHECK(peer->echo_char('x') == 'x');
  check_passes(peer, options, 'x');
  check_passes(peer, options, e_acute);
  const std::string ours = in_code_set(options.own, euro);
  const std::string theirs = in_code_set(options.peer, euro);
  if (!ours.empty() && !theirs.empty() && options.euro_passes)
    return check_passes(peer, options, euro);
  if (!ours.empty()) CHECK_THROWS(echo(peer, ours), CORBA::DATA_CONVERSION);
  if (!theirs.empty()) CHECK_THROWS(string_of(peer, theirs), CORBA::DATA_CONVERSION);
  CHECK(echo(peer, "the connection goes on") == "the connection goes on");
}

/// omniORB keeps units of UTF-16 in its wchar_t.
std::wstring units(const std::vector<std::uint32_t>& points) {
  const std::vector<std::uint32_t> seen = interop::as_seen(points, true);
  return {seen.begin(), seen.end()};
}

void check_wide_string(Text::Wide_ptr peer, const std::vector<std::uint32_t>& points) {
  const std::wstring text = units(points);
  CORBA::WString_var b = CORBA::wstring_dup(L"old");
  CORBA::WString_var c;
  const CORBA::WString_var result = peer->echo_wstring(text.c_str(), b.inout(), c.out());
  CHECK(text == result.in());
  CHECK(text == b.in());
  CHECK(std::wstring(L"old") == c.in());
  Text::CodePoints_var seen = peer->code_points_of(text.c_str());
  CHECK(seen->length() == points.size());
  for (CORBA::ULong i = 0; i < seen->length() && i < points.size(); ++i)
    CHECK(seen[i] == points[i]);
  const CORBA::WString_var made = peer->wstring_of(seen.in());
  CHECK(text == made.in());
}

void check_wide(Text::Wide_ptr peer) {
  check_wide_string(peer, {'p', 'l', 'a', 'i', 'n'});
  check_wide_string(peer, {});
  check_wide_string(peer, {e_acute, euro});
  check_wide_string(peer, {'a', interop::clef, 'b'});
  for (const CORBA::WChar character : {L'a', L'\u00e9', L'\u20ac', L'\uffee'})
    CHECK(peer->echo_wchar(character) == character);
  Text::Entry entry;
  entry.plain = CORBA::string_dup("plain");
  entry.wide = CORBA::wstring_dup(units({interop::clef}).c_str());
  entry.symbol = L'\u20ac';
  entry.letter = 'c';
  const Text::Entry_var echoed = peer->echo_entry(entry);
  CHECK(std::strcmp(echoed->plain, "plain") == 0);
  CHECK(units({interop::clef}) == echoed->wide.in());
  CHECK(echoed->symbol == L'\u20ac');
  CHECK(echoed->letter == 'c');
  CHECK_THROWS(peer->refuse("no", L"\u20ac"), Text::Refused,
               CHECK(std::wstring(L"\u20ac") == caught.wide_reason.in()));
}

/// Sends about 10 MB.
void check_many_wide_strings(Text::Wide_ptr peer) {
  const std::wstring text = units({'a', interop::clef, 'b'});
  Text::WideStrings many;
  many.length(600'000);
  for (CORBA::ULong i = 0; i < many.length(); ++i) many[i] = CORBA::wstring_dup(text.c_str());
  Text::WideStrings_var echoed = peer->echo_wide_strings(many);
  CORBA::ULong same = 0;
  for (CORBA::ULong i = 0; i < echoed->length(); ++i) same += text == echoed[i].in() ? 1 : 0;
  CHECK(same == many.length());
}

int run(CORBA::ORB_ptr orb, int argc, char* argv[]) {
  const TextOptions options = interop::text_options(argc, argv);
  const CORBA::Object_var object = orb->string_to_object(options.ior.c_str());
  const Text::Wide_var peer = Text::Wide::_narrow(object);
  CHECK(!CORBA::is_nil(peer));
  if (CORBA::is_nil(peer)) return interop::finish("omniORB client");
  check_narrow(peer, options);
  if (options.wide) check_wide(peer);
  if (options.wide) check_many_wide_strings(peer);
  if (options.quit) peer->quit();
  return interop::finish("omniORB client");
}

}  // namespace

int main(int argc, char* argv[]) {
  return interop::call(argc, argv, "omniorb_text_client", "IOR-FILE [options of samples.h]", run);
}
