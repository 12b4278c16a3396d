// Counts the members before the description keeps them, so a hostile repository cannot fill the
// memory.
#include "remote/member_size.h"

#include <perigee/cdr/buffer.h>
#include <perigee/cdr/encoder.h>
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/marshalling.h>

#include <unordered_set>

namespace perigee::tool {

namespace {

using cdr::TypeNode;

class Counter {
 public:
  void text(const std::string& text) { size_.octets += text.size(); }
  void texts(const std::vector<std::string>& all) {
    size_.members += all.size();
    for (const std::string& each : all) text(each);
  }
  template <typename T>
  void head(const T& described) {
    ++size_.members;
    size_.octets += sizeof(T);
    text(described.name());
    text(described.id());
    text(described.defined_in());
    text(described.version());
  }
  void exceptions(const CORBA::ExcDescriptionSeq& all) {
    for (const auto& each : all) head(each);
  }
  [[nodiscard]] MemberSize size() const { return size_; }
  void add(std::size_t members, std::size_t octets) {
    size_.members += members;
    size_.octets += octets;
  }

 private:
  MemberSize size_;
};

std::size_t octets_of(const TypeNode& node) {
  std::size_t octets = sizeof(TypeNode) + node.id.size() + node.name.size();
  for (const cdr::TypeMember& member : node.members)
    octets += sizeof(cdr::TypeMember) + member.name.size();
  return octets;
}

}  // namespace

MemberSize size_of(const DescribedMembers& members) {
  Counter counter;
  counter.texts(members.bases);
  counter.texts(members.supported);
  for (const auto& operation : members.operations) {
    counter.head(operation);
    for (const auto& parameter : operation.parameters())
      counter.add(1, sizeof(parameter) + parameter.name().size());
    counter.texts(operation.contexts());
    counter.exceptions(operation.exceptions());
  }
  for (const auto& attribute : members.attributes) {
    counter.head(attribute);
    counter.exceptions(attribute.get_exceptions());
    counter.exceptions(attribute.put_exceptions());
  }
  for (const auto& initializer : members.initializers) {
    counter.add(1, sizeof(initializer) + initializer.name().size());
    for (const auto& parameter : initializer.members())
      counter.add(1, sizeof(parameter) + parameter.name().size());
    counter.exceptions(initializer.exceptions());
  }
  return counter.size();
}

MemberSize size_of(const DescribedConstant& constant) {
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encoder << constant.value;
  return {.members = 1, .octets = sizeof(constant) + constant.name.size() + buffer.size()};
}

MemberSize size_of(const TypeCodeRef& type) {
  std::unordered_set<const TypeNode*> known = {type->_node()};
  std::vector<const TypeNode*> open = {type->_node()};
  MemberSize size;
  const auto visit = [&](const TypeNode* node) {
    if (node != nullptr && known.insert(node).second) open.push_back(node);
  };
  while (!open.empty()) {
    const TypeNode& node = *open.back();
    open.pop_back();
    size.octets += octets_of(node);
    visit(node.content);
    visit(node.key);
    for (const cdr::TypeMember& member : node.members) visit(member.type);
  }
  return size;
}

}  // namespace perigee::tool
