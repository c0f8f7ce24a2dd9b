// Data of a file in memory, which a thread writes and reads back while the run goes on. It calls neither MPI
// nor HDF5.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "storage/whole_file.hpp"

namespace whorl::storage {

class HeldData {
  public:
    HeldData() = default;
    ~HeldData();
    HeldData(const HeldData&) = delete;
    HeldData& operator=(const HeldData&) = delete;

    void hold(std::int64_t offset, const void* data, std::size_t bytes);
    // The file must live until the thread has ended.
    void start(const WholeFile& file);
    bool ended() const { return ended_; }
    // Waits for the thread, and frees the memory. Throws Error if it failed.
    void wait();

  private:
    struct Piece {
        std::int64_t offset;
        std::vector<std::byte> data;
    };
    void write(const WholeFile& file) const;

    std::vector<Piece> pieces_;
    std::thread thread_;
    std::string failure_;
    std::atomic<bool> ended_ = false;
};

} // namespace whorl::storage
