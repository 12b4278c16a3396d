// The processes of the imaging experiment. Each client answers lines "WAY DIRECTION SIZE COUNT"
// with "ok NANOSECONDS" or "error TEXT".
#pragma once

#include <string>

namespace perigee::bench {

/// Prints the reference of its locator, and serves until it is killed. `scheme`: "iiop" or
/// "shmiop".
int run_image_server(const std::string& scheme);
/// Ways: "call", "borrowed", "stream", and "locate", which finds the store COUNT times and ignores
/// the direction and the size. `locator`: a URL of the locator.
int run_image_client(const std::string& scheme, const std::string& locator);

/// The C program: prints its port, and serves until it is killed.
[[noreturn]] void run_raw_image_server();
/// The way "raw". `reference`: the port.
int run_raw_image_client(const std::string& reference);

}  // namespace perigee::bench
