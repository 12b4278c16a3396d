// The function that the test's plug-in calls while it makes its protocols for an ORB.
#pragma once

#include <functional>

namespace perigee::test {

extern std::function<void()> while_making;

}  // namespace perigee::test
