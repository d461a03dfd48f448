#!/bin/sh
# The weir command of the image. JAVA_OPTS are passed to the JVM.
set -eu

# Commands that run for long get the whole compiler and the default collector; the others start fast.
case ${1:-} in
  serve | gateway) ;;
  *) JAVA_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${JAVA_OPTS:-}" ;;
esac

# shellcheck disable=SC2086 # options are words
exec java -XX:MaxRAMPercentage=60 -Dfile.encoding=UTF-8 ${JAVA_OPTS:-} -jar /opt/weir/weir.jar "$@"
