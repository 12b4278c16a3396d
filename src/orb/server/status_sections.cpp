// The list of sections, and the objects that add to it.
#include "orb/server/status_sections.h"

#include "orb/core/orb_core.h"
#include <perigee/orb/exceptions.h>
#include <perigee/orb/orb.h>

#include <algorithm>

namespace perigee::orb {

namespace {

constexpr char sections_key = 0;  // only its address is used

bool is_section_name(std::string_view name) noexcept {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::shared_ptr<StatusSections> StatusSections::of(OrbCore& core) {
  return std::static_pointer_cast<StatusSections>(
      core.library_object(&sections_key, [] { return std::make_shared<StatusSections>(); }));
}

bool StatusSections::add(const std::string& name, std::string title, StatusReader read) {
  const auto section = std::make_shared<Section>(std::move(title), std::move(read));
  const std::lock_guard lock(mutex_);
  return sections_.try_emplace(name, section).second;
}

void StatusSections::remove(const std::string& name) noexcept {
  std::shared_ptr<Section> section;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sections_.find(name);
    section = std::move(found->second);
    sections_.erase(found);
  }
  const std::lock_guard lock(section->mutex);
  section->read = nullptr;
}

std::vector<std::pair<std::string, std::string>> StatusSections::all() const {
  std::vector<std::pair<std::string, std::string>> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, section] : sections_) all.emplace_back(name, section->title);
  return all;
}

std::optional<StatusTable> StatusSections::read(std::string_view name,
                                                const StatusQuery& query) const {
  std::shared_ptr<Section> section;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sections_.find(name);
    if (found == sections_.end()) return std::nullopt;
    section = found->second;
  }
  const std::lock_guard lock(section->mutex);
  if (!section->read) return std::nullopt;
  return section->read(query);
}

StatusSection::StatusSection(CORBA::ORB& orb, std::string name, std::string title,
                             StatusReader read)
    : sections_(StatusSections::of(*orb._core())), name_(std::move(name)) {
  if (!is_section_name(name_))
    throw CORBA::BAD_PARAM(
        0, CORBA::COMPLETED_NO,
        "name of a StatusSection: lower-case letters, digits and '_' are needed");
  if (!sections_->add(name_, std::move(title), std::move(read)))
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO,
                           "StatusSection " + name_ + " exists already; choose another name");
}

StatusSection::~StatusSection() { sections_->remove(name_); }

}  // namespace perigee::orb
