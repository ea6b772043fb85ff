/*
 * An NVMe/TCP controller that says of itself whatever it is told to, with one namespace of zeroes:
 *
 *     nvme_tcp PORT NQN [mdts=N] [oncs=N] [wzsl=N] [dlfeat=N] [ver=0x10400] [lbads=9] [refuse=OPCODE]
 *
 * QEMU and nvmet set ONCS, WZSL and DLFEAT by their own abilities; this sets their bytes. It has one I/O queue, takes
 * writes and forgets them. A process for each connection, so that nothing is shared but the arguments.
 *
 * Layouts: NVM Express TCP Transport 1.0 section 3.6, NVM Express Base 2.0 sections 3.3.2, 5.17, 6.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IC_REQ = 0, IC_RESP = 1, CAPSULE_CMD = 4, CAPSULE_RESP = 5, H2C_DATA = 6, C2H_DATA = 7, R2T = 9 };
enum { LAST = 4, INVALID_OPCODE = 1, INVALID_FIELD = 2, MOST = 8 << 20 };

static const char *nqn;
static unsigned long mdts, oncs = 0x0c, wzsl, dlfeat, ver = 0x10400, lbads = 9, refuse = 0x100;
static int link_fd;
static uint8_t data[MOST];
static uint32_t cc, csts;

static uint16_t get16(const uint8_t *p) { return p[0] | p[1] << 8; }
static uint32_t get32(const uint8_t *p) { return get16(p) | (uint32_t)get16(p + 2) << 16; }
static void put16(uint8_t *p, uint16_t v) { p[0] = v, p[1] = v >> 8; }
static void put32(uint8_t *p, uint32_t v) { put16(p, v), put16(p + 2, v >> 16); }
static void put64(uint8_t *p, uint64_t v) { put32(p, v), put32(p + 4, v >> 32); }

static void take(void *to, size_t length)
{
	for (size_t at = 0; at < length;) {
		ssize_t got = read(link_fd, (uint8_t *)to + at, length - at);
		if (got <= 0)
			exit(0);
		at += got;
	}
}

static void give(const void *from, size_t length)
{
	for (size_t at = 0; at < length;) {
		ssize_t put = write(link_fd, (const uint8_t *)from + at, length - at);
		if (put <= 0)
			exit(0);
		at += put;
	}
}

static void head(uint8_t *pdu, uint8_t type, uint8_t flags, uint8_t length, uint8_t offset, uint32_t whole)
{
	memset(pdu, 0, length);
	pdu[0] = type, pdu[1] = flags, pdu[2] = length, pdu[3] = offset;
	put32(pdu + 4, whole);
}

static void complete(uint16_t id, uint64_t result, uint16_t status)
{
	uint8_t pdu[24];
	head(pdu, CAPSULE_RESP, 0, 24, 0, 24);
	put64(pdu + 8, result);
	put16(pdu + 20, id);
	put16(pdu + 22, status << 1);
	give(pdu, 24);
}

static void send_data(uint16_t id, uint32_t length)
{
	uint8_t pdu[24];
	head(pdu, C2H_DATA, LAST, 24, 24, 24 + length);
	put16(pdu + 8, id);
	put32(pdu + 16, length);
	give(pdu, 24);
	give(data, length);
}

/* Asks for the data of a command and forgets it. */
static void fetch_data(uint16_t id, uint32_t length)
{
	uint8_t pdu[24];
	head(pdu, R2T, 0, 24, 0, 24);
	put16(pdu + 8, id);
	put32(pdu + 16, length);
	give(pdu, 24);
	for (uint32_t at = 0; at < length;) {
		take(pdu, 24);
		uint32_t part = get32(pdu + 4) - 24;
		if (pdu[0] != H2C_DATA || part > MOST)
			exit(1);
		take(data, part);
		at += part;
	}
}

static void identify_controller(void)
{
	memcpy(data + 4, "zinspect            ", 20);
	memcpy(data + 24, "bytes as they are told to be            ", 40);
	memcpy(data + 64, "1       ", 8);
	data[77] = mdts;
	put16(data + 78, 1);
	put32(data + 80, ver);
	data[111] = 1; /* an I/O controller */
	put16(data + 320, 10);
	data[512] = 0x66, data[513] = 0x44;
	put16(data + 514, 32);
	put32(data + 516, 1);
	put16(data + 520, oncs);
	put32(data + 536, 1 | 1 << 2 | 1 << 20);
	strncpy((char *)data + 768, nqn, 255);
	put32(data + 1792, 4); /* no data in capsules of I/O commands */
	put32(data + 1796, 1);
}

static void identify_namespace(void)
{
	uint64_t blocks = (64ull << 20) >> lbads;
	put64(data, blocks), put64(data + 8, blocks), put64(data + 16, blocks);
	data[33] = dlfeat;
	memcpy(data + 104, "zinspect", 8);
	put32(data + 112, getppid()); /* its own NGUID for each server */
	data[130] = lbads;
}

static int identify(const uint8_t *sqe)
{
	memset(data, 0, 4096);
	switch (sqe[40]) {
	case 0x00: identify_namespace(); return 1;
	case 0x01: identify_controller(); return 1;
	case 0x02:
		if (get32(sqe + 4) == 0)
			put32(data, 1);
		return 1;
	case 0x03:
		data[0] = 2, data[1] = 16; /* NGUID */
		memcpy(data + 4, "zinspect", 8);
		put32(data + 12, getppid());
		return 1;
	case 0x05: return 1;
	case 0x06: data[1] = wzsl; return 1;
	default: return 0;
	}
}

static void fabrics(const uint8_t *sqe, uint16_t id)
{
	uint32_t offset = get32(sqe + 44);
	uint64_t value = 0;
	switch (sqe[4]) {
	case 0x00: /* Property Set */
		if (offset == 0x14) {
			cc = get32(sqe + 48);
			csts = (cc & 1) | (cc & 0xc000 ? 2 << 2 : 0);
		}
		break;
	case 0x01: value = 1; break; /* Connect: controller 1 */
	case 0x04: /* Property Get */
		if (offset == 0)
			value = 31 | 1ull << 16 | 20ull << 24 | 1ull << 37;
		else
			value = offset == 0x08 ? ver : offset == 0x14 ? cc : offset == 0x1c ? csts : 0;
		break;
	default: complete(id, 0, INVALID_OPCODE); return;
	}
	complete(id, value, 0);
}

static void admin(const uint8_t *sqe, uint16_t id, uint32_t length)
{
	switch (sqe[0]) {
	case 0x06:
		if (!identify(sqe)) {
			complete(id, 0, INVALID_FIELD);
			return;
		}
		send_data(id, 4096);
		break;
	case 0x02: /* Get Log Page: nothing to tell */
		memset(data, 0, length);
		send_data(id, length);
		break;
	case 0x0c: return; /* Asynchronous Event Request: held */
	case 0x08: case 0x09: case 0x0a: case 0x18: break; /* Abort, Features (0: one queue), Keep Alive */
	default: complete(id, 0, INVALID_OPCODE); return;
	}
	complete(id, 0, 0);
}

static void io(const uint8_t *sqe, uint16_t id, uint32_t length)
{
	if (sqe[0] == refuse) {
		complete(id, 0, INVALID_FIELD);
		return;
	}
	switch (sqe[0]) {
	case 0x02:
		memset(data, 0, length);
		send_data(id, length);
		break;
	case 0x01: case 0x09: /* Write, Dataset Management */
		if (length)
			fetch_data(id, length);
		break;
	case 0x00: case 0x08: break; /* Flush, Write Zeroes */
	default: complete(id, 0, INVALID_OPCODE); return;
	}
	complete(id, 0, 0);
}

static void serve(void)
{
	uint8_t pdu[128];
	int queue = -1;
	take(pdu, 128);
	if (pdu[0] != IC_REQ)
		exit(1);
	head(pdu, IC_RESP, 0, 128, 0, 128);
	put32(pdu + 12, 128 << 10);
	give(pdu, 128);
	for (;;) {
		take(pdu, 8);
		uint32_t whole = get32(pdu + 4);
		if (pdu[0] != CAPSULE_CMD || whole < 72 || whole > MOST)
			exit(1);
		take(pdu + 8, 64);
		take(data, whole - 72); /* data in the capsule */
		const uint8_t *sqe = pdu + 8;
		uint16_t id = get16(sqe + 2);
		uint32_t length = whole > 72 ? 0 : get32(sqe + 32);
		if (length > MOST)
			complete(id, 0, INVALID_FIELD);
		else if (sqe[0] == 0x7f) {
			if (sqe[4] == 0x01)
				queue = get16(sqe + 42);
			fabrics(sqe, id);
		} else if (queue == 0)
			admin(sqe, id, length);
		else
			io(sqe, id, length);
	}
}

int main(int count, char **words)
{
	static const struct { const char *name; unsigned long *value; } settings[] = {
		{ "mdts", &mdts }, { "oncs", &oncs }, { "wzsl", &wzsl }, { "dlfeat", &dlfeat },
		{ "ver", &ver }, { "lbads", &lbads }, { "refuse", &refuse },
	};
	if (count < 3)
		return fprintf(stderr, "usage: nvme_tcp PORT NQN [NAME=VALUE]...\n"), 2;
	nqn = words[2];
	for (int at = 3; at < count; at++)
		for (size_t one = 0; one < sizeof settings / sizeof *settings; one++) {
			size_t length = strlen(settings[one].name);
			if (!strncmp(words[at], settings[one].name, length) && words[at][length] == '=')
				*settings[one].value = strtoul(words[at] + length + 1, NULL, 0);
		}
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_port = htons(atoi(words[1])),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 8))
		return perror("nvme_tcp"), 2;
	signal(SIGCHLD, SIG_IGN);
	while ((link_fd = accept(listener, NULL, NULL)) >= 0) {
		setsockopt(link_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		if (fork() == 0)
			serve();
		close(link_fd);
	}
	return 1;
}
