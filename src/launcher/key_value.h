#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace muster::launcher {

// The key-value store of Horovod's rendezvous: HTTP requests and responses as values. A path is
// /<scope>/<key>. In each scope rank i of n writes `rank_<i>` and `<i>`, polls the keys of the
// other ranks, and deletes `<i>` after it has read them all. Other ranks still read the key, so a
// scope is removed with its last rank.
class KeyValue {
 public:
  struct Answer {
    int status = 200;
    std::string body;
  };

  // Stores at most `limit` bytes, because clients are not authenticated.
  explicit KeyValue(size_t limit = size_t{256} << 20) : limit_(limit) {}

  Answer Handle(std::string_view method, std::string_view path, std::string_view body);
  size_t bytes() const { return bytes_; }

 private:
  struct Scope {
    std::map<std::string, std::string, std::less<>> values;
    std::set<std::string, std::less<>> finished;
    size_t ranks = 0;  // number of ranks that have written
  };
  using Scopes = std::map<std::string, Scope, std::less<>>;

  Answer Put(std::string_view scope, std::string_view key, std::string_view body);
  Answer Get(std::string_view scope, std::string_view key) const;
  Answer Delete(std::string_view scope, std::string_view key);
  void Drop(Scopes::iterator scope);

  Scopes scopes_;
  size_t limit_;
  size_t bytes_ = 0;
};

}  // namespace muster::launcher
