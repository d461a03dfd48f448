-- Changes earlier takes: settles, releases, renews, refunds and gives back; also ends leases and resets keys.
--
-- KEYS     one bucket per part; to settle, then the keys that mark the reservation as settled, one in the slot of each tag
-- ARGV[1]  B change: 0 settle once, 1 release, 2 renew, 3 refund, 4 give back a call that another group refused;
--          d how long after the take it may be settled, d how long it is marked as settled, both in ms
--          per part:  B algorithm, B flags, d amount (to give back; negative: to charge), the limit's numbers,
--                     d d d the receipt: time and deficit or count right after the take, and when that was
--          or, if the change is 5, end a lease: B algorithm, d d d the lease held: amount, epoch, window, d returned tokens
--          or, if the change is 6, reset the bucket: nothing more
-- returns  '1' if anything was done; '0' if it had been done before, came too late or no permit was held; or packed d the
--          time, with nothing done, if the periods sent do not match the clock

local BUCKET, SLIDING, LOG, CONCURRENCY = 0, 2, 3, 5
local SETTLE, RELEASE, RENEW, REFUND, GIVE_BACK, END_LEASE, RESET = 0, 1, 2, 3, 4, 5, 6
local change, within, life
change, within, life, at = unpack('<Bdd', args, at)

-- Ends a lease in the state as it is, whatever numbers it was written under. Returned tokens may be
-- subtracted before the rest has drained: the sum is the same. Windows and quotas take back only tokens of
-- their own window.
local function end_lease(key)
  local kind, held, epoch, window, back = unpack('<Bdddd', args, at)
  local raw = get(key)
  if not raw or #raw < 16 or #raw % 8 > 0 then
    return
  end
  for position = 1, #raw, 8 do
    local number = unpack('<d', raw, position)
    if number % 1 ~= 0 or math.abs(number) > EXACT then -- not written by Weir
      return
    end
  end
  local b, state = {}, nil
  local time, used = unpack('<dd', raw)
  if kind == BUCKET then
    local token = unpack('<d', raw, 17)
    local size = #raw > 40 and #raw - 24 or #raw
    read_loans(b, raw, size)
    local left = max(0, used - back * token)
    state = pack('<dd', time, left) .. raw:sub(17, min(size, 32))
    if size > 32 then -- the excess shrinks with the deficit, or after it
      state = state .. pack('<d', max(0, used + unpack('<d', raw, 33) - back * token) - left)
    end
  else
    local size = used < 0 and 48 or (#raw == 16 or #raw == 40) and 16 or 24
    if kind == SLIDING then
      size = #raw >= 80 and 80 or 40
    end
    local double = kind == SLIDING and size > 40 or used < 0
    if now < time then
      read_loans(b, raw, size)
    end
    if double then -- a window of another length follows
      local from = size / 2 + 1
      local other, count = unpack('<dd', raw, from)
      if window == time or window == other then
        raw = raw:sub(1, from + 7) .. pack('<d', max(0, count - back)) .. raw:sub(from + 16)
      end
    end
    if window == time then
      used = used < 0 and -1 - max(0, -1 - used - back) or max(0, used - back)
    elseif kind == SLIDING and window == time - math.abs(unpack('<d', raw, 25)) then
      raw = raw:sub(1, 16) .. pack('<d', max(0, unpack('<d', raw, 17) - back)) .. raw:sub(25)
    end
    state = pack('<dd', time, used) .. raw:sub(17, size)
  end
  if b.epoch and (kind == BUCKET or window == time) then
    forget_loan(b, held, epoch)
  end
  -- Returned tokens do not extend the TTL, and the rate is not known here: the key keeps its remaining TTL.
  call('SET', key, state .. loans_of(b), 'PX', max(call('PTTL', key), spare))
end

if change == END_LEASE then
  end_lease(KEYS[1])
  return '1'
end

-- A bucket without a key is that of a new key, of any algorithm.
if change == RESET then
  call('DEL', KEYS[1])
  return '1'
end

-- The deficit that a bucket with this deficit at that time has now.
local function drained(b, time, used)
  local passed = floor(b.time / b.tick) - ceil(time / b.tick)
  if passed > 0 then
    used = passed > floor(used / b.drain) and 0 or used - passed * b.drain
  end
  return used
end

-- Removes empty entries, so that a log has no more of them than its limit admits.
local function give_to_log(b)
  local left = b.amount
  local from = #b.entries - 15
  while left > 0 and from > 0 do
    local time, amount = unpack('<dd', b.entries, from)
    if change ~= REFUND and time < b.receipt_time then
      return -- the entry has expired
    end
    if change == REFUND or time == b.receipt_time then
      local back = min(left, amount)
      left = change == REFUND and left - back or 0
      b.used = b.used - back
      local rest = back < amount and pack('<dd', time, amount - back) or ''
      b.entries = b.entries:sub(1, from - 1) .. rest .. b.entries:sub(from + 16)
    end
    from = from - 16
  end
end

local function give(b)
  if b.kind == LOG then
    give_to_log(b)
  elseif change == REFUND or not has(b.flags, LEAKY) or b.used == drained(b, b.receipt_time, b.receipt_used) then
    -- A leaky bucket takes back a call only if no other has queued behind it.
    b.algorithm.give(b, b.amount, change == REFUND and b.time or b.receipt_time)
  end
end

-- Ends or renews the permit of a reservation; false if it holds none.
local function change_permit(b)
  local amount = b.algorithm.drop(b)
  if amount and change == RENEW then
    b.algorithm.add(b, amount)
  end
  return amount ~= nil
end

local latest_take = 0
local parts = {}
while at <= #args do
  local b = {}
  b.kind, b.flags, b.amount, at = unpack('<BBd', args, at)
  b.algorithm = algorithm_of(b.kind)
  b.algorithm.read(b)
  local taken_at
  b.receipt_time, b.receipt_used, taken_at, at = unpack('<ddd', args, at)
  latest_take = max(latest_take, taken_at)
  parts[#parts + 1] = b
  b.key = KEYS[#parts]
  b.algorithm.open(b, b.key)
  if b.stale and change ~= RELEASE and change ~= RENEW then
    return pack('<d', now)
  end
end

-- Uses only this clock, so that a marker that lives as long as a take may be settled outlives the last moment
-- at which it is checked. This holds even if the take was made in this clock's future: a clock can be set
-- back, or be that of another primary. Any existing marker means that the reservation is settled: a retry may
-- contain fewer parts, if rules have been removed in the meantime.
if change == SETTLE then
  if now - latest_take >= within * 1000 then
    return '0'
  end
  for i = #parts + 1, #KEYS do
    if not call('SET', KEYS[i], '', 'NX', 'PX', life + ceil(max(0, latest_take - now) / 1000) + spare) then
      return '0'
    end
  end
end

local done = change ~= RELEASE and change ~= RENEW
for _, b in ipairs(parts) do
  local changed = b.known and change ~= RELEASE and change ~= RENEW
  if change == RELEASE or change == RENEW then
    if b.kind == CONCURRENCY and change_permit(b) then
      changed, done = true, true
    end
  elseif b.kind == CONCURRENCY then -- after settle or refund, a call still holds its permits until it releases them
    changed = change == GIVE_BACK and change_permit(b) or changed
  elseif b.amount < 0 then
    b.algorithm.charge(b, -b.amount)
    changed = true
  elseif b.amount > 0 then
    give(b)
  end
  if changed then
    b.algorithm.save(b.key, b)
  end
end

return done and '1' or '0'
