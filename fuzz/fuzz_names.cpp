// Names of the naming service as text. The first octet selects the direction: text to name, name to
// text, or a URL. An accepted name must be unchanged after it was written and read again.
#include "orb/references/corbaname.h"
#include "require.h"
#include "services/naming/name_text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace perigee;
using fuzz::require;

void try_text(std::string_view text) {
  const auto name = naming::parse_text(text);
  if (!name) return;
  require(!name->empty());
  require(naming::parse_text(naming::to_text(*name)) == *name);
  require(naming::to_text(*name).size() <= text.size());
}

/// Checks a name. The lines are ids and kinds in turn.
void try_name(std::string_view text) {
  naming::Components name(1);
  bool is_id = true;
  for (const char character : text) {
    if (character != '\n') {
      (is_id ? name.back().id : name.back().kind) += character;
      continue;
    }
    if (!is_id) name.emplace_back();
    is_id = !is_id;
  }
  require(naming::parse_text(naming::to_text(name)) == name);
}

/// Checks that the URL of a name leads to the name.
void try_url(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return;
  const std::string_view name = text.substr(end + 1);
  if (name.contains('\0')) return;  // CORBA strings contain no NUL
  const auto url = naming::make_url(std::string(text.substr(0, end)), name);
  const auto components = naming::parse_text(name);
  if (!url || !components) return;
  const auto parsed = orb::parse_corbaname(*url);
  require(parsed.has_value());
  require(parsed->name.size() == components->size());
  for (std::size_t index = 0; index < components->size(); ++index)
    require(parsed->name[index].id == (*components)[index].id &&
            parsed->name[index].kind == (*components)[index].kind);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  switch (data[0] % 3) {
    case 0:
      try_text(text);
      break;
    case 1:
      try_name(text);
      break;
    default:
      try_url(text);
      break;
  }
  return 0;
}
