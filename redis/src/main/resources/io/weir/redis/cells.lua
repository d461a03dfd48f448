-- What every script knows of the seven algorithms: how a bucket is read, brought to the present, judged, changed and kept.
-- This file stands before the others; it is no script of its own.
--
-- KEYS     one bucket per draw, in the order of ARGV[1]
-- ARGV[1]  packed, little-endian, d = double, B = byte, H = two bytes: d the time in µs, or 0 to take Redis' own; then what the script
--          that follows says. A limit's numbers are, by algorithm:
--            0 bucket          d tick, d drain, d token, d capacity
--            1 fixed window    d window, d phase, d capacity
--            2 sliding window  d window (negative: aligned), d tick, d phase, d capacity
--            3 sliding log     d window, d capacity
--            4 quota           d d d d starts of the previous, this, the next period and the one after, d capacity
--            5 concurrency     d permit ttl, d capacity, c8 reservation
--
-- A bucket, window or quota from which leases are out keeps them behind its own state: d epoch, d lent in it, d lent in the one
-- before. The arithmetic is that of Loans in core.
--
-- All numbers are whole and below 2^53, so doubles are exact. State is packed doubles: concatenating or printing numbers
-- in Lua keeps only 14 digits and would corrupt µs timestamps. Every write sets the TTL.

local unpack, pack, floor, ceil, max, min =
  struct.unpack, struct.pack, math.floor, math.ceil, math.max, math.min
local call = redis.call
local EXACT = 9007199254740991 -- 2^53 - 1
local ENFORCE, TAKE, COUNT, LEAKY, AT_ONCE, LOOK, TELLS = 1, 2, 4, 8, 16, 32, 64
local EPOCH = 5000000 -- µs for which leases are counted together, and live
local ERA = 4294967296 -- added to an epoch whenever the clock is set back, so that no two are taken for one another

local args = ARGV[1]
local now, at = unpack('<d', args, 1)
-- How long a key outlives what it says, in ms: longer where Redis' clock is not the one that decides.
local spare = 60000
if now == 0 then
  spare = 1000
  local clock = call('TIME')
  now = clock[1] * 1000000 + clock[2]
end

local function has(flags, flag)
  return flags % (2 * flag) >= flag
end

-- Reads what is out on lease, if anything is, from behind a state that is so long without it, and brings it to the present.
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

-- What is out, as it is kept behind a state; nothing, where nothing is.
local function loans_of(b)
  return b.epoch and b.lent + b.lent_before > 0 and pack('<ddd', b.epoch, b.lent, b.lent_before) or ''
end

-- Forgets so much of what was lent or kept in an epoch; what is older has been forgotten.
local function forget_loan(b, held, epoch)
  if epoch == b.epoch then
    b.lent = b.lent - min(b.lent, held)
  elseif epoch == b.epoch - 1 then
    b.lent_before = b.lent_before - min(b.lent_before, held)
  end
end

-- The bytes of a bucket without what is out on lease.
local function bucket_size(raw)
  return #raw > 40 and #raw - 24 or #raw
end

-- Writes a state, for as long as it, or what is out on lease, says something.
local function save_state(key, b, state, life)
  local loans = loans_of(b)
  if loans ~= '' then
    state, life = state .. loans, max(life, 2 * EPOCH / 1000)
  end
  call('SET', key, state, 'PX', life + spare)
end

-- Making functions costs more than most draws do, so each algorithm's are made when the first draw needs them.

local function bucket_cells()
  local bucket = {}

  -- How long a bucket weighs, in ms. What was clipped is worth a day of memory, but not years.
  local function life_of(b)
    local life = ceil(ceil(b.used / b.drain) * b.tick / 1000)
    if b.excess > 0 then
      life = max(life, min(ceil(ceil((b.used + b.excess) / b.drain) * b.tick / 1000), 86400000))
    end
    return life
  end

  -- Writes a bucket. A deficit past the capacity is a debt under these numbers, and says so; so does what was clipped.
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

  -- Leaves a bucket as it is, in the numbers in which it was written, if a call takes nothing: instances that hold different
  -- numbers would refund each other else. Only what is out on lease, and a clock that stepped back, are noted.
  function bucket.leave(key, b)
    local state = b.known and b.known:sub(1, b.size) or pack('<ddd', b.time, 0, b.token)
    if b.drain == 0 then -- a limit of 0 writes nothing but leases
      if b.epoch then
        local left = call('PTTL', key) - spare
        if b.known or loans_of(b) ~= '' then
          save_state(key, b, state, max(left, 0))
        end
      end
      return
    end
    if b.known and now < b.before then
      state = pack('<d', now) .. state:sub(9)
    end
    save_state(key, b, state, life_of(b))
  end

  -- A deficit in other units, to a 65,536th of a token, rounded up.
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
    local raw = call('GET', key)
    b.full = full
    b.time = ticks * b.tick
    b.previous = 0
    b.known = raw
    if raw then
      local time, deficit, token = unpack('<ddd', raw)
      local size = bucket_size(raw)
      b.before, b.size = time, size
      used = deficit
      read_loans(b, raw, size)
      local empty = size > 24 and unpack('<d', raw, 25) or -1
      excess = size > 32 and unpack('<d', raw, 33) or 0
      if token ~= b.token or (used > full or size > 24) and empty ~= full then
        -- Other numbers: what is above the burst in force is clipped and becomes excess, which a larger burst counts again.
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

-- Fixed windows and quotas: the end of the window, and the count in it.
local function count_cells()
  local count = {}

  function count.open_until(b, key, ends)
    local raw = call('GET', key)
    b.time, b.used, b.previous = ends, 0, 0
    b.known = raw
    if raw then
      local before, count = unpack('<dd', raw)
      if now < before then
        b.used = count
        read_loans(b, raw, 16) -- leases die with their window
      end
    end
  end

  function count.admits(b)
    if b.amount == 0 then
      return b.capacity > 0
    end
    return b.amount <= b.capacity - b.used
  end

  function count.take(b)
    b.used = b.used + b.amount
  end

  function count.count(b)
    b.used = max(b.used, min(b.used + min(b.amount, 2 * b.capacity), 2 * b.capacity))
  end

  function count.remaining(b)
    return max(0, b.capacity - b.used)
  end

  -- Only what was charged to the window that still counts.
  function count.give(b, amount, window)
    if window == b.time then
      b.used = max(0, b.used - amount)
    end
  end

  function count.charge(b, amount)
    b.used = min(b.used + amount, EXACT)
  end

  function count.save(key, b)
    save_state(key, b, pack('<dd', b.time, b.used), ceil((b.time - now) / 1000))
  end

  return count
end

local function fixed_cells()
  local fixed = count_cells()

  function fixed.read(b)
    b.window, b.phase, b.capacity, at = unpack('<ddd', args, at)
  end

  function fixed.open(b, key)
    fixed.open_until(b, key, window_end(b.window, b.phase))
  end

  return fixed
end

local function quota_cells()
  local quota = count_cells()

  function quota.read(b)
    b.before, b.start, b.next, b.after, b.capacity, at = unpack('<ddddd', args, at)
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

-- Sliding windows: the end of the current window, its count, the previous count, the length (negative: aligned).
local function sliding_cells()
  local sliding = {}

  function sliding.read(b)
    b.length, b.tick, b.phase, b.capacity, at = unpack('<dddd', args, at)
    b.window = math.abs(b.length)
    b.ticks = b.window / b.tick
    b.most = min(floor(EXACT / b.ticks), 4294967295)
  end

  local function roll(time, used, previous, window)
    if now >= time then
      local passed = floor((now - time) / window)
      return time + (passed + 1) * window, 0, passed == 0 and used or 0
    elseif now < time - window then
      -- All of it counts as current, as the previous count would weigh less later in a window.
      return time - floor((time - 1 - now) / window) * window, used + previous, 0
    end
    return time, used, previous
  end

  local function elapsed(b)
    return floor((now - (b.time - b.window)) / b.tick)
  end

  function sliding.open(b, key)
    local raw = call('GET', key)
    b.time, b.used, b.previous = window_end(b.window, b.phase), 0, 0
    b.known = raw
    if not raw then
      return
    end
    local time, used, previous, length, tick = unpack('<ddddd', raw)
    if now < time then
      read_loans(b, raw, 40)
    end
    if length == b.length then
      b.time, b.used, b.previous = roll(time, used, previous, b.window)
      b.used, b.previous = min(b.used, b.most), min(b.previous, b.most)
      return
    end
    local window = math.abs(length)
    if (length < 0) == (b.length < 0) then
      time, used, previous = roll(time, used, previous, window)
      local ticks = window / tick
      previous = ceil(previous * (ticks - floor((now - (time - window)) / tick)) / ticks)
    end
    b.used = min(used + previous, b.most)
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
  end

  function sliding.count(b)
    b.used = max(b.used, min(b.used + min(b.amount, b.most), 2 * b.capacity, b.most))
  end

  function sliding.remaining(b)
    local weight = b.previous == 0 and 0 or ceil(b.previous * (b.ticks - elapsed(b)) / b.ticks)
    return max(0, b.capacity - b.used - weight)
  end

  function sliding.give(b, amount, window)
    if window == b.time then
      b.used = max(0, b.used - amount)
    elseif window == b.time - b.window then
      b.previous = max(0, b.previous - amount)
    end
  end

  function sliding.charge(b, amount)
    b.used = min(b.used + min(amount, b.most), b.most)
  end

  -- As if it had gone evenly over the last window: it weighs as much now, and less and less from now on.
  function sliding.owe(b, amount)
    amount = min(amount, b.most)
    b.used = min(b.used + ceil(amount * elapsed(b) / b.ticks), b.most)
    b.previous = min(b.previous + amount, b.most)
  end

  function sliding.save(key, b)
    local life = b.used > 0 and b.time + b.window - now or b.time - now
    save_state(key, b, pack('<ddddd', b.time, b.used, b.previous, b.length, b.tick), ceil(life / 1000))
  end

  return sliding
end

-- Sliding logs: the total, then time and amount of every entry, oldest first.
local function log_cells()
  local log = {}

  function log.read(b)
    b.window, b.capacity, at = unpack('<dd', args, at)
  end

  function log.open(b, key)
    local raw = call('GET', key) or ''
    local total, from, size = 0, 9, #raw
    if size > 0 then
      total = unpack('<d', raw)
      -- The clock has stepped back: entries later than now count as now.
      local late = 0
      while size > 8 and unpack('<d', raw, size - 15) > now do
        late = late + unpack('<d', raw, size - 7)
        size = size - 16
      end
      if late > 0 then
        if size > 8 and unpack('<d', raw, size - 15) == now then
          late = late + unpack('<d', raw, size - 7)
          size = size - 16
        end
        raw = raw:sub(1, size) .. pack('<dd', now, late)
        size = #raw
      end
      while from < size and unpack('<d', raw, from) <= now - b.window do
        total = total - unpack('<d', raw, from + 8)
        from = from + 16
      end
    end
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

  -- The time of the newest entry that weighs: the last, but in a log that an instance wrote which kept empty ones.
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

  -- As if it had gone evenly over the last window, in up to 32 entries: it weighs as much now, and less and less.
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
    if #b.entries == 0 then
      return call('DEL', key)
    end
    call('SET', key, pack('<d', b.used) .. b.entries, 'PX', ceil(b.window / 1000) + spare)
  end

  -- What the instance cannot work out from a total: the newest entry that weighs, and when the amount would fit;
  -- if it was taken, which entry would be the newest without it.
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

-- Concurrency: reservation, amount and deadline of every permit that is held, in the order of their deadlines: a new deadline is
-- never before another, as none lies further ahead than now + ttl. In front, as a permit that has long expired, stands the sum
-- of the amounts; earlier versions wrote none, and drop it as expired. Strings are cut and joined, never taken apart permit by
-- permit, so that a call costs little more with thousands held.
local function permit_cells()
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

  -- Lets no deadline lie further ahead than now + ttl: the clock has stepped back, or permits live less long now.
  local function pull_back(raw, latest)
    local from, moved = #raw - 23, {}
    while from > 0 and unpack('<d', raw, from + 16) > latest do
      from = from - 24
    end
    for late = from + 24, #raw, 24 do
      moved[#moved + 1] = raw:sub(late, late + 15) .. pack('<d', latest)
    end
    return raw:sub(1, from + 23) .. table.concat(moved)
  end

  function permits.open(b, key)
    local raw = call('GET', key) or ''
    local size, from, last = #raw, 1, 0
    b.known, b.used = size > 0, 0
    b.unchanged = size == 0
    if size > 0 then
      local _, total, mark = unpack('<ddd', raw)
      b.unchanged = mark == 0
      if b.unchanged then
        from = 25
      else
        total = sum(raw)
      end
      while from < size and unpack('<d', raw, from + 16) <= now do
        total, from, b.unchanged = total - unpack('<d', raw, from + 8), from + 24, false
      end
      b.used = total
      if from < size then
        last = unpack('<d', raw, size - 7)
        if last > now + b.ttl then
          last, b.unchanged = now + b.ttl, false
          raw = pull_back(raw, last)
        end
      end
    end
    -- From the first permit that is held, but for the one in the gap; then the one that was added.
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
    b.added = pack('<c8dd', b.id, amount, now + b.ttl)
    b.used, b.time, b.previous, b.unchanged = b.used + amount, now + b.ttl, b.time, false
  end

  function permits.take(b)
    permits.add(b, b.amount)
  end

  -- Ends the permit of this reservation and tells its amount; nothing if it holds none.
  function permits.drop(b)
    local place = b.raw:find(b.id, b.first, true)
    while place and (place - b.first) % 24 > 0 do -- not an id, but like one
      place = b.raw:find(b.id, place + 1, true)
    end
    if place then
      local amount = unpack('<d', b.raw, place + 8)
      b.used, b.gap, b.unchanged = b.used - amount, place, false
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
    local state = pack('<ddd', 0, b.used, 0) .. b.raw:sub(b.first, b.gap - 1) .. b.raw:sub(b.gap + 24) .. b.added
    call('SET', key, state, 'PX', ceil((b.time - now) / 1000) + spare)
  end

  return permits
end

local made = {}

-- The functions of an algorithm.
local function algorithm_of(kind)
  local algorithm = made[kind]
  if not algorithm then
    local make = kind == 0 and bucket_cells or kind == 1 and fixed_cells or kind == 2 and sliding_cells
      or kind == 3 and log_cells or kind == 4 and quota_cells or permit_cells
    algorithm = make()
    made[kind] = algorithm
  end
  return algorithm
end
