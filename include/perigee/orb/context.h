// CORBA::Context: properties that operations with a `context` clause send. The C++11 mapping has no
// contexts: this follows the classic mapping, with strings for values. Generated headers with such
// operations include this header. Source: CORBA 3.0, 7.6.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/orb/object.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace perigee::cdr {
class Decoder;
class Encoder;
}  // namespace perigee::cdr

namespace perigee::stub {
/// Names of properties are compared without regard to case (of ASCII letters).
struct PERIGEE_API PropertyOrder {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const noexcept;
};
}  // namespace perigee::stub

namespace CORBA {
inline namespace perigee_v1 {

using Flags = std::uint32_t;
/// Search only the context where the search starts (see `Context::get_values`), not its parents.
inline constexpr Flags CTX_RESTRICT_SCOPE = 15;

/// Properties and their values.
using ContextValues = std::map<std::string, std::string, perigee::stub::PropertyOrder>;

/// Named properties, and a parent context. A property of the parent is visible unless this context
/// sets a property of the same name. Any thread.
///
/// A pattern is the name of a property, or a prefix of names followed by `*`. Contexts are made by
/// `ORB::get_default_context` and `create_child`.
class PERIGEE_API Context : public perigee::counted_from_this {
 public:
  using _ref_type = object_reference<Context>;

  /// For the ORB and generated code.
  explicit Context(std::string name = {}, object_reference<Context> parent = nullptr,
                   ContextValues values = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const std::string& context_name() const noexcept { return name_; }
  [[nodiscard]] const object_reference<Context>& parent() const noexcept { return parent_; }
  [[nodiscard]] object_reference<Context> create_child(const std::string& name);

  /// Sets or replaces a property. Raises BAD_PARAM for a name that is empty or ends with `*`.
  void set_one_value(const std::string& name, const std::string& value);
  void set_values(const ContextValues& values);
  /// The properties that match the pattern. The search starts at the context named `start_scope`:
  /// this context or its nearest parent of that name (empty: this context). Raises BAD_CONTEXT: OMG
  /// minor 1 if there is no such scope, 2 if no property matches.
  [[nodiscard]] ContextValues get_values(const std::string& start_scope, Flags flags,
                                         const std::string& pattern) const;
  /// Deletes the matching properties of this context. Raises BAD_CONTEXT, OMG minor 2, if there are
  /// none.
  void delete_values(const std::string& pattern);

  /// The properties of this context and its parents that match any of the patterns. A request
  /// carries this selection.
  [[nodiscard]] ContextValues _select(std::span<const std::string_view> patterns) const;

 private:
  void collect(std::string_view pattern, ContextValues& found) const;

  const std::string name_;
  const object_reference<Context> parent_;
  mutable std::mutex mutex_;  // guards the values
  ContextValues values_;
};

/// Makes a new context with the properties of a request. More than `context_values_max` properties
/// fail the decoder.
PERIGEE_API perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder,
                                              object_reference<Context>& context);

}  // namespace perigee_v1
}  // namespace CORBA

namespace IDL {
inline namespace perigee_v1 {
template <>
struct traits<CORBA::Context> {
  using ref_type = CORBA::object_reference<CORBA::Context>;
  using weak_ref_type = CORBA::weak_reference<CORBA::Context>;
};
}  // namespace perigee_v1
}  // namespace IDL

namespace perigee::stub {

/// The largest number of properties in one request. Each property takes about 150 octets of the
/// receiver's memory.
inline constexpr std::size_t context_values_max = 1024;

/// The part of the caller's context that an operation's `context` clause selects. For generated
/// code.
struct SelectedContext {
  const CORBA::Context* context = nullptr;  ///< null: no properties
  std::span<const std::string_view> patterns;
};
inline SelectedContext selected(const CORBA::object_reference<CORBA::Context>& context,
                                std::span<const std::string_view> patterns) noexcept {
  return {context.get(), patterns};
}
/// Encoded as sequence<string>: name, value, name, value. Source: CORBA 3.0, 15.4.2.2 and 22.9.4.
PERIGEE_API cdr::Encoder& operator<<(cdr::Encoder& encoder, const SelectedContext& selected);

}  // namespace perigee::stub
