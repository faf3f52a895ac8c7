// Relocatable objects as TI COFF files (c32.md 10.6): written as version 2, read as 0, 1 or 2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/c32/link/object.hpp"

namespace rtvp::c32 {

/// Sections start at address 0, or where the source demands. Load-address symbols (.label) have
/// storage class 6; the source line map is the COPY section `.rtvp_olines`.
std::vector<std::uint8_t> writeObject(const Object& object);

/// Reads what writeObject wrote, other tools' C3x/C4x objects, and executables (whose sections then
/// are fixed where they lie). Throws CoffError; every offset and count is checked against the file.
Object readObject(std::span<const std::uint8_t> bytes);

/// True if the file's flags say C4x code (10h, as GNU's tools read it).
bool isC4x(std::span<const std::uint8_t> bytes);

/// True if the file says of itself that it is executable: loadCoff reads it. Throws CoffError if it
/// is no COFF file.
bool isExecutable(std::span<const std::uint8_t> bytes);

}  // namespace rtvp::c32
