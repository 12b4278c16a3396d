// The files that embed a description of the IDL into a server, for its Interface Repository.
#pragma once

#include "idlc/backends/cpp11/generate.h"
#include "idlc/frontend/model.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace perigee::idlc::cpp11 {

/// A declaration that an Interface Repository cannot describe.
class NotDescribed : public std::runtime_error {
 public:
  NotDescribed(Location at, const std::string& text) : std::runtime_error(text), location(at) {}
  Location location;
};

/// All definitions of the model, in the form that src/repository/embedded.cpp reads. Throws
/// NotDescribed for types of IDL 4.
[[nodiscard]] std::vector<std::uint8_t> embedded_octets(const Model& model);

/// "stockR.h" and "stockR.cpp". The second one throws NotDescribed.
[[nodiscard]] std::string repository_header_text(const Model& model);
[[nodiscard]] std::string repository_source_text(const Model& model, const FileNames& names);

}  // namespace perigee::idlc::cpp11
