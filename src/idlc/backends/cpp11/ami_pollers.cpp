// Pollers in "stockAmiC.h" and "stockAmiC.cpp": values whose functions take the reply of a call.
// Local names have an underscore on both sides, or begin with one: IDL names cannot.
#include "idlc/backends/cpp11/ami.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

namespace perigee::idlc::cpp11 {

namespace {

constexpr std::string_view poller_head = R"(
using _ref_type = ::CORBA::valuetype_reference<$name$>;
static constexpr std::string_view _type_id = $id$;

explicit $name$(::perigee::polling::Call _call) noexcept;

)";

constexpr std::string_view poller_source_head = R"(
$name$::$name$(::perigee::polling::Call _call) noexcept
    : ::Messaging::Poller(std::move(_call)) {}

$name$::$name$() noexcept = default;
)";

constexpr std::string_view poller_traits = R"(
template <>
struct IDL::traits<$poller$> : ::perigee::value::value_traits<$poller$> {};
)";

/// The results of the reply, as parameters of the poller's function.
Callable results_of(const AmiOperation& operation) {
  Callable results = operation.poll;
  results.parameters.erase(results.parameters.begin());
  for (Parameter& result : results.parameters) result.direction = Direction::in;
  return results;
}

void define_poll(Writer& writer, const Ami& ami, const AmiOperation& operation) {
  const Callable results = results_of(operation);
  std::vector<std::string> variables;
  std::vector<std::string> captures;
  for (const Parameter& result : results.parameters) {
    variables.push_back(cpp_name(result.name));
    captures.push_back("&" + variables.back());
  }
  writer.separate();
  writer.list("void " + cpp_name(*ami.poller) + "::" + operation.poll.name + "(",
              parameter_list(operation.poll), ") {");
  {
    const Indented body(writer);
    const std::string head = "_poll(" + string_literal(operation.callable.wire_name) + ", " +
                             cpp_name(operation.poll.parameters.front().name) + ", ";
    if (variables.empty()) {
      writer.write(head + "nullptr);");
    } else {
      writer.list(head + "[", captures, "](::perigee::cdr::Decoder& _decoder_) {");
      {
        const Indented decoder(writer);
        writer.chain(decoder_of(results, Passed::in_request, "_decoder_") + " >> ", variables,
                     " >> ");
      }
      writer.write("});");
    }
  }
  writer.write("}");
}

}  // namespace

std::string poller_reference(const Ami& ami) {
  return "::CORBA::valuetype_reference<" + qualified_name(*ami.poller) + ">";
}

void declare_poller(Writer& writer, const Ami& ami) {
  std::vector<std::string> bases;
  for (const Interface* base : ami.poller->bases)
    bases.push_back("public virtual " + qualified_name(*base));
  if (bases.empty()) bases.emplace_back("public virtual ::Messaging::Poller");
  const std::string name = cpp_name(*ami.poller);
  writer.separate();
  writer.list("class " + name + " : ", bases, " {");
  writer.write(" public:");
  {
    const Indented body(writer);
    writer.write(poller_head, {{"name", name}, {"id", string_literal(ami.poller->repository_id)}});
    for (const AmiOperation& operation : AmiInterfaces::operations(ami))
      writer.list("void " + operation.poll.name + "(", parameter_list(operation.poll), ");");
  }
  writer.separate();
  writer.write(" protected:\n  $name$() noexcept;\n};", {{"name", name}});
  writer.separate();
}

void declare_poller_traits(Writer& writer, const Ami& ami) {
  writer.write(poller_traits, {{"poller", qualified_name(*ami.poller)}});
}

void define_poller(Writer& writer, const Ami& ami) {
  writer.separate();
  writer.write(poller_source_head, {{"name", cpp_name(*ami.poller)}});
  for (const AmiOperation& operation : AmiInterfaces::operations(ami))
    define_poll(writer, ami, operation);
}

}  // namespace perigee::idlc::cpp11
