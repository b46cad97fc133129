/** The clock on the wall of a time zone. What it shows is given as epoch ms, as if it were in UTC. */

const DAY_MS = 86_400_000;

/** What the clock shows at an instant (epoch ms), to the second. */
export function shownAt(instantMs: number, timezone: string): number {
  const parts = formatOf(timezone).formatToParts(instantMs);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .filter(({ type }) => type !== 'literal')
    .map(({ value }) => Number(value));
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The first instant at which the clock shows this, or has jumped over it. */
export function firstShowing(shownMs: number, timezone: string): number {
  const offsets = [shownMs - DAY_MS, shownMs + DAY_MS].map((at) => shownAt(at, timezone) - at);
  const early = shownMs - Math.max(...offsets);
  const late = shownMs - Math.min(...offsets);
  const exact = [early, late].find((at) => shownAt(at, timezone) === shownMs);
  return exact ?? jumpBetween(early, late, shownMs, timezone);
}

/** Each step halves the time between; the longest jump is a day. */
const MAX_STEPS = 30;

/** When the clock jumps over what it does not show: after the one instant, at the other at the latest. */
function jumpBetween(early: number, late: number, shownMs: number, timezone: string): number {
  let [before, after] = [early, late];
  for (let step = 0; step < MAX_STEPS && after - before > 1; step += 1) {
    const middle = Math.floor((before + after) / 2);
    if (shownAt(middle, timezone) < shownMs) before = middle;
    else after = middle;
  }
  return after;
}

/** Numbers of a date in the order of the largest first: `2026-11-20 02:00:00`. */
function formatOf(timezone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
}
