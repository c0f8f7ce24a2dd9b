#include "device/thread_setup.hpp"

#include <utility>

namespace whorl::device {

namespace {
std::function<void()> setup_of_threads;
}

void set_thread_setup(std::function<void()> setup) { setup_of_threads = std::move(setup); }

void set_up_thread() {
    if (setup_of_threads) setup_of_threads();
}

} // namespace whorl::device
