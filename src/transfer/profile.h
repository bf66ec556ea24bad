#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::transfer {

// An object store and its credentials. The secret and the session token are never printed.
struct Profile {
  std::string name;      // origin, for messages: "profile minio", "this server's store"
  std::string endpoint;  // "https://host:port"
  std::string region = "us-east-1";
  bool path_style = true;  // "/bucket/key"; otherwise "bucket.host/key"
  std::string access_key, secret_key, session_token;
  std::string ca_file;  // PEM; empty for the system's certificates

  // Same store and same rights: objects can be copied inside the store.
  bool SameStore(const Profile& other) const {
    return endpoint == other.endpoint && access_key == other.access_key;
  }
};

// All inputs that can select a store. Texts rather than files, so that the choice is pure.
struct ProfileSources {
  std::string wanted;                   // name of a profile; empty for the default
  std::string endpoint, region, style;  // given on the command line; style is "path" or "virtual"
  std::map<std::string, std::string> environment;  // AWS_… variables are read
  std::string profiles_path, profiles;             // profiles.yaml and its text
  std::string aws_config, aws_credentials;         // texts of ~/.aws/config and credentials
  std::string server;                              // text of endpoint.json of the running server
};

// The profile in order of precedence: the wanted name (in profiles.yaml, else in ~/.aws), an
// endpoint from the command line or AWS_ENDPOINT_URL(_S3) with the keys of the environment or
// ~/.aws, AWS_PROFILE, the profile "default" of profiles.yaml, the store of the running server.
// kNotFound with the next step if none applies; kInvalid if the selected profile is incomplete.
Result<Profile> ChooseProfile(const ProfileSources& sources);

}  // namespace muster::transfer
