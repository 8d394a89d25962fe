# Shared by the scripts of this folder: where we are, how we talk, what gets installed.
# Works as root or with sudo, on Debian 12 and Ubuntu 24.04, x86_64 and aarch64; installs only what is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DEBIAN_FRONTEND=noninteractive
host_arch=$(uname -m)
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo --preserve-env=DEBIAN_FRONTEND "$@"
  else
    die "installing packages needs root: run this as root, or install sudo"
  fi
}

packages_build="g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libcli11-dev libpcre2-dev zlib1g-dev"
packages_test="libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev clang clang-format libclang-rt-14-dev"
packages_emulation="qemu-user"
if [ "$host_arch" = x86_64 ]; then
  packages_build="$packages_build libsimde-dev"
  packages_emulation="$packages_emulation g++-aarch64-linux-gnu"
fi
# Ubuntu 24.04 has clang 18 and its runtime under another name
if [ -r /etc/os-release ] && grep -q '^ID=ubuntu' /etc/os-release; then
  packages_test=${packages_test/libclang-rt-14-dev/libclang-rt-18-dev}
fi

# install PACKAGE...: what is missing of these, and nothing else.
install() {
  local missing=()
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  if [ ${#missing[@]} = 0 ]; then
    echo "nothing to install"
    return
  fi
  command -v apt-get >/dev/null || die "this is no Debian or Ubuntu; please install by hand: ${missing[*]}"
  echo "installing: ${missing[*]}"
  as_root apt-get -o DPkg::Lock::Timeout=600 -qq update
  as_root apt-get -o DPkg::Lock::Timeout=600 -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# configure PRESET [CMAKE OPTION...]: into build/PRESET; the runner for ARM comes along where it can be built.
configure() {
  local preset=$1
  shift
  local cross=()
  [ "$host_arch" = x86_64 ] && cross=(-DTRITCHECK_CROSS=aarch64)
  cmake --preset "$preset" "${cross[@]}" "$@" >"build-$preset.log" 2>&1 || {
    cat "build-$preset.log"
    rm -f "build-$preset.log"
    die "cmake could not configure preset $preset"
  }
  rm -f "build-$preset.log"
}

# The machines a run covers: this one, and emulated ones of each feature level.
targets_arm=(qemu:cortex-a53 qemu:cortex-a72 qemu:cortex-a76 qemu:neoverse-n1 qemu:max)
targets_x86=(qemu:x86_64/Conroe qemu:x86_64/Nehalem qemu:x86_64/SandyBridge qemu:x86_64/Haswell)
devices() {
  local out=(--device local)
  for t in "$@"; do out+=(--device "$t"); done
  printf '%s\n' "${out[@]}"
}
