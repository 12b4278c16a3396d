// Calls of naming services, and their errors in words: for all commands of `perigee name`.
#pragma once

#include "CosNamingC.h"
#include <perigee/corba.h>

#include <cstddef>
#include <functional>
#include <string>

namespace perigee::tool {

using NamingContextRef = IDL::traits<CosNaming::NamingContext>::ref_type;

/// An error. `text` is a message for the user.
struct NamingFailure {
  std::string text;
};

/// "id.kind/id.kind", with escapes.
std::string name_text(const CosNaming::Name& name);

/// Makes the call, and describes exceptions of the naming service in words. `name` is the name in
/// the call, as text. Throws NamingFailure.
void explain_exceptions(const std::string& name, const std::function<void()>& call);

/// All bindings of a context, by several calls. Throws NamingFailure if there are more than
/// `bindings_max`, and if the service returns empty lists without an end. Raises the exceptions of
/// `list`.
CosNaming::BindingList all_bindings(const NamingContextRef& context, std::size_t bindings_max);

}  // namespace perigee::tool
