// Ctrl-C and its kin.
#pragma once

namespace tritcheck::cli {

/// SIGINT, SIGTERM and SIGHUP ask verify() to stop and report what it has, and repack() to stop; a second one ends the
/// program and its workers at once, and no unfinished file stays. SIGPIPE is ignored: writes report the error instead.
void install_signal_handlers();

/// From now on the first of these signals also starts a clock: SIGALRM comes so many seconds later. 0: no longer, and a
/// clock that runs is stopped.
void give_up_after(unsigned seconds);

}  // namespace tritcheck::cli
