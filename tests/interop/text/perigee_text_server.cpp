// The Perigee server of the tests of code sets: prints its IOR, and serves until a client calls
// quit().
#include "../perigee_serve.h"
#include "textC.h"
#include "textS.h"

#include <functional>
#include <utility>

namespace {

class WideServant final : public CORBA::servant_traits<Text::Wide>::base_type {
 public:
  explicit WideServant(std::function<void()> on_quit) : on_quit_(std::move(on_quit)) {}

  std::string echo_string(const std::string& a) override { return a; }
  char echo_char(char a) override { return a; }
  Text::Characters echo_characters(const Text::Characters& a) override { return a; }
  Text::Octets octets_of(const std::string& a) override { return {a.begin(), a.end()}; }
  std::string string_of(const Text::Octets& a) override { return {a.begin(), a.end()}; }
  void quit() override { on_quit_(); }

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
  std::function<void()> on_quit_;
};

}  // namespace

int main(int argc, char* argv[]) {
  return interop::serve(argc, argv, "perigee_text_server", interop::activate<WideServant>);
}
