// What the test's plug-in does while an ORB has it make protocols.
#pragma once

#include <functional>

namespace perigee::test {

extern std::function<void()> while_making;

}  // namespace perigee::test
