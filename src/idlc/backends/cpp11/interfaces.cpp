// The class of an interface.
#include "idlc/backends/cpp11/interfaces.h"

#include "idlc/backends/cpp11/client.h"
#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

namespace perigee::idlc::cpp11 {

namespace {

std::vector<std::string> base_classes(const Interface& interface) {
  if (interface.bases.empty()) return {"public virtual ::CORBA::Object"};
  std::vector<std::string> result;
  for (const Interface* base : interface.bases)
    result.push_back("public virtual " + qualified_name(*base));
  return result;
}

constexpr std::string_view class_head = R"(
using _ref_type = ::CORBA::object_reference<$name$>;
static constexpr std::string_view _type_id = $id$;

explicit $name$(std::shared_ptr<::perigee::orb::Reference> reference) noexcept;
)";

constexpr std::string_view class_tail = R"(
 protected:
  $name$() = default;
  bool _implements(std::string_view repository_id) const noexcept override;
};
)";

constexpr std::string_view constructor = R"(
$name$::$name$(std::shared_ptr<::perigee::orb::Reference> reference) noexcept
    : ::CORBA::Object(std::move(reference)) {}

bool $name$::_implements(std::string_view repository_id) const noexcept {
)";

void define_implements(Writer& writer, const Interface& interface) {
  std::vector<std::string> tests = {"repository_id == _type_id"};
  for (const Interface* base : interface.bases)
    tests.push_back(qualified_name(*base) + "::_implements(repository_id)");
  if (interface.bases.empty()) tests.emplace_back("::CORBA::Object::_implements(repository_id)");
  {
    const Indented body(writer);
    writer.chain("return ", tests, " || ");
  }
  writer.write("}");
  writer.separate();
}

}  // namespace

void declare_interface(Writer& writer, const Interface& interface) {
  const std::string name = cpp_name(interface.name);
  writer.list("class " + name + " : ", base_classes(interface), " {");
  writer.write(" public:");
  {
    const Indented body(writer);
    writer.write(class_head, {{"name", name}, {"id", string_literal(interface.repository_id)}});
    writer.separate();
    declare_types(writer, interface.contents, Scope::class_scope);
    writer.separate();
    for (const Callable& callable : callables(interface))
      writer.list("virtual " + cpp_type(*callable.return_type) + " " + callable.name + "(",
                  parameter_list(callable), ");");
  }
  writer.separate();
  writer.write(class_tail, {{"name", name}});
}

void define_interface(Writer& writer, const Interface& interface) {
  writer.write(constructor, {{"name", cpp_name(interface.name)}});
  define_implements(writer, interface);
  for (const Callable& callable : callables(interface)) define_stub(writer, interface, callable);
}

}  // namespace perigee::idlc::cpp11
