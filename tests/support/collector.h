// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/support/collector.h  A server to which profil push sends profiles. */
#pragma once

#include "tests/support/recorded.h"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace support {

/** A server that answers each POST with the next given status, and stores accepted bodies. */
inline constexpr char server_script[] = R"(
import http.server, sys
directory, statuses = sys.argv[1], [int(s) for s in sys.argv[2:]]
class Handler(http.server.BaseHTTPRequestHandler):
    number = 0
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        status = statuses[Handler.number] if Handler.number < len(statuses) else 200
        Handler.number += 1
        if status == 200:
            with open('%s/%03d' % (directory, Handler.number), 'wb') as f:
                f.write(body)
        self.send_response(status)
        self.send_header('Content-Type', 'application/proto')
        self.send_header('Content-Length', '0')
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
with open(directory + '/port', 'w') as f:
    print(server.server_port, file=f)
server.serve_forever()
)";

class Collector {
public:
	explicit Collector(const std::vector<std::string> &statuses = {})
	{
		std::vector<std::string> arguments = {"python3", "-c", server_script, directory_ / ""};

		arguments.insert(arguments.end(), statuses.begin(), statuses.end());
		server_.emplace(start(arguments));
		REQUIRE(soon([&] {
			return std::filesystem::exists(directory_ / "port") &&
			       has(read_file(directory_ / "port"), "\n");
		}));
	}

	[[nodiscard]] std::string url() const
	{
		std::string port = read_file(directory_ / "port");

		port.pop_back();
		return "http://127.0.0.1:" + port;
	}

	/** The accepted bodies, in order. */
	[[nodiscard]] std::vector<std::string> bodies() const
	{
		std::vector<std::string> files;

		for (const auto &entry : std::filesystem::directory_iterator(directory_ / "")) {
			if (entry.path().filename() != "port")
				files.push_back(entry.path());
		}
		std::sort(files.begin(), files.end());
		return files;
	}

private:
	TemporaryDirectory directory_;
	std::optional<Child> server_;
};

/** A body, decoded by protoc. */
inline std::string decoded(const std::string &file)
{
	const Output output = run("protoc --decode=push.v1.PushRequest tests/host/data/push.proto < " + file);

	INFO(output.text);
	REQUIRE(output.status == 0);
	return output.text;
}

} // namespace support
