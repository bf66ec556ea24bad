#include "dialect/store_grants.h"

#include <gmock/gmock.h>

#include "model/spec_reader.h"

namespace muster::dialect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<StoreGrant> GrantsOf(std::string_view text) {
  const auto document = ReadDocument(text, TextFormat::kGuess, nullptr);
  const auto specs = ReadSpecs(document.value(), {});
  if (!specs) ADD_FAILURE() << FaultText(specs.error(), "job.yaml");
  return specs ? StoreGrantsOf(specs->front(), 7) : std::vector<StoreGrant>();
}

TEST(StoreGrants, JobIdIsPartOfThePrefix) {
  EXPECT_THAT(GrantsOf("run: train.py\noutputs: {o: 's3://out/run-${job_id}/'}\n"),
              ElementsAre(StoreGrant{"out", "run-7/", true}));
}

TEST(StoreGrants, InputsAndCodeAreReadOutputsAndLogsAreWritten) {
  EXPECT_THAT(
      GrantsOf("run: train.py\ncode: s3://code/v1/\ninputs: {a: 's3://inp/set/', b: /data}\n"
               "outputs: {o: 'obs://out/run/', p: /x}\nlogs: s3://logs/l/\n"),
      UnorderedElementsAre(StoreGrant{"code", "v1/", false}, StoreGrant{"inp", "set/", false},
                           StoreGrant{"out", "run/", true}, StoreGrant{"logs", "l/", true}));
  EXPECT_THAT(GrantsOf("run: train.py\n"), IsEmpty());
}

TEST(StoreGrants, BucketsThatTheJobNamesAreUsedAsAWhole) {
  EXPECT_THAT(GrantsOf("run: 'cp obs://one/x . && true'\nparameters: {data_url: s3://two/x/}\n"
                       "env: {PLACE: 's3://three'}\nhooks: {setup: 'muster cp s3://four/x .'}\n"),
              UnorderedElementsAre(StoreGrant{"one", "", true}, StoreGrant{"two", "", true},
                                   StoreGrant{"three", "", true}, StoreGrant{"four", "", true}));
}

TEST(StoreGrants, StoreOfTheJobFileReplacesWhatIsNamed) {
  EXPECT_THAT(
      GrantsOf("run: train.py\nparameters: {data_url: s3://two/x/}\n"
               "inputs: {a: 's3://inp/set/'}\nstore: {read: s3://two/x/, write: [s3://www]}\n"),
      UnorderedElementsAre(StoreGrant{"inp", "set/", false}, StoreGrant{"two", "x/", false},
                           StoreGrant{"www", "", true}));
  EXPECT_THAT(GrantsOf("run: train.py\nparameters: {data_url: s3://two/x/}\nstore:\n"), IsEmpty());
  EXPECT_THAT(GrantsOf("run: train.py\nstore: {read: '*'}\n"),
              ElementsAre(StoreGrant{"*", "", false}));
}

TEST(StoreGrants, PlacesInOtherStoresAreNotGranted) {
  EXPECT_THAT(GrantsOf("run: train.py\ninputs: {a: 's3://minio@inp/set/'}\n"
                       "parameters: {x: 's3://minio@two/x'}\n"),
              IsEmpty());
}

TEST(StoreGrants, NamesEndWhereABucketNameEnds) {
  EXPECT_THAT(BucketsNamedIn("a = 's3://one/x', \"obs://t-w.o\" s3://ab s3://three. s3://{b}/ "
                             "s3://UPPER s3://"),
              UnorderedElementsAre("one", "t-w.o", "three"));
}

}  // namespace
}  // namespace muster::dialect
