// What generated files of coroutine servants (…AsyncS.h) stand on.
#pragma once

#include <perigee/async/task.h>
#include <perigee/poa/servant.h>
