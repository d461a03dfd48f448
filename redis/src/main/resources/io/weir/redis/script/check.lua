-- Tests whether a node could serve calls: uses every command that the other scripts use, and leaves nothing behind.
--
-- KEYS     a key that no rule has
-- ARGV[1]  packed, little-endian: d the time in µs, or 0 to use the clock of Redis
-- returns  '1'

local call, key, life = redis.call, KEYS[1], 1000 -- ms
if struct.unpack('<d', ARGV[1]) == 0 then
  call('TIME')
end
call('SET', key, '', 'PX', life)
call('GET', key)
call('MGET', key)
call('PTTL', key)
call('DEL', key)
return '1'
