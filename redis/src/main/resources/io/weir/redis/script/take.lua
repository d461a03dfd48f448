-- Decides calls. Checks every draw of a call first. If all enforced draws admit, it takes from all that admit,
-- otherwise from none (but limits that count refusals count their own). Calls are decided one after the other.
--
-- KEYS     one bucket per draw, in the order of ARGV[1]
-- ARGV[1]  d the time; per call:  H repeats, for calls that differ in their keys only, H number of draws
--          per draw:  B algorithm, B flags, d amount, the limit's numbers; with a lease report also
--                     d maximum that may be lent, d d d the lease held: amount, epoch, window,
--                     d unused tokens, d returned tokens, d requested tokens, d owed tokens
--          flags:     1 enforce, 2 take, 4 count refusals, 8 leaky, 16 only without delay, 32 only look,
--                     64 lease report
-- returns  packed: d the time, then per draw
--            B  0 refused, 1 admitted, 2 undecided: the periods sent do not match the clock
--            d time, d used, d previous: the state after the decision
--              (log: time of the newest entry, total, when the amount would fit; concurrency: last deadline, held, 0;
--              both, if taken: that time as it would be without the take, in place of previous)
--            with a lease report, B is 4 more, and then d unused, d granted, d epoch, d window, d life in µs
--          then, if any value was not written by Weir and counted as absent, d the number of such values

local replies = { pack('<d', now) }
local size = #args
local key = 0

-- Created on demand: creating functions costs time, and most calls have no lease report.
local function lending()
  local loans = {}

  -- Windows and quotas: their leases end with them.
  local function has_windows(b)
    return b.kind == 1 or b.kind == 2 or b.kind == 4
  end

  local function free(b)
    return max(0, b.max_lent - b.lent - b.lent_before)
  end

  function loans.read(b)
    b.max_lent, b.held, b.held_epoch, b.held_window, b.unused, b.returned, b.requested, b.owed, at =
      unpack('<dddddddd', args, at)
  end

  -- Updates the ledger with the report of one instance. Its unused tokens are counted anew.
  function loans.apply_report(b)
    if not b.epoch then
      b.epoch, b.lent, b.lent_before = floor(now / EPOCH), 0, 0
    end
    if has_windows(b) and b.held_window ~= b.time then
      b.unused = 0
    else
      forget_loan(b, b.held, b.held_epoch)
      b.unused = min(b.unused, free(b))
      b.lent = b.lent + b.unused
    end
    if b.returned > 0 then
      b.algorithm.give(b, b.returned, b.held_window)
    end
    if b.owed > 0 and b.kind == 0 then -- all of it, down to one burst below empty
      b.used = max(b.used, min(b.used + b.owed * b.token, 2 * b.full, EXACT))
    elseif b.owed > 0 then
      local owe = b.algorithm.owe or b.algorithm.charge
      owe(b, min(b.owed, b.algorithm.remaining(b)))
    end
  end

  -- Lends up to three quarters of the amount that may still be lent.
  function loans.lend(b)
    local available = free(b)
    b.granted = max(0, min(b.requested, available - ceil(available / 4), b.algorithm.remaining(b)))
    b.lent = b.lent + b.granted
    b.amount = b.granted
    b.algorithm.take(b)
  end

  -- The state of the lease, packed for the reply.
  function loans.grant(b)
    local window, life = 0, EPOCH
    if has_windows(b) then
      window, life = b.time, min(EPOCH, b.time - now)
    end
    return pack('<ddddd', b.unused, b.granted or 0, b.epoch or 0, window, life)
  end

  return loans
end

local loans

local repeats, count, first = 0, 0, at

while repeats > 0 or at <= size do
  if repeats == 0 then
    repeats, count, first = unpack('<HH', args, at)
  end
  repeats, at = repeats - 1, first
  local passes, undecided = true, false
  local draws = {}
  for i = 1, count do
    local kind, flags, amount
    kind, flags, amount, at = unpack('<BBd', args, at)
    local algorithm = algorithm_of(kind)
    local b = { kind = kind, flags = flags, amount = amount, algorithm = algorithm }
    algorithm.read(b)
    local reports = has(flags, LEASE)
    if reports then
      loans = loans or lending()
      loans.read(b)
    end
    algorithm.open(b, KEYS[key + i])
    if reports and not b.stale then
      loans.apply_report(b)
    end
    b.admitted = not b.stale and algorithm.admits(b)
    undecided = undecided or b.stale
    passes = passes and not b.stale and (b.admitted or not has(flags, ENFORCE))
    draws[i] = b
  end
  for i = 1, count do
    local b = draws[i]
    local algorithm = b.algorithm
    local reports = has(b.flags, LEASE)
    local known = reports or b.known and b.amount > 0 and not has(b.flags, LOOK)
    local changed = reports and (b.returned > 0 or b.owed > 0)
    if passes and b.admitted and b.amount > 0 and has(b.flags, TAKE) then
      algorithm.take(b)
      changed = true
    elseif not b.admitted and not b.stale and has(b.flags, COUNT) and has(b.flags, ENFORCE) then
      algorithm.count(b)
      changed = true
    end
    if reports and passes and b.admitted and b.requested > 0 then
      loans.lend(b)
      changed = changed or b.granted > 0
    end
    if not undecided then -- otherwise the call will be sent again
      if changed or known and not algorithm.leave then
        algorithm.save(KEYS[key + i], b)
      elseif known then
        algorithm.leave(KEYS[key + i], b)
      end
    end
    if algorithm.close then
      algorithm.close(b)
    end
    local status = b.stale and 2 or b.admitted and 1 or 0
    replies[#replies + 1] =
      pack('<Bddd', reports and status + 4 or status, b.time, b.used, b.previous)
    if reports then
      replies[#replies + 1] = loans.grant(b)
    end
  end
  key = key + count
end

if invalid > 0 then
  replies[#replies + 1] = pack('<d', invalid)
end
return table.concat(replies)
