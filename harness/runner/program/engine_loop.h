// The runner as an engine: loads a model and computes what it is asked, on the kernels of this program.
#pragma once

namespace tritcheck {

/// Answers engine calls until the input ends. A call that cannot be served is answered with an error; a kernel that
/// crashes takes the process with it, which the harness notices.
void serve_engine();

}  // namespace tritcheck
