-- Decides calls that draw several times, from token and leaky buckets only. It does what take.lua does, for the common case,
-- without functions in its way: that makes a draw half as dear. Calls that draw once are for bucket.lua.
--
-- KEYS     one bucket per draw, in the order of ARGV[1]
-- ARGV[1]  packed, little-endian: d the time in µs, or 0 to take Redis' own
--          per call:  H how often, for calls that differ in their keys only, H number of draws
--          per draw:  B algorithm (0), B flags, d amount, d tick, d drain, d token, d capacity
--          flags:     1 enforce, 2 take, 4 count refusals, 8 leaky, 16 only what goes at once, 32 only look
-- returns  packed: d the time, then per draw d the deficit after the decision, or -1 less the deficit if it was refused
--
-- A bucket is packed doubles: time, deficit, units of a token; in debt also the deficit at which it is empty; where leases are
-- out, three more: the epoch, lent in it, lent in the one before. This script lends nothing, and keeps them up to date.
-- x - x % 1 is x rounded down, x + -x % 1 is x rounded up.

local spread = unpack
local unpack, pack, call, format = struct.unpack, struct.pack, redis.call, string.format
local EXACT = 9007199254740991 -- 2^53 - 1
local MOST = 4000 -- values that go in one call; Lua cannot pass 8,000
local args, keys = ARGV[1], KEYS
local size, done = #args, 0
local now, at = unpack('<d', args)
-- How long a key outlives what it says, in s, and one to round up: longer where Redis' clock is not the one that decides.
local spare = 61
if now == 0 then
  spare = 2
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end

-- Answers, buckets as they were, as calls before this one left them, and lives in words, as to write down a number costs as
-- much as to decide.
local answers, states, fresh, lives = {}, nil, {}, {}
if #keys <= MOST then
  states = call('MGET', spread(keys))
else
  states = {}
  for from = 1, #keys, MOST do
    for i, state in ipairs(call('MGET', spread(keys, from, math.min(from + MOST - 1, #keys)))) do
      states[from + i - 1] = state
    end
  end
end
local written, written_lives = {}, {} -- what a call writes, draw by draw; a life of 0 is the end of it

while at <= size do
  local times, count, first = unpack('<HH', args, at)
  for _ = 1, times do
    -- Every draw is judged as if the call passed; if it does not, all are judged again, and none takes.
    local passes, i = true, 0
    at = first
    while i < count do
      i = i + 1
      local _, flags, amount, tick, drain, token, capacity
      _, flags, amount, tick, drain, token, capacity, at = unpack('<BBddddd', args, at)
      local ticks = now / tick
      ticks = ticks - ticks % 1
      local full, price = capacity * token, amount * token
      local key = keys[done + i]
      local state = fresh[key] or states[done + i]
      local used, changed, loans = 0, false, nil
      if state then
        local before, unit
        before, used, unit = unpack('<ddd', state)
        local length = #state
        if length > 32 then
          local epoch, lent, lent_before = unpack('<ddd', state, length - 23)
          local present = now / 5000000
          present = present - present % 1 + epoch - epoch % 4294967296
          if present > epoch + 1 then
            lent, lent_before = 0, 0
          elseif present == epoch + 1 then
            lent, lent_before = 0, lent
          elseif present < epoch then
            lent, lent_before, present = lent + lent_before, 0, present + 4294967296
          end
          if lent + lent_before > 0 then
            loans = pack('<ddd', present, lent, lent_before)
          end
          length = length - 24
        end
        if unit ~= token then
          -- New numbers: tokens taken stay taken, to a 65,536th of a token, clipped at the new burst.
          local whole = math.floor(used / unit)
          local fraction = math.ceil((used - whole * unit) * 65536 / unit)
          used = math.min(math.min(whole, capacity) * token + math.ceil(fraction * token / 65536), full)
        elseif used > full and not (length == 32 and unpack('<d', state, 25) == full) then
          used = full
        end
        local passed = before / tick
        passed = ticks - (passed + -passed % 1)
        if passed > 0 then
          used = used - passed * drain
          if used < 0 then
            used = 0
          end
        end
        changed = amount > 0 and flags < 32 -- a refused call writes down the present too
      end

      local admitted
      if amount == 0 then
        admitted = full > 0
      else
        admitted = amount <= capacity and used <= full - price and not (used > 0 and flags % 32 >= 24)
      end
      if not admitted and passes and flags % 2 == 1 then
        passes, i, at = false, 0, first
      else
        if admitted and passes and amount > 0 and flags % 4 >= 2 then
          used, changed = used + price, true
        elseif not admitted and flags % 8 >= 4 and flags % 2 == 1 then
          used, changed = math.max(used, math.min(used + price, 2 * full, EXACT)), true
        end
        answers[done + i] = admitted and used or -1 - used
        written[i] = false
        if changed then
          local life = 0
          state = pack('<ddd', ticks * tick, used, token)
          if drain > 0 then
            life = used * tick / drain / 1000000
            life = life - life % 1 + spare
          end
          if used > full then
            state = state .. pack('<d', full)
          end
          if loans then
            state, life = state .. loans, math.max(life, 10 + spare) -- for as long as leases are counted
          end
          written[i], written_lives[i] = state, life
        end
      end
    end
    for i = 1, count do
      local state, life = written[i], written_lives[i]
      if state then
        local key = keys[done + i]
        fresh[key] = state
        if life == 0 then
          call('DEL', key) -- a limit of 0 has nothing to remember but leases
        else
          local words = lives[life]
          if not words then
            words = format('%d', life)
            lives[life] = words
          end
          call('SET', key, state, 'EX', words)
        end
      end
    end
    done = done + count
  end
end

if done <= MOST then
  return pack('<d' .. string.rep('d', done), now, spread(answers))
end
local packed = { pack('<d', now) }
for from = 1, done, MOST do
  local count = math.min(MOST, done - from + 1)
  packed[#packed + 1] = pack('<' .. string.rep('d', count), spread(answers, from, from + count - 1))
end
return table.concat(packed)
