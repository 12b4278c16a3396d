// The server's log: whole lines, from any thread.
#pragma once

#include <iostream>
#include <string>

inline void log(const std::string& line) {
  std::clog << "image_server: " + line + "\n" << std::flush;
}
