#include "dialect/version.h"

#include "base/text.h"

namespace muster::dialect {

Version VersionOf(const JobSpec& spec, Version current) {
  if (spec.launch.version.empty()) return current;
  const std::vector<std::string> parts = Split(spec.launch.version, '.');
  Version version;
  version.major = int(ParseInt(parts[0]).value_or(0));
  if (parts.size() > 1) version.minor = int(ParseInt(parts[1]).value_or(0));
  return version;
}

}  // namespace muster::dialect
