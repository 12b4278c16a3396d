// Dispatching by a perfect hash, and the static function of each operation.
// Local names have an underscore on both sides: IDL names cannot begin with one.
#include "idlc/backends/cpp11/skeletons.h"

#include "idlc/backends/cpp11/abstract_bases.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/perfect_hash.h"
#include "idlc/backends/cpp11/types.h"
#include "idlc/implied/calls.h"

#include <algorithm>
#include <map>
#include <set>

namespace perigee::idlc::cpp11 {

namespace {

constexpr std::string_view class_functions = R"(
::CORBA::object_reference<$interface$> _this();
bool _is_a(const std::string& _id) override;
std::string_view _primary_interface() const noexcept override;
void _dispatch(::perigee::orb::ServerRequest& _request_) override;
)";

constexpr std::string_view this_function = R"(
::CORBA::object_reference<$interface$> $class$::_this() {
  return ::IDL::traits<$interface$>::_stub(
      ::perigee::skeleton::reference_to_this(*this)->_reference());
}

bool $class$::_is_a(const std::string& _id) {
)";

/// An operation in the merged table of an interface: its name on the wire and its function.
struct Entry {
  std::string wire_name;
  std::string function;
};

/// The abstract bases that no concrete base has.
std::vector<const Interface*> own_abstract_bases(const Interface& interface) {
  std::vector<const Interface*> result = all_bases(interface);
  std::erase_if(result, [](const Interface* base) { return !base->is_abstract; });
  for (const Interface* concrete : concrete_bases(interface))
    for (const Interface* inherited : all_bases(*concrete)) std::erase(result, inherited);
  return result;
}

std::vector<Entry> merged_table(const SkeletonClass& skeleton) {
  const Interface& interface = *skeleton.interface;
  std::vector<Entry> entries;
  std::set<std::string> names;
  for (const Callable& callable : skeleton_callables(interface))
    if (names.insert(callable.wire_name).second)
      entries.push_back({callable.wire_name, callable.skeleton_name});
  for (const Interface* base : all_bases(interface)) {
    if (base->is_abstract) continue;
    for (const Callable& callable : skeleton_callables(*base))
      if (names.insert(callable.wire_name).second)
        entries.push_back(
            {callable.wire_name, skeleton.class_of(*base) + "::" + callable.skeleton_name});
  }
  for (const char* name : {"is_a", "non_existent", "repository_id", "interface", "component"})
    entries.push_back({std::string("_") + name, std::string("::perigee::skeleton::") + name});
  return entries;
}

std::vector<std::string> wire_names(const std::vector<Entry>& entries) {
  std::vector<std::string> result;
  for (const Entry& entry : entries) result.push_back(entry.wire_name);
  return result;
}

/// A perfect hash of n names needs about n*n/22 slots. Above this limit the names are sorted,
/// and a binary search finds them.
constexpr std::size_t hashed_names_max = 128;

void define_slot(Writer& writer, const std::string& wire_name, std::size_t index) {
  writer.write("{$name$, $index$},",
               {{"name", string_literal(wire_name)}, {"index", std::to_string(index)}});
}

void define_table(Writer& writer, const std::vector<Entry>& entries,
                  const std::vector<int>& slots) {
  const Indented items(writer, 4);
  for (const int slot : slots) {
    if (slot == PerfectHash::empty_slot) {
      writer.write(R"({"", ::perigee::skeleton::unknown_operation},)");
    } else {
      const auto index = static_cast<std::size_t>(slot);
      define_slot(writer, entries[index].wire_name, index);
    }
  }
}

// Each of these functions defines `_slots`, and returns the expression that finds the operation in
// them.

std::string define_perfect_slots(Writer& writer, const std::vector<Entry>& entries) {
  const PerfectHash hash = find_perfect_hash(wire_names(entries));
  define_table(writer, entries, hash.slots);
  return "::perigee::skeleton::find_operation(_slots, " + std::to_string(hash.seed) +
         ", _request_.operation())";
}

std::string define_hashed_slots(Writer& writer, const std::vector<Entry>& entries) {
  require_distinct(wire_names(entries));
  define_table(writer, entries, open_hash_slots(wire_names(entries)));
  return "::perigee::skeleton::find_hashed_operation(_slots, _request_.operation())";
}

std::string define_linear_slots(Writer& writer, const std::vector<Entry>& entries) {
  require_distinct(wire_names(entries));
  const Indented items(writer, 4);
  for (std::size_t index = 0; index < entries.size(); ++index)
    define_slot(writer, entries[index].wire_name, index);
  return "::perigee::skeleton::find_linear_operation(_slots, _request_.operation())";
}

std::string define_sorted_slots(Writer& writer, const std::vector<Entry>& entries) {
  std::map<std::string, std::size_t> sorted;
  for (std::size_t index = 0; index < entries.size(); ++index)
    sorted[entries[index].wire_name] = index;
  require_distinct(wire_names(entries));
  const Indented items(writer, 4);
  for (const auto& [wire_name, index] : sorted) define_slot(writer, wire_name, index);
  return "::perigee::skeleton::find_sorted_operation(_slots, _request_.operation())";
}

std::string define_slots(Writer& writer, const std::vector<Entry>& entries, Demux demux) {
  switch (demux) {
    case Demux::automatic:
      break;
    case Demux::linear:
      return define_linear_slots(writer, entries);
    case Demux::hash:
      return define_hashed_slots(writer, entries);
    case Demux::perfect:
      return define_perfect_slots(writer, entries);
    case Demux::sorted:
      return define_sorted_slots(writer, entries);
  }
  return entries.size() <= hashed_names_max ? define_perfect_slots(writer, entries)
                                            : define_sorted_slots(writer, entries);
}

void define_switch(Writer& writer, const std::vector<Entry>& entries, const std::string& number) {
  writer.write("switch (" + number + ") {");
  for (std::size_t index = 0; index < entries.size(); ++index)
    writer.write("  case $index$:\n    return $function$(*this, _request_);",
                 {{"index", std::to_string(index)}, {"function", entries[index].function}});
  writer.write("  default:\n    ::perigee::skeleton::unknown(_request_);\n}");
}

}  // namespace

std::vector<Callable> skeleton_callables(const Interface& interface) {
  std::vector<Callable> result;
  for (const Interface* base : own_abstract_bases(interface))
    std::ranges::move(callables(*base), std::back_inserter(result));
  std::ranges::move(callables(interface), std::back_inserter(result));
  return result;
}

std::vector<Callable> joined_callables(const Interface& interface) {
  std::map<const Interface*, int> skeletons;  // that declare the functions of an abstract base
  const std::vector<const Interface*> bases = all_bases(interface);
  for (const Interface* base : bases) {
    if (base->is_abstract) continue;
    for (const Interface* declared : own_abstract_bases(*base)) ++skeletons[declared];
  }
  std::vector<Callable> result;
  for (const Interface* base : bases)
    if (skeletons[base] > 1) std::ranges::move(callables(*base), std::back_inserter(result));
  return result;
}

SkeletonClass ordinary_skeleton(const Interface& interface) {
  return {&interface, cpp_name(interface), skeleton_name};
}

std::vector<std::string> skeleton_bases(const SkeletonClass& skeleton) {
  const Interface& interface = *skeleton.interface;
  const std::vector<const Interface*> bases = concrete_bases(interface);
  if (bases.empty()) return {"public virtual ::PortableServer::Servant"};
  std::vector<std::string> result;
  for (const Interface* base : bases)
    result.push_back("public virtual " + skeleton.class_of(*base));
  return result;
}

void declare_identity(Writer& writer, const SkeletonClass& skeleton) {
  writer.write(class_functions, {{"interface", qualified_name(*skeleton.interface)}});
}

void define_identity(Writer& writer, const SkeletonClass& skeleton) {
  const Interface& interface = *skeleton.interface;
  const std::string qualified = qualified_name(interface);
  writer.write(this_function, {{"interface", qualified}, {"class", skeleton.name}});
  std::vector<std::string> tests = {"::perigee::stub::same(_id, " + qualified + "::_type_id)"};
  for (const Interface* base : all_bases(interface))
    tests.push_back("::perigee::stub::same(_id, " + qualified_name(*base) + "::_type_id)");
  if (adds_abstract_base(interface)) tests.emplace_back(abstract_base_test);
  tests.emplace_back("::PortableServer::Servant::_is_a(_id)");
  {
    const Indented body(writer);
    writer.chain("return ", tests, " || ");
  }
  writer.write("}");
  writer.separate();
  writer.write(
      "std::string_view $class$::_primary_interface() const noexcept {\n"
      "  return $interface$::_type_id;\n}",
      {{"interface", qualified}, {"class", skeleton.name}});
  writer.separate();
}

void define_dispatch(Writer& writer, const SkeletonClass& skeleton, Demux demux) {
  const std::vector<Entry> entries = merged_table(skeleton);
  writer.write("void $class$::_dispatch(::perigee::orb::ServerRequest& _request_) {",
               {{"class", skeleton.name}});
  {
    const Indented body(writer);
    writer.write("static constexpr ::perigee::skeleton::OperationSlot _slots[] = {");
    const std::string number = define_slots(writer, entries, demux);
    writer.write("};");
    define_switch(writer, entries, number);
  }
  writer.write("}");
  writer.separate();
}

void define_raises(Writer& writer, const Callable& callable) {
  if (callable.raises.empty()) return;
  writer.write("static constexpr std::string_view _raises_[] = {");
  for (const Exception* exception : callable.raises)
    writer.write("    $name$::_type_id,", {{"name", qualified_name(*exception)}});
  writer.write("};\n_request_.set_raises(_raises_);");
}

void decode_arguments(Writer& writer, const Callable& callable, Arguments arguments) {
  for (const Parameter& parameter : callable.parameters) {
    const bool is_lent = arguments == Arguments::lent;
    const bool is_kept = !is_lent && !is_pinned(parameter);
    writer.write("$type$ $name$$init$;",
                 {{"type", is_kept ? cpp_type(*parameter.type) : argument_type(parameter)},
                  {"name", cpp_name(parameter.name)},
                  {"init", initializer(*parameter.type)}});
  }
  if (!callable.contexts.empty()) writer.write(std::string(context_type) + " _context_;");
  if (callable.has_arguments())
    writer.chain(decoder_of(callable, Passed::in_request, "_request_.arguments()") + " >> ",
                 decoded_variables(callable), " >> ");
  writer.write("_request_.end_of_arguments();");
}

void write_reply(Writer& writer, const std::string& target,
                 const std::vector<std::string>& variables, const std::string& encoder) {
  if (variables.empty()) return writer.write(target + "(nullptr);");
  std::vector<std::string> captures;
  for (const std::string& variable : variables) captures.push_back("&" + variable);
  const std::string parameter = "](::perigee::cdr::Encoder& _encoder_) {";
  const std::string head_text = target + "([";
  const std::string line = head_text + join(captures, ", ") + parameter + " " + encoder + " << " +
                           join(variables, " << ") + "; });";
  if (writer.fits(line)) return writer.write(line);
  writer.list(head_text, captures, parameter);
  {
    const Indented body(writer);
    writer.chain(encoder + " << ", variables, " << ");
  }
  writer.write("});");
}

void declare_static_function(Writer& writer, const SkeletonClass& skeleton,
                             const Callable& callable) {
  writer.list("static void " + callable.skeleton_name + "(",
              {skeleton.name + "& _servant_", "::perigee::orb::ServerRequest& _request_"}, ");");
}

void begin_static_function(Writer& writer, const SkeletonClass& skeleton,
                           const Callable& callable) {
  writer.separate();
  writer.list("void " + skeleton.name + "::" + callable.skeleton_name + "(",
              {skeleton.name + "& _servant_", "::perigee::orb::ServerRequest& _request_"}, ") {");
}

void define_ordinary_function(Writer& writer, const SkeletonClass& skeleton,
                              const Callable& callable) {
  begin_static_function(writer, skeleton, callable);
  {
    const Indented body(writer);
    define_raises(writer, callable);
    decode_arguments(writer, callable);
    const std::string_view result = is_void(*callable.return_type) ? "" : "const auto _result_ = ";
    writer.list(std::string(result) + "_servant_." + callable.name + "(", argument_list(callable),
                ");");
    write_reply(writer, "_request_.reply", reply_variables(callable),
                encoder_of(callable, Passed::in_reply, "_encoder_"));
  }
  writer.write("}");
}

}  // namespace perigee::idlc::cpp11
