// Decides in which module or interface of an IDL file each definition of a description stands.
#pragma once

#include "remote/description.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::tool {

/// The place of one definition.
struct IdlPlace {
  std::vector<std::string> modules;
  std::string container;  ///< the id of the interface or valuetype around it, or empty
  std::string name;
  bool is_included = false;  ///< <orb.idl> has the definition
};

/// Types inside structs, unions and exceptions move out of them: Order::Item becomes Order_Item.
class IdlPlaces {
 public:
  explicit IdlPlaces(const Description& description);

  /// Throws DescriptionError if the description has no definition with this id.
  [[nodiscard]] const IdlPlace& of(std::string_view id) const;
  /// "::Calls::Board::Kind", with escapes.
  [[nodiscard]] std::string scoped_name(std::string_view id) const;
  /// The repository id that a compiler gives the definition, with this prefix before its modules.
  [[nodiscard]] std::string default_id(std::string_view id, std::string_view prefix) const;
  /// The prefix with which `default_id` is the id of the definition; empty if there is none.
  [[nodiscard]] std::string prefix_for(std::string_view id) const;

 private:
  [[nodiscard]] std::string path_of(std::string_view id, std::string_view separator,
                                    bool is_escaped) const;

  std::map<std::string, IdlPlace, std::less<>> places_;
};

}  // namespace perigee::tool
