// Offers one Frames::Display and prints its reference. Reads each picture where it is: in the
// memory of the camera, if -ORBSharedMemoryTrust allows this. Shuts down on SIGINT and SIGTERM.
#include "framesS.h"
#include <perigee/corba.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <span>
#include <string>

class Display final : public CORBA::servant_traits<Frames::Display>::base_type {
 public:
  std::uint8_t show(std::uint32_t width, std::uint32_t height,
                    std::span<const std::uint8_t> pixels) override {
    if (pixels.empty() || pixels.size() != std::uint64_t{3} * width * height)
      throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "three octets for each pixel are needed");
    constexpr std::size_t step = 997;  // looks at some octets only
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    for (std::size_t index = 0; index < pixels.size(); index += step, ++count) sum += pixels[index];
    return static_cast<std::uint8_t>(sum / count);
  }
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto root = orb->resolve_initial_references("RootPOA");
  auto poa = IDL::traits<PortableServer::POA>::narrow(root);
  poa->the_POAManager()->activate();

  auto display = CORBA::make_reference<Display>();
  const std::string reference = orb->object_to_string(display->_this());
  perigee::serve_until_signal(orb, [&] { std::cout << reference << std::endl; });
  orb->destroy();
} catch (const std::exception& error) {
  std::cerr << "server: " << error.what() << '\n';
  return 1;
}
