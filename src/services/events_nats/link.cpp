// Calls of the client library, and its callbacks.
#include "services/events_nats/link.h"

#include <perigee/base/log.h>
#include <perigee/base/printable.h>

#include <nats/nats.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>

namespace perigee::events::nats {

namespace {

constexpr std::int64_t connect_time_max_ms = 2'000;  // for one server
constexpr std::int64_t ping_interval_ms = 1'000;     // a silent server is left after three of them
constexpr int pings_max = 2;
constexpr std::int64_t write_time_max_ms = 1'000;
constexpr std::size_t header_size_max = 1'024;  // octets of a header that the store reads
constexpr std::size_t retired_max = 1'000;      // a new connection frees them
constexpr int pending_messages_max = 1 << 20;   // of the library; the mailbox has the real limit
constexpr int pending_octets_max = 256 << 20;

template <typename Object, void (*destroy)(Object*)>
struct Destroy {
  void operator()(Object* object) const { destroy(object); }
};
using OptionsPointer = std::unique_ptr<natsOptions, Destroy<natsOptions, natsOptions_Destroy>>;
using SubscriptionPointer =
    std::unique_ptr<natsSubscription, Destroy<natsSubscription, natsSubscription_Destroy>>;
using MessagePointer = std::unique_ptr<natsMsg, Destroy<natsMsg, natsMsg_Destroy>>;

/// Other programs may publish messages with large headers.
std::string limited(const char* value) {
  std::string text = value;
  return text.size() <= header_size_max ? text : std::string();
}

std::string header(natsMsg* message, const char* name) {
  const char* value = nullptr;
  const bool is_found = natsMsgHeader_Get(message, name, &value) == NATS_OK && value != nullptr;
  return limited(is_found ? value : "");
}

/// NATS appends its headers after the headers of the program that published the message.
std::string last_header(natsMsg* message, const char* name) {
  const char** values = nullptr;
  int count = 0;
  if (natsMsgHeader_Values(message, name, &values, &count) != NATS_OK) return {};
  std::string last = limited(count > 0 ? values[count - 1] : "");
  std::free(static_cast<void*>(values));
  return last;
}

std::string to_string(const char* text) { return text == nullptr ? "" : text; }

Message to_message(natsMsg* from) {
  Message message;
  message.subject = to_string(natsMsg_GetSubject(from));
  message.reply = to_string(natsMsg_GetReply(from));
  const char* const data = natsMsg_GetData(from);
  const int size = natsMsg_GetDataLength(from);
  if (data != nullptr && size > 0) message.octets.assign(data, static_cast<std::size_t>(size));
  message.status = header(from, "Status");
  message.description = header(from, "Description");
  message.message_id = header(from, "Nats-Msg-Id");
  message.number = last_header(from, "Nats-Sequence");
  message.last_of_consumer = header(from, "Nats-Last-Consumer");
  message.stalled = header(from, "Nats-Consumer-Stalled");
  return message;
}

std::string last_error(natsStatus status) {
  const char* const detail = nats_GetLastError(nullptr);
  // It may contain a text of the server.
  return detail != nullptr && *detail != '\0' ? printable(detail) : natsStatus_GetText(status);
}

class LibraryLink final : public Link {
 public:
  LibraryLink(Mailbox& mailbox, std::function<void()> lost)
      : mailbox_(mailbox), lost_(std::move(lost)) {}
  ~LibraryLink() override {
    close();
    await_callbacks();
    subscriptions_.clear();
    retired_.clear();
    natsConnection_Destroy(connection_);
  }
  LibraryLink(const LibraryLink&) = delete;
  LibraryLink& operator=(const LibraryLink&) = delete;

  std::expected<void, StoreError> open(const NatsStoreOptions& options,
                                       const std::vector<std::string>& subjects);
  bool publish(const Publication& publication) override {
    natsMsg* made = nullptr;
    const char* const reply = publication.reply.empty() ? nullptr : publication.reply.c_str();
    if (natsMsg_Create(&made, publication.subject.c_str(), reply, publication.octets.data(),
                       static_cast<int>(publication.octets.size())) != NATS_OK)
      return false;
    const MessagePointer message(made);
    for (const auto& [name, value] : publication.headers)
      if (natsMsgHeader_Set(made, name.c_str(), value.c_str()) != NATS_OK) return false;
    return natsConnection_PublishMsg(connection_, made) == NATS_OK;
  }
  bool subscribe(const std::string& subject) override;
  void unsubscribe(const std::string& subject) override {
    const auto found = subscriptions_.find(subject);
    if (found == subscriptions_.end()) return;
    static_cast<void>(natsSubscription_Unsubscribe(found->second.get()));
    // The library's reader may still use the subscription, without a reference of its own.
    retired_.push_back(std::move(found->second));
    subscriptions_.erase(found);
    if (retired_.size() >= retired_max) close();
  }
  [[nodiscard]] std::size_t payload_max() const override { return payload_max_; }
  void close() override {
    if (connection_ != nullptr) natsConnection_Close(connection_);
  }

 private:
  std::expected<OptionsPointer, StoreError> make_options(const NatsStoreOptions& options);
  natsStatus set_servers(natsOptions* made, const NatsStoreOptions& options) const;
  natsStatus set_security(natsOptions* made, const NatsStoreOptions& options) const;
  natsStatus set_callbacks(natsOptions* made);

  /// Waits until the library makes no callback any more.
  void await_callbacks() {
    std::unique_lock lock(mutex_);
    if (connection_ != nullptr) changed_.wait(lock, [this] { return is_closed_; });
    changed_.wait(lock, [this] { return running_ == 0; });
  }

  // The callbacks, on threads of the library.
  /// Uses only the mailbox, which outlives the link: the library does not tell when a subscription
  /// that is closed while it is made has made its last callback.
  static void on_message(natsConnection* /*connection*/, natsSubscription* subscription,
                         natsMsg* message, void* mailbox) {
    const MessagePointer owned(message);
    Message received = to_message(message);
    // A consumer pushes a message with the subject under which it was published.
    std::string subject = to_string(natsSubscription_GetSubject(subscription));
    if (!subject.contains('*')) received.subject = std::move(subject);
    static_cast<Mailbox*>(mailbox)->post(std::move(received));
  }
  static void on_completed(void* link) {
    auto& self = *static_cast<LibraryLink*>(link);
    const std::lock_guard lock(self.mutex_);
    --self.running_;
    self.changed_.notify_all();
  }
  static void on_closed(natsConnection* /*connection*/, void* link) {
    auto& self = *static_cast<LibraryLink*>(link);
    self.lost_();
    const std::lock_guard lock(self.mutex_);
    self.is_closed_ = true;
    self.changed_.notify_all();
  }
  /// Without this function, the library writes errors to standard error. Most of them end the
  /// connection. Requests without a permission only have no answer, so the log has the cause.
  static void on_error(natsConnection* /*connection*/, natsSubscription* /*subscription*/,
                       natsStatus error, void* link) {
    auto& self = *static_cast<LibraryLink*>(link);
    if (error != NATS_NOT_PERMITTED || std::exchange(self.has_reported_, true)) return;
    log::write(log::Level::error, "events",
               "NATS: a request is not permitted; let the user publish to $JS.API.>, $JS.FC.> and "
               "all subjects of the prefix, and subscribe to _INBOX.>");
  }

  Mailbox& mailbox_;
  const std::function<void()> lost_;
  natsConnection* connection_ = nullptr;
  std::map<std::string, SubscriptionPointer> subscriptions_;  // by subject
  std::vector<SubscriptionPointer> retired_;                  // unsubscribed
  std::size_t payload_max_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_reported_ = false;  // on the thread of the library for errors
  bool is_closed_ = false;     // guarded by mutex_
  std::size_t running_ = 0;    // subscriptions that may make callbacks; guarded by mutex_
};

std::expected<void, StoreError> LibraryLink::open(const NatsStoreOptions& options,
                                                  const std::vector<std::string>& subjects) {
  const auto made = make_options(options);
  if (!made) return std::unexpected(made.error());
  const std::string servers = server_names(options.servers);
  if (const natsStatus status = natsConnection_Connect(&connection_, made->get());
      status != NATS_OK) {
    const bool is_refused = status == NATS_CONNECTION_AUTH_FAILED || status == NATS_SSL_ERROR;
    return std::unexpected(
        StoreError{is_refused ? StoreError::Kind::failed : StoreError::Kind::unavailable,
                   servers + ": " + last_error(status)});
  }
  payload_max_ = static_cast<std::size_t>(
      std::max(natsConnection_GetMaxPayload(connection_), std::int64_t{0}));
  const bool is_subscribed =
      std::ranges::all_of(subjects, [this](const std::string& each) { return subscribe(each); });
  // The server has the subscriptions before it gets a request.
  const natsStatus status = natsConnection_FlushTimeout(connection_, connect_time_max_ms);
  if (is_subscribed && status == NATS_OK) return {};
  return std::unexpected(StoreError{StoreError::Kind::unavailable, servers + ": cannot subscribe"});
}

bool LibraryLink::subscribe(const std::string& subject) {
  natsSubscription* made = nullptr;
  if (natsConnection_Subscribe(&made, connection_, subject.c_str(), &LibraryLink::on_message,
                               &mailbox_) != NATS_OK)
    return false;
  SubscriptionPointer owned(made);
  {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  if (natsSubscription_SetOnCompleteCB(made, &LibraryLink::on_completed, this) != NATS_OK) {
    const std::lock_guard lock(mutex_);
    --running_;  // the connection is lost
    return false;
  }
  const natsStatus status =
      natsSubscription_SetPendingLimits(made, pending_messages_max, pending_octets_max);
  subscriptions_[subject] = std::move(owned);
  return status == NATS_OK;
}

natsStatus LibraryLink::set_servers(natsOptions* made, const NatsStoreOptions& options) const {
  std::vector<const char*> servers;
  servers.reserve(options.servers.size());
  for (const std::string& server : options.servers) servers.push_back(server.c_str());
  natsStatus status =
      natsOptions_SetServers(made, servers.data(), static_cast<int>(servers.size()));
  if (status == NATS_OK) status = natsOptions_SetName(made, "perigee-events");
  if (status == NATS_OK) status = natsOptions_SetTimeout(made, connect_time_max_ms);
  if (status == NATS_OK) status = natsOptions_SetAllowReconnect(made, false);
  if (status == NATS_OK) status = natsOptions_SetPingInterval(made, ping_interval_ms);
  if (status == NATS_OK) status = natsOptions_SetMaxPingsOut(made, pings_max);
  if (status == NATS_OK) status = natsOptions_SetWriteDeadline(made, write_time_max_ms);
  // Otherwise each subscription, and so each channel, has a thread of its own.
  if (status == NATS_OK) status = natsOptions_UseGlobalMessageDelivery(made, true);
  // Otherwise the library's thread sends each message up to 1 ms later.
  if (status == NATS_OK) status = natsOptions_SetSendAsap(made, true);
  return status;
}

natsStatus LibraryLink::set_security(natsOptions* made, const NatsStoreOptions& options) const {
  natsStatus status = NATS_OK;
  if (!options.credentials.empty())
    status = natsOptions_SetUserCredentialsFromFiles(made, options.credentials.c_str(), nullptr);
  const bool has_tls = std::ranges::any_of(
      options.servers, [](const std::string& server) { return server.starts_with("tls://"); });
  // Without this, the server decides whether TLS is used.
  if (status == NATS_OK && has_tls) status = natsOptions_SetSecure(made, true);
  if (status == NATS_OK && !options.authorities.empty())
    status = natsOptions_LoadCATrustedCertificates(made, options.authorities.c_str());
  if (status == NATS_OK && !options.certificate.empty())
    status =
        natsOptions_LoadCertificatesChain(made, options.certificate.c_str(), options.key.c_str());
  return status;
}

natsStatus LibraryLink::set_callbacks(natsOptions* made) {
  natsStatus status = natsOptions_SetClosedCB(made, &LibraryLink::on_closed, this);
  if (status == NATS_OK) status = natsOptions_SetErrorHandler(made, &LibraryLink::on_error, this);
  return status;
}

std::expected<OptionsPointer, StoreError> LibraryLink::make_options(
    const NatsStoreOptions& options) {
  natsOptions* made = nullptr;
  natsStatus status = natsOptions_Create(&made);
  OptionsPointer owned(made);
  if (status == NATS_OK) status = set_servers(made, options);
  if (status == NATS_OK) status = set_security(made, options);
  if (status == NATS_OK) status = set_callbacks(made);
  if (status == NATS_OK) return owned;
  return std::unexpected(
      StoreError{StoreError::Kind::failed, "NATS: cannot use the options: " + last_error(status)});
}

}  // namespace

std::expected<std::shared_ptr<Link>, StoreError> Link::connect(
    const NatsStoreOptions& options, const std::vector<std::string>& subjects, Mailbox& mailbox,
    std::function<void()> lost) {
  auto link = std::make_shared<LibraryLink>(mailbox, std::move(lost));
  if (auto opened = link->open(options, subjects); !opened) return std::unexpected(opened.error());
  return link;
}

std::string server_names(const std::vector<std::string>& servers) {
  std::string names;
  for (const std::string& server : servers) {
    const std::size_t scheme = server.find("://");
    const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
    const std::size_t user = server.rfind('@');
    if (!names.empty()) names += ',';
    names += server.substr(0, begin);
    names += server.substr(user == std::string::npos ? begin : user + 1);
  }
  return names;
}

std::string mistake_in_server(const std::string& server) {
  const bool has_scheme = server.starts_with("nats://") || server.starts_with("tls://");
  const std::size_t host = server.find("://");
  if (has_scheme && server.size() > host + 3 && !server.contains('\0')) return {};
  return "'" + server_names({server}) +
         "' is not the address of a server; write nats://<host>:<port> or tls://<host>:<port>";
}

}  // namespace perigee::events::nats
