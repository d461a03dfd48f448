-- Decides calls that draw from token and leaky buckets only. It does what take.lua does, for the common case, without
-- functions and tables in its way: that makes a draw three times as cheap.
--
-- KEYS     one bucket per draw, in the order of ARGV[1]
-- ARGV[1]  packed, little-endian: d the time in µs, or 0 to take Redis' own
--          per call:  H how often, for calls that differ in their keys only, H number of draws
--          per draw:  B algorithm (0), B flags, d amount, d tick, d drain, d token, d capacity
--          flags:     1 enforce, 2 take, 4 count refusals, 8 leaky, 16 only what goes at once, 32 only look
-- returns  packed: d the time, then per draw B 0 refused or 1 admitted, d time, d deficit, d 0: the bucket after the decision
--
-- A bucket is packed doubles: time, deficit, units of a token; in debt also the deficit at which it is empty; where leases are
-- out, three more: the epoch, lent in it, lent in the one before. This script lends nothing, and keeps them up to date.

local spread = unpack
local unpack, pack, floor, ceil, call = struct.unpack, struct.pack, math.floor, math.ceil, redis.call
local EXACT = 9007199254740991 -- 2^53 - 1
local args, keys = ARGV[1], KEYS
local now, at = unpack('<d', args)
-- How long a key outlives what it says, in ms: longer where Redis' clock is not the one that decides.
local spare = 60000
if now == 0 then
  spare = 1000
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end

local size, done = #args, 0
local draws -- of calls with more than one
local first, answers, answered = nil, nil, 0

while at <= size do
  local times, count, _, flags, amount, tick, drain, token, capacity, full, ticks, time
  local key, used, changed, admitted, loans
  times, count, at = unpack('<HH', args, at)
  for i = 1, count do
    _, flags, amount, tick, drain, token, capacity, at = unpack('<BBddddd', args, at)
    ticks = floor(now / tick)
    time, full = ticks * tick, capacity * token
    if count > 1 then
      draws = draws or {}
      draws[i] = { flags, amount, tick, drain, token, capacity, full, ticks, time }
    end
  end
  for _ = 1, times do
    local passes = true
    for i = 1, count do
      if count > 1 then
        flags, amount, tick, drain, token, capacity, full, ticks, time = spread(draws[i], 1, 9)
      end
      key = keys[done + i]
      used, changed, loans = 0, false, nil
      local state = call('GET', key)
      if state then
        local before, unit
        before, used, unit = unpack('<ddd', state)
        local length = #state
        if length > 32 then
          local epoch, lent, lent_before = unpack('<ddd', state, length - 23)
          local present = floor(now / 5000000)
          if present == epoch + 1 then
            lent, lent_before = 0, lent
          elseif present < epoch then
            lent, lent_before = lent + lent_before, 0
          end
          if present <= epoch + 1 and lent + lent_before > 0 then
            loans = pack('<ddd', present, lent, lent_before)
          end
          length = length - 24
        end
        if unit ~= token then
          -- New numbers: tokens taken stay taken, to a 65,536th of a token, clipped at the new burst.
          local whole = floor(used / unit)
          local fraction = ceil((used - whole * unit) * 65536 / unit)
          used = math.min(math.min(whole, capacity) * token + ceil(fraction * token / 65536), full)
        elseif used > full and not (length == 32 and unpack('<d', state, 25) == full) then
          used = full
        end
        local passed = ticks - ceil(before / tick)
        if passed > 0 then
          used = passed > floor(used / drain) and 0 or used - passed * drain
        end
        changed = amount > 0 and flags < 32 -- a refused call writes down the present too
      end
      if amount == 0 then
        admitted = full > 0
      else
        admitted = amount <= capacity and used <= full - amount * token
          and not (used > 0 and flags % 32 >= 24)
      end
      passes = passes and (admitted or flags % 2 == 0)
      if count > 1 then
        local draw = draws[i]
        draw[10], draw[11], draw[12], draw[13] = used, changed, admitted, loans
      end
    end
    for i = 1, count do
      if count > 1 then
        flags, amount, tick, drain, token, capacity, full, ticks, time, used, changed, admitted, loans =
          spread(draws[i], 1, 13)
        key = keys[done + i]
      end
      if passes and admitted and amount > 0 and flags % 4 >= 2 then
        used, changed = used + amount * token, true
      elseif not admitted and flags % 8 >= 4 and flags % 2 == 1 then
        used, changed = math.max(used, math.min(used + amount * token, 2 * full, EXACT)), true
      end
      if changed then
        if drain == 0 then
          call('DEL', key) -- a limit of 0 has nothing to remember
        else
          local state = used > full and pack('<dddd', time, used, token, full) or pack('<ddd', time, used, token)
          local life = ceil(ceil(used / drain) * tick / 1000)
          if loans then
            state, life = state .. loans, math.max(life, 10000) -- for as long as leases are counted
          end
          call('SET', key, state, 'PX', life + spare)
        end
      end
      answered = answered + 1
      if answered == 1 then
        first = pack('<dBddd', now, admitted and 1 or 0, time, used, 0)
      else
        answers = answers or { first }
        answers[answered] = pack('<Bddd', admitted and 1 or 0, time, used, 0)
      end
    end
    done = done + count
  end
end

return answers and table.concat(answers) or first
