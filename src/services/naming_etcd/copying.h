// Copies the whole name tree, page by page, all at the same revision. For each page, etcd counts
// all keys after the page. So the pages must be large: with small pages, the time would grow with
// the square of the number of names.
#pragma once

#include "services/naming_etcd/members.h"
#include "services/naming_etcd/mirror.h"

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string>

namespace perigee::naming::etcd {

/// Used by the store's thread only.
class Copying {
 public:
  using Done = std::function<void(std::expected<Mirror, StoreError>)>;

  /// The references must outlive this object. `done` may begin the next copy.
  Copying(const EtcdStoreOptions& options, const Keys& keys, Transfers& transfers, Members& members,
          Done done)
      : options_(options),
        keys_(keys),
        transfers_(transfers),
        members_(members),
        done_(std::move(done)) {}

  /// Begins to copy. If there are no names, makes the keys of an empty tree, and copies them.
  void begin(std::uint64_t new_identity);
  [[nodiscard]] bool is_running() const noexcept { return request_.has_value(); }
  /// The last time at which a page arrived that no earlier copy had reached, or at which a smaller
  /// page was requested after a late page. The epoch: never.
  [[nodiscard]] TimePoint progress_at() const noexcept { return progress_at_; }
  void cancel() noexcept;

 private:
  void read_all();
  void read_page(std::string from);
  /// The same page again, with fewer keys.
  void read_smaller_page(const RequestError& error);
  /// Fewer keys from the same place, after the time of a page was over.
  void take_late_page(const RequestError& error);
  /// The same page again at the next member, unless it has failed too often.
  void repeat_page(const RequestError& error);
  void take_failure(const RequestError& error);
  void note_progress() noexcept { progress_at_ = options_.clock->now(); }
  /// Chooses the number of keys of the next page by the size and the time of the last answer.
  void adapt_page(std::size_t answer_size);
  void make_tree();
  void take_page(const std::expected<std::string, RequestError>& answer);
  void end(std::expected<Mirror, StoreError> result);
  void fail(StoreError::Kind kind, const std::string& text) {
    end(std::unexpected(StoreError{kind, "etcd: " + text}));
  }
  /// Ends the copy because the answer of the member is wrong. The next copy asks another member.
  void fail_wrong(const std::string& mistake) {
    const std::string text = members_.present() + ": " + mistake;
    members_.next();
    fail(StoreError::Kind::failed, text);
  }

  const EtcdStoreOptions& options_;
  const Keys& keys_;
  Transfers& transfers_;
  Members& members_;
  const Done done_;
  std::optional<Transfers::Id> request_;
  std::optional<Mirror> copy_;
  Revision revision_ = 0;  // 0: of the first page
  std::string from_;       // the first key of the page
  std::size_t keys_in_page_ = 0;
  std::size_t keys_in_page_max_ = 0;
  TimePoint page_begin_{};                        // of the request
  std::size_t pages_ = 0;                         // of this copy
  std::size_t pages_max_ = 0;                     // of all copies
  std::size_t failures_ = 0;                      // of the present page
  std::size_t late_pages_ = 0;                    // small pages of this copy that took too long
  std::optional<std::size_t> keys_in_next_copy_;  // in its first page, after a late first page
  TimePoint progress_at_{};
  std::uint64_t new_identity_ = 0;
  bool may_make_tree_ = false;  // once for each copy
};

}  // namespace perigee::naming::etcd
