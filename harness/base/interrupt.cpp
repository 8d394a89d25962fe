#include "harness/base/interrupt.h"

namespace tritcheck {

std::atomic<bool> g_interrupted{false};

}  // namespace tritcheck
