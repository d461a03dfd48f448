-- Decides calls that draw several times, from token and leaky buckets only. It does what take.lua does, for the common case,
-- without functions in its way: that makes a draw half as dear. Calls that draw once are for bucket.lua.
--
-- KEYS     one bucket per draw, in the order of ARGV[1]
-- ARGV[1]  packed, little-endian: d the time in µs, or 0 to take Redis' own
--          per call:  H how often, for calls that differ in their keys only, H number of draws
--          per draw:  B algorithm (0), B flags, d amount, d tick, d drain, d token, d capacity
--          flags:     1 enforce, 2 take, 4 count refusals, 8 leaky, 16 only what goes at once, 32 only look
-- returns  packed: d the time, then per draw B 0 refused or 1 admitted, d time, d deficit, d token: the bucket after the decision
--
-- A bucket is packed doubles: time, deficit, units of a token; in debt also the deficit at which it is empty; where leases are
-- out, three more: the epoch, lent in it, lent in the one before. This script lends nothing, and keeps them up to date.

local spread = unpack
local unpack, pack, floor, ceil, call = struct.unpack, struct.pack, math.floor, math.ceil, redis.call
local EXACT = 9007199254740991 -- 2^53 - 1
local args, keys = ARGV[1], KEYS
local size, done = #args, 0
local now, at = unpack('<d', args)
-- How long a key outlives what it says, in s: longer where Redis' clock is not the one that decides.
local spare = 60
if now == 0 then
  spare = 1
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end

local answers = { pack('<d', now) }
local lives = {} -- in words: to write down a number costs as much as to decide

while at <= size do
  local times, count
  times, count, at = unpack('<HH', args, at)
  local draws = {}
  for i = 1, count do
    local _, flags, amount, tick, drain, token, capacity
    _, flags, amount, tick, drain, token, capacity, at = unpack('<BBddddd', args, at)
    draws[i] = { flags, amount, tick, drain, token, capacity, floor(now / tick) }
  end
  for _ = 1, times do
    local passes = true
    for i = 1, count do
      local draw = draws[i]
      local flags, amount, tick, drain, token, capacity, ticks = spread(draw, 1, 7)
      local full = capacity * token
      local used, changed, loans = 0, false, nil
      local state = call('GET', keys[done + i])
      if state then
        local before, unit
        before, used, unit = unpack('<ddd', state)
        local length = #state
        if length > 32 then
          local epoch, lent, lent_before = unpack('<ddd', state, length - 23)
          local present = epoch - epoch % 4294967296 + floor(now / 5000000)
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
      local admitted
      if amount == 0 then
        admitted = full > 0
      else
        admitted = amount <= capacity and used <= full - amount * token and not (used > 0 and flags % 32 >= 24)
      end
      passes = passes and (admitted or flags % 2 == 0)
      draw[8], draw[9], draw[10], draw[11] = used, changed, admitted, loans
    end
    for i = 1, count do
      local flags, amount, tick, drain, token, capacity, ticks, used, changed, admitted, loans = spread(draws[i], 1, 11)
      local full = capacity * token
      if passes and admitted and amount > 0 and flags % 4 >= 2 then
        used, changed = used + amount * token, true
      elseif not admitted and flags % 8 >= 4 and flags % 2 == 1 then
        used, changed = math.max(used, math.min(used + amount * token, 2 * full, EXACT)), true
      end
      local state = pack('<ddd', ticks * tick, used, token)
      done = done + 1
      answers[done + done] = admitted and '\1' or '\0'
      answers[done + done + 1] = state
      if changed and drain == 0 and not loans then
        call('DEL', keys[done]) -- a limit of 0 has nothing to remember but leases
      elseif changed then
        local life = (drain > 0 and ceil(ceil(used / drain) * tick / 1000000) or 0) + spare
        if used > full then
          state = state .. pack('<d', full)
        end
        if loans then
          state, life = state .. loans, math.max(life, 10 + spare) -- for as long as leases are counted
        end
        lives[life] = lives[life] or life .. ''
        call('SET', keys[done], state, 'EX', lives[life])
      end
    end
  end
end

return table.concat(answers)
