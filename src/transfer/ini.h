#pragma once

#include <map>
#include <string>
#include <string_view>

namespace muster::transfer {

// The sections of ~/.aws/config and ~/.aws/credentials: section name to settings, with setting
// names in lower case. "[profile x]" is "x". Indented lines below a setting without a value belong
// to it: "s3.addressing_style". Other lines are ignored, as the AWS tools do.
using IniSections = std::map<std::string, std::map<std::string, std::string>>;

IniSections ReadIni(std::string_view text);

}  // namespace muster::transfer
