#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::dialect {

// The addresses of the network cards of NPUs, which rank tables need and allocations may lack.

// Parses /etc/hccn.conf (lines address_<N>=<IP>) into device number and address. Ignores other
// lines; kInvalid with the line if an address is invalid or duplicate.
Result<std::map<int, std::string>> ParseHccnConf(std::string_view text);

// The addresses of these devices in order. kNotFound names the first missing one.
Result<std::vector<std::string>> PickAddresses(const std::map<int, std::string>& known,
                                               const std::vector<int>& devices);

// An address by rule: a text in which {…} contains an expression over s (index of the server from
// 0) and d (device number) with + - *
// % and parentheses. kInvalid names the invalid position, or the result if it is not an address.
Result<std::string> AddressByRule(std::string_view rule, int server, int device);

// Eight devices in four planes, two per plane and server: the wiring of a 910 server.
inline constexpr std::string_view kPlanesRule = "192.168.{10+10*(d%4)}.{1+2*s+d/4}";

}  // namespace muster::dialect
