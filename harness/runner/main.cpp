// The program that calls kernels. tritcheck starts it, here or under an emulator, and speaks the protocol of
// harness/protocol with it; `tritcheck-runner --list` is for people.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "harness/protocol/messages.h"
#include "harness/runner/channel.h"
#include "harness/runner/engine_loop.h"
#include "harness/runner/inventory.h"

namespace tritcheck {
namespace {

void print(const WorkerInfo& info) {
  std::printf("arch      %s\ncpu       %s\ncompiler  %s\nflags     %s\nprotocol  %d\n\n", info.arch.c_str(),
              info.cpu.c_str(), info.compiler.c_str(), info.flags.c_str(), info.schema);
  for (const KernelInfo& kernel : info.kernels) {
    const std::string state = !kernel.runnable ? kernel.why_not : kernel.selected ? "runnable, selected" : "runnable";
    std::printf("%-6s  %-36s  %-8s  %-6s  %s\n", kernel.is_bug ? "bug" : "kernel", kernel.name.c_str(),
                std::string(name(kernel.isa)).c_str(), std::string(name(kernel.via)).c_str(), state.c_str());
  }
}

void serve(const IsaList& allow) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  open_channel();
  start_watch();
  const Features features = detect();
  send_hello(describe(features, allow));
  Caller caller(inventory(features));
  CallRequest request;
  while (const auto frame = next_frame()) {
    std::span<const uint8_t> weights;
    std::span<const int8_t> activations;
    wire::Reader in(frame->payload);
    if (!wire::decode(in, request, weights, activations)) fail("a request cannot be read");
    flush_if_due();
    answer(frame->sequence, caller.call(frame->sequence, request, weights, activations));
  }
}

}  // namespace
}  // namespace tritcheck

int main(int argc, char** argv) {
  using namespace tritcheck;
  constexpr int kUsage = 64;
  try {
    bool list = false;
    bool engine = false;
    IsaList allow = isa_from_environment();
    for (int i = 1; i < argc; ++i) {
      const std::string_view option = argv[i];
      if (option == "--list") {
        list = true;
      } else if (option == "--engine") {
        engine = true;
      } else if (option.starts_with("--isa=")) {
        allow = parse_isa_list(option.substr(6));
      } else {
        std::fprintf(stderr, "tritcheck-runner: unknown option '%s'; it knows --list, --engine and --isa=LIST\n",
                     argv[i]);
        return kUsage;
      }
    }
    if (list) {
      print(describe(detect(), allow));
    } else if (engine) {
      serve_engine();
    } else {
      serve(allow);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tritcheck-runner: %s\n", error.what());
    return kUsage;
  }
  return 0;
}
