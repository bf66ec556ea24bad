#include "metrics/progress.h"

#include <chrono>
#include <ostream>

#include <gmock/gmock.h>

namespace muster::metrics {
namespace {

using testing::DoubleNear;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::Pair;

struct Line {
  const char* text;
  Values values;
};

void PrintTo(const Line& line, std::ostream* out) { *out << line.text; }

class KnownLines : public testing::TestWithParam<Line> {};

TEST_P(KnownLines, GiveTheirNumbers) {
  const Values values = ReadLine(GetParam().text);
  std::vector<testing::Matcher<std::pair<const std::string, double>>> expected;
  for (const auto& [name, value] : GetParam().values) {
    expected.push_back(Pair(name, DoubleNear(value, 1e-9)));
  }
  EXPECT_THAT(values, ElementsAreArray(expected));
}

INSTANTIATE_TEST_SUITE_P(
    Json, KnownLines,
    testing::Values(
        Line{R"({"event":"epoch","epoch":1,"loss":0.5,"accuracy":0.86,"images_per_second":11800})",
             {{"epoch", 1}, {"loss", 0.5}, {"accuracy", 0.86}, {"throughput", 11800}}},
        Line{R"({"t": 3.5, "world": 2, "name": "x", "ok": true, "none": null})",
             {{"t", 3.5}, {"world", 2}}},
        Line{R"([worker0]:{"loss": 0.25})", {{"loss", 0.25}}},
        Line{R"([1,0]<stdout>:{"step": 20, "lr": 1e-3})", {{"step", 20}, {"learning_rate", 0.001}}},
        Line{R"({"acc": 89.5})", {{"accuracy", 0.895}}}));

INSTANTIATE_TEST_SUITE_P(MindSpore, KnownLines,
                         testing::Values(Line{"epoch: 1 step: 20, loss is 1.23",
                                              {{"epoch", 1}, {"step", 20}, {"loss", 1.23}}},
                                         Line{"epoch time: 2000.1 ms, per step time: 1.2 ms", {}},
                                         Line{"step: [  100/ 390], loss: [0.1230], avg loss:[0.2]",
                                              {{"step", 100}, {"steps", 390}, {"loss", 0.123}}}));

INSTANTIATE_TEST_SUITE_P(
    Keras, KnownLines,
    testing::Values(Line{"Epoch 2/3", {{"epoch", 2}, {"epochs", 3}}},
                    Line{"Epoch 2/3 - loss: 0.25 - accuracy: 0.89",
                         {{"epoch", 2}, {"epochs", 3}, {"loss", 0.25}, {"accuracy", 0.89}}},
                    Line{"469/469 [====================] - 5s 10ms/step - loss: 0.25 - accuracy: "
                         "0.9 - val_loss: "
                         "0.3 - val_accuracy: 0.88",
                         {{"step", 469},
                          {"steps", 469},
                          {"loss", 0.25},
                          {"accuracy", 0.9},
                          {"val_loss", 0.3},
                          {"val_accuracy", 0.88}}},
                    Line{"1/9 [==>...]\b\b\r 2/9 [===>..] - loss: 0.7\r 3/9 [====>.] - loss: 0.6",
                         {{"step", 3}, {"steps", 9}, {"loss", 0.6}}}));

INSTANTIATE_TEST_SUITE_P(
    PyTorch, KnownLines,
    testing::Values(
        Line{"Epoch[1](100/390) Loss 0.1",
             {{"epoch", 1}, {"step", 100}, {"steps", 390}, {"loss", 0.1}}},
        Line{
            "Epoch: [1][ 100/390]\tTime  0.120 ( 0.110)\tLoss 1.5e-01 (2.0e-01)\tAcc@1  89.06 (88)",
            {{"epoch", 1}, {"step", 100}, {"steps", 390}, {"loss", 0.15}, {"accuracy", 0.8906}}},
        Line{"Epoch [1/5], Step [100/600], Loss: 0.5, lr: 0.01",
             {{"epoch", 1},
              {"epochs", 5},
              {"step", 100},
              {"steps", 600},
              {"loss", 0.5},
              {"learning_rate", 0.01}}},
        Line{"Test set: Average loss: 0.0512, Accuracy: 9837/10000 (98%)",
             {{"loss", 0.0512}, {"accuracy", 0.9837}}},
        Line{"Epoch 0:  50%|#####     | 100/200 [00:10<00:10,  9.90it/s, loss=0.5, v_num=0]",
             {{"epoch", 0}, {"step", 100}, {"steps", 200}, {"loss", 0.5}}},
        Line{"{'loss': 0.5, 'learning_rate': 5e-05, 'epoch': 1.5}",
             {{"loss", 0.5}, {"learning_rate", 5e-05}, {"epoch", 1.5}}}));

INSTANTIATE_TEST_SUITE_P(
    Paddle, KnownLines,
    testing::Values(
        Line{
            "[Train][Epoch 1/10][Iter: 100/390]lr(Momentum): 0.1, top1: 0.3, loss: 1.2, ips: 320.5 "
            "samples/s",
            {{"epoch", 1},
             {"epochs", 10},
             {"step", 100},
             {"steps", 390},
             {"learning_rate", 0.1},
             {"accuracy", 0.3},
             {"loss", 1.2},
             {"throughput", 320.5}}},
        Line{"global step 100, epoch: 0, batch: 10, loss: -0.5, speed: 2.3 step/s",
             {{"step", 100}, {"epoch", 0}, {"loss", -0.5}}},
        Line{"ips: 320.5 images/s", {{"throughput", 320.5}}}));

INSTANTIATE_TEST_SUITE_P(Others, KnownLines,
                         testing::Values(Line{"100\timages/sec: 1,234.5 +/- 0.0 (jitter = 0.5)",
                                              {{"throughput", 1234.5}}},
                                         Line{"Speed 11800 samples/sec", {{"throughput", 11800}}},
                                         Line{"accuracy: 89.4%", {{"accuracy", 0.894}}},
                                         Line{"accuracy = 89.4 %", {{"accuracy", 0.894}}},
                                         Line{"Learning rate: 0.5", {{"learning_rate", 0.5}}}));

INSTANTIATE_TEST_SUITE_P(
    Nothing, KnownLines,
    testing::Values(Line{"", {}}, Line{"no number here", {}}, Line{"loss scale: 65536", {}},
                    Line{"01/31 [INFO] 3 files read", {}}, Line{"2024-01-31 12:00:05 ready", {}},
                    Line{"epoch", {}}, Line{"loss: nan 1", {}}, Line{"loss: 1e999", {}},
                    Line{"lossless 3", {}}, Line{"accuracy: 512", {}}, Line{"accuracy: 5/0", {}},
                    Line{"Epoch 00003: val_loss improved from 0.3 to 0.2", {{"epoch", 3}}}));

TEST(ReadLine, LooksAtTheBeginningOfAnEndlessLineOnly) {
  std::string line = "loss: 0.5 ";
  line.append(1 << 20, '1');
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(ReadLine(line).at("loss"), 0.5);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  EXPECT_THAT(ReadLine(std::string(1 << 20, 'x') + " loss: 0.5"), IsEmpty());
}

TEST(ReadLine, TakesAnyBytes) {
  EXPECT_THAT(ReadLine(std::string_view("\0\xff\xfe{1\x80", 7)), IsEmpty());
  EXPECT_EQ(ReadLine("\xff\xff loss: 0.5").at("loss"), 0.5);
  EXPECT_THAT(ReadLine("{" + std::string(4000, '[') + "1}"), IsEmpty());
  for (int byte = 0; byte < 256; ++byte) ReadLine(std::string("epoch 1") + char(byte));
}

TEST(ReadLine, KeepsFewNamesOfAHugeObject) {
  std::string line = "{";
  for (int i = 0; i < 300; ++i) line += "\"n" + std::to_string(i) + "\":1,";
  line += "\"loss\":1}";
  EXPECT_LE(ReadLine(line).size(), 64u);
}

TEST(Progress, KeepsTheLatestOfEveryNameAndSaysWhetherAnythingChanged) {
  Progress progress;
  EXPECT_TRUE(progress.Take("epoch 1/3 loss: 0.5"));
  EXPECT_FALSE(progress.Take("epoch 1/3 loss: 0.5"));
  EXPECT_FALSE(progress.Take("saving"));
  EXPECT_TRUE(progress.Take("epoch 2/3"));
  EXPECT_EQ(progress.values(), (Values{{"epoch", 2}, {"epochs", 3}, {"loss", 0.5}}));
}

TEST(Progress, DoesNotGrowWithoutBound) {
  Progress progress;
  for (int i = 0; i < 1'000; ++i) progress.Take("{\"name" + std::to_string(i) + "\": 1}");
  EXPECT_LE(progress.values().size(), 64u);
}

TEST(ProgressText, IsOneReadableLine) {
  EXPECT_EQ(ProgressText({{"epoch", 2},
                          {"epochs", 3},
                          {"loss", 0.25743},
                          {"accuracy", 0.894},
                          {"throughput", 11800}}),
            "epoch 2/3 · loss 0.2574 · accuracy 89.4 % · 11800 items/s");
  EXPECT_EQ(ProgressText({{"step", 10}, {"epoch", 1.5}, {"other", 3}, {"throughput", 2.345}}),
            "epoch 1.5 · step 10 · 2.35 items/s");
  EXPECT_EQ(ProgressText({}), "");
  EXPECT_EQ(ProgressText({{"epoch", 1e300}}), "epoch 1e+300");
}

TEST(Values, SurviveJson) {
  const Values values{{"loss", 0.5}, {"epoch", 2}};
  EXPECT_EQ(ValuesFromJson(ToJsonObject(values)), values);
  EXPECT_THAT(ValuesFromJson(json::object{{"a", "x"}, {"b", nullptr}}), IsEmpty());
}

}  // namespace
}  // namespace muster::metrics
