// Formats numbers for display.

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export function count(number) {
  return whole.format(number);
}

/** A number with its noun, singular or plural. */
export function several(number, one, many = `${one}s`) {
  return `${whole.format(number)} ${number === 1 ? one : many}`;
}

/** A rate, with one decimal below 100. */
export function perSecond(rate) {
  return (rate < 100 ? short : whole).format(rate < 100 ? rate : Math.round(rate));
}

/** A percentage; 0% and 100% only if exact. */
export function percent(part, all) {
  const share = (100 * part) / all;
  if (all === 0) {
    return "–";
  }
  if (part > 0 && share < 0.1) {
    return "<0.1%";
  }
  return part < all && share > 99.9 ? ">99.9%" : `${short.format(share)}%`;
}

/** A duration in its two largest units. */
export function duration(seconds) {
  if (seconds < 60) {
    return several(seconds, "second");
  }
  const units = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
  ];
  const at = units.findIndex(([size]) => seconds >= size);
  return units
    .slice(at, at + 2)
    .map(([size, name], i) => [Math.floor(i === 0 ? seconds / size : (seconds % units[at][0]) / size), name])
    .filter(([number]) => number > 0)
    .map(([number, name]) => `${number} ${name}`)
    .join(" ");
}
