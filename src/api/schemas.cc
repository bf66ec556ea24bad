#include "api/schemas.h"

#include <cassert>

namespace muster::api {
namespace {

// Request bodies.
constexpr std::string_view kRequests = R"json({
"Submit": {
  "type": "object", "required": ["spec"], "additionalProperties": false,
  "properties": {
    "spec": {"type": "object",
      "description": "a job file, as /api/v1/schema/job.json describes it; paths absolute"},
    "code_hash": {"type": "string", "maxLength": 64,
      "description": "the code's snapshot, as POST /code answered it"},
    "user": {"type": "string", "maxLength": 256, "description": "who asks, for the record"}}},
"Plan": {
  "type": "object", "required": ["spec"], "additionalProperties": false,
  "properties": {"spec": {"type": "object", "description": "a job file, as in Submit"}}},
"Stop": {
  "type": "object", "additionalProperties": false,
  "properties": {
    "grace": {"type": "string", "maxLength": 32,
      "description": "between TERM and KILL, such as 10s; else as the job file says"},
    "confirm_clean": {"type": "boolean",
      "description": "you have looked: nothing of the job is left on its unproven nodes"},
    "user": {"type": "string", "maxLength": 256, "description": "who asks, for the record"}}},
"Update": {
  "type": "object", "additionalProperties": false,
  "properties": {
    "priority": {"type": "integer", "description": "from -1000 to 1000"},
    "time_limit": {"type": "string", "maxLength": 32, "description": "such as 2h, or none"},
    "held": {"type": "boolean", "description": "a held job does not start"},
    "user": {"type": "string", "maxLength": 256, "description": "who asks, for the record"}}},
"Rerun": {
  "type": "object", "additionalProperties": false,
  "properties": {
    "parameters": {"type": "object", "description": "values that differ from those of the job"},
    "user": {"type": "string", "maxLength": 256, "description": "who asks, for the record"}}},
"Asker": {
  "type": "object", "additionalProperties": false,
  "properties": {"user": {"type": "string", "maxLength": 256,
    "description": "who asks, for the record"}}},
"CodeManifest": {
  "type": "object", "required": ["files"], "additionalProperties": false,
  "properties": {
    "files": {"type": "array", "items": {
      "type": "object", "required": ["path", "sha256"],
      "properties": {
        "path": {"type": "string", "description": "relative, with / between the parts"},
        "sha256": {"type": "string", "description": "of the content; of a link, of its target"},
        "size": {"type": "integer", "minimum": 0},
        "executable": {"type": "boolean"},
        "link": {"type": "string",
          "description": "target of a symbolic link that stays inside"}}}}}}
})json";

// Response bodies.
constexpr std::string_view kAnswers = R"json({
"Error": {
  "type": "object", "required": ["error"], "additionalProperties": false,
  "properties": {"error": {
    "type": "object", "required": ["code", "message", "next"], "additionalProperties": false,
    "properties": {
      "code": {"type": "string", "description": "what a program may branch on",
        "enum": ["invalid", "not_found", "exists", "denied", "conflict", "too_large", "timeout",
          "unavailable", "no_space", "io", "corrupt", "internal"]},
      "message": {"type": "string", "description": "what was tried, on what, and why it failed"},
      "next": {"type": "string", "description": "what to do; may be empty"},
      "faults": {"type": "array", "items": {"$ref": "#/components/schemas/Fault"},
        "description": "everything that is wrong with a body or a job file"}}}}},
"Fault": {
  "type": "object", "required": ["path", "line", "column", "found", "expected", "hint"],
  "properties": {
    "path": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"},
    "found": {"type": "string"}, "expected": {"type": "string"}, "hint": {"type": "string"}}},
"Version": {
  "type": "object", "required": ["name", "version", "commit", "build_date", "api"],
  "additionalProperties": false,
  "properties": {
    "name": {"type": "string"}, "version": {"type": "string"}, "commit": {"type": "string"},
    "build_date": {"type": "string"}, "api": {"type": "string"}}},
"Health": {
  "type": "object", "required": ["status"], "additionalProperties": false,
  "properties": {"status": {"type": "string", "enum": ["ok"]}}},
"Document": {"type": "object"},
"Nodes": {
  "type": "object", "required": ["nodes"], "additionalProperties": false,
  "properties": {"nodes": {"type": "array", "items": {
    "type": "object",
    "required": ["name", "address", "virtual", "devices", "machine", "memory", "jobs", "unproven"],
    "additionalProperties": false,
    "properties": {
      "name": {"type": "string"}, "address": {"type": "string"}, "virtual": {"type": "boolean"},
      "devices": {"type": "object", "description": "by kind", "additionalProperties": {
        "type": "object", "required": ["total", "used", "free", "model"],
        "additionalProperties": false,
        "properties": {
          "total": {"type": "integer"}, "used": {"type": "integer"}, "free": {"type": "integer"},
          "model": {"type": "string"}}}},
      "machine": {"type": "string", "description": "nodes of one machine share its memory"},
      "memory": {"type": "object", "required": ["total", "used"], "additionalProperties": false,
        "description": "bytes of the machine that jobs may use together, and that they asked for",
        "properties": {"total": {"type": "integer"}, "used": {"type": "integer"}}},
      "jobs": {"type": "array", "items": {"type": "integer"}},
      "unproven": {"type": "array", "items": {"type": "integer"},
        "description": "jobs of which processes may be left here; see confirm_clean"}}}}}},
"State": {"type": "string", "enum": ["queued", "starting", "running", "stopping", "succeeded",
  "failed", "stopped"]},
"Submitted": {
  "type": "object", "required": ["jobs", "group", "repeated", "warning"],
  "additionalProperties": false,
  "properties": {
    "jobs": {"type": "array", "items": {
      "type": "object", "required": ["id", "name", "state"], "additionalProperties": false,
      "properties": {
        "id": {"type": "integer"}, "name": {"type": "string"},
        "state": {"$ref": "#/components/schemas/State"}}}},
    "group": {"type": "string", "description": "of a sweep, else empty"},
    "warning": {"type": "string",
      "description": "why the jobs can never start on the nodes there are, else empty"},
    "repeated": {"type": "boolean",
      "description": "the key was seen before: these are the jobs it made then"}}},
"JobRow": {
  "type": "object", "additionalProperties": false,
  "required": ["id", "name", "state", "framework", "group", "user", "reason", "nodes", "ranks",
    "devices", "priority", "created_ms", "started_ms", "ended_ms", "attempts",
    "progress", "output_ms"],
  "properties": {
    "id": {"type": "integer"}, "name": {"type": "string"},
    "state": {"$ref": "#/components/schemas/State"},
    "framework": {"type": "string"}, "group": {"type": "string"}, "user": {"type": "string"},
    "reason": {"type": "string"},
    "nodes": {"type": "integer"}, "ranks": {"type": "integer"}, "devices": {"type": "string"},
    "priority": {"type": "integer"},
    "created_ms": {"type": "integer"}, "started_ms": {"type": "integer"},
    "ended_ms": {"type": "integer"},
    "attempts": {"type": "integer"},
    "progress": {"type": "string", "description": "of a running job: its latest values, or empty"},
    "output_ms": {"type": "integer",
      "description": "of a running job: when its ranks last wrote output; else 0"}}},
"JobList": {
  "type": "object", "required": ["jobs", "next"], "additionalProperties": false,
  "properties": {
    "jobs": {"type": "array", "items": {"$ref": "#/components/schemas/JobRow"}},
    "next": {"type": ["integer", "null"],
      "description": "pass it as `before` for the next page of a list that is sorted by id; null: there is none"},
    "counts": {"type": "object", "additionalProperties": {"type": "integer"},
      "description": "jobs by state, over all states and pages"}}},
"Job": {
  "type": "object",
  "required": ["id", "name", "state", "framework", "group", "user", "reason", "created_ms",
    "ended_ms", "priority", "spec", "attempts", "ranks", "verdict", "folders"],
  "properties": {
    "id": {"type": "integer"}, "name": {"type": "string"},
    "state": {"$ref": "#/components/schemas/State"},
    "framework": {"type": "string"}, "group": {"type": "string"}, "user": {"type": "string"},
    "reason": {"type": "string"},
    "created_ms": {"type": "integer"}, "ended_ms": {"type": "integer"},
    "priority": {"type": "integer"},
    "spec": {"type": "object", "description": "the job file in its normal form"},
    "attempts": {"type": "array", "items": {"type": "object"}},
    "ranks": {"type": "array", "items": {"type": "object"}, "description": "of the latest attempt"},
    "verdict": {"type": ["object", "null"], "description": "of a failed job, or of one that succeeded although its ranks did not form one world"},
    "progress": {"$ref": "#/components/schemas/Progress"},
    "derived_from": {"type": "integer", "description": "the job that this one repeats"},
    "changed_parameters": {"type": "object", "description": "values that differ from that job"},
    "folders": {
      "type": "object", "required": ["job", "logs", "outputs"], "additionalProperties": false,
      "properties": {
        "job": {"type": "string"},
        "logs": {"type": "string",
          "description": "of the latest attempt; empty before the first"},
        "outputs": {"type": "object", "additionalProperties": {"type": "string"},
          "description": "by name"}}}}},
"Progress": {
  "type": "object", "required": ["attempt", "rank", "values", "text"],
  "additionalProperties": false,
  "properties": {
    "attempt": {"type": "integer"}, "rank": {"type": "integer"},
    "values": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Number"},
      "description": "the latest values by name"},
    "at": {"type": "object", "additionalProperties": {"type": "object"},
      "description": "step or epoch of the values that are older than the current one"},
    "reported": {"type": "array", "items": {"type": "string"},
      "description": "names from $MUSTER_METRICS"},
    "text": {"type": "string"}}},
"Number": {"type": ["number", "string"],
  "description": "JSON has no NaN and no infinities: they are the strings nan, inf and -inf"},
"JobState": {
  "type": "object", "required": ["id", "state"], "additionalProperties": false,
  "properties": {"id": {"type": "integer"}, "state": {"$ref": "#/components/schemas/State"}}},
"Why": {
  "type": "object", "required": ["id", "state", "position", "text", "way_out", "expected_ms",
    "can_ever_fit"],
  "additionalProperties": false,
  "properties": {
    "id": {"type": "integer"}, "state": {"$ref": "#/components/schemas/State"},
    "position": {"type": "integer"},
    "text": {"type": "string"}, "way_out": {"type": "string"},
    "expected_ms": {"type": ["integer", "null"]},
    "can_ever_fit": {"type": "boolean"}}},
"Events": {
  "type": "object", "required": ["events"], "additionalProperties": false,
  "properties": {"events": {"type": "array", "items": {
    "type": "object", "required": ["seq", "job", "wall_ms", "kind", "data"],
    "additionalProperties": false,
    "properties": {
      "seq": {"type": "integer"}, "job": {"type": "integer"}, "wall_ms": {"type": "integer"},
      "kind": {"type": "string"},
      "data": {"type": "object"}}}}}},
"LogHits": {
  "type": "object", "required": ["hits", "next"], "additionalProperties": false,
  "properties": {
    "hits": {"type": "array", "items": {
      "type": "object", "required": ["offset", "text"], "additionalProperties": false,
      "properties": {
        "offset": {"type": "integer", "description": "of the line's first byte"},
        "text": {"type": "string", "description": "the part of the line around the match"}}}},
    "next": {"type": ["integer", "null"],
      "description": "pass it as `offset` to go on; null: the whole log was searched"}}},
"SeriesTable": {
  "type": "object", "required": ["series"], "additionalProperties": false,
  "properties": {"series": {"type": "array", "items": {
    "type": "object", "required": ["rank", "name", "points"], "additionalProperties": false,
    "properties": {
      "rank": {"type": "integer"}, "name": {"type": "string"},
      "points": {"type": "array", "description": "[wall_ms, step or null, value or null for NaN and infinities], oldest first",
        "items": {"type": "array"}}}}}}},
"GroupStopping": {
  "type": "object", "required": ["group", "stopping"], "additionalProperties": false,
  "properties": {"group": {"type": "string"}, "stopping": {"type": "integer"}}},
"Orders": {
  "type": "object", "required": ["common", "nodes"], "additionalProperties": false,
  "properties": {
    "common": {"type": "object", "required": ["env", "hosts", "aliases"],
      "additionalProperties": false,
      "properties": {
        "env": {"type": "object"},
        "hosts": {"type": "array", "items": {"type": "object"}},
        "aliases": {"type": "array", "items": {"type": "object"}}},
      "description": "parts of every node's order that are the same on all nodes"},
    "nodes": {"type": "array", "items": {"type": "object"},
      "description": "the other parts of each node's order"}}},
"CodeState": {
  "type": "object", "required": ["hash", "complete", "missing"], "additionalProperties": false,
  "properties": {
    "hash": {"type": "string"}, "complete": {"type": "boolean"},
    "missing": {"type": "array", "items": {"type": "string"},
      "description": "PUT these, then send the manifest again"}}},
"Blob": {
  "type": "object", "required": ["sha256", "size"], "additionalProperties": false,
  "properties": {"sha256": {"type": "string"}, "size": {"type": "integer"}}},
"Blobs": {
  "type": "object", "required": ["files"], "additionalProperties": false,
  "properties": {"files": {"type": "integer"}}},
"ShuttingDown": {
  "type": "object", "required": ["status"], "additionalProperties": false,
  "properties": {"status": {"type": "string", "enum": ["shutting_down"]}}}
})json";

json::object ReadSchemas() {
  json::object all;
  for (const std::string_view part : {kRequests, kAnswers}) {
    Result<json::value> parsed = ParseJson(part);
    assert(parsed && parsed->is_object());
    for (auto& [name, schema] : parsed->as_object()) all.emplace(name, std::move(schema));
  }
  return all;
}

}  // namespace

const json::object& Schemas() {
  static const json::object kSchemas = ReadSchemas();
  return kSchemas;
}

}  // namespace muster::api
