#include "os/packet.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace muster::os {
namespace {

TEST(PacketTest, NumberAndDescriptorArriveTogether) {
  auto pair = PacketPair();
  ASSERT_TRUE(pair);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  ASSERT_TRUE(SendPacket(pair->first.get(), 7, writer.get()));
  writer.Reset();
  auto packet = ReceivePacket(pair->second.get());
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->number, 7);
  ASSERT_TRUE(packet->fd);
  EXPECT_EQ(::fcntl(packet->fd.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  ASSERT_EQ(::write(packet->fd.get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(::read(reader.get(), &byte, 1), 1);
}

TEST(PacketTest, NumberWithoutDescriptor) {
  auto pair = PacketPair();
  ASSERT_TRUE(pair);
  ASSERT_TRUE(SendPacket(pair->first.get(), -3, -1));
  const auto packet = ReceivePacket(pair->second.get());
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->number, -3);
  EXPECT_FALSE(packet->fd);
}

TEST(PacketTest, ReceiveReturnsNothingAfterThePeerClosed) {
  auto pair = PacketPair();
  ASSERT_TRUE(pair);
  pair->first.Reset();
  EXPECT_FALSE(ReceivePacket(pair->second.get()));
  EXPECT_FALSE(SendPacket(pair->second.get(), 1, -1));
}

TEST(PacketTest, ReceiveRejectsOtherPackets) {
  auto pair = PacketPair();
  ASSERT_TRUE(pair);
  ASSERT_EQ(::send(pair->first.get(), "ab", 2, 0), 2);
  EXPECT_FALSE(ReceivePacket(pair->second.get()));
}

}  // namespace
}  // namespace muster::os
