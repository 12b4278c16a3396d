// Serves one Board, prints its reference, and returns each value that it gets.
#include "call_typesS.h"
#include <perigee/corba.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

namespace {

class Board final : public CORBA::servant_traits<Calls::Board>::base_type {
 public:
  std::string title() override { return "board"; }
  double level() override { return level_; }
  void level(double value) override { level_ = value; }

  bool echo_boolean(bool value) override { return value; }
  std::uint8_t echo_octet(std::uint8_t value) override { return value; }
  char echo_char(char value) override { return value; }
  wchar_t echo_wchar(wchar_t value) override { return value; }
  std::int16_t echo_short(std::int16_t value) override { return value; }
  std::uint64_t echo_large(std::uint64_t value) override { return value; }
  float echo_float(float value) override { return value; }
  double echo_double(double value) override { return value; }
  long double echo_long_double(long double value) override { return value; }
  std::string echo_string(const std::string& value) override { return value; }
  std::wstring echo_wstring(const std::wstring& value) override { return value; }
  Calls::Code echo_code(const Calls::Code& value) override { return value; }
  Calls::Price echo_price(const Calls::Price& value) override { return value; }
  Calls::LargePrice echo_large_price(const Calls::LargePrice& value) override { return value; }
  Calls::Colour echo_colour(Calls::Colour value) override { return value; }
  Calls::Octets echo_octets(const Calls::Octets& value) override { return value; }
  Calls::Numbers echo_numbers(const Calls::Numbers& value) override { return value; }
  Calls::Grid echo_grid(const Calls::Grid& value) override { return value; }
  Calls::Items echo_items(const Calls::Items& value) override { return value; }
  Calls::Choice echo_choice(const Calls::Choice& value) override { return value; }
  Calls::Dimmer echo_dimmer(const Calls::Dimmer& value) override { return value; }
  Calls::Tree echo_tree(const Calls::Tree& value) override { return value; }
  CORBA::Any echo_any(const CORBA::Any& value) override { return value; }
  IDL::traits<CORBA::TypeCode>::ref_type echo_type(
      IDL::traits<CORBA::TypeCode>::ref_type value) override {
    return value;
  }
  IDL::traits<CORBA::Object>::ref_type echo_object(
      IDL::traits<CORBA::Object>::ref_type value) override {
    return value;
  }
  IDL::traits<Calls::Base>::ref_type echo_base(IDL::traits<Calls::Base>::ref_type value) override {
    return value;
  }
  IDL::traits<Calls::Point>::ref_type echo_point(
      IDL::traits<Calls::Point>::ref_type value) override {
    return value;
  }
  IDL::traits<Calls::Circle>::ref_type echo_circle(
      IDL::traits<Calls::Circle>::ref_type value) override {
    return value;
  }
  IDL::traits<Calls::BoxedText>::ref_type echo_box(
      IDL::traits<Calls::BoxedText>::ref_type value) override {
    return value;
  }

  /// A value that `perigee call` does not write as JSON.
  Calls::Tree make_deep_tree() override {
    constexpr int levels = 62;  // two levels of JSON each; a message may have 128
    Calls::Tree tree("leaf", {});
    for (int level = 0; level < levels; ++level) {
      Calls::Tree outer("", {});
      outer.branches().push_back(std::move(tree));
      tree = std::move(outer);
    }
    return tree;
  }

  std::int32_t split(std::int32_t total, std::int32_t& rest, std::string& text) override {
    if (rest == 0)
      throw Calls::Refused("no parts", Calls::Item("split", total, Calls::Colour::red));
    text = std::to_string(total) + " in parts of " + std::to_string(rest);
    const std::int32_t parts = total / rest;
    rest = total % rest;
    return parts;
  }
  void wait_for(std::int32_t milliseconds) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }
  void note(const std::string&) override { ++noted_; }
  std::int32_t noted() override { return noted_; }

 private:
  std::atomic<double> level_ = 1.5;
  std::atomic<std::int32_t> noted_ = 0;
};

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto root = orb->resolve_initial_references("RootPOA");
  IDL::traits<PortableServer::POA>::narrow(root)->the_POAManager()->activate();
  orb->register_value_factory(std::string(Calls::Point::_type_id),
                              CORBA::make_reference<Calls::Point_init>());
  orb->register_value_factory(std::string(Calls::Circle::_type_id),
                              CORBA::make_reference<Calls::Circle_init>());
  auto board = CORBA::make_reference<Board>();
  const std::string reference = orb->object_to_string(board->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "call_server: " << error.what() << '\n';
  return 1;
}
