// Ends a run whose exchange does not: MPI waits for ever for a rank that hangs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace whorl::exchange {

class Watchdog {
  public:
    // 0 seconds: it sleeps. Names this rank in what it says.
    Watchdog(double seconds, int rank);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // While it lives, the time for `what` of batch `batch` (negative: of none) runs; then the process ends
    // with a message, and with it, by mpiexec, the job.
    class Scope {
      public:
        Scope(Watchdog& watchdog, const char* what, int batch) : watchdog_(watchdog) {
            watchdog_.begin(what, batch);
        }
        ~Scope() { watchdog_.end(); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        Watchdog& watchdog_;
    };

    static constexpr int exit_code = 75;

  private:
    using Clock = std::chrono::steady_clock;
    void begin(const char* what, int batch);
    void end();
    void watch();

    double seconds_;
    int rank_;
    std::mutex mutex_;
    std::condition_variable changed_;
    const char* what_ = nullptr; // null: nothing is under way
    int batch_ = 0;
    Clock::time_point since_;
    bool ends_ = false;
    std::thread thread_;
};

} // namespace whorl::exchange
