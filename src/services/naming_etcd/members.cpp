// Sends requests, and distinguishes the kinds of failures.
#include "services/naming_etcd/members.h"

#include <utility>

namespace perigee::naming::etcd {

namespace {

constexpr long status_ok = 200;

// Codes of gRPC that etcd only returns before it has made anything.
constexpr std::int64_t invalid_argument = 3;
constexpr std::int64_t permission_denied = 7;
constexpr std::int64_t resource_exhausted = 8;
constexpr std::int64_t failed_precondition = 9;
constexpr std::int64_t out_of_range = 11;
constexpr std::int64_t unauthenticated = 16;

bool was_refused(std::int64_t code) {
  return code == invalid_argument || code == permission_denied || code == resource_exhausted ||
         code == failed_precondition || code == out_of_range || code == unauthenticated;
}

}  // namespace

std::expected<std::string, RequestError> Members::check(HttpAnswer answer,
                                                        const std::string& member) const {
  if (answer.status == status_ok) return std::move(answer.body);
  RequestError error{member + ": ", true};
  if (answer.status == 0) {
    error.text += answer.error;
    error.may_be_made = answer.was_sent;
    error.is_too_large = answer.is_too_large;
    error.is_late = answer.is_late;
  } else if (const auto known = parse_error(answer.body)) {
    error.text += known->text;
    error.may_be_made = !was_refused(known->code);
    error.is_full = known->text.contains("database space exceeded");
    error.is_compacted = known->text.contains("revision has been compacted");
    // The text of the gateway in etcd before 3.4.17, which takes messages of at most 4 MiB.
    error.is_too_large = known->text.contains("received message larger than max");
  } else {
    error.text += "HTTP status " + std::to_string(answer.status) + "; not a member of etcd 3.4?";
  }
  return std::unexpected(std::move(error));
}

Transfers::Id Members::start(HttpRequest request, Answer answer, Transfers::Data data) {
  const std::size_t at = at_;
  return transfers_.start(
      std::move(request),
      [this, at, member = present(), answer = std::move(answer)](HttpAnswer got) mutable {
        auto checked = check(std::move(got), member);
        if (!checked) {
          ++failed_;
          if (at == at_) next();  // several requests may fail together
        }
        answer(std::move(checked));
      },
      std::move(data));
}

Transfers::Id Members::send(const char* path, std::string body, std::chrono::milliseconds time_max,
                            Answer answer) {
  return start({.url = present() + path, .body = std::move(body), .time_max = time_max},
               std::move(answer), {});
}

Transfers::Id Members::stream(const char* path, std::string body, Transfers::Data data,
                              Answer ended) {
  return start({.url = present() + path, .body = std::move(body)}, std::move(ended),
               std::move(data));
}

}  // namespace perigee::naming::etcd
