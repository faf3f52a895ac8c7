// The former place of readFile().
#pragma once

#include "models/common/core/file_io.hpp"  // IWYU pragma: export
