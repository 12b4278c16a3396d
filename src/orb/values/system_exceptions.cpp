// One table from repository ids to exceptions, made from the list in exceptions.h.
#include "orb/values/system_exceptions.h"

#include <perigee/cdr/errors.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/exception_detail.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace perigee::orb {

using CORBA::CompletionStatus;

namespace {

constexpr std::string_view id_prefix = "IDL:omg.org/CORBA/";
constexpr std::string_view id_suffix = ":1.0";
constexpr std::size_t key_shown_max = 64;

struct Raiser {
  std::string_view name;
  void (*raise)(std::uint32_t minor, CompletionStatus completed, std::string detail);
};

template <typename Exception>
void raise(std::uint32_t minor, CompletionStatus completed, std::string detail) {
  throw Exception(minor, completed, std::move(detail));
}

constexpr Raiser raisers[] = {
#define PERIGEE_RAISER(NAME) {#NAME, raise<CORBA::NAME>},
    PERIGEE_SYSTEM_EXCEPTIONS(PERIGEE_RAISER)
#undef PERIGEE_RAISER
};

// "TRANSIENT" of "IDL:omg.org/CORBA/TRANSIENT:1.0"; empty if the id has another form.
std::string_view name_in(std::string_view repository_id) noexcept {
  if (!repository_id.starts_with(id_prefix) || !repository_id.ends_with(id_suffix)) return {};
  repository_id.remove_prefix(id_prefix.size());
  if (repository_id.size() < id_suffix.size()) return {};
  repository_id.remove_suffix(id_suffix.size());
  return repository_id;
}

}  // namespace

void raise_system_exception(std::string_view repository_id, std::uint32_t minor,
                            CompletionStatus completed, std::string detail) {
  const std::string_view name = name_in(repository_id);
  const auto known = std::ranges::find(raisers, name, &Raiser::name);
  if (known != std::end(raisers)) known->raise(minor, completed, std::move(detail));
  // CORBA 3.0, 4.12.4: a system exception that this ORB does not know.
  throw CORBA::UNKNOWN(minor_unknown_system_exception, completed,
                       "unknown system exception " + std::string(repository_id));
}

void encode_system_exception(cdr::Encoder& encoder, const CORBA::SystemException& exception) {
  encoder.write_string(exception._rep_id());
  encoder.write(exception.minor());
  encoder.write_enum(static_cast<std::uint32_t>(exception.completed()));
}

void decode_and_raise_system_exception(cdr::Decoder& decoder, std::string_view server_text) {
  const std::string_view repository_id = decoder.read_string_view();
  const auto minor = decoder.read<std::uint32_t>();
  const auto completed = static_cast<CompletionStatus>(decoder.read_enum(3));
  if (!decoder.ok()) {
    throw CORBA::MARSHAL(0, CORBA::COMPLETED_MAYBE,
                         "a system exception in a reply: " + cdr::to_string(decoder.error()));
  }
  std::string detail(raised_by_server);
  if (!server_text.empty()) detail.append(": ").append(server_text);
  raise_system_exception(repository_id, minor, completed, std::move(detail));
}

// The text is only for readers of the exception, so it is empty if there is no memory for it.
std::string exception_detail_in(std::span<const iop::ServiceContext> contexts) noexcept try {
  const auto found =
      std::ranges::find(contexts, iop::context_exception_detail, &iop::ServiceContext::id);
  return found == contexts.end() ? std::string() : iop::decode_exception_detail(found->data);
} catch (const std::bad_alloc&) {
  return {};
}

bool is_object_not_exist(cdr::Decoder body) noexcept {
  return name_in(body.read_string_view()) == "OBJECT_NOT_EXIST";
}

std::string key_text(OctetSpan key) {
  const bool is_cut = key.size() > key_shown_max;
  return "'" + iop::escape_key(is_cut ? key.first(key_shown_max) : key) + (is_cut ? "...'" : "'");
}

namespace {

// The side that found the error. With the error `no_code_set`, the client found no component in the
// reference, or the server found no service context.
enum class Finder : std::uint8_t { client, server };

// Raises the errors of characters, which decoding and encoding share. Returns for other errors.
void raise_character_error(const cdr::Error& error, Finder finder, Sender sender,
                           CompletionStatus completed, const std::string& detail) {
  switch (error.kind) {
    case cdr::ErrorKind::bad_character:
      throw CORBA::DATA_CONVERSION(
          minor_character_lost, completed,
          detail +
              "; -ORBNativeCharCodeSet and -ORBPreferUtf8 affect the code sets, and "
              "-ORBAcceptInvalidUtf8 yes allows invalid UTF-8");
    case cdr::ErrorKind::no_code_set:
      if (finder == Finder::client)
        throw CORBA::INV_OBJREF(minor_no_wide_component, completed, detail);
      throw CORBA::BAD_PARAM(minor_no_wide_context, completed, detail);
    case cdr::ErrorKind::not_in_version:
      throw CORBA::MARSHAL(
          sender == Sender::client ? minor_wide_request_in_1_0 : minor_wide_reply_in_1_0, completed,
          detail);
    default:
      return;
  }
}

// CORBA 3.0, 4.12.3.6: a valid value that exceeds a limit of the ORB. Returns for other errors. The
// text names the options of the limits. TypeCodes and contexts have fixed limits.
void raise_limit_error(const cdr::Error& error, CompletionStatus completed,
                       const std::string& detail) {
  switch (error.kind) {
    case cdr::ErrorKind::too_deep:
      throw CORBA::IMP_LIMIT(
          0, completed,
          detail + "; -ORBValueDepthMax limits the depth of values; TypeCodes have a fixed limit");
    case cdr::ErrorKind::too_large:
      throw CORBA::IMP_LIMIT(
          0, completed,
          detail + "; -ORBValueObjectsMax, -ORBProfilesMax and fixed limits apply to values");
    case cdr::ErrorKind::too_much_memory:
      throw CORBA::IMP_LIMIT(0, completed, detail + "; -ORBDecodedSizeMax limits this memory");
    case cdr::ErrorKind::memory_full:
      throw CORBA::TRANSIENT(minor_decoded_too_many, completed,
                             detail + "; -ORBDecodedTotalSizeMax limits this memory");
    default:
      return;
  }
}

}  // namespace

void raise_decode_error(const cdr::Error& error, Sender sender, CompletionStatus completed,
                        std::string_view what) {
  const std::string detail = std::string(what) + ": " + cdr::to_string(error);
  const Finder finder = sender == Sender::client ? Finder::server : Finder::client;
  raise_character_error(error, finder, sender, completed, detail);
  raise_limit_error(error, completed, detail);
  if (error.kind == cdr::ErrorKind::no_value_factory)
    throw CORBA::MARSHAL(minor_no_value_factory, completed,
                         detail + "; call register_value_factory");
  // The message is well-formed, so this is not MARSHAL.
  if (error.kind == cdr::ErrorKind::value_cycle)
    throw CORBA::NO_IMPLEMENT(
        0, completed,
        detail + "; -ORBValueCycles yes accepts this, unless the TypeCode of an any hides it");
  throw CORBA::MARSHAL(minor_of(error.kind), completed, detail);
}

std::uint32_t minor_of(cdr::ErrorKind kind) noexcept {
  using cdr::ErrorKind;
  constexpr ErrorKind kinds[] = {ErrorKind::truncated,   ErrorKind::bad_length,
                                 ErrorKind::bad_boolean, ErrorKind::bad_enum,
                                 ErrorKind::bad_string,  ErrorKind::bad_encapsulation,
                                 ErrorKind::bad_value,   ErrorKind::not_supported};
  const auto* const found = std::ranges::find(kinds, kind);
  if (found == std::end(kinds)) return 0;
  return CORBA::PERIGEE_VMCID | static_cast<std::uint32_t>(found - kinds + 1);
}

void raise_encode_error(const cdr::Error& error, Sender sender, CompletionStatus completed,
                        std::string_view limit_text) {
  if (error.kind == cdr::ErrorKind::too_large && !limit_text.empty())
    throw CORBA::IMP_LIMIT(0, completed, "encoding: " + std::string(limit_text));
  const std::string detail = "encoding: " + cdr::to_string(error);
  const Finder finder = sender == Sender::client ? Finder::client : Finder::server;
  raise_character_error(error, finder, sender, completed, detail);
  raise_limit_error(error, completed, detail);
  switch (error.kind) {
    case cdr::ErrorKind::local_object:
      throw CORBA::MARSHAL(minor_local_object, completed, detail);
    case cdr::ErrorKind::bound_exceeded:
      throw CORBA::BAD_PARAM(minor_bound_exceeded, completed, detail);
    case cdr::ErrorKind::bad_string:
    case cdr::ErrorKind::bad_enum:
      throw CORBA::BAD_PARAM(0, completed, detail);
    default:
      throw CORBA::MARSHAL(0, completed, detail);
  }
}

}  // namespace perigee::orb
