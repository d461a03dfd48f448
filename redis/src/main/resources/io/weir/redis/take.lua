-- Decides calls. Looks at every draw of a call first; if all enforced draws admit, takes from all that admit, otherwise
-- from none (but limits that count refusals count their own). Calls are decided one after the other.
--
-- KEYS     one bucket per draw, in the order of ARGV[1]
-- ARGV[1]  d the time; per call:  H how often, for calls that differ in their keys only, H number of draws
--          per draw:  B algorithm, B flags, d amount, the limit's numbers
--          flags:     1 enforce, 2 take, 4 count refusals, 8 leaky, 16 only what goes at once, 32 only look
-- returns  packed: d the time, then per draw
--            B  0 refused, 1 admitted, 2 undecided: the periods sent are not those of now
--            d time, d used, d previous: the cell after the decision
--              (log: time of the newest entry, total, when the amount would fit; concurrency: last deadline, held, 0;
--              both, if it was taken: that time as it would be without the take, in place of previous)

local answers = { pack('<d', now) }
local size = #args
local key = 0

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
    local b = { flags = flags, amount = amount, algorithm = algorithm }
    algorithm.read(b)
    algorithm.open(b, KEYS[key + i])
    b.admitted = not b.stale and algorithm.admits(b)
    undecided = undecided or b.stale
    passes = passes and not b.stale and (b.admitted or not has(flags, ENFORCE))
    draws[i] = b
  end
  for i = 1, count do
    local b = draws[i]
    local algorithm = b.algorithm
    local changed = b.known and b.amount > 0 and not has(b.flags, LOOK)
    if passes and b.admitted and b.amount > 0 and has(b.flags, TAKE) then
      algorithm.take(b)
      changed = true
    elseif not b.admitted and not b.stale and has(b.flags, COUNT) and has(b.flags, ENFORCE) then
      algorithm.count(b)
      changed = true
    end
    if changed and not undecided then -- what is undecided will be asked again
      algorithm.save(KEYS[key + i], b)
    end
    if algorithm.close then
      algorithm.close(b)
    end
    answers[#answers + 1] =
      pack('<Bddd', b.stale and 2 or b.admitted and 1 or 0, b.time, b.used, b.previous)
  end
  key = key + count
end

return table.concat(answers)
