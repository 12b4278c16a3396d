// As much HTTP as a collector needs: GET and HEAD, one answer, the end of the connection. Source:
// RFC 9112.
#include "runtime/metrics_page.h"

#include "event/thread.h"
#include <perigee/base/log.h>
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/sock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

namespace perigee::runtime {

namespace {

constexpr std::string_view end_of_header = "\r\n\r\n";
// Of everything that a reader sends. Collectors send a few hundred octets.
constexpr std::size_t request_size_max = 8 * 1024;
std::unexpected<IoError> failure(IoOperation operation, std::error_code code,
                                 const std::string& address) {
  return std::unexpected(
      IoError{IoErrorKind::system, operation, code.value(), "http://" + address});
}

std::string answer(std::string_view status, std::string_view type, const std::string& body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close" +
         std::string(end_of_header) + body;
}

class HttpMetricsPage final : public MetricsPage {
 public:
  HttpMetricsPage(ipc::sock::Acceptor acceptor, std::string address, MetricsSource source,
                  std::chrono::milliseconds time_per_reader)
      : acceptor_(std::move(acceptor)),
        address_(std::move(address)),
        source_(std::move(source)),
        time_per_reader_(time_per_reader) {
    thread_ = event::Thread([this] { serve(); });
  }
  ~HttpMetricsPage() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      if (reader_ != nullptr) reader_->interrupt();
    }
    acceptor_.interrupt();
    thread_.join();
  }
  [[nodiscard]] const std::string& address() const noexcept override { return address_; }

 private:
  /// Who is being served, so that the page's end need not wait for it.
  class Present {
   public:
    Present(HttpMetricsPage& page, ipc::sock::Stream& reader) : page_(page) { set(&reader); }
    ~Present() { set(nullptr); }
    Present(const Present&) = delete;
    Present& operator=(const Present&) = delete;

   private:
    void set(ipc::sock::Stream* reader) {
      const std::lock_guard lock(page_.mutex_);
      page_.reader_ = reader;
    }
    HttpMetricsPage& page_;
  };

  void serve() noexcept {
    while (!ending_) {
      try {
        auto reader = acceptor_.accept();
        if (reader) {
          serve_reader(*reader);
        } else if (!ending_) {
          log::write(log::Level::warning, "metrics", "accept: " + reader.error().message());
          std::this_thread::sleep_for(std::chrono::milliseconds(100));  // out of handles, perhaps
        }
      } catch (const std::exception& exception) {  // bad_alloc: this reader gets nothing
        log::write(log::Level::warning, "metrics", exception.what());
      }
    }
  }

  void serve_reader(ipc::sock::Stream& reader) {
    const Present present(*this, reader);
    if (ending_) return;
    const auto end = std::chrono::steady_clock::now() + time_per_reader_;
    const std::string request = receive_request(reader, end);
    if (request.empty()) return;
    const std::string text = answer_to(request);
    const auto sent =
        reader.send_n(std::as_bytes(std::span(text)), end - std::chrono::steady_clock::now());
    if (!sent) return;
    reader.close_sender();
    std::array<std::byte, 512> rest;  // closing with unread octets would reset the connection
    const auto received = reader.recv(rest, std::chrono::milliseconds(250));
    if (!received) log::write(log::Level::debug, "metrics", received.error().message());
  }

  // Up to the empty line behind the header; nothing if it does not come.
  static std::string receive_request(ipc::sock::Stream& reader,
                                     std::chrono::steady_clock::time_point end) {
    std::string request;
    std::array<char, 1024> space;
    while (request.find(end_of_header) == std::string::npos) {
      const auto left = end - std::chrono::steady_clock::now();
      if (left <= left.zero() || request.size() > request_size_max) return {};
      const auto received = reader.recv(std::as_writable_bytes(std::span(space)), left);
      if (!received || received->end_of_stream()) return {};
      request.append(space.data(), received->count());
    }
    return request;
  }

  [[nodiscard]] std::string answer_to(std::string_view request) const {
    std::string_view line = request.substr(0, request.find("\r\n"));
    const std::string_view method = line.substr(0, line.find(' '));
    if (method != "GET" && method != "HEAD")
      return answer("405 Method Not Allowed\r\nAllow: GET, HEAD", "text/plain",
                    "there are GET and HEAD\n");
    line.remove_prefix(std::min(method.size() + 1, line.size()));
    std::string text = page(line.substr(0, line.find_first_of(" ?")));
    if (method == "HEAD") text.resize(text.find(end_of_header) + end_of_header.size());
    return text;
  }

  [[nodiscard]] std::string page(std::string_view path) const {
    if (path == "/metrics")
      return answer("200 OK", "text/plain; version=0.0.4; charset=utf-8", source_.prometheus());
    if (path == "/metrics.json") return answer("200 OK", "application/json", source_.json());
    return answer("404 Not Found", "text/plain", "there are /metrics and /metrics.json\n");
  }

  ipc::sock::Acceptor acceptor_;
  const std::string address_;
  const MetricsSource source_;
  const std::chrono::milliseconds time_per_reader_;
  std::atomic<bool> ending_ = false;  // set under the mutex

  std::mutex mutex_;
  ipc::sock::Stream* reader_ = nullptr;  // who is being served, under the mutex
  event::Thread thread_;                 // last: it uses the rest
};

}  // namespace

std::expected<std::unique_ptr<MetricsPage>, IoError> make_metrics_page(
    const std::string& address, MetricsSource source, std::chrono::milliseconds time_per_reader) {
  const auto parts = ipc::split_host_port(address);
  if (!parts || !parts->port)
    return std::unexpected(IoError{IoErrorKind::bad_address, IoOperation::listen, 0, address});
  ipc::Result<ipc::sock::Acceptor> acceptor;
  if (parts->host.empty()) {
    acceptor = ipc::sock::Acceptor::open(ipc::InetAddr::any_v6(*parts->port),
                                         ipc::ReuseAddress{true}, ipc::V6Only{false});
    if (!acceptor)  // a host without IPv6
      acceptor =
          ipc::sock::Acceptor::open(ipc::InetAddr::any(*parts->port), ipc::ReuseAddress{true});
  } else {
    const auto addresses = ipc::resolve(parts->host, *parts->port);
    if (!addresses) return failure(IoOperation::resolve, addresses.error(), address);
    acceptor = ipc::sock::Acceptor::open(addresses->front(), ipc::ReuseAddress{true});
  }
  if (!acceptor) return failure(IoOperation::listen, acceptor.error(), address);
  const auto bound = acceptor->local_address();
  if (!bound) return failure(IoOperation::listen, bound.error(), address);
  return std::make_unique<HttpMetricsPage>(std::move(*acceptor), to_string(*bound),
                                           std::move(source), time_per_reader);
}

}  // namespace perigee::runtime
