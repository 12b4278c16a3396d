// The members of the cluster, and the requests that the store sends to them.
#pragma once

#include "services/naming_etcd/etcd_options.h"
#include "services/naming_etcd/messages.h"
#include "services/naming_etcd/transfers.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace perigee::naming::etcd {

/// Why a request failed.
struct RequestError {
  std::string text;          ///< with the member
  bool may_be_made = false;  ///< etcd may have made the changes of the request
  bool is_full = false;
  bool is_compacted = false;  ///< the revision of the request does not exist any longer
  bool is_too_large = false;  ///< the answer: ask for less
  bool is_late = false;       ///< the request was sent, but no answer came in its time
};

/// The members for one kind of requests, such as those of changes. All requests go to one member
/// until a request fails.
class Members {
 public:
  using Answer = std::move_only_function<void(std::expected<std::string, RequestError>)>;

  /// `options` and `transfers` must outlive this object. `first`: the index of the first member.
  Members(const EtcdStoreOptions& options, Transfers& transfers, std::size_t first,
          std::atomic<std::uint64_t>& failed)
      : options_(options), transfers_(transfers), at_(first), failed_(failed) {}

  [[nodiscard]] const std::string& present() const {
    return options_.members[at_ % options_.members.size()];
  }
  void next() noexcept { ++at_; }
  /// Sends a request. After an error, later requests go to the next member.
  Transfers::Id send(const char* path, std::string body, std::chrono::milliseconds time_max,
                     Answer answer);
  /// Sends a request whose answer has no end of its own, such as a watch. `ended` gets the reason
  /// why it has ended.
  Transfers::Id stream(const char* path, std::string body, Transfers::Data data, Answer ended);

 private:
  [[nodiscard]] std::expected<std::string, RequestError> check(HttpAnswer answer,
                                                               const std::string& member) const;
  Transfers::Id start(HttpRequest request, Answer answer, Transfers::Data data);

  const EtcdStoreOptions& options_;
  Transfers& transfers_;
  std::size_t at_;
  std::atomic<std::uint64_t>& failed_;
};

}  // namespace perigee::naming::etcd
