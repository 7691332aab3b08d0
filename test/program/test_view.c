// test/program/test_view.c: `snug view` answers this machine, GET, and the files it was given; whatever else comes, it
// goes on.
//
// The program is run as a user runs it, and spoken to over sockets. argv: the program.
#include "support.h"

#include "io/asset.h"
#include "io_files.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* program;
static char directory[] = "view_XXXXXX"; // where the test runs
static pid_t server;
static int port;
static char answer[1 << 16];
static size_t answerCount;

static void WriteServed(const char* name, const void* data, size_t count)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	WriteFile(path, data, count);
}

static void WriteText(const char* name, const char* text)
{
	WriteServed(name, text, strlen(text));
}

// A page of three files, a character beside it, and a file that nobody has named.
static void MakeFiles(void)
{
	char path[256];
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/page", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/page/three", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	WriteText("page/index.html", "<p>page");
	WriteText("page/files.json", "[]");
	WriteText("page/three/three.js", "3");
	WriteText("page/.secret", "hidden");
	WriteText("my \"fox\".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0.25\nf 1 2 3\n");
	WriteText("secret.glb", "secret");
}

static void Start(const char* name)
{
	char page[256], file[256], line[64] = "";
	snprintf(page, sizeof(page), "%s/page", directory);
	snprintf(file, sizeof(file), "%s/%s", directory, name);
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	server = fork();
	if (server == 0)
	{
#ifdef __linux__
		prctl(PR_SET_PDEATHSIG, SIGKILL); // if the test dies, so does the server
#endif
		dup2(ends[1], STDOUT_FILENO);
		execl(program, program, "view", "--page", page, file, (char*)NULL);
		_exit(127);
	}
	close(ends[1]);
	assert_true(read(ends[0], line, sizeof(line) - 1) > 0);
	close(ends[0]);
	assert_int_equal(sscanf(line, "http://127.0.0.1:%d/\n", &port), 1);
}

// Ctrl-C is how it ends well.
static void Stop(void)
{
	int status = -1;
	kill(server, SIGINT);
	assert_int_equal(waitpid(server, &status, 0), server);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int StartServer(void** state)
{
	(void)state;
	MakeFiles();
	Start("my \"fox\".obj");
	return 0;
}

static int Connect(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(s, (struct sockaddr*)&address, sizeof(address)), 0);
	struct timeval patience = { .tv_sec = 20 };
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return s;
}

// Send bytes, read the answer, and return its status; 0 for none.
static int Exchange(const char* bytes, size_t length)
{
	int s = Connect();
	(void)!send(s, bytes, length, MSG_NOSIGNAL);
	shutdown(s, SHUT_WR);
	size_t got = 0;
	ssize_t more;
	while (got < sizeof(answer) - 1 && (more = recv(s, answer + got, sizeof(answer) - 1 - got, 0)) > 0)
	{
		got += (size_t)more;
	}
	answer[got] = '\0';
	answerCount = got;
	close(s);
	int status = 0;
	return sscanf(answer, "HTTP/1.1 %d ", &status) == 1 ? status : 0;
}

// Of a literal, which may hold zeros.
#define ExchangeText(literal) Exchange(literal, sizeof(literal) - 1)

static int Ask(const char* method, const char* target, const char* host)
{
	char text[4096];
	int length =
	    snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: x\r\n\r\n", method, target, host);
	return Exchange(text, (size_t)length);
}

static int Get(const char* target)
{
	char host[32];
	snprintf(host, sizeof(host), "127.0.0.1:%d", port);
	return Ask("GET", target, host);
}

static const char* GetContent(void)
{
	const char* end = strstr(answer, "\r\n\r\n");
	return end != NULL ? end + 4 : "";
}

static void the_page_and_the_named_file_are_served(void** state)
{
	(void)state;
	assert_int_equal(Get("/"), 200);
	assert_string_equal(GetContent(), "<p>page");
	assert_non_null(strstr(answer, "Content-Type: text/html"));
	assert_non_null(strstr(answer, "Content-Security-Policy: default-src 'self'"));
	assert_int_equal(Get("/?still=1"), 200);
	assert_int_equal(Get("/three/three.js"), 200);
	assert_non_null(strstr(answer, "text/javascript"));
	assert_int_equal(Get("/files.json"), 200);
	assert_string_equal(GetContent(), "[{\"name\":\"my \\\"fox\\\".obj\",\"url\":\"files/0.glb\"}]\n");
	assert_int_equal(Get("/files/0.glb"), 200);
	assert_int_equal(strncmp(GetContent(), "glTF", 4), 0);
	assert_non_null(strstr(answer, "Content-Type: model/gltf-binary"));
}

static void nothing_else_is(void** state)
{
	(void)state;
	static const char* const targets[] = { "/secret.glb", "/../secret.glb", "/three/../../secret.glb", "/three/..",
		"/%2e%2e/secret.glb", "/..%2fsecret.glb", "//secret.glb", "/.secret", "/three", "/three/", "/files/1.glb",
		"/files/0", "/files/-1.glb", "/index.html/", "/index.html%00", "/my \"fox\".glb", "*", "index.html",
		"http://127.0.0.1/", "/\\..\\secret.glb", "/etc/passwd", "/INDEX.HTML" };
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); ++i)
	{
		int status = Get(targets[i]);
		if ((status != 404 && status != 400) || strstr(answer, "secret") != NULL)
		{
			fail_msg("%s: %s", targets[i], answer);
		}
	}
}

// A name that leads to 127.0.0.1 from somewhere else: DNS rebinding.
static void other_hosts_are_refused(void** state)
{
	(void)state;
	char text[512];
	static const char* const hosts[] = { "evil.example", "127.0.0.1", "localhost", "127.0.0.1:1", "", "127.0.0.1:99999",
		"127.0.0.1.evil.example", "evil.example:80@127.0.0.1" };
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); ++i)
	{
		assert_int_equal(Ask("GET", "/", hosts[i]), 403);
	}
	snprintf(text, sizeof(text), "LocalHost:%d", port);
	assert_int_equal(Ask("GET", "/", text), 200);
	int length = snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nHost: evil\r\n\r\n", port);
	assert_int_equal(Exchange(text, (size_t)length), 400);
	assert_int_equal(ExchangeText("GET / HTTP/1.1\r\n\r\n"), 400);
	assert_int_equal(ExchangeText("GET / HTTP/1.1\r\nX: y\r\n\r\n"), 400);
}

static void only_reading_is_allowed(void** state)
{
	(void)state;
	char host[32];
	snprintf(host, sizeof(host), "127.0.0.1:%d", port);
	static const char* const methods[] = { "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE", "get",
		"PATCH" };
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); ++i)
	{
		assert_int_equal(Ask(methods[i], "/", host), 405);
		assert_non_null(strstr(answer, "Allow: GET"));
	}
}

static void malformed_requests_are_refused(void** state)
{
	(void)state;
	static char large[40000];
	memset(large, 'a', sizeof(large));
	memcpy(large, "GET /", 5);
	assert_int_equal(Exchange(large, sizeof(large)), 431);
	assert_int_equal(ExchangeText("\r\n\r\n"), 400);
	assert_int_equal(ExchangeText("GET\r\n\r\n"), 400);
	assert_int_equal(ExchangeText("GET /\r\n\r\n"), 400);
	assert_int_equal(ExchangeText("GET / HTTP/2.0\r\n\r\n"), 400);
	assert_int_equal(ExchangeText("GET / HTTP/1.1\r\nHost\r\n\r\n"), 400);
	assert_int_equal(ExchangeText("GET / HTTP/1.1\r\n : x\r\n\r\n"), 400);
	assert_int_equal(ExchangeText("GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
	assert_int_equal(ExchangeText(""), 0);
	assert_int_equal(ExchangeText("GET / HT"), 0);
	assert_int_equal(Get("/"), 200);
}

static void noise_is_survived(void** state)
{
	(void)state;
	uint32_t random = 1;
	for (int round = 0; round < 300; ++round)
	{
		char bytes[200];
		snprintf(bytes, sizeof(bytes), "GET /three/three.js?x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nA: b\r\n\r\n", port);
		size_t length = strlen(bytes);
		for (int k = 0; k <= round % 3; ++k)
		{
			random = random * 1664525u + 1013904223u;
			bytes[(random >> 8) % length] = (char)(random >> 24);
		}
		int status = Exchange(bytes, length);
		assert_true(status == 0 || status == 200 || status == 400 || status == 403 || status == 404 || status == 405);
	}
	assert_int_equal(Get("/"), 200);
}

// Connections that say nothing must not keep others waiting, however many; those above the limit are cut off.
static void idle_connections_do_not_block(void** state)
{
	(void)state;
	int idle[60];
	for (int i = 0; i < 60; ++i)
	{
		idle[i] = Connect();
	}
	assert_int_equal(Get("/"), 200);
	for (int i = 0; i < 60; ++i)
	{
		close(idle[i]);
	}
	assert_int_equal(Get("/files/0.glb"), 200);
}

// Whatever the program reads, the page gets as GLB, with the same bodies and clips. Positions: test_io_plain.c.
static void all_formats_become_glb(void** state)
{
	(void)state;
	Stop();
	Sample samples[32];
	int count = MakeSamples(samples);
	for (int i = 0; i < count; ++i)
	{
		char path[256];
		WriteServed(samples[i].name, samples[i].bytes.data, samples[i].bytes.count);
		Bytes_Free(&samples[i].bytes);
		snprintf(path, sizeof(path), "%s/%s", directory, samples[i].name);
		ioAsset asset, served;
		ioError error;
		assert_true(ioLoad(path, NULL, &asset, &error));
		Start(samples[i].name);
		assert_int_equal(Get("/files/0.glb"), 200);
		size_t head = (size_t)(GetContent() - answer);
		if (!ioLoadMemory(answer + head, answerCount - head, "served.glb", NULL, &served, &error))
		{
			fail_msg("%s: %s", samples[i].name, error.text);
		}
		assert_int_equal(asset.instanceCount, served.instanceCount);
		assert_int_equal(asset.clipCount, served.clipCount);
		for (uint32_t k = 0; k < asset.instanceCount; ++k)
		{
			const ioMesh* mesh = &asset.meshes[asset.instances[k].mesh].mesh;
			assert_int_equal(mesh->triangleCount, served.meshes[served.instances[k].mesh].mesh.triangleCount);
		}
		Stop();
		ioAsset_Free(&asset);
		ioAsset_Free(&served);
	}
	Start("my \"fox\".obj");
}

static int StopServer(void** state)
{
	(void)state;
	Stop();
	char command[64];
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

int main(int argumentCount, char** arguments)
{
	program = argumentCount > 1 ? arguments[1] : "snug";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_and_the_named_file_are_served),
		cmocka_unit_test(all_formats_become_glb),
		cmocka_unit_test(nothing_else_is),
		cmocka_unit_test(other_hosts_are_refused),
		cmocka_unit_test(only_reading_is_allowed),
		cmocka_unit_test(malformed_requests_are_refused),
		cmocka_unit_test(noise_is_survived),
		cmocka_unit_test(idle_connections_do_not_block),
	};
	return cmocka_run_group_tests(tests, StartServer, StopServer);
}
