// Descriptions from Interface Repositories that are false, do not end, or try to write other IDL.
#include "remote/description.h"
#include "remote/idl_text.h"
#include "remote/interfaces_of.h"
#include <perigee/corba.h>
#include <perigee/dynamic/dynamic_implementation.h>
#include <perigee/orb/any_operators.h>
#include <perigee/repository.h>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::tool {

namespace {

using FullDescription = CORBA::InterfaceDef::FullInterfaceDescription;

/// What a hostile repository replies.
struct Replies {
  std::function<FullDescription()> describe;
  std::function<CORBA::object_reference<CORBA::TypeCode>()> type;
  std::string absolute_name = "no name";
  std::vector<CORBA::ConstantDescription> constants;
  std::function<CORBA::object_reference<CORBA::Repository>()> repository;
  bool finds = false;  ///< whether lookup_id finds the same object, whatever the id is
};

template <typename T>
CORBA::Any any_of(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

/// One object that is both the interface definition and its repository.
class Hostile final : public PortableServer::DynamicImplementation {
 public:
  explicit Hostile(Replies replies) : replies_(std::move(replies)) {}

  void invoke(CORBA::object_reference<CORBA::ServerRequest> request) override {
    const std::string& operation = request->operation();
    CORBA::NVList parameters;
    if (operation == "lookup_id") parameters.add_parameter("id", CORBA::_tc_string, CORBA::ARG_IN);
    if (operation == "contents") {
      parameters.add_parameter("limit", CORBA::_tc_DefinitionKind, CORBA::ARG_IN);
      parameters.add_parameter("own", CORBA::_tc_boolean, CORBA::ARG_IN);
    }
    request->arguments(parameters);
    if (operation == "contents") next_ = 0;
    request->set_result(reply(operation));
  }
  std::string _primary_interface(const PortableServer::ObjectId&,
                                 CORBA::object_reference<PortableServer::POA>) override {
    return std::string(CORBA::InterfaceDef::_type_id);
  }
  bool _is_a(const std::string& id) override {
    return id != CORBA::InterfaceAttrExtension::_type_id;
  }

  CORBA::object_reference<CORBA::Object> self;

 private:
  CORBA::Any reply(const std::string& operation) {
    if (operation == "describe_interface") return any_of(replies_.describe());
    if (operation == "_get_type") return any_of(replies_.type());
    if (operation == "_get_absolute_name") return any_of(replies_.absolute_name);
    if (operation == "contents") return any_of(contents());
    if (operation == "describe") return any_of(next_constant());
    if (operation == "_get_containing_repository") return any_of(replies_.repository());
    if (operation == "_get_defined_in") return any_of(CORBA::object_reference<CORBA::Container>());
    auto found = replies_.finds ? self : nullptr;
    return any_of(IDL::traits<CORBA::Contained>::unchecked_narrow(found));
  }

  /// Each constant is a reference to this object. Each `describe` describes another constant.
  CORBA::ContainedSeq contents() {
    if (std::exchange(has_contents_, true)) return {};
    return {replies_.constants.size(), IDL::traits<CORBA::Contained>::unchecked_narrow(self)};
  }
  CORBA::Contained::Description next_constant() {
    return CORBA::Contained::Description(CORBA::DefinitionKind::dk_Constant,
                                         any_of(replies_.constants.at(next_++)));
  }

  const Replies replies_;
  std::size_t next_ = 0;
  bool has_contents_ = false;
};

CORBA::object_reference<CORBA::ORB> make_orb(const std::string& id) {
  std::vector<std::string> words;
  return CORBA::ORB_init(words, id);
}

/// An ORB with the hostile object. The destructor breaks the cycle of the servant and its object.
struct Scene {
  explicit Scene(Replies replies)
      : orb(make_orb("hostile")), servant(CORBA::make_reference<Hostile>(std::move(replies))) {
    const auto root =
        IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    servant->self = root->servant_to_reference(servant);
    source.interface = IDL::traits<CORBA::InterfaceDef>::narrow(servant->self);
    source.repository = IDL::traits<CORBA::Repository>::unchecked_narrow(servant->self);
    REQUIRE(source.interface);
  }
  ~Scene() {
    servant->self = nullptr;
    source = {};
    orb->destroy();
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  /// The text of the error, or the IDL if there is no error.
  [[nodiscard]] std::string outcome(Contents contents, const DescriptionLimits& limits = {}) const {
    try {
      const std::string text = idl_text(orb, Description(source, contents, limits));
      check_idl(text);
      return text;
    } catch (const DescriptionError& error) {
      return error.what();
    }
  }

  CORBA::object_reference<CORBA::ORB> orb;
  CORBA::servant_reference<Hostile> servant;
  InterfaceSource source;
};

/// Makes TypeCodes.
CORBA::ORB& types() {
  static const auto orb = make_orb("types");
  return *orb;
}

CORBA::object_reference<CORBA::TypeCode> interface_type(int number) {
  const std::string name = "I" + std::to_string(number);
  return types().create_interface_tc("IDL:" + name + ":1.0", name);
}

FullDescription description(const CORBA::OpDescriptionSeq& operations = {},
                            const CORBA::RepositoryIdSeq& bases = {}, int number = 0) {
  const std::string name = "I" + std::to_string(number);
  return FullDescription(name, "IDL:" + name + ":1.0", "", "1.0", operations, {}, bases,
                         interface_type(number));
}

CORBA::OperationDescription operation(const std::string& name,
                                      const CORBA::object_reference<CORBA::TypeCode>& result) {
  return CORBA::OperationDescription(name, "IDL:I0/" + name + ":1.0", "IDL:I0:1.0", "1.0", result,
                                     CORBA::OperationMode::OP_NORMAL, {}, {}, {});
}

std::string outcome_of(const CORBA::OpDescriptionSeq& operations) {
  return Scene({.describe = [&] { return description(operations); }, .type = {}})
      .outcome(Contents::of_one);
}

CORBA::ConstantDescription constant(const CORBA::Any& value) {
  return CORBA::ConstantDescription("c", "IDL:I0/c:1.0", "IDL:I0:1.0", "1.0", CORBA::_tc_long,
                                    value);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a correct description becomes IDL") {
  CHECK(outcome_of({operation("count", CORBA::_tc_long)}) ==
        "interface I0 {\n  long count();\n};\n");
}

TEST_CASE("an interface with endless bases ends at the limit of definitions") {
  int number = 0;
  const Scene scene({.describe =
                         [&] {
                           const auto next = "IDL:I" + std::to_string(number + 1) + ":1.0";
                           return description({}, {next}, number++);
                         },
                     .type = [&] { return interface_type(number); },
                     .finds = true});
  CHECK(contains(scene.outcome(Contents::of_all, {.definitions_max = 50}),
                 "the interface uses more than 50 definitions"));
}

TEST_CASE("the description of endless bases ends at the time limit") {
  int number = 0;
  const Scene scene({.describe =
                         [&] {
                           const auto next = "IDL:I" + std::to_string(number + 1) + ":1.0";
                           return description({}, {next}, number++);
                         },
                     .type = [&] { return interface_type(number); },
                     .finds = true});
  const DescriptionLimits limits{.definitions_max = 10'000'000,
                                 .time_max = std::chrono::milliseconds(1)};
  CHECK(contains(scene.outcome(Contents::of_all, limits), "took longer than 1 ms"));
}

TEST_CASE("an interface that is its own base is printed without a base") {
  const Scene scene({.describe = [] { return description({}, {"IDL:I0:1.0"}); },
                     .type = [] { return interface_type(0); },
                     .finds = true});
  CHECK(scene.outcome(Contents::of_all) == "interface I0 {\n};\n");
}

TEST_CASE("more definitions than the limit are an error") {
  CORBA::OpDescriptionSeq operations;
  for (int number = 1; number <= 2'100; ++number)
    operations.push_back(operation("f" + std::to_string(number), interface_type(number)));
  CHECK(contains(outcome_of(operations), "more than 2000 definitions"));
}

TEST_CASE("names that are no identifiers do not reach the IDL") {
  for (const char* name : {"f(); }; #include \"/etc/passwd\"\n", "", "a b", "_f", "f\n#pragma x"})
    CHECK(contains(outcome_of({operation(name, CORBA::_tc_long)}), "is not an identifier of IDL"));
}

TEST_CASE("repository ids with quotes or line breaks do not reach the IDL") {
  for (const char* id : {"x\"\n#include <y>", "x\\", "caf\xc3\xa9"})
    CHECK(contains(outcome_of({operation("f", types().create_interface_tc(id, "Odd"))}),
                   "which IDL cannot write"));
}

TEST_CASE("two definitions of the same name get different names and keep their ids") {
  const auto text = outcome_of({operation("f", types().create_interface_tc("IDL:A:1.0", "A")),
                                operation("g", types().create_interface_tc("IDL:A:2.0", "A"))});
  CHECK(contains(text, "::A f();"));
  CHECK(contains(text, "#pragma ID A_2 \"IDL:A:2.0\""));
  CHECK(contains(text, "::A_2 g();"));
}

TEST_CASE("keywords are escaped") {
  CHECK(contains(outcome_of({operation("interface", CORBA::_tc_long)}), "long _interface();"));
}

TEST_CASE("two operations of the same name break the rules of IDL") {
  CHECK(contains(outcome_of({operation("f", CORBA::_tc_long), operation("f", CORBA::_tc_short)}),
                 "break the rules of IDL"));
}

TEST_CASE("a description with a TypeCode of another kind is an error") {
  const Scene scene({.describe =
                         [] {
                           auto wrong = description();
                           wrong.type(CORBA::_tc_long);
                           return wrong;
                         },
                     .type = {}});
  CHECK(contains(scene.outcome(Contents::of_one), "by a TypeCode of another type"));
}

TEST_CASE("a constant with a value of another type is an error") {
  const auto evil = types().create_enum_tc("IDL:Evil:1.0", "Evil", {"a"});
  for (const CORBA::Any& value : {any_of(evil), CORBA::Any(), any_of(std::string("text"))}) {
    const Scene scene(
        {.describe = [] { return description(); }, .type = {}, .constants = {constant(value)}});
    CHECK(contains(scene.outcome(Contents::of_all), "with a value of another type"));
  }
}

TEST_CASE("members and their octets have limits") {
  const Scene scene({.describe =
                         [] {
                           return description(
                               {operation("f", CORBA::_tc_long), operation("g", CORBA::_tc_long)});
                         },
                     .type = {}});
  CHECK(contains(scene.outcome(Contents::of_one, {.members_max = 1}), "more than 1 members"));
  CHECK(contains(scene.outcome(Contents::of_one, {.octets_max = 9}), "more than 9 octets"));
  const Scene full({.describe = [] { return description(); },
                    .type = {},
                    .constants = std::vector(3, constant(any_of(std::int32_t{1})))});
  CHECK(contains(full.outcome(Contents::of_all, {.members_max = 2}), "more than 2 members"));
}

TEST_CASE("a repository that does not reply in time is an error, not a missing repository") {
  const Scene late({.describe = [] { return description(); },
                    .type = {},
                    .repository = []() -> CORBA::object_reference<CORBA::Repository> {
                      throw CORBA::TIMEOUT();
                    }});
  CHECK_THROWS_AS((void)repository_of(*late.source.interface), CORBA::TIMEOUT);
  const Scene none({.describe = [] { return description(); },
                    .type = {},
                    .repository = []() -> CORBA::object_reference<CORBA::Repository> {
                      throw CORBA::NO_IMPLEMENT();
                    }});
  CHECK(repository_of(*none.source.interface) == nullptr);
}

TEST_CASE("IDL without a repository says what is missing") {
  Scene scene({.describe = [] { return description(); }, .type = {}});
  scene.source.repository = nullptr;
  CHECK(contains(scene.outcome(Contents::of_all), "does not name its Interface Repository"));
}

TEST_CASE("typedefs for types without a name avoid the names of definitions") {
  const auto known = types().create_alias_tc("IDL:Unnamed_1:1.0", "Unnamed_1", CORBA::_tc_long);
  const auto text = outcome_of(
      {operation("f", types().create_sequence_tc(0, CORBA::_tc_long)), operation("g", known)});
  CHECK(contains(text, "::Unnamed_2 f();"));
  CHECK(contains(text, "::Unnamed_1 g();"));
}

TEST_CASE("a result without a named type gets a typedef") {
  const auto text = outcome_of({operation("f", types().create_sequence_tc(0, CORBA::_tc_long))});
  CHECK(text == "typedef sequence<long> Unnamed_1;\ninterface I0 {\n  ::Unnamed_1 f();\n};\n");
}

}  // namespace perigee::tool
