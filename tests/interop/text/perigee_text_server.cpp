// The Perigee server of the tests of code sets: prints its IOR, serves until quit().
#include "textC.h"
#include "textS.h"
#include <perigee/corba.h>

#include <iostream>
#include <utility>

namespace {

class WideServant final : public CORBA::servant_traits<Text::Wide>::base_type {
 public:
  explicit WideServant(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(std::move(orb)) {}

  std::string echo_string(const std::string& a) override { return a; }
  char echo_char(char a) override { return a; }
  Text::Characters echo_characters(const Text::Characters& a) override { return a; }
  Text::Octets octets_of(const std::string& a) override { return {a.begin(), a.end()}; }
  std::string string_of(const Text::Octets& a) override { return {a.begin(), a.end()}; }
  void quit() override { orb_->shutdown(false); }

  std::wstring echo_wstring(const std::wstring& a, std::wstring& b, std::wstring& c) override {
    c = std::exchange(b, a);
    return a;
  }
  wchar_t echo_wchar(wchar_t a) override { return a; }
  Text::WideCharacters echo_wide_characters(const Text::WideCharacters& a) override { return a; }
  Text::WideStrings echo_wide_strings(const Text::WideStrings& a) override { return a; }
  Text::CodePoints code_points_of(const std::wstring& a) override { return {a.begin(), a.end()}; }
  std::wstring wstring_of(const Text::CodePoints& a) override { return {a.begin(), a.end()}; }
  Text::Entry echo_entry(const Text::Entry& a) override { return a; }
  void refuse(const std::string& reason, const std::wstring& wide_reason) override {
    throw Text::Refused(reason, wide_reason);
  }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
};

}  // namespace

int main(int argc, char* argv[]) {
  try {
    auto orb = CORBA::ORB_init(argc, argv);
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    auto servant = CORBA::make_reference<WideServant>(orb);
    auto object = servant->_this();
    poa->the_POAManager()->activate();
    std::cout << orb->object_to_string(object) << std::endl;
    orb->run();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "perigee_text_server: " << exception.what() << '\n';
    return 1;
  }
}
