// The files and the writing of a checkpoint, without its format.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exchange/communicator.hpp"

namespace whorl::storage {

// The ranks that write one of `count` files.
struct FileGroup {
    exchange::Communicator ranks;
    int index, count;
};

// Groups of neighbouring ranks, at most one for each rank. Collective.
inline FileGroup in_files(const exchange::Communicator& world, int files) {
    const int count = std::min(files, world.size());
    const int index = static_cast<int>(std::int64_t{world.rank()} * count / world.size());
    return {world.split(index), index, count};
}

// Groups of the ranks of a node, in the order of their first ranks, so that no two nodes write to one file.
// Collective.
inline FileGroup by_node(const exchange::Communicator& world) {
    const exchange::Communicator node = world.node();
    std::vector<std::uint64_t> is_first(static_cast<std::size_t>(world.size()), 0);
    int first = world.rank();
    node.broadcast(&first, sizeof first, 0);
    is_first[static_cast<std::size_t>(first)] = node.rank() == 0 ? 1 : 0;
    world.sum(is_first);
    const auto count = [&](int end) {
        return static_cast<int>(std::count(is_first.begin(), is_first.begin() + end, std::uint64_t{1}));
    };
    return {node, count(first), count(world.size())};
}

struct CheckpointKind {
    const FileGroup* group = nullptr; // of this rank; without one all data are in one file
    bool single = false;              // the precision of the data, in place of that of the fields
    bool held = false;                // the data are held in memory, and a thread writes them
};

// A checkpoint whose data are written, or are held in memory and written by a thread. It appears under its
// name when finish() has returned; without finish() nothing remains and an earlier file of that name stays.
class UnfinishedCheckpoint {
  public:
    virtual ~UnfinishedCheckpoint() = default;
    // Whether finish() does not wait for a thread of this rank.
    virtual bool ready() const = 0;
    // Completes the file, safe on disk and, read back from there, equal to the data in memory. Called by all
    // ranks; if one fails, all throw the same Error.
    virtual void finish() = 0;
};

} // namespace whorl::storage
