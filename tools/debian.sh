# Debian packages, where they may be installed: sourced after tools/watched.sh.

# Packages that this script asked for and that are not all installed yet, since a try was interrupted.
debian_begun=build/setup/debian-${0##*/}.begun

# Prints how to become root, nothing when already root; fails when neither is possible.
root_prefix() {
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null && echo "sudo -n"
    fi
}

apt_get() {
    local prefix
    prefix=$(root_prefix)
    $prefix env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

# Each package is fetched, unpacked and set up.
apt_steps() {
    awk '/ newly installed/ { all = 3 * ($1 + $3) }
        /^(Get:|Unpacking |Setting up )/ { done += all > 0 }
        END { if (all) printf "%d of %d steps", done, all; else print substr($0, 1, 50) }' "$1"
}

# A mirror that does not answer is no reason to stop while the packages can be had.
apt_install() {
    apt_get update || echo "apt-get update failed, going on without"
    apt_get install -y --fix-broken --no-install-recommends "$@" && return
    echo "Trying once more, as after an interruption"
    $(root_prefix) dpkg --configure -a || true
    apt_get install -y --fix-broken --no-install-recommends "$@"
}

install_debian() {
    if ! command -v apt-get >/dev/null || ! root_prefix >/dev/null; then
        fail "these Debian packages are missing and may not be installed from here: $*." \
            "Have them installed (apt-get install $*), or load what provides them, and try again."
    fi
    printf '%s\n' "$@" >"$debian_begun"
    say "Debian packages: $*"
    watched "installing Debian packages" build/setup/debian.log apt_steps apt_install "$@"
    rm "$debian_begun"
}
