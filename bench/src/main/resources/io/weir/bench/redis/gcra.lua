-- The least that a limiter on Redis can be: GCRA, which is one timestamp per key.
-- KEYS[1]  the bucket: when it will be full again, in microseconds
-- ARGV[1]  microseconds until one token comes back
-- ARGV[2]  microseconds until a whole burst has come back
-- returns  1 if one was taken, else 0
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = tonumber(redis.call('GET', KEYS[1])) or now
if full < now then
  full = now
end
full = full + ARGV[1]
if full - now > tonumber(ARGV[2]) then
  return 0
end
redis.call('SET', KEYS[1], full, 'PX', math.ceil((full - now) / 1000))
return 1
