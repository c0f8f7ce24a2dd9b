#include "storage/attribute_checksum.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "storage/checksum.hpp"
#include "storage/hdf5.hpp"

namespace whorl::storage {

namespace {

std::uint64_t absorb_text(std::uint64_t hash, const std::string& text) {
    hash = absorb(hash, text.size());
    for (std::size_t begin = 0; begin < text.size(); begin += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + begin, std::min(sizeof word, text.size() - begin));
        hash = absorb(hash, word);
    }
    return hash;
}

std::uint64_t absorb_attribute(std::uint64_t hash, hid_t object, const std::string& name) {
    const AttributeShape shape = shape_of_attribute(object, name);
    hash = absorb(absorb(absorb_text(hash, name), static_cast<std::uint64_t>(shape.kind)), shape.count);
    switch (shape.kind) {
    case H5T_STRING:
        return absorb_text(hash, read_text(object, name));
    case H5T_INTEGER:
        for (const std::int64_t value : read_integers(object, name, shape.count))
            hash = absorb(hash, static_cast<std::uint64_t>(value));
        return hash;
    case H5T_FLOAT:
        for (const double value : read_reals(object, name, shape.count)) hash = absorb(hash, bits(value));
        return hash;
    default:
        throw Error("its attribute " + name + " is neither a number nor a string.");
    }
}

} // namespace

std::uint64_t hash_attributes(hid_t object, const std::vector<std::string>& except) {
    std::uint64_t hash = 0;
    for (const std::string& name : attribute_names(object))
        if (std::ranges::find(except, name) == except.end()) hash = absorb_attribute(hash, object, name);
    return hash;
}

} // namespace whorl::storage
