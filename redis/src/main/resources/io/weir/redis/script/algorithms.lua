-- The seven algorithms, shared by the scripts: how a bucket is read, brought up to date, checked, changed and saved.
-- This file is prepended to the others; it is not a script by itself.
--
-- KEYS     one bucket per draw, in the order of ARGV[1]
-- ARGV[1]  packed, little-endian, d = double, B = byte, H = two bytes: d the time in µs, or 0 to use the clock of Redis;
--          then the arguments of the script that follows. A limit's numbers are, by algorithm:
--            0 bucket          d tick, d drain, d token, d capacity
--            1 fixed window    d window, d phase, d capacity
--            2 sliding window  d window (negative: aligned), d tick, d phase, d capacity
--            3 sliding log     d window, d capacity
--            4 quota           d d d d starts of the previous, this, the next period and the one after, d capacity
--            5 concurrency     d permit ttl, d capacity, c8 reservation
--
-- While tokens of a bucket, window or quota are lent, its state is followed by d epoch, d lent in it, d lent in the epoch
-- before. The arithmetic is that of LeaseLedger in core.
--
-- All numbers are integers below 2^53, so doubles are exact. State is packed doubles: concatenating or printing numbers
-- in Lua keeps only 14 digits and would corrupt µs timestamps. Every write sets the TTL.

local unpack, pack, floor, ceil, max, min =
  struct.unpack, struct.pack, math.floor, math.ceil, math.max, math.min
local call = redis.call
local EXACT = 9007199254740991 -- 2^53 - 1
local ENFORCE, TAKE, COUNT, LEAKY, AT_ONCE, LOOK, LEASE = 1, 2, 4, 8, 16, 32, 64
local EPOCH = 5000000 -- µs for which leases are counted together, and live
local ERA = 4294967296 -- added to an epoch whenever the clock is set back, so that epochs stay distinct

local args = ARGV[1]
local now, at = unpack('<d', args, 1)
-- How long a key outlives its state, in ms. Longer if the clock of Redis is not the one that decides.
local spare = 60000
if now == 0 then
  spare = 1000
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end

-- Number of values that Weir did not write; they count as absent.
local invalid = 0

-- The value of a key; false if it has none, or one of another type.
local function get(key)
  local raw = redis.pcall('GET', key)
  if type(raw) == 'table' then
    if not raw.err:find('WRONGTYPE', 1, true) then
      error(raw.err)
    end
    invalid, raw = invalid + 1, false
  end
  return raw
end

-- Whether a value holds only integers from one position to another.
local function is_whole(raw, from, to)
  for position = from, to, 8 do
    local number = unpack('<d', raw, position)
    if not (number >= 0 and number <= EXACT and number % 1 == 0) then
      return false
    end
  end
  return true
end

local function has(flags, flag)
  return flags % (2 * flag) >= flag
end

-- Reads the lent tokens, if any, which follow a state of this size, and brings them up to date.
local function read_loans(b, raw, size)
  if #raw == size then
    return
  end
  local epoch, lent, lent_before = unpack('<ddd', raw, size + 1)
  local present = epoch - epoch % ERA + floor(now / EPOCH)
  if present > epoch + 1 then
    lent, lent_before = 0, 0
  elseif present == epoch + 1 then
    lent, lent_before = 0, lent
  elseif present < epoch then
    lent, lent_before, present = lent + lent_before, 0, present + ERA
  end
  b.epoch, b.lent, b.lent_before = present, lent, lent_before
end

-- The lent tokens, packed to follow a state; empty if none are lent.
local function loans_of(b)
  return b.epoch and b.lent + b.lent_before > 0 and pack('<ddd', b.epoch, b.lent, b.lent_before) or ''
end

-- Removes an amount that was lent in an epoch. Older epochs are not counted any more.
local function forget_loan(b, held, epoch)
  if epoch == b.epoch then
    b.lent = b.lent - min(b.lent, held)
  elseif epoch == b.epoch - 1 then
    b.lent_before = b.lent_before - min(b.lent_before, held)
  end
end

-- Writes a state, with a TTL for as long as the state or the lent tokens matter.
local function save_state(key, b, state, life)
  local loans = loans_of(b)
  if loans ~= '' then
    state, life = state .. loans, max(life, 2 * EPOCH / 1000)
  end
  call('SET', key, state, 'PX', life + spare)
end

-- Creating functions costs more than most draws, so the functions of an algorithm are created when the first
-- draw needs them.

local function bucket_algorithm()
  local bucket = {}

  -- How long a bucket matters, in ms. Clipped excess is worth a day of memory, but not years.
  local function life_of(b)
    local life = ceil(ceil(b.used / b.drain) * b.tick / 1000)
    if b.excess > 0 then
      life = max(life, min(ceil(ceil((b.used + b.excess) / b.drain) * b.tick / 1000), 86400000))
    end
    return life
  end

  -- Writes a bucket. A deficit above the capacity is a debt under these numbers, and is marked as such; so is
  -- clipped excess.
  function bucket.save(key, b)
    if b.drain == 0 then
      return bucket.leave(key, b)
    end
    b.excess = min(b.excess, EXACT - b.used)
    local state
    if b.excess > 0 then
      state = pack('<ddddd', b.time, b.used, b.token, b.full, b.excess)
    elseif b.used > b.full then
      state = pack('<dddd', b.time, b.used, b.token, b.full)
    else
      state = pack('<ddd', b.time, b.used, b.token)
    end
    save_state(key, b, state, life_of(b))
  end

  -- Leaves a bucket in the numbers in which it was written, if a call takes nothing. Otherwise instances with
  -- different numbers (during a rule change) would refund each other. Only lent tokens and a clock that
  -- stepped back are recorded.
  function bucket.leave(key, b)
    local state = b.known and b.known:sub(1, b.size) or pack('<ddd', b.time, 0, b.token)
    if b.drain == 0 then -- a limit of 0 writes leases only
      if b.epoch then
        local left = call('PTTL', key) - spare
        if b.known or loans_of(b) ~= '' then
          save_state(key, b, state, max(left, 0))
        end
      end
      return
    end
    if b.known and now < b.before then
      state = pack('<d', b.time) .. state:sub(9)
    end
    save_state(key, b, state, life_of(b))
  end

  -- Converts a deficit to other units, to 1/65,536 of a token, rounded up.
  local function converted(deficit, from, to)
    if from == to then
      return deficit
    end
    local whole = floor(deficit / from)
    local fraction = ceil((deficit - whole * from) * 65536 / from)
    return min(whole * to + ceil(fraction * to / 65536), EXACT)
  end

  function bucket.read(b)
    b.tick, b.drain, b.token, b.capacity, at = unpack('<dddd', args, at)
  end

  function bucket.open(b, key)
    local full = b.capacity * b.token
    local ticks = floor(now / b.tick)
    local used, excess = 0, 0
    local raw = get(key)
    if raw then
      local size = #raw
      local token = size > 23 and unpack('<d', raw, 17) or 0
      if size % 8 > 0 or size > 64 or not (token >= 1 and token <= 137438953472) or not is_whole(raw, 1, size) then -- 2^37
        invalid, raw = invalid + 1, false
      end
    end
    b.full = full
    b.time = ticks * b.tick
    b.previous = 0
    b.known = raw
    if raw then
      local time, deficit, token = unpack('<ddd', raw)
      local size = #raw > 40 and #raw - 24 or #raw
      b.before, b.size = time, size
      used = deficit
      read_loans(b, raw, size)
      local empty = size > 24 and unpack('<d', raw, 25) or -1
      excess = size > 32 and unpack('<d', raw, 33) or 0
      if token ~= b.token or (used > full or size > 24) and empty ~= full then
        -- Written under other numbers: the part above the burst in force is clipped and becomes excess, which
        -- a larger burst counts again.
        local total = converted(used + excess, token, b.token)
        if empty >= b.capacity * token then
          used = converted(used, token, b.token)
        else
          used = total
        end
        used = min(used, full)
        excess = total - used
      end
      local passed = ticks - ceil(time / b.tick)
      if passed > 0 then
        local back = passed * b.drain
        excess = max(0, used + excess - back) - max(0, used - back)
        used = max(0, used - back)
      end
    end
    b.used, b.excess = used, excess
  end

  function bucket.admits(b)
    if b.amount == 0 then
      return b.full > 0
    end
    return b.amount <= b.capacity
      and b.used <= b.full - b.amount * b.token
      and not (b.used > 0 and has(b.flags, AT_ONCE) and has(b.flags, LEAKY))
  end

  function bucket.take(b)
    b.used = b.used + b.amount * b.token
  end

  function bucket.count(b)
    b.used = max(b.used, min(b.used + b.amount * b.token, 2 * b.full, EXACT))
  end

  function bucket.remaining(b)
    return b.used >= b.full and 0 or floor((b.full - b.used) / b.token)
  end

  function bucket.give(b, amount)
    local total = b.used + b.excess
    total = amount > floor(total / b.token) and 0 or total - amount * b.token
    b.used = amount > floor(b.used / b.token) and 0 or b.used - amount * b.token
    b.excess = total - b.used
  end

  function bucket.charge(b, amount)
    if b.drain == 0 then
      return
    end
    b.used = amount > floor(EXACT / b.token) and EXACT or min(b.used + amount * b.token, EXACT)
  end

  return bucket
end

local function window_end(window, phase)
  return floor((now - phase) / window) * window + phase + window
end

-- Counts an amount in a window of another length too, if there is one; a negative amount is given back.
-- Everything charged to the window in force was charged to both.
local function count_elsewhere(b, amount)
  local other = b.other
  if other then
    other.used = max(0, min(other.used + amount, EXACT))
  end
end

-- Fixed windows and quotas: the end of the window, the count in it, the kind of window. While a rule change
-- spreads, instances may use windows of different lengths. A take counts in both; otherwise each would end
-- the other's window early. Then the count is stored as -1 - count, and end, count and kind of the other
-- window follow. Aligned and unaligned windows may be on different clocks, and are not stored together.
local function count_algorithm()
  local count = {}

  function count.open_until(b, key, ends)
    local raw = get(key)
    b.time, b.used, b.previous = ends, 0, 0
    b.known = raw
    if not raw then
      return
    end
    -- Without leases and another window the size is 24 bytes, or 16: earlier versions wrote no kind.
    local size, length = #raw, 24
    local before, used, kind, other = -1, 0, b.id, nil
    if size == 16 or size == 40 then
      length, before, used = 16, unpack('<dd', raw)
    elseif size == 24 or size == 48 or size == 72 then
      before, used, kind = unpack('<ddd', raw)
    end
    if used < 0 and size > 40 then
      length, used = 48, -1 - used
      local time, count, id = unpack('<ddd', raw, 25)
      if not is_whole(raw, 25, 40) or id % 1 ~= 0 then
        before = -1
      elseif now < time and (id < 0) == (b.id < 0) then
        other = { time = time, used = count, id = id }
      end
    end
    if not (before >= 0 and before <= EXACT and before % 1 == 0 and used >= 0 and used <= EXACT and used % 1 == 0
        and kind % 1 == 0) or size > length and not is_whole(raw, length + 1, size) then
      b.known, invalid = nil, invalid + 1
      return
    end
    local current = now < before
    if current then
      read_loans(b, raw, length) -- leases end with their window
    end
    if kind ~= b.id then
      local this = current and used > 0 and (kind < 0) == (b.id < 0) and { time = before, used = used, id = kind } or nil
      if other and other.id == b.id then
        used, current, other = other.used, true, this
      else
        other = this or other
      end
    end
    b.used, b.other = current and used or 0, other
  end

  function count.admits(b)
    if b.amount == 0 then
      return b.capacity > 0
    end
    return b.amount <= b.capacity - b.used
  end

  function count.take(b)
    b.used = b.used + b.amount
    count_elsewhere(b, b.amount)
  end

  function count.count(b)
    local used = max(b.used, min(b.used + min(b.amount, 2 * b.capacity), 2 * b.capacity))
    count_elsewhere(b, used - b.used)
    b.used = used
  end

  function count.remaining(b)
    return max(0, b.capacity - b.used)
  end

  -- Only tokens charged to a window that still counts.
  function count.give(b, amount, window)
    if window == b.time or b.other and window == b.other.time then
      count_elsewhere(b, -amount)
    end
    if window == b.time then
      b.used = max(0, b.used - amount)
    end
  end

  function count.charge(b, amount)
    b.used = min(b.used + amount, EXACT)
    count_elsewhere(b, amount)
  end

  function count.save(key, b)
    local other = b.other
    if other then -- also an empty one, as after a give-back: a missing window would start with the count of this one
      local state = pack('<dddddd', b.time, -1 - b.used, b.id, other.time, other.used, other.id)
      return save_state(key, b, state, ceil((max(b.time, other.time) - now) / 1000))
    end
    save_state(key, b, pack('<ddd', b.time, b.used, b.id), ceil((b.time - now) / 1000))
  end

  return count
end

local function fixed_algorithm()
  local fixed = count_algorithm()

  function fixed.read(b)
    b.window, b.phase, b.capacity, at = unpack('<ddd', args, at)
    b.id = b.phase == 0 and -b.window or b.window -- negative: aligned
  end

  function fixed.open(b, key)
    fixed.open_until(b, key, window_end(b.window, b.phase))
  end

  return fixed
end

local function quota_algorithm()
  local quota = count_algorithm()

  function quota.read(b)
    b.before, b.start, b.next, b.after, b.capacity, at = unpack('<ddddd', args, at)
    local hours = (b.next - b.start) / 3600000000
    b.id = hours < 2 and 1 or hours < 72 and 2 or hours < 240 and 3 or 4 -- hour, day, week, month
  end

  function quota.open(b, key)
    if now < b.before or now >= b.after then
      b.stale = true
      b.time, b.used, b.previous = 0, 0, 0
      return
    end
    quota.open_until(b, key, now < b.start and b.start or now < b.next and b.next or b.after)
  end

  return quota
end

-- Sliding windows: the end of the current window, its count, the previous count, the length (negative:
-- aligned), the tick. If instances use windows of different lengths, the same five follow for the other.
local function sliding_algorithm()
  local sliding = {}

  function sliding.read(b)
    b.length, b.tick, b.phase, b.capacity, at = unpack('<dddd', args, at)
    b.window = math.abs(b.length)
    b.ticks = b.window / b.tick
    b.max_count = min(floor(EXACT / b.ticks), 4294967295)
  end

  local function roll(time, used, previous, window)
    if now >= time then
      local passed = floor((now - time) / window)
      return time + (passed + 1) * window, 0, passed == 0 and used or 0
    elseif now < time - window then
      -- Everything counts as current, because the previous count would weigh less later in a window.
      return time - floor((time - 1 - now) / window) * window, used + previous, 0
    end
    return time, used, previous
  end

  local function elapsed(b)
    return floor((now - (b.time - b.window)) / b.tick)
  end

  function sliding.open(b, key)
    local raw = get(key)
    b.time, b.used, b.previous = window_end(b.window, b.phase), 0, 0
    b.known = raw
    if not raw then
      return
    end
    local size = #raw
    local own = size >= 80 and 80 or 40
    local other, time, used, previous, length, tick
    local valid = (size == own or size == own + 24) and is_whole(raw, own + 1, size)
    for from = valid and own - 39 or 0, 1, -40 do -- first the window of another length, if there is one
      time, used, previous, length, tick = unpack('<ddddd', raw, from)
      valid = valid and is_whole(raw, from, from + 23)
        and length % 1 == 0 and length ~= 0 and math.abs(length) <= EXACT
        and (tick == 1 or tick == 10 or tick == 100 or tick == 1000)
      if valid and from > 1 and (length < 0) == (b.length < 0) then
        time, used, previous = roll(time, used, previous, math.abs(length))
        other = { time = time, used = min(used, EXACT), previous = previous, length = length, tick = tick }
        other = used + previous > 0 and other or nil
      end
    end
    if not valid then
      b.known, invalid = nil, invalid + 1
      return
    end
    if now < time then
      read_loans(b, raw, own)
    end
    if length == b.length then
      b.other = other
      b.time, b.used, b.previous = roll(time, used, previous, b.window)
      b.used, b.previous = min(b.used, b.max_count), min(b.previous, b.max_count)
      return
    end
    local window = math.abs(length)
    local this
    if (length < 0) == (b.length < 0) then
      time, used, previous = roll(time, used, previous, window)
      if used + previous > 0 then
        this = { time = time, used = min(used, EXACT), previous = previous, length = length, tick = tick }
      end
      local ticks = window / tick
      previous = ceil(previous * (ticks - floor((now - (time - window)) / tick)) / ticks)
    end
    if other and other.length == b.length then
      b.time, b.used, b.previous, b.other = other.time, min(other.used, b.max_count), min(other.previous, b.max_count), this
    else
      b.used, b.other = min(used + previous, b.max_count), this or other
    end
  end

  function sliding.admits(b)
    if b.amount == 0 then
      return b.capacity > 0
    end
    local room = b.capacity - b.used
    return b.amount <= room
      and (b.previous == 0 or b.previous * (b.ticks - elapsed(b)) <= (room - b.amount) * b.ticks)
  end

  function sliding.take(b)
    b.used = b.used + b.amount
    count_elsewhere(b, b.amount)
  end

  function sliding.count(b)
    local used = max(b.used, min(b.used + min(b.amount, b.max_count), 2 * b.capacity, b.max_count))
    count_elsewhere(b, used - b.used)
    b.used = used
  end

  function sliding.remaining(b)
    local weight = b.previous == 0 and 0 or ceil(b.previous * (b.ticks - elapsed(b)) / b.ticks)
    return max(0, b.capacity - b.used - weight)
  end

  function sliding.give(b, amount, window)
    if window == b.time or b.other and window == b.other.time then
      count_elsewhere(b, -amount)
    end
    if window == b.time then
      b.used = max(0, b.used - amount)
    elseif window == b.time - b.window then
      b.previous = max(0, b.previous - amount)
    end
  end

  function sliding.charge(b, amount)
    b.used = min(b.used + min(amount, b.max_count), b.max_count)
    count_elsewhere(b, amount)
  end

  -- As if it had been taken evenly over the last window: its weight is the full amount now, and declines from
  -- now on.
  function sliding.owe(b, amount)
    amount = min(amount, b.max_count)
    count_elsewhere(b, amount)
    b.used = min(b.used + ceil(amount * elapsed(b) / b.ticks), b.max_count)
    b.previous = min(b.previous + amount, b.max_count)
  end

  function sliding.save(key, b)
    local life = b.used > 0 and b.time + b.window - now or b.time - now
    local state = pack('<ddddd', b.time, b.used, b.previous, b.length, b.tick)
    local other = b.other
    if other and other.used + other.previous > 0 then
      state = state .. pack('<ddddd', other.time, other.used, other.previous, other.length, other.tick)
      life = max(life, other.time + math.abs(other.length) - now)
    end
    save_state(key, b, state, ceil(life / 1000))
  end

  return sliding
end

-- Sliding logs: the total and the window, then time and amount of every entry, oldest first. If some
-- instances use a longer window than this one, that window is stored instead, negative, followed by the time
-- until which its entries are kept, and 0.
local function log_algorithm()
  local log = {}
  local KEEP_LONGER = 60000000 -- µs for which entries of a longer window are kept after a call under a shorter one
  local MAX_ENTRIES = 10000 -- entries, as no limit admits more calls

  function log.read(b)
    b.window, b.capacity, at = unpack('<dd', args, at)
  end

  -- Only the first and the last entry are validated: to check all would cost more than the call.
  function log.open(b, key)
    log.load(b, get(key) or '')
    local used, entries = b.used, b.entries
    if not used or used < 0 or entries == '' and used > 0 or entries ~= '' and not is_whole(entries, 1, 16) then
      invalid = invalid + 1
      log.load(b, '')
    end
  end

  function log.load(b, raw)
    local total, from, size = 0, 17, #raw
    local keeps, until_then = b.window, 0
    local older, older_total = '', 0
    b.used, b.entries = nil, ''
    if raw ~= '' then
      if size % 8 > 0 or size < 24 then
        return
      end
      total = unpack('<d', raw)
      if size % 16 == 8 then -- earlier versions wrote no window
        from = 9
      else
        keeps = unpack('<d', raw, 9)
        if keeps < 0 then
          keeps, until_then, from = -keeps, unpack('<d', raw, 17), 33
        end
      end
      local head = from - 1
      if size < head + 16 or keeps % 1 ~= 0 or keeps > EXACT or not (total >= 0 and total <= EXACT and total % 1 == 0)
          or not is_whole(raw, size - 15, size) or unpack('<d', raw, from) % 1 ~= 0 then
        return
      end
      if keeps > b.window then
        until_then = min(until_then > 0 and until_then or EXACT, now + KEEP_LONGER)
        if now >= until_then then
          keeps = b.window
        end
      else
        keeps = b.window
      end
      -- The clock has stepped back: entries later than now count as now.
      local late = 0
      while size > head and unpack('<d', raw, size - 15) > now do
        late = late + unpack('<d', raw, size - 7)
        size = size - 16
      end
      if late > 0 then
        if size > head and unpack('<d', raw, size - 15) == now then
          late = late + unpack('<d', raw, size - 7)
          size = size - 16
        end
        raw = raw:sub(1, size) .. pack('<dd', now, late)
        size = #raw
      end
      while from < size and unpack('<d', raw, from) <= now - keeps do
        total = total - unpack('<d', raw, from + 8)
        from = from + 16
      end
      if keeps > b.window then
        local first = from
        while from < size and unpack('<d', raw, from) <= now - b.window do
          if size - first >= 16 * MAX_ENTRIES then
            total, first = total - unpack('<d', raw, from + 8), from + 16
          else
            older_total = older_total + unpack('<d', raw, from + 8)
          end
          from = from + 16
        end
        total, older = total - older_total, raw:sub(first, from - 1)
      end
    end
    b.longer = keeps > b.window and { window = keeps, ends = until_then, entries = older, used = older_total } or nil
    b.entries = raw:sub(from, size)
    b.known = size > 0
    b.used, b.time, b.previous = total, now, 0
  end

  function log.admits(b)
    if b.amount == 0 then
      return b.capacity > 0
    end
    return b.amount <= b.capacity - b.used
  end

  function log.append(b, amount)
    local size = #b.entries
    if size > 0 and unpack('<d', b.entries, size - 15) == now then
      amount = amount + unpack('<d', b.entries, size - 7)
      b.entries = b.entries:sub(1, size - 16)
    end
    b.entries = b.entries .. pack('<dd', now, amount)
  end

  -- The time of the newest entry with an amount: usually the last, except in a log written by an earlier
  -- version, which kept empty entries.
  local function newest(b)
    local last = #b.entries - 15
    while last > 0 and unpack('<d', b.entries, last + 8) == 0 do
      last = last - 16
    end
    return last > 0 and unpack('<d', b.entries, last) or 0
  end

  function log.take(b)
    b.before = newest(b)
    b.used = b.used + b.amount
    log.append(b, b.amount)
  end

  function log.count(b)
    local amount = min(b.amount, 2 * b.capacity - b.used)
    if amount > 0 then
      b.used = b.used + amount
      log.append(b, amount)
    end
  end

  function log.remaining(b)
    return max(0, b.capacity - b.used)
  end

  function log.charge(b, amount)
    amount = min(amount, EXACT - b.used)
    if amount > 0 then
      b.used = b.used + amount
      log.append(b, amount)
    end
  end

  -- As if it had been taken evenly over the last window, in up to 32 entries: its weight is the full amount
  -- now, and declines.
  function log.owe(b, amount)
    local parts, entries, from = min(amount, 32), {}, 1
    for i = 1, parts do
      local time = now - b.window + floor(b.window * i / parts)
      local part = floor(amount * i / parts) - floor(amount * (i - 1) / parts)
      local earlier = from
      while from < #b.entries and unpack('<d', b.entries, from) < time do
        from = from + 16
      end
      entries[#entries + 1] = b.entries:sub(earlier, from - 1)
      if from < #b.entries and unpack('<d', b.entries, from) == time then
        part = part + unpack('<d', b.entries, from + 8)
        from = from + 16
      end
      entries[#entries + 1] = pack('<dd', time, part)
    end
    b.used = b.used + amount
    b.entries = table.concat(entries) .. b.entries:sub(from)
  end

  function log.save(key, b)
    local longer = b.longer
    if longer and #longer.entries + #b.entries > 0 then
      local head = pack('<dddd', b.used + longer.used, -longer.window, longer.ends, 0)
      call('SET', key, head .. longer.entries .. b.entries, 'PX', ceil(longer.window / 1000) + spare)
    elseif #b.entries == 0 then
      call('DEL', key)
    else
      call('SET', key, pack('<dd', b.used, b.window) .. b.entries, 'PX', ceil(b.window / 1000) + spare)
    end
  end

  -- Values that the instance cannot compute from a total: the newest entry with an amount, and when the
  -- amount would fit; if it was taken, the newest entry without it.
  function log.close(b)
    b.time = newest(b)
    if b.before then
      b.previous = b.before
      return
    end
    local excess = b.used + b.amount - b.capacity
    local from = 1
    while excess > 0 and from < #b.entries do
      excess = excess - unpack('<d', b.entries, from + 8)
      b.previous = unpack('<d', b.entries, from) + b.window
      from = from + 16
    end
  end

  return log
end

-- Concurrency: reservation, amount and deadline of every held permit, ordered by deadline. A new deadline is
-- nearly always the last; only if instances use different TTLs it may come before others. The state begins
-- with a header in the form of an expired permit: the longest TTL of a permit, the sum of the amounts, and 0.
-- Earlier versions wrote no header, and drop it as expired. Strings are cut and joined, never decoded permit
-- by permit, so that a call costs little more with thousands of permits held.
local function permit_algorithm()
  local permits = {}

  function permits.read(b)
    b.ttl, b.capacity, b.id, at = unpack('<ddc8', args, at)
  end

  local function sum(raw)
    local total = 0
    for from = 1, #raw, 24 do
      total = total + unpack('<d', raw, from + 8)
    end
    return total
  end

  -- Caps deadlines at the longest TTL from now: the clock has stepped back.
  local function cap_deadlines(raw, latest)
    local from, moved = #raw - 23, {}
    while from > 0 and unpack('<d', raw, from + 16) > latest do
      from = from - 24
    end
    for late = from + 24, #raw, 24 do
      moved[#moved + 1] = raw:sub(late, late + 15) .. pack('<d', latest)
    end
    return raw:sub(1, from + 23) .. table.concat(moved)
  end

  -- Only the first and the last permit are validated.
  function permits.open(b, key)
    local raw = get(key) or ''
    local size = #raw
    local valid = raw == '' or size > 0 and size % 24 == 0 and is_whole(raw, 9, 24) and is_whole(raw, size - 15, size)
    permits.load(b, valid and raw or '')
    local held = b.first < #b.raw
    if not valid or not (b.used >= 0 and b.used % 1 == 0 and b.longest >= 0 and b.longest <= EXACT) or not held and b.used > 0
        or held and not is_whole(b.raw, b.first + 8, b.first + 23) then
      invalid = invalid + 1
      permits.load(b, '')
    end
  end

  function permits.load(b, raw)
    local size, from, last = #raw, 1, 0
    b.known, b.used, b.longest = size > 0, 0, 0
    b.unchanged = size == 0
    if size > 0 then
      local longest, total, mark = unpack('<ddd', raw)
      b.unchanged = mark == 0
      if b.unchanged then
        from, b.longest = 25, longest
      else
        total = sum(raw)
      end
      while from < size and unpack('<d', raw, from + 16) <= now do
        total, from, b.unchanged = total - unpack('<d', raw, from + 8), from + 24, false
      end
      b.used = total
      if from < size then
        last = unpack('<d', raw, size - 7)
        local latest = now + max(b.ttl, b.longest)
        if last > latest then
          last, b.unchanged = latest, false
          raw = cap_deadlines(raw, last)
        end
      else
        b.longest = 0
      end
    end
    -- The state is raw from the first held permit, without the one in the gap, and then the added one.
    b.raw, b.first, b.gap, b.added = raw, from, size + 1, ''
    b.time, b.previous = last, 0
  end

  function permits.admits(b)
    if b.amount == 0 then
      return b.capacity > 0
    end
    return b.amount <= b.capacity - b.used
  end

  function permits.add(b, amount)
    local permit, deadline = pack('<c8dd', b.id, amount, now + b.ttl), now + b.ttl
    b.used, b.previous, b.unchanged, b.longest = b.used + amount, b.time, false, max(b.longest, b.ttl)
    if deadline >= b.time then
      b.added, b.time = permit, deadline
      return
    end
    -- Other permits have a longer TTL: it is inserted before them.
    local raw = b.raw:sub(b.first, b.gap - 1) .. b.raw:sub(b.gap + 24)
    local last = #raw - 23
    while last > 0 and unpack('<d', raw, last + 16) > deadline do
      last = last - 24
    end
    b.raw = raw:sub(1, last + 23) .. permit .. raw:sub(last + 24)
    b.first, b.gap = 1, #b.raw + 1
  end

  function permits.take(b)
    permits.add(b, b.amount)
  end

  -- Ends the permit of this reservation and returns its amount; nil if it holds none.
  function permits.drop(b)
    local position = b.raw:find(b.id, b.first, true)
    while position and (position - b.first) % 24 > 0 do -- equal bytes at another position, not an id
      position = b.raw:find(b.id, position + 1, true)
    end
    if position then
      local amount = unpack('<d', b.raw, position + 8)
      b.used, b.gap, b.unchanged = b.used - amount, position, false
      return amount
    end
  end

  function permits.count() end

  function permits.remaining(b)
    return max(0, b.capacity - b.used)
  end

  function permits.charge() end

  function permits.save(key, b)
    if b.unchanged then
      return
    end
    if b.used == 0 then
      return call('DEL', key)
    end
    local state = pack('<ddd', b.longest, b.used, 0) .. b.raw:sub(b.first, b.gap - 1) .. b.raw:sub(b.gap + 24) .. b.added
    call('SET', key, state, 'PX', ceil((b.time - now) / 1000) + spare)
  end

  return permits
end

local algorithms = {}

-- The functions of an algorithm.
local function algorithm_of(kind)
  local algorithm = algorithms[kind]
  if not algorithm then
    local make = kind == 0 and bucket_algorithm or kind == 1 and fixed_algorithm or kind == 2 and sliding_algorithm
      or kind == 3 and log_algorithm or kind == 4 and quota_algorithm or permit_algorithm
    algorithm = make()
    algorithms[kind] = algorithm
  end
  return algorithm
end
