-- Decides calls with several draws, all from token or leaky buckets. Same decisions as take.lua, for the common case,
-- but without functions on the way: a draw costs half. Calls with one draw use take_one_bucket.lua.
--
-- KEYS     one bucket per draw, in the order of ARGV[1]
-- ARGV[1]  packed, little-endian: d the time in µs, or 0 to use the clock of Redis
--          per call:  H repeats, for calls that differ in their keys only, H number of draws
--          per draw:  B algorithm (0), B flags, d amount, d tick, d drain, d token, d capacity
--          flags:     1 enforce, 2 take, 4 count refusals, 8 leaky, 16 only without delay, 32 only look
-- returns  packed: d the time, then per draw d the deficit after the decision, or -1 - deficit if refused;
--          then, if any value was not a bucket and counted as absent, d the number of such values
--
-- A bucket is packed doubles: time, deficit, units of a token. In debt, also the deficit at which it is empty. If the
-- deficit was clipped, also that, and the excess: tokens taken beyond it, which a larger burst still counts. While
-- tokens are lent, three more: the epoch, tokens lent in it, tokens lent in the epoch before. This script lends
-- nothing, but keeps them up to date.
--
-- A call that takes nothing leaves the bucket in the numbers in which it was written, and only renews its TTL.
-- Otherwise instances with different numbers (during a rule change) would refund each other. Only a clock that
-- stepped back is recorded.
--
-- x - x % 1 is x rounded down, x + -x % 1 is x rounded up.

local spread = unpack
local unpack, pack, call, format = struct.unpack, struct.pack, redis.call, string.format
local EXACT, MAX_UNITS = 9007199254740991, 137438953472 -- 2^53 - 1, and 2^37 units in a token
local invalid = 0
local MAX_VALUES = 4000 -- values passed in one call; Lua cannot pass 8,000
local args, keys = ARGV[1], KEYS
local size, done = #args, 0
local now, at = unpack('<d', args)
-- How long a key outlives its state, in s, plus 1 s to round up. Longer if the clock of Redis is not the one
-- that decides.
local spare = 61
if now == 0 then
  spare = 2
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end

-- Replies, buckets as read, buckets as earlier calls of this batch left them, and TTLs as text, because
-- formatting a number costs as much as a decision.
local replies, states, fresh, life_texts = {}, nil, {}, {}
if #keys <= MAX_VALUES then
  states = call('MGET', spread(keys))
else
  states = {}
  for from = 1, #keys, MAX_VALUES do
    for i, state in ipairs(call('MGET', spread(keys, from, math.min(from + MAX_VALUES - 1, #keys)))) do
      states[from + i - 1] = state
    end
  end
end
local written, written_lives = {}, {} -- the writes of a call, draw by draw

while at <= size do
  local repeats, count, first = unpack('<HH', args, at)
  for _ = 1, repeats do
    -- Every draw is decided as if the call passed. If it does not, all draws are decided again, without
    -- taking.
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
      local used, excess, changed, loans = 0, 0, false, nil
      local length, before, unit
      if state then
        length = #state
        local valid = length % 8 == 0 and length >= 24 and length <= 64
        if valid then
          before, used, unit = unpack('<ddd', state)
          valid = used >= 0 and used <= EXACT and used % 1 == 0 and before >= 0 and before <= EXACT and before % 1 == 0
            and unit >= 1 and unit <= MAX_UNITS and unit % 1 == 0
          for from = 25, length, 8 do
            local number = unpack('<d', state, from)
            valid = valid and number >= 0 and number <= EXACT and number % 1 == 0
          end
        end
        if not valid then -- not written by Weir: counts as absent
          invalid, state, used, states[done + i] = invalid + 1, false, 0, false
        end
      end
      if state then
        if length > 40 then
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
        if unit ~= token or used > full or length > 24 then
          local empty = length > 24 and unpack('<d', state, 25) or -1
          excess = length > 32 and unpack('<d', state, 33) or 0
          if unit ~= token or empty ~= full then
            -- Written under other numbers. Tokens taken stay taken, to 1/65,536 of a token. The part above
            -- the burst in force is clipped and becomes excess, which a larger burst counts again.
            local total = used + excess
            if unit ~= token then
              if excess > 0 and empty >= capacity * unit then
                local whole = math.floor(used / unit)
                local fraction = math.ceil((used - whole * unit) * 65536 / unit)
                used = whole * token + math.ceil(fraction * token / 65536)
              else
                used = EXACT
              end
              local whole = math.floor(total / unit)
              local fraction = math.ceil((total - whole * unit) * 65536 / unit)
              total = math.min(whole * token + math.ceil(fraction * token / 65536), EXACT)
            elseif empty < full then
              used = total
            end
            used = math.min(used, total, full)
            excess = total - used
          end
        end
        local passed = before / tick
        passed = ticks - (passed + -passed % 1)
        if passed > 0 then
          local back = passed * drain
          if excess > 0 then
            excess = math.max(0, used + excess - back) - math.max(0, used - back)
          end
          used = used - back
          if used < 0 then
            used = 0
          end
        end
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
        replies[done + i] = admitted and used or -1 - used
        written[i] = false
        local writes = amount > 0 and flags < 32
        if drain > 0 and (changed or state and writes) or loans and writes then
          local life = used * tick / math.max(drain, 1) / 1000000
          if excess > 0 then -- worth a day of memory, but not years
            excess = math.min(excess, EXACT - used)
            life = math.max(life, math.min((used + excess) * tick / math.max(drain, 1) / 1000000, 86400))
          end
          life = life - life % 1 + spare
          if changed and drain > 0 then
            state = pack('<ddd', ticks * tick, used, token)
            if excess > 0 then
              state = state .. pack('<dd', full, excess)
            elseif used > full then
              state = state .. pack('<d', full)
            end
          else
            if #state > length then
              state = state:sub(1, length)
            end
            if drain == 0 then -- a limit of 0 writes leases only
              life = math.max(math.ceil(call('PTTL', key) / 1000), 0)
            elseif now < before then
              state = pack('<d', ticks * tick) .. state:sub(9)
            end
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
        local text = life_texts[life]
        if not text then
          text = format('%d', life)
          life_texts[life] = text
        end
        call('SET', key, state, 'EX', text)
      end
    end
    done = done + count
  end
end

local tail = invalid == 0 and '' or pack('<d', invalid)
if done <= MAX_VALUES then
  return pack('<d' .. string.rep('d', done), now, spread(replies)) .. tail
end
local packed = { pack('<d', now) }
for from = 1, done, MAX_VALUES do
  local count = math.min(MAX_VALUES, done - from + 1)
  packed[#packed + 1] = pack('<' .. string.rep('d', count), spread(replies, from, from + count - 1))
end
return table.concat(packed) .. tail
