// The omniORB server of the tests of code sets: prints its IOR, serves until quit().
#include "../omniorb_serve.h"
#include "text.hh"
#include <omniORB4/optionalFeatures.h>  // links omniORB's optional code sets

#include <cstring>
#include <string>

namespace {

class WideServant : public POA_Text::Wide {
 public:
  explicit WideServant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}

  char* echo_string(const char* a) override { return CORBA::string_dup(a); }
  CORBA::Char echo_char(CORBA::Char a) override { return a; }
  Text::Characters* echo_characters(const Text::Characters& a) override {
    return new Text::Characters(a);
  }
  Text::Octets* octets_of(const char* a) override {
    const auto size = static_cast<CORBA::ULong>(std::strlen(a));
    auto* octets = new Text::Octets(size);
    octets->length(size);
    for (CORBA::ULong i = 0; i < size; ++i) (*octets)[i] = static_cast<CORBA::Octet>(a[i]);
    return octets;
  }
  char* string_of(const Text::Octets& a) override {
    char* text = CORBA::string_alloc(a.length());
    for (CORBA::ULong i = 0; i < a.length(); ++i) text[i] = static_cast<char>(a[i]);
    text[a.length()] = 0;
    return text;
  }
  void quit() override { orb_->shutdown(false); }

  CORBA::WChar* echo_wstring(const CORBA::WChar* a, CORBA::WChar*& b,
                             CORBA::WString_out c) override {
    c = CORBA::wstring_dup(b);
    CORBA::wstring_free(b);
    b = CORBA::wstring_dup(a);
    return CORBA::wstring_dup(a);
  }
  CORBA::WChar echo_wchar(CORBA::WChar a) override { return a; }
  Text::WideCharacters* echo_wide_characters(const Text::WideCharacters& a) override {
    return new Text::WideCharacters(a);
  }
  Text::WideStrings* echo_wide_strings(const Text::WideStrings& a) override {
    return new Text::WideStrings(a);
  }
  Text::CodePoints* code_points_of(const CORBA::WChar* a) override {
    CORBA::ULong size = 0;
    while (a[size] != 0) ++size;
    auto* points = new Text::CodePoints(size);
    points->length(size);
    for (CORBA::ULong i = 0; i < size; ++i) (*points)[i] = static_cast<CORBA::ULong>(a[i]);
    return points;
  }
  CORBA::WChar* wstring_of(const Text::CodePoints& a) override {
    CORBA::WChar* text = CORBA::wstring_alloc(a.length());
    for (CORBA::ULong i = 0; i < a.length(); ++i) text[i] = static_cast<CORBA::WChar>(a[i]);
    text[a.length()] = 0;
    return text;
  }
  Text::Entry* echo_entry(const Text::Entry& a) override { return new Text::Entry(a); }
  void refuse(const char* reason, const CORBA::WChar* wide_reason) override {
    throw Text::Refused(reason, wide_reason);
  }

 private:
  CORBA::ORB_var orb_;
};

}  // namespace

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "omniorb_text_server", interop::activate<WideServant>);
}
