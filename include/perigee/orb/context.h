// CORBA::Context: properties that operations with a `context` clause send along. The C++11 mapping
// has none: this follows the classic mapping, with strings for values. Included where such
// operations are. Source: CORBA 3.0, 7.6.
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
/// Look only into the context itself, or into that of the scope's name, not into its parents.
inline constexpr Flags CTX_RESTRICT_SCOPE = 15;

/// Properties and their values.
using ContextValues = std::map<std::string, std::string, perigee::stub::PropertyOrder>;

/// Properties, and a parent whose properties are seen unless they are set here, too. Any thread.
///
/// A pattern is a property's name, or the beginning of names with a `*` behind it. Made by
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

  /// Sets or replaces. Raises BAD_PARAM for a name that is empty or ends with `*`.
  void set_one_value(const std::string& name, const std::string& value);
  void set_values(const ContextValues& values);
  /// What matches the pattern, seen from the nearest context, here or further up, of the name
  /// `start_scope` (empty: from here). Raises BAD_CONTEXT: OMG minor 1 if there is no such scope, 2
  /// if nothing matches.
  [[nodiscard]] ContextValues get_values(const std::string& start_scope, Flags flags,
                                         const std::string& pattern) const;
  /// Those that are set here. Raises BAD_CONTEXT, OMG minor 2, if nothing matches.
  void delete_values(const std::string& pattern);

  /// What matches any of the patterns, here or in a parent: what a request carries.
  [[nodiscard]] ContextValues _select(std::span<const std::string_view> patterns) const;

 private:
  void collect(std::string_view pattern, ContextValues& found) const;

  const std::string name_;
  const object_reference<Context> parent_;
  mutable std::mutex mutex_;  // guards the values
  ContextValues values_;
};

/// A context of its own with the properties that a request carries. More than `context_values_max`
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

/// Properties of one request: each takes some 150 octets of the receiver's memory.
inline constexpr std::size_t context_values_max = 1024;

/// What an operation's `context` clause takes out of the caller's context. For generated code.
struct SelectedContext {
  const CORBA::Context* context = nullptr;  ///< null: no properties
  std::span<const std::string_view> patterns;
};
inline SelectedContext selected(const CORBA::object_reference<CORBA::Context>& context,
                                std::span<const std::string_view> patterns) noexcept {
  return {context.get(), patterns};
}
/// As sequence<string>: name, value, name, value. Source: CORBA 3.0, 15.4.2.2 and 22.9.4.
PERIGEE_API cdr::Encoder& operator<<(cdr::Encoder& encoder, const SelectedContext& selected);

}  // namespace perigee::stub
