// Interceptors whose points record their names, and then run a function of the test.
#pragma once

#include <perigee/dynamic/interceptors.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace perigee::test {

/// The names of points, in the order in which they ran: "client 1 send_request twice". Any thread.
class Log {
 public:
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    added_.notify_all();
  }
  /// Blocks until there is a line that starts with `start` and ends with `end`.
  void await(const std::string& start, const std::string& end) {
    std::unique_lock lock(mutex_);
    added_.wait(lock, [&] {
      return std::ranges::any_of(lines_, [&](const std::string& line) {
        return line.starts_with(start) && line.ends_with(end);
      });
    });
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    lines_.clear();
  }

 private:
  mutable std::mutex mutex_;  // guards lines_
  std::condition_variable added_;
  std::vector<std::string> lines_;
};

using ClientInfoRef = PortableInterceptor::ClientRequestInterceptor::Info;
using ServerInfoRef = PortableInterceptor::ServerRequestInterceptor::Info;
using ClientAction = std::function<void(const ClientInfoRef& info)>;
using ServerAction = std::function<void(const ServerInfoRef& info)>;

class PlannedClient final : public PortableInterceptor::ClientRequestInterceptor {
 public:
  PlannedClient(std::string name, Log& log, std::map<std::string, ClientAction> actions)
      : name_(std::move(name)), log_(log), actions_(std::move(actions)) {}
  std::string name() override { return name_; }
  void send_request(Info info) override { run("send_request", info); }
  void send_poll(Info info) override { run("send_poll", info); }
  void receive_reply(Info info) override { run("receive_reply", info); }
  void receive_exception(Info info) override { run("receive_exception", info); }
  void receive_other(Info info) override { run("receive_other", info); }

 private:
  void run(const char* point, const Info& info) {
    log_.add(name_ + " " + point + " " + info->operation());
    if (const auto action = actions_.find(point); action != actions_.end()) action->second(info);
  }

  const std::string name_;
  Log& log_;
  const std::map<std::string, ClientAction> actions_;
};

class PlannedServer final : public PortableInterceptor::ServerRequestInterceptor {
 public:
  PlannedServer(std::string name, Log& log, std::map<std::string, ServerAction> actions)
      : name_(std::move(name)), log_(log), actions_(std::move(actions)) {}
  std::string name() override { return name_; }
  void receive_request_service_contexts(Info info) override {
    run("receive_request_service_contexts", info);
  }
  void receive_request(Info info) override { run("receive_request", info); }
  void send_reply(Info info) override { run("send_reply", info); }
  void send_exception(Info info) override { run("send_exception", info); }
  void send_other(Info info) override { run("send_other", info); }

 private:
  void run(const char* point, const Info& info) {
    log_.add(name_ + " " + point + " " + info->operation());
    if (const auto action = actions_.find(point); action != actions_.end()) action->second(info);
  }

  const std::string name_;
  Log& log_;
  const std::map<std::string, ServerAction> actions_;
};

/// Records what an IOR interceptor learns: the point, the state, and the names of the POA. `log`
/// may be set later.
class PlannedAdapter final : public PortableInterceptor::IORInterceptor {
 public:
  using Action = std::function<void(const std::string& point)>;
  PlannedAdapter(std::string name, Log*& log, Action action = nullptr)
      : name_(std::move(name)), log_(log), action_(std::move(action)) {}
  std::string name() override { return name_; }
  void establish_components(Info) override { run("establish_components"); }
  void components_established(Info) override { run("components_established"); }
  void adapter_manager_state_changed(PortableInterceptor::AdapterManagerId,
                                     PortableInterceptor::AdapterState state) override {
    run("adapter_manager_state_changed", " " + std::to_string(state));
  }
  void adapter_state_changed(const PortableInterceptor::ObjectReferenceTemplateSeq& templates,
                             PortableInterceptor::AdapterState state) override {
    std::string detail = " " + std::to_string(state);
    for (const auto& changed : templates)
      for (const std::string& part : changed.adapter_name()) detail += " " + part;
    run("adapter_state_changed", detail);
  }

 private:
  void run(const std::string& point, const std::string& detail = "") {
    if (log_ != nullptr) log_->add(name_ + " " + point + detail);
    if (action_) action_(point);
  }

  const std::string name_;
  Log*& log_;
  const Action action_;
};

}  // namespace perigee::test
