/*
 * A server for the kernel's nbd, of zeroes:
 *
 *     nbd_server /dev/nbdN [zeroes=0|1] [trim=0|1] [block=512] [megabytes=16]
 *
 * It takes writes and forgets them. `zeroes` is the flag NBD_FLAG_SEND_WRITE_ZEROES, all that the kernel's limit of a
 * zeroes command comes from.
 */
#include <endian.h>
#include <fcntl.h>
#include <linux/nbd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of the protocol, not in the kernel's header. */
enum { SEND_WRITE_ZEROES = 1 << 6, MOST = 32 << 20 };

static uint8_t data[MOST];

static void all(int fd, int out, void *bytes, size_t length)
{
	for (size_t at = 0; at < length;) {
		ssize_t part = out ? write(fd, (uint8_t *)bytes + at, length - at) : read(fd, (uint8_t *)bytes + at, length - at);
		if (part <= 0)
			exit(0);
		at += part;
	}
}

static void serve(int fd)
{
	struct { uint32_t magic, type; uint8_t cookie[8]; uint64_t from; uint32_t length; } __attribute__((packed)) request;
	struct { uint32_t magic, error; uint8_t cookie[8]; } reply = { .magic = htobe32(NBD_REPLY_MAGIC) };
	for (;;) {
		all(fd, 0, &request, sizeof request);
		uint32_t type = be32toh(request.type) & 0xffff, length = be32toh(request.length);
		if (type == NBD_CMD_DISC)
			exit(0);
		int carries = type == NBD_CMD_READ || type == NBD_CMD_WRITE;
		if (carries && length > MOST)
			exit(1);
		if (type == NBD_CMD_WRITE)
			all(fd, 0, data, length);
		memcpy(reply.cookie, request.cookie, sizeof reply.cookie);
		all(fd, 1, &reply, sizeof reply);
		if (type == NBD_CMD_READ) {
			memset(data, 0, length);
			all(fd, 1, data, length);
		}
	}
}

int main(int count, char **words)
{
	unsigned long zeroes = 1, trim = 1, block = 512, megabytes = 16;
	int ends[2], device = count > 1 ? open(words[1], O_RDWR) : -1;
	if (device < 0)
		return fprintf(stderr, "usage: nbd_server /dev/nbdN [NAME=VALUE]...\n"), 2;
	for (int at = 2; at < count; at++) {
		sscanf(words[at], "zeroes=%lu", &zeroes);
		sscanf(words[at], "trim=%lu", &trim);
		sscanf(words[at], "block=%lu", &block);
		sscanf(words[at], "megabytes=%lu", &megabytes);
	}
	unsigned long flags = NBD_FLAG_HAS_FLAGS | NBD_FLAG_SEND_FLUSH | (trim ? NBD_FLAG_SEND_TRIM : 0)
			      | (zeroes ? SEND_WRITE_ZEROES : 0);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || ioctl(device, NBD_SET_BLKSIZE, block)
	    || ioctl(device, NBD_SET_SIZE_BLOCKS, (megabytes << 20) / block) || ioctl(device, NBD_SET_FLAGS, flags)
	    || ioctl(device, NBD_SET_SOCK, ends[1]))
		return perror("nbd_server"), 2;
	if (fork() == 0) {
		close(ends[1]);
		serve(ends[0]);
	}
	close(ends[0]);
	ioctl(device, NBD_DO_IT);
	return 0;
}
