// The client's function for an operation: a constant that describes it, and one call.
// Local names have an underscore on both sides: IDL names cannot begin with one.
#include "idlc/backends/cpp11/interfaces.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

namespace perigee::idlc::cpp11 {

namespace {

void define_raises(Writer& writer, const Callable& callable) {
  if (callable.raises.empty()) return;
  writer.write("static constexpr ::perigee::stub::RaisedException _raises_[] = {");
  {
    const Indented items(writer, 4);
    for (const Exception* exception : callable.raises) {
      const std::string name = qualified_name(*exception);
      writer.list("{", {name + "::_type_id", "&::perigee::stub::raise<" + name + ">"}, "},");
    }
  }
  writer.write("};");
}

void define_properties(Writer& writer, const Callable& callable) {
  if (callable.contexts.empty()) return;
  std::vector<std::string> patterns;
  for (const std::string& pattern : callable.contexts) patterns.push_back(string_literal(pattern));
  writer.list("static constexpr std::string_view _properties_[] = {", patterns, "};");
}

void define_operation(Writer& writer, const Callable& callable) {
  std::vector<std::string> fields = {string_literal(callable.wire_name),
                                     std::string("::perigee::stub::Operation::Kind::") +
                                         (callable.is_oneway ? "oneway" : "twoway"),
                                     callable.raises.empty() ? "{}" : "_raises_"};
  writer.list("static constexpr ::perigee::stub::Operation _operation_{", fields, "};");
}

std::vector<std::string> captures(const std::vector<std::string>& variables) {
  std::vector<std::string> result;
  for (const std::string& variable : variables) result.push_back("&" + variable);
  return result;
}

/// The function that encodes the arguments of a call, or the function that decodes its results.
struct Coder {
  std::vector<std::string> variables;
  std::vector<std::string> values;  ///< the variables as operands of << or >>
  bool encodes;
  std::string coder;  ///< the expression for the coder
};

/// `[&a, &b](::perigee::cdr::Encoder& _encoder_) { _encoder_ << a << b; }` or `nullptr`, then tail.
void write_coder(Writer& writer, const Coder& what, std::string_view tail) {
  const auto& [variables, values, encodes, expression] = what;
  if (variables.empty()) return writer.write(std::string("nullptr").append(tail));
  const std::string coder = encodes ? "_encoder_" : "_decoder_";
  const std::string shift = encodes ? " << " : " >> ";
  const std::string parameter =
      std::string("](::perigee::cdr::") + (encodes ? "Encoder& " : "Decoder& ") + coder + ") {";
  const std::string head = "[" + join(captures(variables), ", ") + parameter;
  const std::string body = expression + shift + join(values, shift) + ";";
  const std::string line = head + " " + body + " }" + std::string(tail);
  if (writer.fits(line)) return writer.write(line);
  writer.list("[", captures(variables), parameter);
  {
    const Indented indented(writer);
    writer.chain(expression + shift, values, shift);
  }
  writer.write(std::string("}").append(tail));
}

/// `target`: an expression for the object.
void write_call(Writer& writer, const std::string& target, const Callable& callable) {
  const std::vector<std::string> arguments = request_variables(callable);
  const std::vector<std::string> results = reply_variables(callable);
  if (arguments.empty() && results.empty())
    return writer.write("::perigee::stub::invoke(" + target + ", _operation_, nullptr, nullptr);");
  writer.write("::perigee::stub::invoke(");
  const Indented continuation(writer, 4);
  writer.write(target + ", _operation_,");
  write_coder(writer,
              {arguments, request_values(callable), true,
               encoder_of(callable, Passed::in_request, "_encoder_")},
              ",");
  write_coder(writer,
              {results, results, false, decoder_of(callable, Passed::in_reply, "_decoder_")}, ");");
}

}  // namespace

void define_operation_constants(Writer& writer, const Callable& callable) {
  define_raises(writer, callable);
  define_properties(writer, callable);
  define_operation(writer, callable);
}

void define_stub(Writer& writer, const Interface& interface, const Callable& callable) {
  const Type& result = *callable.return_type;
  writer.separate();
  writer.list(cpp_type(result) + " " + cpp_name(interface) + "::" + callable.name + "(",
              parameter_list(callable), ") {");
  {
    const Indented body(writer);
    define_operation_constants(writer, callable);
    if (!is_void(result)) writer.write(cpp_type(result) + " _result_" + initializer(result) + ";");
    write_call(writer, interface.is_abstract ? "::perigee::abstract::target_of(*this)" : "*this",
               callable);
    if (!is_void(result)) writer.write("return _result_;");
  }
  writer.write("}");
}

}  // namespace perigee::idlc::cpp11
