"""A client of the Debug Adapter Protocol for tests: sends requests, keeps events, counts stops."""

import json
import os
import re
import select
import socket
import subprocess
import time

PATIENCE = 120  # seconds


class Client:
    def __init__(self, command, folder, door="-"):
        """Starts `command --dap DOOR` in `folder`."""
        self.sent = 0
        self.events = []  # that nobody has asked for yet
        self.seen = []  # all of them
        self.answers = {}  # that nobody has asked for yet, by the request's number
        self.buffer = b""
        self.sock = None
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} if door == "-" else {}
        self.process = subprocess.Popen(command + ["--dap", door], cwd=folder, stderr=subprocess.PIPE, **streams)
        if door == "-":
            self.input = self.process.stdout.fileno()
        else:
            line = self.process.stderr.readline().decode()
            self.address = re.search(r"(\S+):(\d+)$", line.strip())
            assert self.address, line
            self.sock = socket.create_connection((self.address[1], int(self.address[2])))
            self.input = self.sock.fileno()

    def write(self, data):
        if self.sock:
            self.sock.sendall(data)
        else:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def raw(self, text):
        data = text.encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def send(self, command, **arguments):
        self.sent += 1
        self.raw(json.dumps({"seq": self.sent, "type": "request", "command": command, "arguments": arguments}))
        return self.sent

    def read(self):
        """The next message, or None at the end."""
        end = time.monotonic() + PATIENCE
        while True:
            head = self.buffer.find(b"\r\n\r\n")
            if head >= 0:
                length = int(re.match(rb"Content-Length: (\d+)$", self.buffer[:head])[1])
                if len(self.buffer) >= head + 4 + length:
                    body = self.buffer[head + 4 : head + 4 + length]
                    self.buffer = self.buffer[head + 4 + length :]
                    return json.loads(body)
            ready, _, _ = select.select([self.input], [], [], max(0, end - time.monotonic()))
            assert ready, "no message in %d s" % PATIENCE
            more = os.read(self.input, 65536)
            if not more:
                return None
            self.buffer += more

    def take(self):
        message = self.read()
        assert message is not None, "the server is gone: " + self.errors()
        if message["type"] == "event":
            self.events.append(message)
            self.seen.append(message)
        else:
            self.answers[message["request_seq"]] = message

    def errors(self):
        return self.process.stderr.read().decode(errors="replace")

    def answer(self, number):
        while number not in self.answers:
            self.take()
        return self.answers.pop(number)

    def ask(self, command, **arguments):
        """The body of a response that succeeds."""
        response = self.answer(self.send(command, **arguments))
        assert response["success"], (command, arguments, response)
        assert response["command"] == command
        return response.get("body", {})

    def refused(self, command, **arguments):
        """The message of a response that does not."""
        response = self.answer(self.send(command, **arguments))
        assert not response["success"], (command, arguments, response)
        return response["message"]

    def event(self, *names):
        """The body of the next event with one of these names."""
        while True:
            for n, e in enumerate(self.events):
                if e["event"] in names:
                    return self.events.pop(n)["body"]
            self.take()

    def stop(self):
        return self.event("stopped")

    def stops(self):
        """All that were told so far."""
        return sum(e["event"] == "stopped" for e in self.seen)

    def begin(self, **launch):
        abilities = self.ask("initialize", adapterID="rtvp", linesStartAt1=True)
        self.event("initialized")
        self.ask("launch", **launch)
        return abilities

    def end(self):
        """Exit status of the program, when it has come to its end."""
        while (message := self.read()) is not None:
            if message["type"] == "event":
                self.events.append(message)
                self.seen.append(message)
        return self.process.wait(PATIENCE)

    def close(self):
        """Ends the program, if it still runs."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr, self.sock):
            if stream:
                stream.close()
