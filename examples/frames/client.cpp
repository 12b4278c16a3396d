// Shows pictures to the Frames::Display whose reference is the first argument. Each picture is in a
// new shared buffer, so it reaches a display on the same host without a copy.
#include "framesC.h"
#include <perigee/corba.h>
#include <perigee/orb/shared_memory.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>

namespace {

constexpr std::uint32_t width = 1920;
constexpr std::uint32_t height = 1080;
constexpr std::size_t size = std::size_t{3} * width * height;

// Takes a picture. Each picture is brighter than the picture before it.
void take(const perigee::shared_vector<std::uint8_t>& pixels, int number) {
  std::fill(pixels.begin(), pixels.end(), static_cast<std::uint8_t>(number * 10));
}

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: frames_client <reference>\n";
    return 2;
  }
  auto display = IDL::traits<Frames::Display>::narrow(orb->string_to_object(argv[1]));
  if (!display) {
    std::cerr << "client: the reference does not refer to a Frames::Display\n";
    return 1;
  }
  const perigee::shared_pool pool = perigee::shared_pool_of(*orb);
  for (int number = 1; number <= 20; ++number) {
    const perigee::shared_vector<std::uint8_t> pixels(pool, size);  // bad_alloc: the pool is full
    take(pixels, number);
    const int brightness = display->show(width, height, pixels);
    if (number == 20)
      std::cout << number << " pictures, the last of brightness " << brightness << '\n';
  }
} catch (const std::exception& error) {
  std::cerr << "client: " << error.what() << '\n';
  return 1;
}
