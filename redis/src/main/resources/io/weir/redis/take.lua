-- Decides calls. Looks at every draw of a call first; if all enforced draws admit, takes from all that admit, otherwise
-- from none (but limits that count refusals count their own). Calls are decided one after the other.
--
-- ARGV[1]  per call:  H number of draws
--          per draw:  B algorithm, B flags, d amount, the limit's numbers; if it tells of a lease also
--                     d most that may be out, d d d held so far: amount, epoch, window, d kept in hand, d given back,
--                     d asked for, d owed
--          flags:     1 enforce, 2 take, 4 count refusals, 8 leaky, 16 only what goes at once, 32 only look,
--                     64 tells of a lease
-- returns  packed: d the time, then per draw
--            B  0 refused, 1 admitted, 2 undecided: the periods sent are not those of now
--            d time, d used, d previous: the cell after the decision
--              (log: time of the newest entry, total, when the amount would fit; concurrency: last deadline, held, 0;
--              both, if it was taken: that time as it would be without the take, in place of previous)
--            if it told of a lease also d kept, d lent, d epoch, d window, d life in µs

local answers = { pack('<d', now) }
local size = #args
local key = 0

-- Leases: what an instance was lent is out of the bucket, and counted here by epochs until it can no longer be handed out.
-- The arithmetic is that of Loans in core.
local function lending()
  local loans = {}

  -- Windows and quotas: their leases die with them.
  local function has_windows(b)
    return b.kind == 1 or b.kind == 2 or b.kind == 4
  end

  local function free(b)
    return max(0, b.most_out - b.lent - b.lent_before)
  end

  function loans.read(b)
    b.most_out, b.held, b.held_epoch, b.held_window, b.kept, b.back, b.asked, b.owed, at =
      unpack('<dddddddd', args, at)
  end

  -- Brings the counts to the present.
  function loans.open(b)
    local epoch = floor(now / EPOCH)
    if not b.epoch or epoch > b.epoch + 1 then
      b.lent, b.lent_before = 0, 0
    elseif epoch == b.epoch + 1 then
      b.lent, b.lent_before = 0, b.lent
    elseif epoch < b.epoch then
      b.lent, b.lent_before = b.lent + b.lent_before, 0
    end
    b.epoch = epoch
  end

  -- Puts the books right for one instance; what it keeps is counted anew.
  function loans.hear(b)
    if not has_windows(b) or b.held_window == b.time then
      if b.held_epoch == b.epoch then
        b.lent = b.lent - min(b.lent, b.held)
      elseif b.held_epoch == b.epoch - 1 then
        b.lent_before = b.lent_before - min(b.lent_before, b.held)
      end
      b.kept = min(b.kept, free(b))
      b.lent = b.lent + b.kept
    else
      b.kept = 0
    end
    if b.back > 0 then
      b.algorithm.give(b, b.back, b.held_window)
    end
    if b.owed > 0 then
      b.algorithm.charge(b, min(b.owed, b.algorithm.remaining(b)))
    end
  end

  -- Lends up to three quarters of what may still go out, and says how the lease stands.
  function loans.lend(b, passes)
    local lent = 0
    if passes and b.admitted and b.asked > 0 then
      lent = max(0, min(b.asked, free(b) - ceil(free(b) / 4), b.algorithm.remaining(b)))
      b.lent = b.lent + lent
      b.amount = lent
      b.algorithm.take(b)
    end
    local window, life = 0, EPOCH
    if has_windows(b) then
      window, life = b.time, min(EPOCH, b.time - now)
    end
    return pack('<ddddd', b.kept, lent, b.epoch, window, life)
  end

  return loans
end

local loans

while at <= size do
  local count
  count, at = unpack('<H', args, at)
  local passes, undecided = true, false
  local draws = {}
  for i = 1, count do
    local kind, flags, amount
    kind, flags, amount, at = unpack('<BBd', args, at)
    local algorithm = algorithm_of(kind)
    local b = { kind = kind, flags = flags, amount = amount, algorithm = algorithm }
    algorithm.read(b)
    if has(flags, LEASE) then
      loans = loans or lending()
      loans.read(b)
    end
    algorithm.open(b, KEYS[key + i])
    if b.epoch or b.asked then
      loans = loans or lending()
      loans.open(b)
    end
    if b.asked and not b.stale then
      loans.hear(b)
    end
    b.admitted = not b.stale and algorithm.admits(b)
    undecided = undecided or b.stale
    passes = passes and not b.stale and (b.admitted or not has(flags, ENFORCE))
    draws[i] = b
  end
  for i = 1, count do
    local b = draws[i]
    local algorithm = b.algorithm
    local changed = b.asked or b.known and b.amount > 0 and not has(b.flags, LOOK)
    if passes and b.admitted and b.amount > 0 and has(b.flags, TAKE) then
      algorithm.take(b)
      changed = true
    elseif not b.admitted and not b.stale and has(b.flags, COUNT) and has(b.flags, ENFORCE) then
      algorithm.count(b)
      changed = true
    end
    local standing = b.asked and loans.lend(b, passes) or ''
    if changed and not undecided then -- what is undecided will be asked again
      algorithm.save(KEYS[key + i], b)
    end
    if algorithm.close then
      algorithm.close(b)
    end
    answers[#answers + 1] =
      pack('<Bddd', b.stale and 2 or b.admitted and 1 or 0, b.time, b.used, b.previous) .. standing
  end
  key = key + count
end

return table.concat(answers)
