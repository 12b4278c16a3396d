// Reads the descriptions that perigee-idl embeds: src/idlc/backends/cpp11/embedded_octets.cpp
// writes the format.
#pragma once

#include "repository/store.h"
#include <perigee/repository/embedded_octets.h>

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace perigee::repository {

/// Adds descriptions to a store that only this thread uses. If the store has a definition with the
/// same repository id, both must be equal. Completes interfaces and valuetypes that the
/// descriptions before have only declared. Raises INITIALIZE if the octets are malformed, BAD_PARAM
/// if two descriptions differ in a definition, and the exceptions of the store.
class EmbeddedReader final {
 public:
  explicit EmbeddedReader(Store& store) : store_(store) {}
  void read(const Embedded& description);

 private:
  [[nodiscard]] std::uint64_t number();
  [[nodiscard]] std::size_t count();
  [[nodiscard]] std::uint32_t bound();
  [[nodiscard]] std::string text();
  [[nodiscard]] Definition& reference();
  [[nodiscard]] Definition* optional_reference();
  [[nodiscard]] std::vector<Definition*> references();
  [[nodiscard]] Definition& type();
  [[nodiscard]] Definition& unnamed(Definition prepared);
  [[nodiscard]] std::vector<Part> members();
  [[nodiscard]] std::vector<Part> parameters();
  [[nodiscard]] CORBA::Any value(Definition& type, bool may_be_default);

  void read_head();
  void read_details(Definition& definition, bool is_new);
  [[nodiscard]] Details details_of(Kind kind, bool& is_declared_only);
  void read_value(Details& details);
  void read_operation(Details& details);

  Store& store_;
  std::span<const std::uint8_t> rest_;
  std::vector<Definition*> definitions_;  // of this description, by position
  std::vector<bool> is_new_;
  /// The repository ids of the contents of each interface and valuetype, in this description.
  std::unordered_map<const Definition*, std::string> ids_inside_;
  /// The octets of the current details, with repository ids instead of positions.
  std::string content_;
  /// The same for all complete definitions, with the ids of their contents: equal if the
  /// definitions are equal.
  std::unordered_map<const Definition*, std::string> known_content_;
  bool skips_ = false;  // the current details are known: makes no types without a name
  std::unordered_set<const Definition*> declared_;  // definitions that have no details yet
};

}  // namespace perigee::repository
