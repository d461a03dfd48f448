-- Puts takes right afterwards: settles, releases, renews and refunds.
--
-- KEYS     where ARGV[1] says so, first the key that marks a reservation as settled; then one bucket per part
-- ARGV[1]  B what: 0 settle once, 1 release, 2 renew, 3 refund, 4 give back a call that was refused elsewhere; d how long the mark lives, in ms
--          per part:  B algorithm, B flags, d amount (to give back; negative: to charge), the limit's numbers,
--                     d d the stamp: time and deficit or count right after the take
-- returns  '1' if anything was done, '0' if it had been done before or nothing was held

local BUCKET, SLIDING, LOG, CONCURRENCY = 0, 2, 3, 5
local SETTLE, RELEASE, RENEW, REFUND, GIVE_BACK = 0, 1, 2, 3, 4
local what, life
what, life, at = unpack('<Bd', args, at)
local key = 0
local done = 1

if what == SETTLE then
  key = 1
  if not call('SET', KEYS[1], '', 'NX', 'PX', life) then
    return '0'
  end
elseif what == RELEASE or what == RENEW then
  done = 0
end

-- What a bucket that held this much would hold after so long.
local function drained(b, time, used)
  local passed = floor(b.time / b.tick) - ceil(time / b.tick)
  if passed > 0 then
    used = passed > floor(used / b.drain) and 0 or used - passed * b.drain
  end
  return used
end

local function give_to_bucket(b, stamp_time, stamp_used)
  if what ~= REFUND and has(b.flags, LEAKY) and b.used ~= drained(b, stamp_time, stamp_used) then
    return false -- somebody queued up behind what is given back
  end
  b.used = b.amount > floor(b.used / b.token) and 0 or b.used - b.amount * b.token
  return true
end

local function give_to_log(b, stamp_time)
  local left = b.amount
  local from = #b.entries - 15
  while left > 0 and from > 0 do
    local time, amount = unpack('<dd', b.entries, from)
    if what == REFUND or time == stamp_time then
      local back = min(left, amount)
      left = what == REFUND and left - back or 0
      b.used = b.used - back
      b.entries = b.entries:sub(1, from - 1) .. pack('<dd', time, amount - back) .. b.entries:sub(from + 16)
    end
    from = from - 16
  end
  return true
end

-- Windows and quotas take back only what was charged to a window that still counts.
local function give_to_window(b, kind, stamp_time)
  if what == REFUND or stamp_time == b.time then
    b.used = max(0, b.used - b.amount)
    return true
  elseif kind == SLIDING and stamp_time == b.time - b.window then
    b.previous = max(0, b.previous - b.amount)
    return true
  end
  return false
end

local function give(b, kind, stamp_time, stamp_used)
  if kind == BUCKET then
    return give_to_bucket(b, stamp_time, stamp_used)
  elseif kind == LOG then
    return give_to_log(b, stamp_time)
  end
  return give_to_window(b, kind, stamp_time)
end

local function charge(b, kind, amount)
  if kind == BUCKET then
    b.used = amount > floor(EXACT / b.token) and EXACT or min(b.used + amount * b.token, EXACT)
  elseif kind == SLIDING then
    b.used = min(b.used + min(amount, b.most), b.most)
  elseif kind == LOG then
    amount = min(amount, EXACT - b.used)
    b.used = b.used + amount
    b.algorithm.append(b, amount)
  else
    b.used = min(b.used + amount, EXACT)
  end
end

-- Ends or renews the permit of a reservation; false if it holds none.
local function change_permit(b)
  for from = 1, #b.entries, 24 do
    local id, amount, deadline = unpack('<c8dd', b.entries, from)
    if id == b.id then
      local rest = b.entries:sub(1, from - 1) .. b.entries:sub(from + 24)
      if what == RENEW then
        rest = rest .. pack('<c8dd', id, amount, now + b.ttl)
        b.time = now + b.ttl
      end
      b.entries = rest
      return true
    end
  end
  return false
end

while at <= #args do
  local kind, flags, amount, stamp_time, stamp_used
  kind, flags, amount, at = unpack('<BBd', args, at)
  local algorithm = algorithm_of(kind)
  local b = { flags = flags, amount = amount, algorithm = algorithm }
  algorithm.read(b)
  stamp_time, stamp_used, at = unpack('<dd', args, at)
  key = key + 1
  algorithm.open(b, KEYS[key])
  local changed = b.known
  if what == RELEASE or what == RENEW then
    if kind == CONCURRENCY and change_permit(b) then
      changed, done = true, 1
    end
  elseif kind == CONCURRENCY then -- settled or refunded, a call still holds its permits until it releases them
    changed = what == GIVE_BACK and change_permit(b) or changed
  elseif not b.stale then
    if amount < 0 then
      charge(b, kind, -amount)
      changed = true
    elseif amount > 0 then
      changed = give(b, kind, stamp_time, stamp_used) or changed
    end
  end
  if changed then
    algorithm.save(KEYS[key], b)
  end
end

return done == 1 and '1' or '0'
