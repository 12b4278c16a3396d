// The includes of generated files of coroutine servants (…AsyncS.h).
#pragma once

#include <perigee/async/task.h>
#include <perigee/cdr/pinned.h>
#include <perigee/poa/servant.h>
