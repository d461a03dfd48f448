-- Decides calls. Looks at every draw of a call first; if all enforced draws admit, takes from all that admit, otherwise
-- from none (but limits that count refusals count their own). Calls are decided one after the other.
--
-- KEYS     one bucket per draw, in the order of ARGV[1]
-- ARGV[1]  d the time; per call:  H how often, for calls that differ in their keys only, H number of draws
--          per draw:  B algorithm, B flags, d amount, the limit's numbers; if it tells of a lease also
--                     d most that may be out, d d d held by the last answer: amount, epoch, window, d kept in hand, d given back,
--                     d asked for, d owed
--          flags:     1 enforce, 2 take, 4 count refusals, 8 leaky, 16 only what goes at once, 32 only look,
--                     64 tells of a lease
-- returns  packed: d the time, then per draw
--            B  0 refused, 1 admitted, 2 undecided: the periods sent are not those of now
--            d time, d used, d previous: the cell after the decision
--              (log: time of the newest entry, total, when the amount would fit; concurrency: last deadline, held, 0;
--              both, if it was taken: that time as it would be without the take, in place of previous)
--            if it told of a lease, B is 4 more, and then d kept, d lent, d epoch, d window, d life in µs
--          then, if any value was none that Weir writes and counted as absent, d how many

local answers = { pack('<d', now) }
local size = #args
local key = 0

-- Making functions costs time, and most calls tell of no lease.
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

  -- Puts the books right for one instance; what it keeps is counted anew.
  function loans.hear(b)
    if not b.epoch then
      b.epoch, b.lent, b.lent_before = floor(now / EPOCH), 0, 0
    end
    if has_windows(b) and b.held_window ~= b.time then
      b.kept = 0
    else
      forget_loan(b, b.held, b.held_epoch)
      b.kept = min(b.kept, free(b))
      b.lent = b.lent + b.kept
    end
    if b.back > 0 then
      b.algorithm.give(b, b.back, b.held_window)
    end
    if b.owed > 0 and b.kind == 0 then -- all of it, down to one burst below empty
      b.used = max(b.used, min(b.used + b.owed * b.token, 2 * b.full, EXACT))
    elseif b.owed > 0 then
      local owe = b.algorithm.owe or b.algorithm.charge
      owe(b, min(b.owed, b.algorithm.remaining(b)))
    end
  end

  -- Lends up to three quarters of what may still go out.
  function loans.lend(b)
    local could = free(b)
    b.granted = max(0, min(b.asked, could - ceil(could / 4), b.algorithm.remaining(b)))
    b.lent = b.lent + b.granted
    b.amount = b.granted
    b.algorithm.take(b)
  end

  -- How the lease stands.
  function loans.standing(b)
    local window, life = 0, EPOCH
    if has_windows(b) then
      window, life = b.time, min(EPOCH, b.time - now)
    end
    return pack('<ddddd', b.kept, b.granted or 0, b.epoch or 0, window, life)
  end

  return loans
end

local loans

local times, count, said = 0, 0, at

while times > 0 or at <= size do
  if times == 0 then
    times, count, said = unpack('<HH', args, at)
  end
  times, at = times - 1, said
  local passes, undecided = true, false
  local draws = {}
  for i = 1, count do
    local kind, flags, amount
    kind, flags, amount, at = unpack('<BBd', args, at)
    local algorithm = algorithm_of(kind)
    local b = { kind = kind, flags = flags, amount = amount, algorithm = algorithm }
    algorithm.read(b)
    local tells = has(flags, TELLS)
    if tells then
      loans = loans or lending()
      loans.read(b)
    end
    algorithm.open(b, KEYS[key + i])
    if tells and not b.stale then
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
    local tells = has(b.flags, TELLS)
    local known = tells or b.known and b.amount > 0 and not has(b.flags, LOOK)
    local changed = tells and (b.back > 0 or b.owed > 0)
    if passes and b.admitted and b.amount > 0 and has(b.flags, TAKE) then
      algorithm.take(b)
      changed = true
    elseif not b.admitted and not b.stale and has(b.flags, COUNT) and has(b.flags, ENFORCE) then
      algorithm.count(b)
      changed = true
    end
    if tells and passes and b.admitted and b.asked > 0 then
      loans.lend(b)
      changed = changed or b.granted > 0
    end
    if not undecided then -- else it will be asked again
      if changed or known and not algorithm.leave then
        algorithm.save(KEYS[key + i], b)
      elseif known then
        algorithm.leave(KEYS[key + i], b)
      end
    end
    if algorithm.close then
      algorithm.close(b)
    end
    local verdict = b.stale and 2 or b.admitted and 1 or 0
    answers[#answers + 1] =
      pack('<Bddd', tells and verdict + 4 or verdict, b.time, b.used, b.previous)
    if tells then
      answers[#answers + 1] = loans.standing(b)
    end
  end
  key = key + count
end

if invalid > 0 then
  answers[#answers + 1] = pack('<d', invalid)
end
return table.concat(answers)
