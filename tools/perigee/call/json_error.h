// An error in JSON, with the path of the wrong member.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::tool {

/// `what()` is a message for the user. It begins with the path of the member:
/// "order.items[3].price: …".
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The path of the current member, and the depth limit of JSON values.
class JsonPath {
 public:
  explicit JsonPath(std::string root) { steps_.push_back(std::move(root)); }

  /// Enters a member or an element until the object ends. Throws JsonError at the depth limit.
  class Step {
   public:
    Step(JsonPath& path, std::string_view member);
    Step(JsonPath& path, std::size_t index);
    ~Step() { path_.steps_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    JsonPath& path_;
  };

  [[noreturn]] void fail(const std::string& text) const;
  /// Counts `octets` more octets of JSON. Throws JsonError beyond 256 MiB: values that are shared
  /// inside a small message may become many values in JSON.
  void charge(std::size_t octets);

 private:
  void enter(std::string step);

  std::vector<std::string> steps_;
  std::size_t octets_ = 0;
};

}  // namespace perigee::tool
