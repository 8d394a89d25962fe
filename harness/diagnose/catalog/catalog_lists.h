// The catalogue in two files; catalog() joins them.
#pragma once

#include "harness/diagnose/catalog/catalog.h"

namespace tritcheck {

/// Mistakes that show with I2_S too.
std::span<const CatalogEntry> common_entries();
/// Mistakes that only formats with scales in every block can have: functions of libraries and plug-ins.
std::span<const CatalogEntry> block_entries();

}  // namespace tritcheck
