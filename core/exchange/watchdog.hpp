// Ends a run whose exchange does not end: MPI waits forever for a rank that hangs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace whorl::exchange {

class Watchdog {
  public:
    // 0 seconds: no limit. The message names this rank.
    Watchdog(double seconds, int rank);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // Limits the time of `what` for batch `batch` (negative: no batch) during its lifetime; when the time is
    // over, the process ends with a message, and mpiexec ends the job.
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
    const char* what_ = nullptr; // null: no exchange is in progress
    int batch_ = 0;
    Clock::time_point since_;
    bool ends_ = false;
    std::thread thread_;
};

} // namespace whorl::exchange
