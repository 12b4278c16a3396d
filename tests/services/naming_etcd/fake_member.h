// A member of etcd in the process of the test: it answers, keeps silent, or ends the connection, as
// the test says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace perigee::naming::test {

/// What a member does with a request.
struct MemberAnswer {
  enum class Kind : std::uint8_t {
    complete,
    begin,    ///< sends the body, and leaves the answer without an end
    silence,  ///< sends nothing until the client ends the connection
    close,    ///< ends the connection
  };
  Kind kind = Kind::complete;
  std::string body;
};

class FakeMember {
 public:
  /// Gets the path and the body of a request. Threads of the member call it, several at once.
  using Answer = std::function<MemberAnswer(const std::string&, const std::string&)>;

  explicit FakeMember(Answer answer);
  /// Ends all connections.
  ~FakeMember();
  FakeMember(const FakeMember&) = delete;
  FakeMember& operator=(const FakeMember&) = delete;

  [[nodiscard]] std::string url() const;

 private:
  class Server;
  const std::unique_ptr<Server> server_;
};

}  // namespace perigee::naming::test
