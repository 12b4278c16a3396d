// References inside of arguments, results and user exceptions.
#include "bridge/forwarder.h"
#include <perigee/base/log.h>
#include <perigee/base/printable.h>
#include <perigee/cdr/code_set_registry.h>

#include <optional>
#include <string>

namespace perigee::bridge {

using messaging::ReplyStatus;

namespace {

/// The form of wide characters. In GIOP 1.1, this form depends on the code set. In GIOP 1.2, the
/// size of each text precedes the text.
cdr::CodeSets code_sets_of(Agreement agreement, messaging::Version version) noexcept {
  cdr::CodeSets code_sets;
  code_sets.giop_minor = version.minor;
  const auto wide = cdr::wide_set_of(static_cast<std::uint32_t>(agreement & 0xffffffff));
  if (wide)
    code_sets.wide = *wide;
  else if (version.minor < 2)
    code_sets.wide = cdr::WideSet::none;
  return code_sets;
}

// Searches the name of an operation by its types. This is needed only after an error, so a call
// does not keep the name.
std::string_view name_of(const RewritingPlan& plan, const OperationTypes* types) noexcept {
  for (const auto& [name, each] : plan.operations)
    if (&each == types) return name;
  return "an unknown operation";
}

/// The text for an error of rewriting. Valuetypes have texts of their own: the bridge makes no
/// values, so it has no value factories.
std::string text_of(const cdr::Error& error) {
  const std::string place = " (at octet " + std::to_string(error.offset) + ')';
  switch (error.kind) {
    case cdr::ErrorKind::no_value_factory:
      return "--idl does not describe the state of a valuetype, and the state is not in chunks" +
             place;
    case cdr::ErrorKind::not_supported:
      return "the state of a valuetype, which --idl does not describe, cannot be moved" + place;
    default:
      return to_string(error);
  }
}

/// Logs that references cannot be rewritten. `level` is lower than a warning if a client is the
/// cause: clients could fill the log.
void log_unreadable(log::Level level, std::string_view sender, std::string_view what,
                    const cdr::Error& error) {
  if (!log::enabled(level)) return;
  std::string line(sender);
  line.append(": references in ").append(what).append(" cannot be rewritten: ");
  line.append(text_of(error));
  line.append(
      "; if --idl describes another operation of this name, give the IDL of all interfaces,");
  line.append(" or refuse the operation with --deny-operation");
  log::write(level, "bridge", line);
}

/// Logs a reference whose server the bridge does not know. A target may have more addresses than
/// the bridge knows: the text says which reference to add.
void log_unknown(const References& references, const iop::Ior& ior) {
  if (!log::enabled(log::Level::info)) return;
  const auto target = references.target_of(ior);
  if (!target || references.is_bridge(target->endpoint)) return;
  log::write(log::Level::info, "bridge",
             "a reference leads around the bridge, because the bridge does not know its server " +
                 printable(to_string(target->endpoint)) +
                 "; --reference with this reference makes the server known");
}

}  // namespace

const OperationTypes* Forwarder::types_of(std::string_view operation) const noexcept {
  const auto& operations = context_.options.rewriting.operations;
  const auto found = operations.find(operation);
  return found == operations.end() ? nullptr : &found->second;
}

std::optional<RawBody> Forwarder::rewritten_request(const ReceivedRequest& request,
                                                    const engine::Connection& client) {
  if (request.types == nullptr || request.types->in.empty()) return request.body;
  cdr::Decoder values = request.parsed.body;
  values.set_code_sets(code_sets_of(request.agreement, request.version));
  const auto result =
      rewriter_.rewrite({request.body, values}, request.types->in, [this](const iop::Ior& ior) {
        return context_.references.at_target(ior, context_.options.rules);
      });
  if (result) return *result;
  log_unreadable(log::Level::info, client.transport().peer(),
                 "the arguments of " + printable(request.parsed.header.operation), result.error());
  return std::nullopt;
}

std::optional<RawBody> Forwarder::rewritten_reply(const ForwardedCall& call,
                                                  const engine::CallEnd& end, const RawBody& body) {
  const RewritingPlan& plan = context_.options.rewriting;
  const ReplyStatus status = end.reply->header.status;
  const bool has_results = status == ReplyStatus::no_exception && call.types() != nullptr &&
                           !call.types()->out.empty() && !call.lacks_results(body);
  const bool has_exception = status == ReplyStatus::user_exception && !plan.exceptions.empty();
  if (!has_results && !has_exception) return body;
  cdr::Decoder values = end.reply->body;
  values.set_code_sets(code_sets_of(call.line.agreement, end.message->version));
  const auto replace = [this](const iop::Ior& ior) {
    auto made = context_.references.through_bridge(ior);
    if (!made && !rewriter_.repeats()) log_unknown(context_.references, ior);
    return made;
  };
  const auto result = has_exception ? rewriter_.rewrite_exception({body, values}, replace)
                                    : rewriter_.rewrite({body, values}, call.types()->out, replace);
  if (result) return *result;
  log_unreadable(log::Level::warning, to_string(call.line.target->endpoint),
                 (has_exception ? "a user exception of " : "the results of ") +
                     std::string(name_of(plan, call.types())),
                 result.error());
  return std::nullopt;
}

}  // namespace perigee::bridge
