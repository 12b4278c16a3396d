// Calls of naming services, and their errors in words.
#include "naming_calls.h"

#include <perigee/base/log.h>

#include <cstdint>
#include <string_view>

namespace perigee::tool {

using CosNaming::Name;
using CosNaming::NamingContext;

namespace {

/// Puts a backslash before each character that would end the part.
std::string escaped(const std::string& part) {
  std::string text;
  for (const char character : part) {
    if (std::string_view("/.\\").find(character) != std::string_view::npos) text += '\\';
    text += character;
  }
  return text;
}

std::string why_not_found(const NamingContext::NotFound& exception) {
  Name rest_of_name = exception.rest_of_name();
  if (rest_of_name.size() > 1) rest_of_name.resize(1);  // the component at which the search ended
  const std::string rest = "'" + name_text(rest_of_name) + "'";
  switch (exception.why()) {
    case NamingContext::NotFoundReason::missing_node:
      return "there is no " + rest;
    case NamingContext::NotFoundReason::not_context:
      return rest + " is an object, not a context";
    case NamingContext::NotFoundReason::not_object:
      return rest + " is a context, not an object";
  }
  return "there is no " + rest;
}

/// After a failed call: the error of that call is the one to report.
void destroy_quietly(const IDL::traits<CosNaming::BindingIterator>::ref_type& iterator) {
  try {
    iterator->destroy();
  } catch (const CORBA::SystemException& exception) {
    log::write(log::Level::debug, "perigee", exception.what());
  }
}

}  // namespace

std::string name_text(const Name& name) {
  std::string text;
  for (const auto& component : name) {
    if (!text.empty()) text += '/';
    text += escaped(component.id());
    if (!component.kind().empty() || component.id().empty())
      text += '.' + escaped(component.kind());
  }
  return text;
}

void explain_exceptions(const std::string& name, const std::function<void()>& call) {
  try {
    call();
  } catch (const NamingContext::NotFound& exception) {
    throw NamingFailure{name + ": " + why_not_found(exception)};
  } catch (const NamingContext::AlreadyBound&) {
    throw NamingFailure{name + ": the name is already bound; 'rebind' replaces its reference"};
  } catch (const NamingContext::InvalidName&) {
    throw NamingFailure{
        name +
        ": invalid name; write <id>.<kind>/<id>.<kind>, with a backslash before each "
        "'/', '.' and '\\' of an id or kind"};
  } catch (const NamingContext::CannotProceed& exception) {
    throw NamingFailure{name + ": the naming service cannot resolve '" +
                        name_text(exception.rest_of_name()) + "'"};
  }
}

// The naming service keeps an iterator until the client destroys it.
CosNaming::BindingList all_bindings(const NamingContextRef& context) {
  constexpr std::uint32_t batch = 1000;
  CosNaming::BindingList bindings;
  IDL::traits<CosNaming::BindingIterator>::ref_type rest;
  context->list(batch, bindings, rest);
  if (!rest) return bindings;
  try {
    for (CosNaming::BindingList more; rest->next_n(batch, more);)
      bindings.insert(bindings.end(), more.begin(), more.end());
  } catch (const CORBA::SystemException&) {
    destroy_quietly(rest);
    throw;
  }
  rest->destroy();
  return bindings;
}

}  // namespace perigee::tool
