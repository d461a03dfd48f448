-- Decides calls with one draw from a token or leaky bucket, which most calls are. Same decisions as take.lua, but
-- without functions, tables and rounding calls on the way: a draw costs a third.
--
-- KEYS     one bucket per call, in the order of ARGV[1]; calls to the same bucket are adjacent
-- ARGV[1]  packed, little-endian: d the time in µs, or 0 to use the clock of Redis
--          per call:  H repeats, for calls that differ in their keys only, H 1, B algorithm (0), B flags,
--                     d amount, d tick, d drain, d token, d capacity
--          flags:     1 enforce, 2 take, 4 count refusals, 8 leaky, 16 only without delay, 32 only look
-- returns  packed: d the time, then per call d the deficit after the decision, or -1 - deficit if refused;
--          then, if any value was not a bucket and counted as absent, d the number of such values
--
-- A call that takes nothing leaves the bucket in the numbers in which it was written, and only renews its TTL.
-- Otherwise instances with different numbers (during a rule change) would refund each other. Only a clock that
-- stepped back is recorded.
--
-- The layout of a bucket is in take_buckets.lua. x - x % 1 is x rounded down, x + -x % 1 is x rounded up.

local spread = unpack
local unpack, pack, call, format = struct.unpack, struct.pack, redis.call, string.format
local EXACT, MAX_UNITS = 9007199254740991, 137438953472 -- 2^53 - 1, and 2^37 units in a token
local invalid = 0
local args, keys = ARGV[1], KEYS
local size, done = #args, 0
local now, repeats, _, _, flags, amount, tick, drain, token, capacity, at = unpack('<dHHBBddddd', args)
-- How long a key outlives its state, in s, plus 1 s to round up. Longer if the clock of Redis is not the one
-- that decides.
local spare = 61
if now == 0 then
  spare = 2
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end

-- With several keys: the buckets as read, overwritten by the replies; and TTLs as text, because formatting a
-- number costs as much as a decision.
local states, life_texts
if keys[2] then
  states, life_texts = call('MGET', spread(keys)), {}
end
local last_key, last_state, last_life -- the bucket written last, its state and its TTL

while true do
  local ticks = now / tick
  ticks = ticks - ticks % 1
  local full, price = capacity * token, amount * token
  -- The largest deficit at which a call is admitted.
  local room = amount <= capacity and full - price or -1
  if amount == 0 then
    room = full > 0 and EXACT or -1
  end
  local slow = drain > 0 and tick / drain / 1000000 or 0 -- s until one unit is refilled
  local writes, takes = amount > 0 and flags < 32, amount > 0 and flags % 4 >= 2
  local at_once, counts = amount > 0 and flags % 32 >= 24, flags % 8 >= 4 and flags % 2 == 1
  for left = repeats - 1, 0, -1 do
    done = done + 1
    local key = keys[done]
    local used, excess, changed, loans = 0, 0, false, nil
    local state, length, before
    if key == last_key then
      state = last_state
    elseif states then
      state = states[done]
    else
      state = redis.pcall('GET', key)
    end
    local unit
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
      elseif type(state) == 'table' and not state.err:find('WRONGTYPE', 1, true) then
        return state
      end
      if not valid then -- not written by Weir: counts as absent
        invalid, state, used = invalid + 1, false, 0
      end
    end
    if state then
      if length > 40 then -- tokens are lent
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
          -- Written under other numbers. Tokens taken stay taken, to 1/65,536 of a token. The part above the
          -- burst in force is clipped and becomes excess, which a larger burst counts again.
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
      local passed = ticks - before
      if tick > 1 then
        passed = before / tick
        passed = ticks - (passed + -passed % 1)
      end
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

    local answer
    if used <= room and not (at_once and used > 0) then
      if takes then
        used, changed = used + price, true
      end
      answer = used
    else
      if counts then
        used, changed = math.max(used, math.min(used + price, 2 * full, EXACT)), true
      end
      answer = -1 - used
    end

    if drain > 0 and (changed or state and writes) or loans and writes then
      local life = used * slow
      if excess > 0 then -- worth a day of memory, but not years
        excess = math.min(excess, EXACT - used)
        life = math.max(life, math.min((used + excess) * slow, 86400))
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
      last_key, last_state, last_life = key, state, life
    end
    if last_life and (left == 0 or keys[done + 1] ~= key) then -- otherwise the next call uses last_state
      local text = life_texts and life_texts[last_life]
      if not text then
        text = format('%d', last_life)
        if life_texts then
          life_texts[last_life] = text
        end
      end
      call('SET', key, last_state, 'EX', text)
      last_life = nil
    end

    if not states then
      return invalid == 0 and pack('<dd', now, answer) or pack('<ddd', now, answer, invalid)
    end
    states[done] = answer
  end
  if at > size then
    local answer = pack('<d' .. string.rep('d', done), now, spread(states))
    return invalid == 0 and answer or answer .. pack('<d', invalid)
  end
  repeats, _, _, flags, amount, tick, drain, token, capacity, at = unpack('<HHBBddddd', args, at)
end
