#pragma once

#include <string_view>

namespace muster::metrics {

// The one name under which a value is kept, for the many that logs use in any case ("Acc@1",
// "images_per_second"); empty for a name that says nothing to us.
std::string_view CommonName(std::string_view name);

// True for "images", "samples", "tokens" …, of which a throughput counts so many a second.
bool IsCountedThing(std::string_view word);

}  // namespace muster::metrics
