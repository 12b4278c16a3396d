// Serves the embedded descriptions whose octets are in files, and prints the reference of the
// repository. Options stand before the files. `--twice`: one repository ends before the next one
// starts. `--few-parts`: the repository accepts two members and parameters.
#include <perigee/corba.h>
#include <perigee/repository/embedded.h>
#include <perigee/runtime/serve_until_signal.h>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using perigee::repository::Embedded;
using perigee::repository::EmbeddedServer;
using perigee::repository::Limits;

std::vector<std::uint8_t> octets_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool has_repository(CORBA::ORB& orb) {
  try {
    return orb.resolve_initial_references("InterfaceRepository") != nullptr;
  } catch (const CORBA::ORB::InvalidName&) {
    return false;
  }
}

void serve(const CORBA::object_reference<CORBA::ORB>& orb, std::span<char*> words) {
  Limits limits;
  bool is_twice = false;
  for (; !words.empty() && words.front()[0] == '-'; words = words.subspan(1)) {
    if (words.front() == std::string("--twice")) is_twice = true;
    if (words.front() == std::string("--few-parts")) limits.parts_max = 2;
  }
  std::vector<std::vector<std::uint8_t>> octets;
  for (const char* const path : words) octets.push_back(octets_of(path));
  std::vector<Embedded> descriptions;
  for (const auto& each : octets) descriptions.push_back({each});
  if (is_twice) {
    {
      const EmbeddedServer first(orb, descriptions, limits);
    }
    if (has_repository(*orb)) throw std::runtime_error("the initial reference is still there");
  }
  const EmbeddedServer repository(orb, descriptions, limits);
  const std::string reference = orb->object_to_string(repository.reference());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto root = orb->resolve_initial_references("RootPOA");
  IDL::traits<PortableServer::POA>::narrow(root)->the_POAManager()->activate();
  serve(orb, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  orb->destroy();
} catch (const CORBA::SystemException& exception) {
  std::cerr << "embedded_octets_server: " << exception.what() << ": " << exception.detail() << '\n';
  return 1;
} catch (const std::exception& error) {
  std::cerr << "embedded_octets_server: " << error.what() << '\n';
  return 1;
}
