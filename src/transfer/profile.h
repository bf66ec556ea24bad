#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::transfer {

// An object store and who we are there. The secret and the session token are never printed.
struct Profile {
  std::string name;      // where it came from, for people: "profile minio", "this server's store"
  std::string endpoint;  // "https://host:port"
  std::string region = "us-east-1";
  bool path_style = true;  // "/bucket/key"; otherwise "bucket.host/key"
  std::string access_key, secret_key, session_token;
  std::string ca_file;  // PEM; empty: the system's

  // The same store and the same rights: an object can be copied there without passing through here.
  bool SameStore(const Profile& other) const {
    return endpoint == other.endpoint && access_key == other.access_key;
  }
};

// All that can say which store is meant. Texts, not files: choosing is pure.
struct ProfileSources {
  std::string wanted;                              // a profile's name; empty: what applies
  std::string endpoint, region, style;             // said by hand; style "path" or "virtual"
  std::map<std::string, std::string> environment;  // AWS_… of it is looked at
  std::string profiles_path, profiles;             // profiles.yaml and its text
  std::string aws_config, aws_credentials;         // texts of ~/.aws/config and credentials
  std::string server;                              // text of the running server's endpoint.json
};

// Who applies, first to last: the wanted name (of profiles.yaml, else of ~/.aws), an endpoint said
// by hand or by AWS_ENDPOINT_URL(_S3) with the keys of the environment or of ~/.aws, AWS_PROFILE,
// the profile "default" of profiles.yaml, the store of the running server. kNotFound with what can
// be done when nothing does; kInvalid when what applies is not whole.
Result<Profile> ChooseProfile(const ProfileSources& sources);

}  // namespace muster::transfer
