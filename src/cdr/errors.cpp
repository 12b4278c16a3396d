// The texts of CDR errors.
#include <perigee/cdr/errors.h>

#include <string_view>

namespace perigee::cdr {

namespace {

std::string_view text_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::none:
      return "no error";
    case ErrorKind::truncated:
      return "more octets were expected than are there";
    case ErrorKind::bad_length:
      return "a length exceeds the remaining octets";
    case ErrorKind::bad_boolean:
      return "a boolean is neither 0 nor 1";
    case ErrorKind::bad_enum:
      return "no such enumerator";
    case ErrorKind::bad_string:
      return "a string without a NUL at its end, or with a NUL inside";
    case ErrorKind::bad_encapsulation:
      return "an encapsulation without a valid byte order";
    case ErrorKind::bad_value:
      return "a value that is not allowed here";
    case ErrorKind::too_deep:
      return "values are nested too deeply";
    case ErrorKind::too_large:
      return "a limit is exceeded";
    case ErrorKind::too_much_memory:
      return "the values take more memory than a message of this size may use";
    case ErrorKind::memory_full:
      return "the decoded values of all messages together take too much memory";
    case ErrorKind::local_object:
      return "a local object cannot be marshalled";
    case ErrorKind::not_in_version:
      return "this GIOP version cannot encode the type";
    case ErrorKind::bad_character:
      return "a character that is not valid, or that the code set does not have";
    case ErrorKind::no_code_set:
      return "no code set for wide characters was agreed on";
    case ErrorKind::bound_exceeded:
      return "more elements than the bound of the type allows";
    case ErrorKind::not_supported:
      return "values of this type are not supported";
    case ErrorKind::no_value_factory:
      return "no value factory is registered for the type of a valuetype";
    case ErrorKind::value_cycle:
      return "a value refers to a value that contains it";
  }
  return "unknown error";
}

}  // namespace

std::string to_string(const Error& error) {
  std::string text(text_of(error.kind));
  if (error.kind != ErrorKind::none) text += " (at octet " + std::to_string(error.offset) + ')';
  return text;
}

}  // namespace perigee::cdr
