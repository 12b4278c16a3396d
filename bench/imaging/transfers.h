// The loop of all clients of the imaging experiment.
#pragma once

#include "streams.h"

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>

namespace perigee::bench {

/// Transfers one image and checks it. Throws an exception with a text if the transfer fails.
using TransferImage =
    std::function<void(const std::string& way, Direction direction, std::size_t size)>;

inline Direction parse_direction(const std::string& name) {
  if (name == "fetch") return Direction::fetch;
  if (name == "upload") return Direction::upload;
  throw std::runtime_error("unknown direction " + name);
}

/// Prints "ready", and answers lines until the input ends.
inline int serve_image_commands(const TransferImage& transfer) {
  std::cout << "ready" << std::endl;
  std::string way;
  std::string direction;
  std::size_t size = 0;
  std::size_t count = 0;
  while (std::cin >> way >> direction >> size >> count) {
    try {
      const Direction parsed = parse_direction(direction);
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t left = count; left > 0; --left) transfer(way, parsed, size);
      const std::chrono::duration<double, std::nano> elapsed =
          std::chrono::steady_clock::now() - begin;
      std::cout << "ok " << elapsed.count() << std::endl;
    } catch (const std::exception& failure) {
      std::cout << "error " << failure.what() << std::endl;
    }
  }
  return 0;
}

}  // namespace perigee::bench
