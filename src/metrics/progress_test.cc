#include "metrics/progress.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <ostream>

#include <fmt/format.h>
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
             {{"test_loss", 0.0512}, {"test_accuracy", 0.9837}}},
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
                                         Line{"step 3 Learning rate: 0.5",
                                              {{"step", 3}, {"learning_rate", 0.5}}}));

INSTANTIATE_TEST_SUITE_P(
    Nothing, KnownLines,
    testing::Values(Line{"", {}}, Line{"no number here", {}}, Line{"loss scale: 65536", {}},
                    Line{"01/31 [INFO] 3 files read", {}}, Line{"2024-01-31 12:00:05 ready", {}},
                    Line{"epoch", {}}, Line{"loss: 1e999", {}}, Line{"lossless 3", {}},
                    Line{"accuracy: 512", {}}, Line{"accuracy: 5/0", {}},
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

// Texts that look like a measured value and are none.
INSTANTIATE_TEST_SUITE_P(
    NotMeasured, KnownLines,
    testing::Values(Line{"Namespace(epochs=90, step=30, lr=0.1, loss=0.5)", {}},
                    Line{"TrainingArguments(learning_rate=5e-05, loss=0.1)", {}},
                    Line{"learning_rate: 0.001", {}}, Line{"step: 30", {}},
                    Line{"  epochs: 90", {}},
                    Line{"python train.py --lr 0.1 --step 30 --loss 0.5", {}},
                    Line{R"({"epochs": 90, "batch_size": 32, "lr": 0.1, "loss": 0.5})", {}},
                    Line{"loading checkpoint with best accuracy: 0.95 at epoch 40", {}},
                    Line{"=> loaded checkpoint 'model.pth' (epoch 90, best_acc1 76.130)", {}},
                    Line{"Best val Acc: 0.921875", {}},
                    Line{"new best accuracy 0.9156 (was 0.0)", {}},
                    Line{"Expected accuracy after training: 97.5%", {}},
                    Line{"Validation loss decreased (inf --> 0.276664). Saving model ...", {}},
                    Line{"ips: 127.0.0.1", {}}, Line{"ips: 127", {}}, Line{"loss: 0.5M", {}},
                    Line{"teacher_loss 1.1 kd loss 0.5 loss_cls: 0.3 loss scale: 2", {}},
                    Line{"# step 95/120 loss: 0.0001", {}}, Line{"+ train --acc 0.9 acc=0.9", {}},
                    Line{"iteration (ms): 2.8", {}}, Line{"step 7/0", {}}));

INSTANTIATE_TEST_SUITE_P(
    Phases, KnownLines,
    testing::Values(
        Line{"Validation loss: 0.25", {{"val_loss", 0.25}}},
        Line{
            "{'eval_loss': 0.25, 'eval_accuracy': 0.9, 'eval_samples_per_second': 8e4, 'epoch': 2}",
            {{"val_loss", 0.25}, {"val_accuracy", 0.9}, {"epoch", 2}}},
        Line{"epoch 2: val loss: 0.26 val acc: 0.9",
             {{"epoch", 2}, {"val_loss", 0.26}, {"val_accuracy", 0.9}}},
        Line{"epoch 1 train loss 0.5 valid loss 0.4",
             {{"epoch", 1}, {"loss", 0.5}, {"val_loss", 0.4}}},
        Line{R"({"split": "val", "epoch": 1, "step": 7, "loss": 0.3})",
             {{"epoch", 1}, {"val_loss", 0.3}}},
        Line{"[Eval][Epoch 2][Iter: 3/10]loss: 0.3, top1: 0.9, ips: 1024.5 images/sec",
             {{"epoch", 2}, {"val_loss", 0.3}, {"val_accuracy", 0.9}}},
        Line{"step 10 loss 0.7886 (avg 1.1565, min 0.7886) | teacher_loss 1.1",
             {{"step", 10}, {"loss", 0.7886}}},
        Line{"Test: [ 9/10] Loss 0.3 (0.4) Acc@1 90.0 ( 91.0)",
             {{"test_loss", 0.4}, {"test_accuracy", 0.91}}},
        Line{"Train Epoch: 3 [1600/1920 (83%)]\tLoss: 0.25", {{"epoch", 3}, {"loss", 0.25}}},
        Line{"\x1b[1mstep 10/20\x1b[0m \x1b[31mloss:\x1b[0m \x1b[1m0.5\x1b[0m",
             {{"step", 10}, {"steps", 20}, {"loss", 0.5}}},
        Line{"loss: tensor(0.5, grad_fn=<NllLossBackward0>)", {{"loss", 0.5}}}));

TEST(ReadLine, NanAndInfinitiesAreValues) {
  for (const char* text : {"step 3 loss: nan", "{'loss': 'NaN', 'epoch': 1}", "loss=-nan",
                           R"({"step": 3, "loss": NaN})", R"({"step": 3, "loss": "nan"})"})
    EXPECT_TRUE(std::isnan(ReadLine(text).at("loss"))) << text;
  for (const char* text : {"loss: inf", R"({"loss": Infinity})"})
    EXPECT_EQ(ReadLine(text).at("loss"), std::numeric_limits<double>::infinity()) << text;
  EXPECT_THAT(ReadLine("number of nan iterations: 0"), IsEmpty());
}

Values ReadAll(std::string_view text) {
  Progress progress;
  while (!text.empty()) {
    const size_t end = text.find_first_of("\r\n");
    const bool last = end == text.npos;
    progress.Take(text.substr(0, end), last                ? LineEnd::kCut
                                       : text[end] == '\r' ? LineEnd::kReturn
                                                           : LineEnd::kNewline);
    text.remove_prefix(last ? text.size() : end + 1);
  }
  return progress.values();
}

TEST(Progress, DivergedRunShowsNanInsteadOfItsLastFiniteLoss) {
  Progress progress;
  progress.Take("step 10 loss: 0.5");
  EXPECT_TRUE(progress.Take("step 20 loss: nan"));
  EXPECT_TRUE(std::isnan(progress.values().at("loss")));
  EXPECT_EQ(ProgressText(progress.measured()), "step 20 · loss nan");
  EXPECT_FALSE(progress.Take("step 20 loss: nan")) << "NaN is no change against NaN";
}

TEST(Progress, SourceLinesOfATracebackAreIgnored) {
  const Values expected{{"step", 10}, {"loss", 0.5}};
  EXPECT_EQ(ReadAll("step 10 loss: 0.5\n"
                    "Traceback (most recent call last):\n"
                    "  File \"/a/train.py\", line 70, in <module>\n"
                    "    train(loss=0.1)  # step 95 loss: 0.0001\n"
                    "    ^^^^^\n"
                    "ValueError: step 99 loss: 0.25\n"),
            expected);
  EXPECT_EQ(ReadAll("step 10 loss: 0.5\n"
                    "/a/train.py:12: UserWarning: step 11\n"
                    "  print(\"step 12 loss: 0.1\")\n"),
            expected);
}

TEST(Progress, BarsOfEvaluationAndPreparationAreNotTheTrainings) {
  const Values expected{{"step", 20}, {"steps", 50}, {"loss", 0.5}};
  const std::string train = "\rTrain:  40%|####  | 20/50 [00:01<00:02, 20.0it/s, loss=0.5]";
  for (const char* name : {"Evaluating", "Tokenizing", "Saving model.bin", "Downloading shards",
                           "Map (num_proc=2)", "Building vocab (lr=0.1, loss=none)"})
    EXPECT_EQ(ReadAll(train + "\n\r" + name + ": 100%|####| 9/9 [00:01<00:00, 80.0it/s]\n"),
              expected)
        << name;
}

TEST(Progress, NestedBarWithoutDescriptionIsAnEvaluation) {
  EXPECT_EQ(ReadAll(" 33%|###   | 40/120 [00:01<00:02, 20.0it/s]\r"
                    " 50%|#####| 2/4 [00:00<00:00, 80.0it/s]\r"),
            (Values{{"step", 40}, {"steps", 120}}));
}

TEST(Progress, SeveralLoopsWithoutDescriptionGiveNoStep) {
  std::string text = "100%|####| 1600/1600 [00:01<00:00, 20.0it/s]\n";
  for (int i = 0; i < 3; ++i) text += "100%|####| 40/40 [00:01<00:00, 20.0it/s]\n";
  EXPECT_THAT(ReadAll(text), IsEmpty());
}

TEST(Progress, KerasEvaluationAfterTheLastEpochIsNotTheTrainings) {
  EXPECT_EQ(ReadAll("Epoch 2/2\n"
                    "40/40 - 0s - loss: 0.5 - accuracy: 0.75 - val_loss: 0.4\n"
                    "10/10 - 0s - loss: 0.2 - accuracy: 0.9\n"),
            (Values{{"epoch", 2},
                    {"epochs", 2},
                    {"step", 40},
                    {"steps", 40},
                    {"loss", 0.5},
                    {"accuracy", 0.75},
                    {"val_loss", 0.4}}));
}

TEST(Progress, ValueOlderThanTheCurrentStepSaysItsStep) {
  Progress progress;
  progress.Take("step 30 loss: 0.5");
  progress.Take(" 33%|###   | 40/120 [00:01<00:02, 20.0it/s]", LineEnd::kReturn);
  EXPECT_EQ(ProgressText(progress.measured()), "step 40/120 · loss 0.5 (step 30)");
  EXPECT_EQ(MeasuredToJson(progress.measured()).at("at"),
            (json::object{{"loss", {{"step", 30.0}}}}));
  progress.Take("step 50/120 loss: 0.25");
  EXPECT_EQ(ProgressText(progress.measured()), "step 50/120 · loss 0.25");
}

TEST(Progress, NumberThatABarCutsOffIsIgnored) {
  EXPECT_EQ(ReadAll("step 1 loss: 0.5 acc: 0.75\n"
                    "step 2 acc: 0.5 loss: 0.2\r"
                    "ep2:  32%|##| 13/40 [00:00<00:00, 6.0it/s]83\n")
                .at("loss"),
            0.5);
  EXPECT_EQ(ReadAll("loss: 0.5\rloss: 0.25\rdone\n").at("loss"), 0.25);
}

TEST(Progress, OnlyTheLowestRankOfAPrefixedOutputIsRead) {
  for (const char* form : {"[default{}]:", "[rank{}]: ", "[1,{}]<stdout>:"}) {
    const auto line = [form](int rank, const char* text) {
      return fmt::format(fmt::runtime(form), rank) + text;
    };
    EXPECT_EQ(ReadAll(line(1, "loss: 0.9\n") + line(0, "loss: 0.5\n") + line(1, "loss: 0.8\n")),
              (Values{{"loss", 0.5}}))
        << form;
  }
}

TEST(Progress, RanksWithoutPrefixInOneOutputGiveNoValues) {
  std::string text;
  for (int step = 10; step < 50; step += 10)
    for (const double loss : {0.5, 0.75})
      text += fmt::format("epoch: 1 step: {} loss: {}\n", step, loss + step / 1000.0);
  EXPECT_THAT(ReadAll(text), IsEmpty());
}

TEST(Progress, MeansOverTheWholeRunAreNotTheLastLoss) {
  EXPECT_EQ(ReadAll("{'loss': 0.25, 'epoch': 3.0}\n"
                    "{'train_runtime': 0.5, 'train_samples_per_second': 800.5, "
                    "'train_loss': 0.75, 'epoch': 3.0}\n"),
            (Values{{"loss", 0.25}, {"epoch", 3}, {"throughput", 800.5}}));
}

TEST(Progress, KeepsTheLatestOfEveryNameAndSaysWhetherAnythingChanged) {
  Progress progress;
  EXPECT_TRUE(progress.Take("epoch 1/3 loss: 0.5"));
  EXPECT_FALSE(progress.Take("epoch 1/3 loss: 0.5"));
  EXPECT_FALSE(progress.Take("saving"));
  EXPECT_TRUE(progress.Take("epoch 2/3"));
  EXPECT_EQ(progress.values(), (Values{{"epoch", 2}, {"epochs", 3}, {"loss", 0.5}}));
  EXPECT_EQ(ProgressText(progress.measured()), "epoch 2/3 · loss 0.5 (epoch 1)");
}

TEST(Progress, DoesNotGrowWithoutBound) {
  Progress progress;
  for (int i = 0; i < 1'000; ++i) progress.Take("{\"name" + std::to_string(i) + "\": 1}");
  EXPECT_LE(progress.values().size(), 64u);
}

TEST(ProgressText, IsOneReadableLine) {
  const auto text = [](Values values) { return ProgressText({std::move(values), {}}); };
  EXPECT_EQ(text({{"epoch", 2},
                  {"epochs", 3},
                  {"loss", 0.25743},
                  {"accuracy", 0.894},
                  {"throughput", 11800}}),
            "epoch 2/3 · loss 0.2574 · accuracy 89.4 % · 11800 items/s");
  EXPECT_EQ(text({{"step", 10}, {"epoch", 1.5}, {"other", 3}, {"throughput", 2.345}}),
            "epoch 1.5 · step 10 · 2.35 items/s");
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({{"epoch", 1e300}}), "epoch 1e+300");
}

TEST(Measured, SurvivesJson) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Measured measured{{{"loss", std::nan("")}, {"a", infinity}, {"b", -infinity}, {"step", 2}},
                          {{"loss", {.step = 1, .epoch = {}}}}};
  const json::object object = MeasuredToJson(measured);
  EXPECT_EQ(
      ToJson(object),
      R"({"values":{"a":"inf","b":"-inf","loss":"nan","step":2.0},"at":{"loss":{"step":1.0}}})");
  EXPECT_TRUE(Same(MeasuredFromJson(object), measured));
  EXPECT_THAT(ValuesFromJson(json::object{{"a", "x"}, {"b", nullptr}}), IsEmpty());
}

}  // namespace
}  // namespace muster::metrics
