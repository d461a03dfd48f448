-- Decides calls that draw once, from a token or leaky bucket: what most calls do. It does what take.lua does, without
-- functions, tables and rounding calls in its way: that makes a draw three times as cheap.
--
-- KEYS     one bucket per call, in the order of ARGV[1]
-- ARGV[1]  packed, little-endian: d the time in µs, or 0 to take Redis' own
--          per call:  H how often, for calls that differ in their keys only, H 1, B algorithm (0), B flags,
--                     d amount, d tick, d drain, d token, d capacity
--          flags:     1 enforce, 2 take, 4 count refusals, 8 leaky, 16 only what goes at once, 32 only look
-- returns  packed: d the time, then per call B 0 refused or 1 admitted, d time, d deficit, d token: the bucket after the decision
--
-- A bucket is what buckets.lua says. x - x % 1 is x rounded down, x + -x % 1 is x rounded up.

local unpack, pack, call = struct.unpack, struct.pack, redis.call
local args, keys = ARGV[1], KEYS
local size, done = #args, 0
local now, times, _, _, flags, amount, tick, drain, token, capacity, at = unpack('<dHHBBddddd', args)
-- How long a key outlives what it says, in s: longer where Redis' clock is not the one that decides.
local spare = 60
if now == 0 then
  spare = 1
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end

local answers, lives -- where there are several
if keys[2] then
  answers, lives = { pack('<d', now) }, {}
end

while true do
  local ticks = now / tick
  ticks = ticks - ticks % 1
  local time, full, price = ticks * tick, capacity * token, amount * token
  local fits, writes, takes = amount <= capacity, amount > 0 and flags < 32, amount > 0 and flags % 4 >= 2
  local at_once, counts = flags % 32 >= 24, flags % 8 >= 4 and flags % 2 == 1
  for _ = 1, times do
    done = done + 1
    local key = keys[done]
    local used, changed, loans = 0, false, nil
    local state = call('GET', key)
    if state then
      local before, unit
      before, used, unit = unpack('<ddd', state)
      local length = #state
      if length > 32 then -- leases are out
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
        local drained = used / drain
        used = passed > drained - drained % 1 and 0 or used - passed * drain
      end
      changed = writes -- a refused call writes down the present too
    end

    local admitted
    if amount == 0 then
      admitted = full > 0
    else
      admitted = fits and used <= full - price and not (at_once and used > 0)
    end
    if admitted and takes then
      used, changed = used + price, true
    elseif counts and not admitted then
      used, changed = math.max(used, math.min(used + price, 2 * full, 9007199254740991)), true -- 2^53 - 1
    end

    state = pack('<ddd', time, used, token)
    local answer = state
    if changed then
      if drain == 0 and not loans then
        call('DEL', key) -- a limit of 0 has nothing to remember but leases
      else
        local life = drain > 0 and used / drain or 0
        life = (life + -life % 1) * tick / 1000000
        life = life + -life % 1 + spare
        if used > full then
          state = state .. pack('<d', full)
        end
        if loans then
          state, life = state .. loans, math.max(life, 10 + spare) -- for as long as leases are counted
        end
        if lives then
          lives[life] = lives[life] or life .. '' -- in words: to write down a number costs as much as to decide
          life = lives[life]
        end
        call('SET', key, state, 'EX', life)
      end
    end

    if not answers then
      return pack('<dB', now, admitted and 1 or 0) .. answer
    end
    answers[done + done] = admitted and '\1' or '\0'
    answers[done + done + 1] = answer
  end
  if at > size then
    return table.concat(answers)
  end
  times, _, _, flags, amount, tick, drain, token, capacity, at = unpack('<HHBBddddd', args, at)
end
