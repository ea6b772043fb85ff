/*
 * A server for the kernel's ublk, of zeroes:
 *
 *     ublk_server NUMBER [discard=SECTORS] [zeroes=SECTORS] [block=512] [megabytes=16]
 *
 * makes /dev/ublkbNUMBER. It takes writes and forgets them. The limits of discarding and of zeroing are what it tells
 * the driver, in its parameters of type DISCARD; without both there are none. Needs the ioctl-encoded commands (6.4 on).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/ublk_cmd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 8, BUFFER = 512 << 10 };
#define CONTROL(number) _IOWR('u', number, struct ublksrv_ctrl_cmd)
#define OF_QUEUE(number) _IOWR('u', number, struct ublksrv_io_cmd)

/* A ring whose entries are of 128 bytes, so that a command of control fits. */
struct ring {
	int fd;
	unsigned mask, *tail, *cq_head, *cq_tail, cq_mask, *array;
	uint8_t *entries;
	struct io_uring_cqe *cqes;
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void set_up(struct ring *ring)
{
	struct io_uring_params p = { .flags = IORING_SETUP_SQE128 };
	ring->fd = syscall(__NR_io_uring_setup, DEPTH * 2, &p);
	if (ring->fd < 0)
		die("io_uring_setup");
	size_t sq = p.sq_off.array + p.sq_entries * sizeof(unsigned);
	size_t cq = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	uint8_t *rings = mmap(NULL, sq > cq ? sq : cq, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQ_RING);
	ring->entries = mmap(NULL, p.sq_entries * 128, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
	if (rings == MAP_FAILED || ring->entries == MAP_FAILED || !(p.features & IORING_FEAT_SINGLE_MMAP))
		die("rings");
	ring->tail = (unsigned *)(rings + p.sq_off.tail), ring->mask = *(unsigned *)(rings + p.sq_off.ring_mask);
	ring->array = (unsigned *)(rings + p.sq_off.array);
	ring->cq_head = (unsigned *)(rings + p.cq_off.head), ring->cq_tail = (unsigned *)(rings + p.cq_off.tail);
	ring->cq_mask = *(unsigned *)(rings + p.cq_off.ring_mask);
	ring->cqes = (struct io_uring_cqe *)(rings + p.cq_off.cqes);
}

static void put(struct ring *ring, int fd, uint32_t command, uint64_t mark, const void *bytes, size_t length)
{
	unsigned tail = *ring->tail, at = tail & ring->mask;
	struct io_uring_sqe *entry = (struct io_uring_sqe *)(ring->entries + at * 128);
	memset(entry, 0, 128);
	entry->opcode = IORING_OP_URING_CMD, entry->fd = fd, entry->user_data = mark;
	entry->cmd_op = command;
	memcpy(entry->cmd, bytes, length);
	ring->array[at] = at;
	__atomic_store_n(ring->tail, tail + 1, __ATOMIC_RELEASE);
}

static void enter(struct ring *ring, unsigned submit)
{
	if (syscall(__NR_io_uring_enter, ring->fd, submit, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		die("io_uring_enter");
}

static int take(struct ring *ring, uint64_t *mark, int *result)
{
	unsigned head = *ring->cq_head;
	if (head == __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE))
		return 0;
	struct io_uring_cqe *found = &ring->cqes[head & ring->cq_mask];
	*mark = found->user_data, *result = found->res;
	__atomic_store_n(ring->cq_head, head + 1, __ATOMIC_RELEASE);
	return 1;
}

static unsigned long number, discard, zeroes, block = 512, megabytes = 16;

/* The one queue: fetches, and answers whatever comes with success. */
static void *serve(void *unused)
{
	static uint8_t buffers[DEPTH][BUFFER] __attribute__((aligned(4096)));
	char path[32];
	struct ring ring;
	snprintf(path, sizeof path, "/dev/ublkc%lu", number);
	int device = open(path, O_RDWR);
	struct ublksrv_io_desc *requests = mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_POPULATE, device, UBLKSRV_CMD_BUF_OFFSET);
	if (device < 0 || requests == MAP_FAILED)
		die(path);
	set_up(&ring);
	unsigned fresh = 0;
	for (uint16_t tag = 0; tag < DEPTH; tag++, fresh++) {
		struct ublksrv_io_cmd command = { .tag = tag, .addr = (uintptr_t)buffers[tag] };
		put(&ring, device, OF_QUEUE(UBLK_IO_FETCH_REQ), tag, &command, sizeof command);
	}
	for (;;) {
		uint64_t tag;
		int result;
		enter(&ring, fresh);
		for (fresh = 0; take(&ring, &tag, &result);) {
			if (result != UBLK_IO_RES_OK)
				exit(result == UBLK_IO_RES_ABORT ? 0 : 1);
			struct ublksrv_io_cmd command = { .tag = tag, .addr = (uintptr_t)buffers[tag] };
			command.result = requests[tag].nr_sectors << 9;
			memset(buffers[tag], 0, BUFFER);
			put(&ring, device, OF_QUEUE(UBLK_IO_COMMIT_AND_FETCH_REQ), tag, &command, sizeof command);
			fresh++;
		}
	}
	return unused;
}

static void control(struct ring *ring, int fd, unsigned command, void *bytes, uint16_t length, uint64_t value)
{
	struct ublksrv_ctrl_cmd words = { .dev_id = number, .queue_id = -1, .addr = (uintptr_t)bytes, .len = length, .data = { value } };
	uint64_t mark;
	int result = 0;
	put(ring, fd, CONTROL(command), 0, &words, sizeof words);
	enter(ring, 1);
	if (!take(ring, &mark, &result) || result < 0) {
		fprintf(stderr, "ublk_server: command %u of control: %s\n", command, strerror(-result));
		exit(2);
	}
}

int main(int count, char **words)
{
	if (count < 2)
		return fprintf(stderr, "usage: ublk_server NUMBER [NAME=VALUE]...\n"), 2;
	number = strtoul(words[1], NULL, 0);
	for (int at = 2; at < count; at++) {
		sscanf(words[at], "discard=%lu", &discard);
		sscanf(words[at], "zeroes=%lu", &zeroes);
		sscanf(words[at], "block=%lu", &block);
		sscanf(words[at], "megabytes=%lu", &megabytes);
	}
	struct ring ring;
	int fd = open("/dev/ublk-control", O_RDWR);
	if (fd < 0)
		die("/dev/ublk-control");
	set_up(&ring);
	struct ublksrv_ctrl_dev_info about = { .nr_hw_queues = 1, .queue_depth = DEPTH, .max_io_buf_bytes = BUFFER,
					       .dev_id = number, .ublksrv_pid = getpid() };
	control(&ring, fd, UBLK_CMD_ADD_DEV, &about, sizeof about, 0);
	struct ublk_params limits = { .len = sizeof limits, .types = UBLK_PARAM_TYPE_BASIC };
	limits.basic.logical_bs_shift = limits.basic.physical_bs_shift = __builtin_ctzl(block);
	limits.basic.io_min_shift = limits.basic.io_opt_shift = limits.basic.logical_bs_shift;
	limits.basic.max_sectors = BUFFER >> 9;
	limits.basic.dev_sectors = (uint64_t)megabytes << 11;
	if (discard || zeroes) {
		limits.types |= UBLK_PARAM_TYPE_DISCARD;
		limits.discard.discard_granularity = 4096;
		limits.discard.max_discard_sectors = discard;
		limits.discard.max_discard_segments = 1;
		limits.discard.max_write_zeroes_sectors = zeroes;
	}
	control(&ring, fd, UBLK_CMD_SET_PARAMS, &limits, sizeof limits, 0);
	pthread_t queue;
	if (pthread_create(&queue, NULL, serve, NULL))
		die("a thread");
	control(&ring, fd, UBLK_CMD_START_DEV, NULL, 0, getpid());
	pthread_join(queue, NULL);
	return 0;
}
