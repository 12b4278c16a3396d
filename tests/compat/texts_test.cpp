// Octets that are not UTF-8, between two programs whose code set is UTF-8.
#include "textsA.h"
#include "textsS.h"
#include "two_orbs.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace {

using perigee::test::TwoOrbs;

const std::string latin_1 = "caf\xe9";
const std::string utf_8 = "caf\u00e9";

class Echo final : public CORBA::servant_traits<Compat::Texts>::base_type {
 public:
  std::string echo(const std::string& text) override { return changed(text); }
  uint32_t size_of(std::string_view text) override { return static_cast<uint32_t>(text.size()); }
  char echo_char(char letter) override { return letter; }
  Compat::Letter echo_letter(const Compat::Letter& letter) override { return letter; }
  Compat::Letters echo_letters(const Compat::Letters& letters) override { return letters; }
  Compat::Lines echo_lines(const Compat::Lines& lines) override { return lines; }
  CORBA::Any echo_any(const CORBA::Any& value) override { return value; }
  void refuse(const std::string& text) override { throw Compat::Unreadable(changed(text)); }

 private:
  /// The text "bad" stands for a text that a client cannot receive.
  static std::string changed(const std::string& text) { return text == "bad" ? latin_1 : text; }
};

struct Fixture {
  explicit Fixture(std::vector<std::string> of_server = {}, std::vector<std::string> of_client = {})
      : orbs("thread-pool", std::move(of_server), std::move(of_client)),
        texts(orbs.serve<Compat::Texts>(CORBA::make_reference<Echo>())) {}

  TwoOrbs orbs;
  IDL::traits<Compat::Texts>::ref_type texts;
};

template <typename Call>
void check_data_conversion(CORBA::CompletionStatus completed, Call&& call) {
  try {
    call();
    FAIL("no exception");
  } catch (const CORBA::DATA_CONVERSION& exception) {
    CHECK(exception.minor() == 0x4f4d0001);
    CHECK(exception.completed() == completed);
  }
}

}  // namespace

TEST_CASE("a server refuses arguments that are not UTF-8: DATA_CONVERSION, OMG minor 1") {
  const Fixture fixture;
  const auto& texts = fixture.texts;
  CORBA::Any any;
  any <<= latin_1;
  const auto refused = [](auto&& call) { check_data_conversion(CORBA::COMPLETED_NO, call); };
  refused([&] { texts->echo(latin_1); });
  refused([&] { texts->echo(std::string(5000, 'x') + latin_1); });
  refused([&] { texts->size_of(latin_1); });
  refused([&] { texts->echo_char('\xe9'); });
  refused([&] { texts->echo_letter(Compat::Letter('\xe9', "")); });
  refused([&] { texts->echo_letter(Compat::Letter('e', latin_1)); });
  refused([&] { texts->echo_letters({'a', '\xe9'}); });
  refused([&] { texts->echo_lines({"a", latin_1}); });
  refused([&] { texts->echo_any(any); });
  CHECK(texts->echo(utf_8) == utf_8);
  CHECK(texts->size_of(utf_8) == utf_8.size());
}

TEST_CASE("a client refuses results and exceptions that are not UTF-8") {
  const Fixture fixture;
  const auto refused = [](auto&& call) { check_data_conversion(CORBA::COMPLETED_YES, call); };
  refused([&] { fixture.texts->echo("bad"); });
  refused([&] { fixture.texts->refuse("bad"); });
  CHECK_THROWS_AS(fixture.texts->refuse("good"), Compat::Unreadable);
}

TEST_CASE("with -ORBAcceptInvalidUtf8, texts that are not UTF-8 arrive unchanged") {
  const std::vector<std::string> accept = {"-ORBAcceptInvalidUtf8", "yes"};
  const Fixture fixture(accept, accept);
  const auto& texts = fixture.texts;
  CORBA::Any any;
  any <<= latin_1;
  CHECK(texts->echo(latin_1) == latin_1);
  CHECK(texts->size_of(latin_1) == latin_1.size());
  CHECK(texts->echo_char('\xe9') == '\xe9');
  CHECK(texts->echo_letter(Compat::Letter('\xe9', latin_1)) == Compat::Letter('\xe9', latin_1));
  CHECK(texts->echo_lines({latin_1}) == Compat::Lines{latin_1});
  std::string text;
  CHECK((texts->echo_any(any) >>= text));
  CHECK(text == latin_1);
  CHECK_THROWS_AS(texts->refuse("bad"), Compat::Unreadable);
}

TEST_CASE("-ORBAcceptInvalidUtf8 is an option of the receiver") {
  const Fixture fixture({"-ORBAcceptInvalidUtf8", "yes"});
  CHECK(fixture.texts->size_of(latin_1) == latin_1.size());
  check_data_conversion(CORBA::COMPLETED_YES, [&] { fixture.texts->echo(latin_1); });
}

TEST_CASE("two programs whose code set is ISO-8859-1 exchange all octets") {
  const std::vector<std::string> native = {"-ORBNativeCharCodeSet", "ISO-8859-1"};
  const Fixture fixture(native, native);
  CHECK(fixture.texts->echo(latin_1) == latin_1);
  CHECK(fixture.texts->echo_char('\xe9') == '\xe9');
}

TEST_CASE("strings of calls within the process are not checked") {
  TwoOrbs orbs;
  const auto object =
      orbs.poa->id_to_reference(orbs.poa->activate_object(CORBA::make_reference<Echo>()));
  const auto texts = IDL::traits<Compat::Texts>::narrow(object);
  CHECK(texts->echo(latin_1) == latin_1);
  CHECK(texts->echo_char('\xe9') == '\xe9');
}
