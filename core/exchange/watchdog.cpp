#include "exchange/watchdog.hpp"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

namespace whorl::exchange {

Watchdog::Watchdog(double seconds, int rank) : seconds_(seconds), rank_(rank) {
    if (seconds_ > 0.0) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Watchdog::begin(const char* what, int batch) {
    if (seconds_ <= 0.0) return;
    const std::lock_guard lock(mutex_);
    what_ = what;
    batch_ = batch;
    since_ = Clock::now();
}

void Watchdog::end() {
    if (seconds_ <= 0.0) return;
    const std::lock_guard lock(mutex_);
    what_ = nullptr;
}

// Checks ten times within the limit, so that the many exchanges that end need not wake this thread.
void Watchdog::watch() {
    const std::chrono::duration<double> limit(seconds_), longest(3600.0); // a wait has a maximum duration
    std::unique_lock lock(mutex_);
    while (!ends_) {
        changed_.wait_for(lock, std::min(limit / 10, longest));
        if (ends_ || what_ == nullptr || Clock::now() - since_ < limit) continue;
        const std::string which = batch_ < 0 ? "" : " of batch " + std::to_string(batch_);
        std::fprintf(stderr,
                     "whorl: rank %d: the %s%s did not end within run.exchange_timeout = %g s: another rank "
                     "hangs or was lost, or the network is slower than that. The checkpoints on disk are "
                     "complete; continue from the last one with whorl restart.\n",
                     rank_, what_, which.c_str(), seconds_);
        std::fflush(stderr);
        // MPI may hold its locks forever, and destructors would wait for them.
        ::_exit(exit_code);
    }
}

} // namespace whorl::exchange
