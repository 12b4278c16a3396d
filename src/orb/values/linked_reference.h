// Initial references of source files that a static program links only if it uses them.
#pragma once

#include <perigee/cdr/code_sets.h>
#include <perigee/cdr/errors.h>
#include <perigee/orb/object.h>

#include <memory>
#include <utility>

namespace perigee::orb {

class ReferenceFactory;

/// Adds an initial reference to each ORB that is made afterwards. Make it as an object of namespace
/// scope, in the source that defines the class of the reference.
class LinkedReference final {
 public:
  /// The parts of an ORB that the reference may use.
  struct Orb {
    std::shared_ptr<ReferenceFactory> references;  ///< keeps the ORB alive
    cdr::Limits limits;                            ///< of decoded values
    cdr::CharSet native = cdr::CharSet::utf_8;     ///< code set of strings in this program
  };
  using Make = CORBA::object_reference<CORBA::Object> (*)(Orb orb);

  LinkedReference(const char* reference_name, Make make_reference) noexcept
      : name_(reference_name), make_(make_reference), next_(std::exchange(first_, this)) {}
  LinkedReference(const LinkedReference&) = delete;
  LinkedReference& operator=(const LinkedReference&) = delete;

  [[nodiscard]] static const LinkedReference* first() noexcept { return first_; }
  [[nodiscard]] const LinkedReference* next() const noexcept { return next_; }
  [[nodiscard]] const char* name() const noexcept { return name_; }
  [[nodiscard]] Make make() const noexcept { return make_; }

 private:
  static inline constinit LinkedReference* first_ = nullptr;

  const char* name_;
  Make make_;
  LinkedReference* next_;
};

}  // namespace perigee::orb
