// Requests about streams, and the check of their configuration.
#include "services/events_nats/streams.h"

#include <perigee/base/printable.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace perigee::events::nats {

namespace {

using Kind = StoreError::Kind;

std::string join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts)
    joined += (joined.empty() ? "'" : ", '") + printable(text) + "'";
  return joined.empty() ? "none" : joined;
}

/// Whether a limit of the stream removes messages. NATS writes 0 and -1 for no limit.
bool removes_old(const StreamInfo& info) {
  return info.age_max_ns > 0 || info.events_max > 0 || info.octets_max > 0;
}

/// Why a stream cannot serve. Empty: it can.
std::string mistake_in(const StreamInfo& info, const StreamRequest& request) {
  if (info.is_copy) return "it is a copy of another stream";
  if (info.subjects.size() != 1 || info.subjects[0] != request.subject)
    return "its subjects are " + join(info.subjects) + " instead of '" + request.subject + "'";
  if (!info.keeps_until_limits) return "its retention policy is not 'limits'";
  if (!info.is_in_files) return "it is not in files";
  if (info.is_sealed) return "it is sealed";
  if (!info.acknowledges) return "it acknowledges no messages";
  if (!info.has_direct_get) return "it does not allow direct gets (nats-server 2.9 or later does)";
  if ((info.events_per_subject_max == 1) != request.keeps_one_of_subject)
    return "it keeps another number of messages for each subject";
  if (info.keeps_from_purges) return "it denies purges";
  if (request.keeps_one_of_subject && removes_old(info))
    return "it has a limit of age, messages or octets, which would remove subscriptions";
  // NATS allows no window that is longer than the age of events.
  std::int64_t window = std::chrono::nanoseconds(request.duplicate_window).count();
  if (info.age_max_ns > 0) window = std::min(window, info.age_max_ns);
  if (info.duplicate_window_ns < window) return "its duplicate window is too short";
  return {};
}

std::expected<StreamInfo, StoreError> checked(StreamInfo info, const StreamRequest& request) {
  const std::string mistake = mistake_in(info, request);
  if (mistake.empty()) return info;
  return std::unexpected(StoreError{
      Kind::corrupt, "the NATS stream '" + request.name + "' was not made for this channel: " +
                         mistake + "; choose another prefix, or remove the stream"});
}

}  // namespace

StoreError to_store_error(const ApiError& error, const std::string& what) {
  if (error.is(ErrorCode::not_enabled) || error.is(ErrorCode::not_enabled_for_account))
    return {Kind::failed,
            what + ": " + error.text +
                "; start nats-server with --jetstream, and enable it for the account"};
  if (error.is(ErrorCode::subject_in_use))
    return {Kind::corrupt, what + ": " + error.text + "; choose another prefix"};
  if (error.is(ErrorCode::no_peers))
    return {error.kind(),
            what + ": " + error.text + "; start as many servers with JetStream as it has replicas"};
  return {error.kind(), what + ": " + error.text};
}

task<std::expected<StreamInfo, StoreError>> stream_info(Session& session, std::string stream,
                                                        TimePoint end) {
  const auto found = co_await session.ask_api("STREAM.INFO." + stream, "", end, parse_stream);
  if (!found) co_return std::unexpected(found.error());
  if (!*found)
    co_return std::unexpected(to_store_error(found->error(), "the NATS stream '" + stream + "'"));
  co_return **found;
}

task<std::expected<SequenceNumber, StoreError>> next_event(Session& session, std::string stream,
                                                           std::string subject,
                                                           SequenceNumber number, TimePoint end) {
  const auto found = co_await session.ask_api(
      "STREAM.MSG.GET." + stream, get_next_json(subject, number), end, parse_leader_message);
  if (!found) co_return std::unexpected(found.error());
  if (*found) co_return (*found)->number;
  if (found->error().is(ErrorCode::no_message)) co_return SequenceNumber{0};
  co_return std::unexpected(to_store_error(found->error(), "the NATS stream '" + stream + "'"));
}

namespace {

/// Servers of a cluster that starts do not know each other yet, so a stream with replicas may have
/// no place for a while.
task<std::expected<void, StoreError>> make_stream(Session& session, StreamRequest request,
                                                  TimePoint end) {
  for (;;) {
    const auto made = co_await session.ask_api("STREAM.CREATE." + request.name, to_json(request),
                                               end, parse_stream);
    if (!made) co_return std::unexpected(made.error());
    // Another service may have made the stream, with other limits.
    if (*made || made->error().is(ErrorCode::name_in_use))
      co_return std::expected<void, StoreError>();
    const bool may_pass = made->error().is(ErrorCode::no_peers) && session.now() < end;
    if (!may_pass || session.is_ending())
      co_return std::unexpected(
          to_store_error(made->error(), "the NATS stream '" + request.name + "'"));
    co_await session.pause(Session::retry_delay);
  }
}

}  // namespace

task<std::expected<StreamInfo, StoreError>> open_stream(Session& session, StreamRequest request,
                                                        TimePoint end) {
  const std::string what = "the NATS stream '" + request.name + "'";
  const auto found = co_await session.ask_api("STREAM.INFO." + request.name, "", end, parse_stream);
  if (!found) co_return std::unexpected(found.error());
  if (*found) co_return checked(**found, request);
  if (!found->error().is(ErrorCode::stream_not_found))
    co_return std::unexpected(to_store_error(found->error(), what));

  const auto made = co_await make_stream(session, request, end);
  if (!made) co_return std::unexpected(made.error());
  auto info = co_await stream_info(session, request.name, end);
  if (!info) co_return std::unexpected(info.error());
  co_return checked(std::move(*info), request);
}

}  // namespace perigee::events::nats
