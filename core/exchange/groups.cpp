#include "exchange/groups.hpp"

#include <algorithm>

namespace whorl::exchange {

namespace {

class Groups final : public Transport {
  public:
    explicit Groups(std::vector<std::unique_ptr<Transport>> parts) : parts_(std::move(parts)) {}
    void attach(void* receive, const NodeMemory* shared) override {
        for (const auto& part : parts_) part->attach(receive, shared);
    }
    void start(int batch, void* send, void* receive) override {
        for (const auto& part : parts_) part->start(batch, send, receive);
    }
    void wait(int batch) override {
        for (const auto& part : parts_) part->wait(batch);
    }
    int messages() const override {
        int sum = 0;
        for (const auto& part : parts_) sum += part->messages();
        return sum;
    }
    void progress() override {
        for (const auto& part : parts_) part->progress();
    }
    bool on_queue() const override { return parts_.front()->on_queue(); }
    void settle(int batch) override {
        for (const auto& part : parts_) part->settle(batch);
    }

  private:
    std::vector<std::unique_ptr<Transport>> parts_;
};

} // namespace

std::vector<Pattern> part_of(const std::vector<Pattern>& patterns, int first, int some) {
    std::vector<Pattern> parts;
    for (const Pattern& pattern : patterns) {
        Pattern& part = parts.emplace_back();
        for (const Chunk& chunk : pattern.send) part.send.push_back(chunk.part(first, some));
        for (const Chunk& chunk : pattern.receive) part.receive.push_back(chunk.part(first, some));
    }
    return parts;
}

Maker in_groups(int variables_per_message, const Maker& make) {
    return [=](const Communicator& communicator, const std::vector<Pattern>& batches, int variables,
               int element) -> std::unique_ptr<Transport> {
        std::vector<std::unique_ptr<Transport>> parts;
        for (int first = 0; first < variables; first += variables_per_message) {
            const int some = std::min(variables_per_message, variables - first);
            parts.push_back(make(communicator, part_of(batches, first, some), some, element));
        }
        return std::make_unique<Groups>(std::move(parts));
    };
}

} // namespace whorl::exchange
