// The floor of the imaging experiment: a C program. Each request is a size and a direction, over
// one connection.
#include "connections/raw_giop.h"
#include "harness/raw_socket.h"
#include "images.h"
#include "roles.h"
#include "transfers.h"

#include <unistd.h>

#include <cstdint>

namespace perigee::bench {
namespace {

struct ImageRequest {
  std::uint64_t size = 0;
  std::uint64_t is_upload = 0;
};

void receive_image(int fd, std::vector<std::uint8_t>& space, std::size_t size) {
  const ttcp::Totals totals = ttcp::receive_transfer(
      {size, 1}, space,
      [fd](void* octets, std::size_t room) { return receive_some(fd, octets, room); });
  if (totals.octets != size || totals.errors != 0)
    throw std::runtime_error("the image is incomplete, or has wrong octets");
}

void serve_connection(int fd) {
  ImageCache images;
  std::vector<std::uint8_t> space;
  for (ImageRequest request; receive_all(fd, &request, sizeof request);) {
    if (request.size == 0 || request.size > image_size_max) return;
    if (request.is_upload != 0) {
      receive_image(fd, space, request.size);
      send_all(fd, &request.size, sizeof request.size);
    } else {
      const auto& image = images.of_size(request.size);
      send_all(fd, image.data(), image.size());
    }
  }
}

}  // namespace

void run_raw_image_server() {
  const int listener = open_raw_listener();
  for (;;) {
    const int fd = accept_raw(listener);
    if (fd < 0) continue;
    try {
      serve_connection(fd);
    } catch (const std::exception& failure) {
      std::cerr << "imaging: " << failure.what() << '\n';
    }
    close(fd);
  }
}

int run_raw_image_client(const std::string& reference) {
  const int fd = connect_raw(static_cast<std::uint16_t>(std::stoul(reference)));
  ImageCache images;
  std::vector<std::uint8_t> space;
  return serve_image_commands([&](const std::string&, Direction direction, std::size_t size) {
    const ImageRequest request{size, direction == Direction::upload};
    send_all(fd, &request, sizeof request);
    if (direction == Direction::fetch) return receive_image(fd, space, size);
    const auto& image = images.of_size(size);
    send_all(fd, image.data(), image.size());
    std::uint64_t received = 0;
    if (!receive_all(fd, &received, sizeof received) || received != size)
      throw std::runtime_error("the server has not received the image");
  });
}

}  // namespace perigee::bench
