// The multi interface of libcurl.
#include "services/naming_etcd/transfers.h"

#include "services/naming_etcd/messages.h"

#include <curl/curl.h>

#include <new>
#include <utility>
#include <vector>

namespace perigee::naming::etcd {

namespace {

struct DeleteList {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
struct DeleteEasy {
  void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
};

/// Prepares libcurl, once in a process. Throws std::bad_alloc: libcurl fails only for lack of
/// memory.
void require_libcurl() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) throw std::bad_alloc();
}

}  // namespace

struct Transfers::Transfer {
  Id id = 0;
  HttpRequest request;
  std::size_t taken = 0;  // octets of the body that libcurl has taken
  Done done;
  Data data;
  HttpAnswer answer;
  std::string error;  // the text of this program, which says more than libcurl's text
  std::unique_ptr<curl_slist, DeleteList> headers;
  char error_text[CURL_ERROR_SIZE] = {};
  std::unique_ptr<CURL, DeleteEasy> easy;

  bool take(std::string_view part) {
    if (data) return data(part);
    if (part.size() > answer_size_max - answer.body.size()) {
      error = "the answer has more than " + std::to_string(answer_size_max) + " octets";
      answer.is_too_large = true;
      return false;
    }
    answer.body += part;
    return true;
  }

  /// Completes the answer.
  void end(CURLcode code) {
    long sent = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_REQUEST_SIZE, &sent);
    answer.was_sent = sent > 0;
    answer.is_late = answer.was_sent && code == CURLE_OPERATION_TIMEDOUT;
    if (code == CURLE_OK)
      curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &answer.status);
    else if (!error.empty())
      answer.error = error;
    else
      answer.error =
          error_text[0] != '\0' ? static_cast<const char*>(error_text) : curl_easy_strerror(code);
  }

  /// libcurl calls it for the next part of the request's body.
  static std::size_t send(char* part, std::size_t size, std::size_t count,
                          void* transfer) noexcept {
    auto& self = *static_cast<Transfer*>(transfer);
    const std::string_view left = std::string_view(self.request.body).substr(self.taken);
    const std::size_t octets = left.copy(part, size * count);
    self.taken += octets;
    return octets;
  }
  /// libcurl calls it before it sends the body again, because a kept connection has ended without
  /// an answer. The server may have made the change of the first body, and its answer to a second
  /// one would hide this. So the request fails, and the caller decides.
  static int refuse_repetition(void*, curl_off_t, int) noexcept { return CURL_SEEKFUNC_FAIL; }

  /// libcurl calls it. An exception must not pass libcurl: it would lose memory.
  static std::size_t receive(char* part, std::size_t size, std::size_t count,
                             void* transfer) noexcept {
    const std::size_t octets = size * count;
    return static_cast<Transfer*>(transfer)->take({part, octets}) ? octets : octets + 1;
  }
};

Transfers::Transfers(TlsFiles files) : files_(std::move(files)) {
  require_libcurl();
  multi_ = curl_multi_init();
  if (multi_ == nullptr) throw std::bad_alloc();
  curl_multi_setopt(static_cast<CURLM*>(multi_), CURLMOPT_MAXCONNECTS, 128L);
}

Transfers::~Transfers() {
  while (!transfers_.empty()) cancel(transfers_.begin()->first);
  curl_multi_cleanup(static_cast<CURLM*>(multi_));
}

Transfers::Id Transfers::start(HttpRequest request, Done done, Data data) {
  auto transfer = std::make_unique<Transfer>();
  transfer->id = ++last_;
  transfer->request = std::move(request);
  transfer->done = std::move(done);
  transfer->data = std::move(data);
  transfer->easy.reset(curl_easy_init());
  for (const char* header : {"Content-Type: application/json", "Expect:",
                             // A watch ends when its member has lost the leader.
                             "Grpc-Metadata-hasleader: true"})
    // The first call makes the list, and later calls return the same list.
    if (curl_slist* const list = curl_slist_append(transfer->headers.get(), header);
        transfer->headers == nullptr)
      transfer->headers.reset(list);
  CURL* const easy = transfer->easy.get();
  if (easy == nullptr) throw std::bad_alloc();
  curl_easy_setopt(easy, CURLOPT_URL, transfer->request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // the variables of the environment do not count
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  // The end of a request must not wait for a name server that does not answer. libcurl 7.87 or
  // later.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers.get());
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, &Transfer::send);
  curl_easy_setopt(easy, CURLOPT_READDATA, transfer.get());
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &Transfer::refuse_repetition);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(transfer->request.body.size()));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(transfer->request.time_max.count()));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(transfer->request.connect_time_max.count()));
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, static_cast<char*>(transfer->error_text));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::receive);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer.get());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer.get());
  if (!files_.authorities.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, files_.authorities.c_str());
    // libcurl would trust the authorities in the system's folder, too.
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  }
  if (!files_.certificate.empty())
    curl_easy_setopt(easy, CURLOPT_SSLCERT, files_.certificate.c_str());
  if (!files_.key.empty()) curl_easy_setopt(easy, CURLOPT_SSLKEY, files_.key.c_str());
  curl_multi_add_handle(static_cast<CURLM*>(multi_), easy);
  const Id id = transfer->id;
  transfers_.emplace(id, std::move(transfer));
  return id;
}

void Transfers::cancel(Id id) noexcept {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return;
  curl_multi_remove_handle(static_cast<CURLM*>(multi_), found->second->easy.get());
  transfers_.erase(found);
}

void Transfers::run(std::chrono::milliseconds time) {
  auto* const multi = static_cast<CURLM*>(multi_);
  int running = 0;
  curl_multi_perform(multi, &running);
  if (finish_transfers()) return;
  curl_multi_poll(multi, nullptr, 0, static_cast<int>(time.count()), nullptr);
  curl_multi_perform(multi, &running);
  finish_transfers();
}

void Transfers::wake() noexcept { curl_multi_wakeup(static_cast<CURLM*>(multi_)); }

bool Transfers::finish_transfers() {
  auto* const multi = static_cast<CURLM*>(multi_);
  // Takes out all ended transfers first: functions of requests may start and cancel requests.
  std::vector<std::unique_ptr<Transfer>> ended;
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    void* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    static_cast<Transfer*>(transfer)->end(message->data.result);
    curl_multi_remove_handle(multi, message->easy_handle);
    ended.push_back(std::move(transfers_.extract(static_cast<Transfer*>(transfer)->id).mapped()));
  }
  for (const auto& transfer : ended) transfer->done(std::move(transfer->answer));
  return !ended.empty();
}

std::string mistake_in_member(std::string_view url) {
  const bool has_scheme = url.starts_with("http://") || url.starts_with("https://");
  const std::string_view rest = has_scheme ? url.substr(url.find("//") + 2) : std::string_view();
  constexpr std::string_view forbidden = "/?#@ \t\r\n\\";
  const std::size_t colon = rest.rfind(':');
  if (has_scheme && rest.find_first_of(forbidden) == std::string_view::npos &&
      colon != std::string_view::npos && colon > 0 && colon + 1 < rest.size() &&
      rest.substr(colon + 1).find_first_not_of("0123456789") == std::string_view::npos)
    return {};
  return "'" + std::string(url) +
         "' is not the address of a member of etcd; write http://<host>:<port> or "
         "https://<host>:<port>";
}

}  // namespace perigee::naming::etcd
