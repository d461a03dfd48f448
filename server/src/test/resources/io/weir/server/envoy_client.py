"""Speaks Envoy's rate limit service from another language, knowing nothing but what the server's reflection tells.

usage: envoy_client.py HOST:PORT
"""

import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

SERVICE = "envoy.service.ratelimit.v3.RateLimitService"
NO_MESSAGE = b""


def field(number, data):
    """One length-delimited field of a message, by hand."""
    size, length = len(data), b""
    while size > 127:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


def fields(data):
    """The length-delimited fields of a message, by hand; others are skipped."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        value = varint()
        if tag & 7 == 2:
            yield tag >> 3, data[at : at + value]
            at += value


def files_behind(channel, symbol):
    """All files that describe a symbol, as the server's reflection gives them."""
    ask = channel.stream_stream(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        request_serializer=lambda data: data,
        response_deserializer=lambda data: data,
    )
    found = {}
    wanted = [field(4, symbol.encode())]
    while wanted:
        for answer in ask(iter([wanted.pop()]), timeout=10):
            for number, part in fields(answer):
                if number != 4:  # file_descriptor_response
                    continue
                for _, raw in fields(part):
                    file = descriptor_pb2.FileDescriptorProto.FromString(raw)
                    if file.name not in found:
                        found[file.name] = file
                        wanted += [field(3, name.encode()) for name in file.dependency]
    return found


def main(address):
    channel = grpc.insecure_channel(address)
    grpc.channel_ready_future(channel).result(timeout=20)
    pool = descriptor_pool.DescriptorPool()
    files = files_behind(channel, SERVICE)

    def add(name):
        file = files.pop(name, None)
        if file is not None:
            for dependency in file.dependency:
                add(dependency)
            pool.Add(file)

    for name in list(files):
        add(name)
    method = pool.FindServiceByName(SERVICE).methods_by_name["ShouldRateLimit"]
    factory = message_factory.MessageFactory(pool)
    request_type = factory.GetPrototype(method.input_type)
    response_type = factory.GetPrototype(method.output_type)
    call = channel.unary_unary(
        f"/{SERVICE}/ShouldRateLimit",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=response_type.FromString,
    )

    def should_rate_limit(domain, *descriptors, hits=0):
        request = request_type(domain=domain, hits_addend=hits)
        for descriptor in descriptors:
            added = request.descriptors.add()
            for key, value in descriptor:
                added.entries.add(key=key, value=value)
        return call(request, timeout=10)

    ok = response_type.Code.Value("OK")
    over_limit = response_type.Code.Value("OVER_LIMIT")
    day = [("day", "python")]
    one = [("one", "python")]

    first = should_rate_limit("d", day, one, [("unmatched", "x")])
    assert first.overall_code == ok, first
    assert [status.code for status in first.statuses] == [ok] * 3, first
    assert first.statuses[0].current_limit.requests_per_unit == 10, first
    assert first.statuses[0].current_limit.name == "ten", first
    assert first.statuses[0].limit_remaining == 9, first
    assert 0 < first.statuses[0].duration_until_reset.seconds <= 86400, first
    assert not first.statuses[2].HasField("current_limit"), first

    second = should_rate_limit("d", day, one)
    assert second.overall_code == over_limit, second
    assert [status.code for status in second.statuses] == [ok, over_limit], second

    third = should_rate_limit("d", day, hits=9)
    assert third.overall_code == ok, third  # the refused request has burnt nothing
    assert third.statuses[0].limit_remaining == 0, third

    for domain, descriptors in (("", [day]), ("d", [])):
        try:
            should_rate_limit(domain, *descriptors)
            raise AssertionError("answered a request without a domain or descriptors")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error

    health = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=lambda data: data,
        response_deserializer=lambda data: data,
    )
    assert health(NO_MESSAGE, timeout=10) == b"\x08\x01"
    assert health(field(1, b"ratelimit"), timeout=10) == b"\x08\x01"
    print("spoken")


main(sys.argv[1])
