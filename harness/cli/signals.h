// Ctrl-C and its kin.
#pragma once

namespace tritcheck::cli {

/// SIGINT, SIGTERM and SIGHUP ask verify() to stop and report what it has, and repack() to stop; a second one ends the
/// program and its workers at once, and no unfinished file stays. SIGPIPE is ignored: writes report the error instead.
void install_signal_handlers();

}  // namespace tritcheck::cli
