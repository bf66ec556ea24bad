#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::dialect {

// The addresses of the network cards inside NPUs, which rank tables need and no allocation knows.

// The text of a server's /etc/hccn.conf (lines address_<N>=<IP>): device number -> address. Other
// lines are left alone; kInvalid, the line named, when an address is none or stands twice.
Result<std::map<int, std::string>> ParseHccnConf(std::string_view text);

// Those of these devices, in their order. kNotFound names the first that the file has not.
Result<std::vector<std::string>> PickAddresses(const std::map<int, std::string>& known,
                                               const std::vector<int>& devices);

// An address by rule: text in which {…} holds a sum over s (the server's place, from 0) and d (the
// device's number), with + - * / % and parentheses. kInvalid names the place that cannot be read,
// or the result when it is no address.
Result<std::string> AddressByRule(std::string_view rule, int server, int device);

// Eight devices in four planes, two of each in a server: how the cards of a 910 server are wired.
inline constexpr std::string_view kPlanesRule = "192.168.{10+10*(d%4)}.{1+2*s+d/4}";

}  // namespace muster::dialect
