// Writes the CDR operators of structs and exceptions.
#include "idlc/backends/cpp11/marshalling.h"

#include "idlc/backends/cpp11/held_values.h"
#include "idlc/backends/cpp11/layout.h"
#include "idlc/backends/cpp11/members.h"
#include "idlc/backends/cpp11/names.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

/// A single value does not count as a run.
bool is_run(const Part& part) { return part.run && part.run->leaves.size() > 1; }

bool has_runs(const std::vector<Member>& members) {
  return std::ranges::any_of(parts(members), is_run);
}

std::string run_name(std::size_t index) { return "run_" + std::to_string(index); }

// ---- the description of a run ------------------------------------------------------------------

void define_constants(Writer& writer, const Run& run) {
  std::vector<std::string> sizes;
  for (std::size_t phase = 0; phase < Run::phase_count; ++phase)
    sizes.push_back(std::to_string(run.wire_size(phase)));
  writer.list("static constexpr ::perigee::cdr::RunSizes sizes{", sizes, "};");
  const bool has_characters = std::ranges::any_of(
      run.leaves, [](const Leaf& leaf) { return leaf.type->kind == TypeKind::char8; });
  writer.write("static constexpr bool has_characters = $has$;",
               {{"has", has_characters ? "true" : "false"}});
}

/// "_value.place().x()"
std::string access(const Leaf& leaf) {
  std::string text = "_value";
  for (const Member* member : leaf.path) text += "." + cpp_name(member->name) + "()";
  return text;
}

std::string enumerator_count(const Type& type) {
  return std::to_string(as<Enum>(type.declaration)->enumerators.size());
}

/// The position is known modulo `modulus`. So the padding before a leaf of at most that size is
/// known, too. A larger leaf needs a separate alignment step.
void write_leaves(Writer& writer, const Run& run) {
  std::size_t modulus = 1;
  std::size_t phase = 0;
  for (const Leaf& leaf : run.leaves) {
    const std::size_t padding = (0 - phase) & (leaf.size - 1);
    if (leaf.size > modulus) {
      writer.write("  _run.align($size$);", {{"size", std::to_string(leaf.size)}});
      modulus = leaf.size;
      phase = 0;
    } else if (padding > 0) {
      writer.write("  _run.pad($size$);", {{"size", std::to_string(padding)}});
      phase += padding;
    }
    phase = (phase + leaf.size) % modulus;
    if (leaf.type->kind == TypeKind::enumeration)
      writer.write("  _run.enumerator($value$, $count$);",
                   {{"value", access(leaf)}, {"count", enumerator_count(*leaf.type)}});
    else
      writer.write("  _run.field($value$);", {{"value", access(leaf)}});
  }
}

void define_members(Writer& writer, const Run& run) {
  writer.write("static void members(auto& _run, auto& _value) {");
  write_leaves(writer, run);
  writer.write("}");
}

void define_checks(Writer& writer, const Run& run, std::size_t phase) {
  const std::vector<std::size_t> offsets = run.wire_offsets(phase);
  for (std::size_t index = 0; index < offsets.size(); ++index) {
    const Type& type = *run.leaves[index].type;
    const std::string offset = std::to_string(offsets[index]);
    if (type.kind == TypeKind::boolean)
      writer.write("  _run.check_boolean($offset$);", {{"offset", offset}});
    if (type.kind == TypeKind::enumeration)
      writer.write("  _run.check_enumerator($offset$, $count$);",
                   {{"offset", offset}, {"count", enumerator_count(type)}});
  }
}

void define_block(Writer& writer, const Run& run) {
  const std::size_t phase = run.steady_phase();
  writer.write("static void block(auto& _run, auto& _value) {");
  for (const Piece& piece : run.pieces(phase))
    writer.write("  _run.copy($wire$, &_value, $memory$, $size$);",
                 {{"wire", std::to_string(piece.wire_offset)},
                  {"memory", std::to_string(piece.memory_offset)},
                  {"size", std::to_string(piece.size)}});
  for (const Gap& gap : run.gaps(phase))
    writer.write("  _run.gap($offset$, $size$);",
                 {{"offset", std::to_string(gap.offset)}, {"size", std::to_string(gap.size)}});
  define_checks(writer, run, phase);
  writer.write("}");
}

constexpr std::string_view fixed_head = R"(
static_assert(sizeof($type$) == $size$ && offsetof($type$, $last$) == $offset$);
static constexpr std::size_t alignment = $alignment$;
static constexpr std::size_t phase = $phase$;
static constexpr std::size_t block_size = $block$;
static constexpr bool is_image = $image$;
)";

void define_fixed_layout(Writer& writer, const Struct& structure, const FixedLayout& layout,
                         const std::string& class_name) {
  const Run& run = layout.run;
  writer.write("struct $class$::_wire {", {{"class", class_name}});
  {
    const Indented body(writer);
    const auto last = std::ranges::find_if(run.leaves, [&](const Leaf& leaf) {
      return leaf.path.front() == &structure.members.back();
    });
    writer.write(fixed_head, {{"type", qualified_name(structure)},
                              {"size", std::to_string(layout.memory_size)},
                              {"last", field_names(structure.members).back()},
                              {"offset", std::to_string(last->memory_offset)},
                              {"alignment", std::to_string(run.alignment())},
                              {"phase", std::to_string(run.steady_phase())},
                              {"block", std::to_string(run.wire_size(run.steady_phase()))},
                              {"image", layout.is_image() ? "true" : "false"}});
    define_constants(writer, run);
    define_members(writer, run);
    define_block(writer, run);
  }
  writer.write("};\n");
}

void define_runs(Writer& writer, const std::vector<Member>& members) {
  std::size_t index = 0;
  for (const Part& part : parts(members)) {
    if (!is_run(part)) continue;
    const Indented body(writer);
    writer.write("struct $name$ {", {{"name", run_name(index++)}});
    {
      const Indented run_body(writer);
      define_constants(writer, *part.run);
      define_members(writer, *part.run);
    }
    writer.write("};");
  }
}

/// The largest number of octets of a part, at any start. For a string, without its characters.
std::size_t size_max(const Part& part) {
  if (!part.run) return 3 + 4 + 1;
  std::size_t most = 0;
  for (std::size_t phase = 0; phase < Run::phase_count; ++phase)
    most = std::max(most, part.run->wire_size(phase));
  return most;
}

std::string access(const Member& member) { return "_value." + cpp_name(member.name) + "()"; }

void write_text_run_member(Writer& writer, const Part& part, std::size_t& run_index) {
  if (!part.run) return writer.write("  _run.text($text$);", {{"text", access(*part.member)}});
  if (is_run(part))
    return writer.write("  $run$::members(_run, _value);", {{"run", run_name(run_index++)}});
  write_leaves(writer, *part.run);
}

void define_text_run(Writer& writer, const Struct& structure) {
  std::size_t fixed_size = 0;
  std::string text_size;
  for (const Part& part : parts(structure.members)) {
    fixed_size += size_max(part);
    if (part.run) continue;
    text_size += (text_size.empty() ? "" : " + ") + access(*part.member) + ".size()";
  }
  const Indented body(writer);
  writer.write("static constexpr std::size_t fixed_size = $size$;",
               {{"size", std::to_string(fixed_size)}});
  writer.write("static std::size_t text_size(auto& _value) { return $size$; }",
               {{"size", text_size}});
  writer.write("static void members(auto& _run, auto& _value) {");
  std::size_t run_index = 0;
  for (const Part& part : parts(structure.members)) write_text_run_member(writer, part, run_index);
  writer.write("}");
}

void define_wire(Writer& writer, const std::vector<Member>& members, const Struct* text_run,
                 const std::string& class_name) {
  if (!has_runs(members) && text_run == nullptr) return;
  writer.separate();
  writer.write("struct $class$::_wire {", {{"class", class_name}});
  define_runs(writer, members);
  if (text_run != nullptr) define_text_run(writer, *text_run);
  writer.write("};\n");
}

// ---- operators ---------------------------------------------------------------------------------

struct Coder {
  std::string_view name;  // name of the parameter
  std::string_view type;
  std::string_view shift;
  std::string_view verb;      // of the library's functions: write_run
  std::string_view constant;  // "const " if values are not changed
  std::string_view scope;     // of valuetypes
};
constexpr Coder encoding{"_encoder", "::perigee::cdr::Encoder&", "<<", "write", "const ",
                         "Writing"};
constexpr Coder decoding{"_decoder", "::perigee::cdr::Decoder&", ">>", "read", "", "Reading"};

/// Whether the members hold valuetypes that they may share. A struct is a part of arguments or
/// results, which share them already.
enum class Sharing : std::uint8_t { no, in_anys, yes };

void open_operator(Writer& writer, const Coder& coder, const std::string& parameter) {
  writer.separate();
  const std::string type(coder.type);
  writer.list(type + " operator" + std::string(coder.shift) + "(",
              {type + " " + std::string(coder.name), parameter}, ") {");
}

/// These are functions, not operators. Operators would be candidates for every other operand, and
/// overload resolution would cost compile time.
std::string all_function(const Coder& coder) {
  return "void _" + std::string(coder.verb) + "_all(";
}

std::vector<std::string> all_parameters(const Coder& coder, const std::string& class_name) {
  return {std::string(coder.type) + " " + std::string(coder.name),
          std::string(coder.constant) + class_name + "* _values", "std::size_t _count"};
}

std::string reference(const Coder& coder, const std::string& class_name) {
  return std::string(coder.constant) + class_name + "&";
}

/// Writes the members in order: each run by one call, the members between runs as a chain of
/// operators. `base`: the struct whose members come first; null if there is none.
void write_members(Writer& writer, const Coder& coder, const Struct* base,
                   const std::vector<Member>& members, const std::string& class_name) {
  const std::string name(coder.name);
  const std::string shift = " " + std::string(coder.shift) + " ";
  std::vector<std::string> chain;
  const auto end_chain = [&](const std::string& head) {
    if (!chain.empty()) writer.chain(head + name + shift, chain, shift);
    chain.clear();
  };
  if (base != nullptr)
    chain.push_back("static_cast<" + reference(coder, qualified_name(*base)) + ">(_value)");
  std::size_t index = 0;
  for (const Part& part : parts(members)) {
    if (!is_run(part)) {
      const Member& member = part.run ? *part.run->leaves.front().path.front() : *part.member;
      chain.push_back("_value." + cpp_name(member.name) + "()");
      continue;
    }
    end_chain("");
    writer.write(
        "::perigee::cdr::$verb$_run<$class$::_wire::$run$>($coder$, _value);",
        {{"verb", coder.verb}, {"class", class_name}, {"run", run_name(index++)}, {"coder", name}});
  }
  if (chain.empty()) return writer.write("return " + name + ";");
  end_chain("return ");
}

void define_members_operator(Writer& writer, const Coder& coder, const Struct* base,
                             const std::vector<Member>& members, const std::string& class_name,
                             Sharing sharing = Sharing::no) {
  const bool is_empty = members.empty() && base == nullptr;
  open_operator(writer, coder, reference(coder, class_name) + (is_empty ? "" : " _value"));
  {
    const Indented body(writer);
    const bool has_anys = coder.verb == decoding.verb && sharing == Sharing::in_anys;
    if (sharing == Sharing::yes || has_anys)
      writer.write("::perigee::value::$scope$ _values($coder$$more$);",
                   {{"scope", coder.scope},
                    {"coder", coder.name},
                    {"more", has_anys ? reading_of_anys : std::string_view()}});
    write_members(writer, coder, base, members, class_name);
  }
  writer.write("}\n");
}

constexpr std::string_view all_body = R"(
  ::perigee::cdr::$verb$_$kind$<$class$::_wire>($coder$, _values, _count);
}

)";

constexpr std::string_view one_body = R"(
  _$verb$_all($coder$, &_value, 1);
  return $coder$;
}

)";

/// `kind`: "structs" or "texts".
void define_all_operators(Writer& writer, const Coder& coder, std::string_view kind,
                          const std::string& class_name) {
  const std::string name(coder.name);
  writer.separate();
  writer.list(all_function(coder), all_parameters(coder, class_name), ") {");
  writer.write(all_body,
               {{"verb", coder.verb}, {"kind", kind}, {"class", class_name}, {"coder", name}});
  open_operator(writer, coder, reference(coder, class_name) + " _value");
  writer.write(one_body, {{"verb", coder.verb}, {"coder", name}});
}

bool is_any_base(const Struct& structure, bool (*is_such)(const Struct&)) {
  const Struct* base = structure.base;
  return base != nullptr && (is_such(*base) || is_any_base(*base, is_such));
}

}  // namespace

void declare_wire_layout(Writer& writer, const Struct& structure) {
  const std::optional<FixedLayout> layout = fixed_layout(structure);
  const bool has_fixed_base =
      is_any_base(structure, [](const Struct& base) { return fixed_layout(base).has_value(); });
  const bool has_text_base = is_any_base(structure, is_text_run);
  const bool is_text = is_text_run(structure);
  const bool has_wire = layout || is_text || has_runs(structure.members);
  if (!has_wire && !has_fixed_base && !has_text_base) return;
  writer.separate();
  if (has_wire) writer.write("struct _wire;");
  if (has_fixed_base)
    writer.write("static constexpr std::size_t _wire_size_min = 0;  // unlike its base");
  if (has_text_base)
    writer.write("static constexpr bool _is_text_run = false;  // unlike its base");
  if (is_text) writer.write("static constexpr bool _is_text_run = true;");
  if (!layout) return;
  std::size_t least = layout->run.wire_size(0);
  for (std::size_t phase = 1; phase < Run::phase_count; ++phase)
    least = std::min(least, layout->run.wire_size(phase));
  writer.write("static constexpr std::size_t _wire_size_min = $size$;",
               {{"size", std::to_string(least)}});
}

void declare_wire_layout(Writer& writer, const Exception& exception) {
  if (!has_runs(exception.members)) return;
  writer.separate();
  writer.write("struct _wire;");
}

void declare_all_functions(Writer& writer, const Struct& structure, const std::string& class_name) {
  const bool is_fixed = fixed_layout(structure).has_value();
  if (is_fixed || is_text_run(structure))
    writer.list(all_function(encoding), all_parameters(encoding, class_name), ");");
  if (is_fixed) writer.list(all_function(decoding), all_parameters(decoding, class_name), ");");
}

void define_operators(Writer& writer, const Struct& structure, const std::string& class_name) {
  writer.separate();
  const std::optional<FixedLayout> layout = fixed_layout(structure);
  const bool is_text = is_text_run(structure);
  if (layout)
    define_fixed_layout(writer, structure, *layout, class_name);
  else
    define_wire(writer, structure.members, is_text ? &structure : nullptr, class_name);
  for (const Coder& coder : {encoding, decoding}) {
    if (layout)
      define_all_operators(writer, coder, "structs", class_name);
    else if (is_text && coder.verb == encoding.verb)
      define_all_operators(writer, coder, "texts", class_name);
    else
      define_members_operator(writer, coder, structure.base, structure.members, class_name);
  }
  writer.separate();
}

Sharing sharing_of(const Exception& exception) {
  if (hold_values(exception.members)) return Sharing::yes;
  return may_share_values(exception.members) ? Sharing::in_anys : Sharing::no;
}

void define_operators(Writer& writer, const Exception& exception, const std::string& class_name) {
  writer.separate();
  define_wire(writer, exception.members, nullptr, class_name);
  for (const Coder& coder : {encoding, decoding})
    define_members_operator(writer, coder, nullptr, exception.members, class_name,
                            sharing_of(exception));
  writer.separate();
}

}  // namespace perigee::idlc::cpp11
