/** The last nights of an integration in its own zone: a night goes from noon to noon. */
import { firstShowing, shownAt } from '../schedules/next-time.ts';
import type { NightRun } from '../statements/run-activity.ts';

/** One night, and the run that it ended with. */
export interface NightView {
  /** The day on which it ends, `2026-11-20`. */
  day: string;
  /** The last run of that night over all contacts; null if none began. */
  run: string | null;
  /** How that run ended; null where there was none. */
  status: 'running' | 'succeeded' | 'incomplete' | 'failed' | null;
  /** The word of the reason, where it stopped. */
  reason: string | null;
  /** How many runs began. */
  runs: number;
  /** Credits for enhancements that they spent. */
  spent: number;
}

export const NIGHTS = 14;

const DAY_MS = 86_400_000;
const NOON_MS = DAY_MS / 2;

/** Where the last nights begin (epoch ms), and where the present one ends; the oldest first. */
export interface Nights {
  days: readonly string[];
  /** One more than there are days. */
  bounds: readonly number[];
}

/** To ask for the clock of a zone takes a while, and many clients share one: its nights are kept for a day. */
export function createNights(): (timezone: string, now: number) => Nights {
  const known = new Map<string, Nights>();
  return (timezone, now) => {
    const before = known.get(timezone);
    const first = before?.bounds.at(-2) ?? Number.POSITIVE_INFINITY;
    const end = before?.bounds.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (before && first <= now && now < end) return before;
    const nights = buildNights(timezone, now);
    known.set(timezone, nights);
    return nights;
  };
}

function buildNights(timezone: string, now: number): Nights {
  const shown = shownAt(now, timezone);
  // The noon before this moment, on the wall.
  const lastNoon = Math.floor((shown - NOON_MS) / DAY_MS) * DAY_MS + NOON_MS;
  const noons = Array.from(
    { length: NIGHTS + 1 },
    (_, place) => lastNoon + (place - NIGHTS + 1) * DAY_MS,
  );
  return {
    bounds: noons.map((noon) => firstShowing(noon, timezone)),
    days: noons.slice(1).map((noon) => new Date(noon).toISOString().slice(0, 10)),
  };
}

/** The nights with these runs of one integration, which are the oldest first. */
export function describeNights({ days, bounds }: Nights, runs: readonly NightRun[]): NightView[] {
  const views = days.map(
    (day): NightView => ({ day, run: null, status: null, reason: null, runs: 0, spent: 0 }),
  );
  for (const run of runs) {
    const place = bounds.findLastIndex((bound) => bound <= run.startedAt);
    const view = views[place];
    if (view === undefined) continue;
    view.run = run.id;
    view.status = toStatus(run.status);
    view.reason = run.reasonCode;
    view.runs += 1;
    view.spent += run.spentEnhancements;
  }
  return views;
}

function toStatus(text: string): NightView['status'] {
  return text === 'running' || text === 'succeeded' || text === 'incomplete' ? text : 'failed';
}
