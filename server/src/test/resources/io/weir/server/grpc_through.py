"""A server and a client of gRPC's C core, with a gateway between them that learns of the server from the first line.

usage: grpc_through.py; prints the server's port, reads the gateway's address, and says what came of each call
"""

import sys
from concurrent import futures

import grpc


class Echo(grpc.GenericRpcHandler):
    def service(self, details):
        if details.method == "/test.Echo/Stream":
            return grpc.stream_stream_rpc_method_handler(
                lambda requests, context: (b"said " + request for request in requests)
            )
        if details.method == "/test.Echo/Fail":
            return grpc.unary_unary_rpc_method_handler(
                lambda request, context: context.abort(grpc.StatusCode.NOT_FOUND, "no such thing")
            )
        return grpc.unary_unary_rpc_method_handler(lambda request, context: b"said " + request)


def attempt(name, call):
    try:
        print(name, "OK", call(), flush=True)
    except grpc.RpcError as error:
        trailing = dict(error.trailing_metadata())
        details = trailing.get("grpc-status-details-bin", b"").hex()
        print(name, error.code().name, error.details(), trailing.get("retry-after"), details, sep="|", flush=True)


def main():
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), handlers=[Echo()])
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    channel = grpc.insecure_channel(sys.stdin.readline().strip())
    grpc.channel_ready_future(channel).result(timeout=20)
    say = channel.unary_unary("/test.Echo/Say")
    stream = channel.stream_stream("/test.Echo/Stream")
    fail = channel.unary_unary("/test.Echo/Fail")

    attempt("first", lambda: say(b"one", timeout=20).decode())
    attempt("second", lambda: say(b"two", timeout=20).decode())
    attempt("stream", lambda: b", ".join(stream(iter([b"a", b"b"]), timeout=20)).decode())
    attempt("fail", lambda: fail(b"", timeout=20))
    server.stop(0).wait()
    attempt("gone", lambda: fail(b"", timeout=20))


main()
