// The types of module IOP that policies and interceptors use, in the C++11 mapping. Source: CORBA
// 3.0, 13.6.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace IOP {
inline namespace perigee_v1 {

using ServiceId = std::uint32_t;
using ComponentId = std::uint32_t;
using ProfileId = std::uint32_t;
inline constexpr ProfileId TAG_INTERNET_IOP = 0;
inline constexpr ProfileId TAG_MULTIPLE_COMPONENTS = 1;

/// Octets that accompany a request or a reply. The data is usually an encapsulation: see IOP::Codec
/// in <perigee/orb/codec.h>.
class ServiceContext final {
 public:
  ServiceContext() = default;
  ServiceContext(ServiceId context_id, std::vector<std::uint8_t> context_data) noexcept
      : context_id_(context_id), context_data_(std::move(context_data)) {}

  [[nodiscard]] ServiceId context_id() const noexcept { return context_id_; }
  void context_id(ServiceId id) noexcept { context_id_ = id; }
  [[nodiscard]] const std::vector<std::uint8_t>& context_data() const noexcept {
    return context_data_;
  }
  [[nodiscard]] std::vector<std::uint8_t>& context_data() noexcept { return context_data_; }
  void context_data(std::vector<std::uint8_t> data) noexcept { context_data_ = std::move(data); }

  friend bool operator==(const ServiceContext&, const ServiceContext&) = default;

 private:
  ServiceId context_id_ = 0;
  std::vector<std::uint8_t> context_data_;
};
using ServiceContextList = std::vector<ServiceContext>;

/// A part of a profile of an object reference.
class TaggedComponent final {
 public:
  TaggedComponent() = default;
  TaggedComponent(ComponentId tag, std::vector<std::uint8_t> component_data) noexcept
      : tag_(tag), component_data_(std::move(component_data)) {}

  [[nodiscard]] ComponentId tag() const noexcept { return tag_; }
  void tag(ComponentId tag) noexcept { tag_ = tag; }
  [[nodiscard]] const std::vector<std::uint8_t>& component_data() const noexcept {
    return component_data_;
  }
  [[nodiscard]] std::vector<std::uint8_t>& component_data() noexcept { return component_data_; }
  void component_data(std::vector<std::uint8_t> data) noexcept {
    component_data_ = std::move(data);
  }

  friend bool operator==(const TaggedComponent&, const TaggedComponent&) = default;

 private:
  ComponentId tag_ = 0;
  std::vector<std::uint8_t> component_data_;
};
using TaggedComponentSeq = std::vector<TaggedComponent>;

/// A profile of an object reference.
class TaggedProfile final {
 public:
  TaggedProfile() = default;
  TaggedProfile(ProfileId tag, std::vector<std::uint8_t> profile_data) noexcept
      : tag_(tag), profile_data_(std::move(profile_data)) {}

  [[nodiscard]] ProfileId tag() const noexcept { return tag_; }
  void tag(ProfileId tag) noexcept { tag_ = tag; }
  [[nodiscard]] const std::vector<std::uint8_t>& profile_data() const noexcept {
    return profile_data_;
  }
  [[nodiscard]] std::vector<std::uint8_t>& profile_data() noexcept { return profile_data_; }
  void profile_data(std::vector<std::uint8_t> data) noexcept { profile_data_ = std::move(data); }

  friend bool operator==(const TaggedProfile&, const TaggedProfile&) = default;

 private:
  ProfileId tag_ = 0;
  std::vector<std::uint8_t> profile_data_;
};

}  // namespace perigee_v1
}  // namespace IOP
