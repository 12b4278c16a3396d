// Calls naming services, and explains their errors.
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

using IteratorRef = IDL::traits<CosNaming::BindingIterator>::ref_type;

constexpr std::uint32_t batch = 1000;

void check_count(const CosNaming::BindingList& bindings, std::size_t bindings_max) {
  if (bindings.size() > bindings_max)
    throw NamingFailure{
        "the naming service returned more bindings than the limit; --bindings-max sets the limit"};
}

/// Appends the bindings of the iterator. A service may return true with an empty list, but at most
/// ten times in a row.
void append_rest(const IteratorRef& rest, CosNaming::BindingList& bindings,
                 std::size_t bindings_max) {
  constexpr int empty_lists_max = 10;
  int empty_lists = 0;
  for (CosNaming::BindingList more; rest->next_n(batch, more);) {
    empty_lists = more.empty() ? empty_lists + 1 : 0;
    if (empty_lists > empty_lists_max)
      throw NamingFailure{"the naming service returns empty lists without an end"};
    bindings.insert(bindings.end(), more.begin(), more.end());
    check_count(bindings, bindings_max);
  }
}

/// Destroys the iterator after a failed call. A further failure is only logged, because the caller
/// reports the failed call.
void destroy_quietly(const IteratorRef& iterator) {
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
CosNaming::BindingList all_bindings(const NamingContextRef& context, std::size_t bindings_max) {
  CosNaming::BindingList bindings;
  IteratorRef rest;
  context->list(batch, bindings, rest);
  try {
    check_count(bindings, bindings_max);
    if (!rest) return bindings;
    append_rest(rest, bindings, bindings_max);
  } catch (...) {
    if (rest) destroy_quietly(rest);
    throw;
  }
  rest->destroy();
  return bindings;
}

}  // namespace perigee::tool
