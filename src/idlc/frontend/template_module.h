// Template modules. IDL 4.2, 7.4.12. The parser keeps the tokens of a template module, and parses
// them once for each instance, with the arguments in the place of the parameters.
#pragma once

#include "idlc/frontend/token.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::idlc {

class Scope;
struct Type;

/// A parameter of a template module, such as `typename T` or `const long N`.
struct TemplateParameter {
  std::string_view kind;  ///< the first word: "typename", "struct", "sequence", "const", …
  std::string name;
  const Type* constant_type = nullptr;  ///< of a `const` parameter; else null
};

struct TemplateModule {
  std::vector<TemplateParameter> parameters;
  std::map<std::string, std::size_t, std::less<>> numbers;  ///< the parameters' indexes, by name
  std::vector<Token> body;                                  ///< with both braces
  Scope* scope = nullptr;                                   ///< contains the template module
  bool is_open = false;                                     ///< while an instance is parsed
};

/// An instance that is being parsed.
struct OpenInstance {
  Scope* template_scope;  ///< contains the template module
  const Scope* around;    ///< contains the instance
};

}  // namespace perigee::idlc
