// The program that calls kernels. tritcheck starts it, here or under an emulator, and speaks the protocol of
// harness/protocol with it; `tritcheck-runner --list` is for people.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "harness/base/allocator.h"
#include "harness/protocol/messages.h"
#include "harness/runner/channel.h"
#include "harness/runner/inventory.h"
#include "harness/runner/program/engine_loop.h"
#ifdef TRITCHECK_LIBRARIES
#include "harness/runner/library/library.h"
#endif

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

// What this runner holds: the functions of a library instead of its own kernels, if it was given one.
std::vector<Caller::Entry> hold(const Features& features, const IsaList& allow, const std::string& library) {
#ifdef TRITCHECK_LIBRARIES
  if (!library.empty()) {
    LoadedLibrary loaded = load_library(library);
    WorkerInfo info = describe(features, allow);
    info.compiler = "a library";
    info.flags.clear();
    info.library = std::move(loaded.info);
    info.kernels = std::move(loaded.kernels);
    send_hello(info);
    return std::move(loaded.functions);
  }
#else
  if (!library.empty()) fail("this runner is linked statically and loads no library");
#endif
  send_hello(describe(features, allow));
  return inventory(features);
}

void serve(const IsaList& allow, const std::string& library) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  open_channel();
  start_watch();
  keep_freed_memory();
  Caller caller(hold(detect(), allow, library));
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
    std::string library;
    IsaList allow = isa_from_environment();
    for (int i = 1; i < argc; ++i) {
      const std::string_view option = argv[i];
      if (option == "--list") {
        list = true;
      } else if (option == "--engine") {
        engine = true;
      } else if (option.starts_with("--isa=")) {
        allow = parse_isa_list(option.substr(6));
      } else if (option.starts_with("--library=")) {
        library = option.substr(10);
      } else {
        std::fprintf(
            stderr, "tritcheck-runner: unknown option '%s'; it knows --list, --engine, --library=FILE and --isa=LIST\n",
            argv[i]);
        return kUsage;
      }
    }
    if (list) {
      print(describe(detect(), allow));
    } else if (engine) {
      serve_engine();
    } else {
      serve(allow, library);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tritcheck-runner: %s\n", error.what());
    return kUsage;
  }
  return 0;
}
