// Reads the pages of a copy, and checks the complete copy.
#include "services/naming_etcd/copying.h"

#include "services/naming_etcd/plan.h"

#include <algorithm>
#include <utility>

namespace perigee::naming::etcd {

namespace {

constexpr std::size_t keys_in_first_page = 400;
constexpr std::size_t keys_in_page_max = 40'000;
constexpr std::size_t growth_max = 4;                             // from a page to the next one
constexpr std::size_t answer_size_wanted = std::size_t{8} << 20;  // octets of JSON
constexpr std::uint32_t repetitions_max = 3;  // of a page that failed, for each member

}  // namespace

void Copying::begin(std::uint64_t new_identity) {
  cancel();
  new_identity_ = new_identity;
  may_make_tree_ = true;
  read_all();
}

void Copying::read_all() {
  copy_.emplace(keys_);
  revision_ = 0;
  pages_ = 0;
  failures_ = 0;
  late_pages_ = 0;
  keys_in_page_ = keys_in_next_copy_.value_or(keys_in_first_page);
  keys_in_page_max_ = keys_in_page_max;
  read_page(keys_.all().begin);
}

// Called only if a read has found no tree: an etcd without space refuses to make a tree, but it
// answers reads.
void Copying::make_tree() {
  may_make_tree_ = false;
  request_ = members_.send("/v3/kv/txn", to_json(creation_of_tree(keys_, new_identity_)),
                           options_.page_time_max,
                           [this](const std::expected<std::string, RequestError>& answer) {
                             if (!answer)
                               return fail(answer.error().is_full ? StoreError::Kind::full
                                                                  : StoreError::Kind::unavailable,
                                           answer.error().text);
                             if (const auto made = parse_transaction(*answer); !made)
                               return fail_wrong(made.error());
                             read_all();
                           });
}

void Copying::cancel() noexcept {
  if (request_) transfers_.cancel(*request_);
  request_.reset();
}

void Copying::read_page(std::string from) {
  from_ = std::move(from);
  page_begin_ = options_.clock->now();
  request_ = members_.send(
      "/v3/kv/range", to_json(RangeRequest{from_, keys_.all().end, keys_in_page_, revision_}),
      options_.page_time_max,
      [this](const std::expected<std::string, RequestError>& answer) { take_page(answer); });
}

// The references in this page may be much larger than those in the earlier pages.
void Copying::read_smaller_page(const RequestError& error) {
  if (keys_in_page_ == 1) return fail(StoreError::Kind::unavailable, error.text);
  keys_in_page_max_ = keys_in_page_ / 2;
  keys_in_page_ = keys_in_page_max_;
  read_page(std::move(from_));
}

// The page was too large for the time, or the member hangs. The next request goes to the next
// member.
void Copying::take_late_page(const RequestError& error) {
  if (keys_in_page_ == 1) return fail(StoreError::Kind::unavailable, error.text);
  keys_in_page_ = std::max<std::size_t>(keys_in_page_ / growth_max, 1);
  if (pages_ == 0) {
    // The start of the store reports this error if no member answers in time.
    keys_in_next_copy_ = keys_in_page_;
    return fail(StoreError::Kind::unavailable, error.text);
  }
  // A few small pages may be late because members hang. This says nothing about larger pages.
  if (keys_in_page_ >= keys_in_first_page || ++late_pages_ > options_.members.size())
    keys_in_page_max_ = keys_in_page_;
  if (pages_ >= pages_max_) note_progress();
  read_page(std::move(from_));
}

// Requests the failed page again, and keeps the earlier pages. Otherwise, a copy of many names
// would begin again after each failure of a member.
void Copying::repeat_page(const RequestError& error) {
  if (pages_ == 0 || error.is_compacted || ++failures_ > repetitions_max * options_.members.size())
    return fail(StoreError::Kind::unavailable, error.text);
  read_page(std::move(from_));
}

void Copying::take_failure(const RequestError& error) {
  if (error.is_too_large) return read_smaller_page(error);
  if (error.is_late) return take_late_page(error);
  repeat_page(error);
}

void Copying::adapt_page(std::size_t answer_size) {
  std::size_t wanted = keys_in_page_ * answer_size_wanted / std::max<std::size_t>(answer_size, 1);
  // Grows the page so that the next page would take half of `page_time_max`, if time were
  // proportional to keys. A slow page does not make pages smaller, because a member also takes time
  // to count all keys after the page.
  const auto growth_in_time =
      Duration(options_.page_time_max / 2) /
      std::max<Duration>(options_.clock->now() - page_begin_, std::chrono::milliseconds(1));
  if (growth_in_time < static_cast<Duration::rep>(growth_max))
    wanted = std::min(wanted, keys_in_page_ * static_cast<std::size_t>(
                                                  std::max<Duration::rep>(growth_in_time, 1)));
  keys_in_page_ =
      std::clamp<std::size_t>(std::min(wanted, growth_max * keys_in_page_), 1, keys_in_page_max_);
}

void Copying::take_page(const std::expected<std::string, RequestError>& answer) {
  if (!answer) return take_failure(answer.error());
  auto page = parse_range(*answer);
  if (!page) return fail_wrong(page.error());
  if (page->revision <= 0) return fail_wrong("the answer has no revision");
  if (page->has_more && page->values.empty()) return fail_wrong("a page has no keys");
  if (revision_ == 0) revision_ = page->revision;
  failures_ = 0;
  keys_in_next_copy_.reset();
  if (++pages_ > pages_max_) {
    pages_max_ = pages_;
    note_progress();
  }
  for (KeyValue& value : page->values) copy_->apply({false, value});
  if (const std::size_t limit = copy_size_max(options_.size_max); copy_->size() > limit)
    return fail(StoreError::Kind::full, too_large_text(limit));
  if (page->has_more) {
    adapt_page(answer->size());
    return read_page(page->values.back().key + '\0');
  }
  if (copy_->is_empty() && may_make_tree_) return make_tree();
  copy_->set_revision(revision_);
  if (const auto record = copy_->store_record(); !record)
    return fail(record.error().kind, keys_.prefix() + ": " + record.error().text);
  end(std::move(*copy_));
}

void Copying::end(std::expected<Mirror, StoreError> result) {
  request_.reset();
  done_(std::move(result));
}

}  // namespace perigee::naming::etcd
