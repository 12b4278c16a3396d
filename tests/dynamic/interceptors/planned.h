// Interceptors whose points record their names, and then run a function of the test.
#pragma once

#include <perigee/dynamic/interceptors.h>

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
  void send_request(const Info& info) override { run("send_request", info); }
  void send_poll(const Info& info) override { run("send_poll", info); }
  void receive_reply(const Info& info) override { run("receive_reply", info); }
  void receive_exception(const Info& info) override { run("receive_exception", info); }
  void receive_other(const Info& info) override { run("receive_other", info); }

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
  void receive_request_service_contexts(const Info& info) override {
    run("receive_request_service_contexts", info);
  }
  void receive_request(const Info& info) override { run("receive_request", info); }
  void send_reply(const Info& info) override { run("send_reply", info); }
  void send_exception(const Info& info) override { run("send_exception", info); }
  void send_other(const Info& info) override { run("send_other", info); }

 private:
  void run(const char* point, const Info& info) {
    log_.add(name_ + " " + point + " " + info->operation());
    if (const auto action = actions_.find(point); action != actions_.end()) action->second(info);
  }

  const std::string name_;
  Log& log_;
  const std::map<std::string, ServerAction> actions_;
};

}  // namespace perigee::test
