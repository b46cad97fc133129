/** Describes the last nights of an integration in its own time zone. A night lasts from noon to noon. */
import { firstShowing, shownAt } from '../schedules/next-time.ts';
import type { NightRun } from '../statements/run-activity.ts';

/** One night, and its last run. */
export interface NightView {
  day: string;
  /** The ID of the night's last run over all contacts, or null if there was none. */
  run: string | null;
  /** The result of this run, or null if there was none. */
  status: 'running' | 'succeeded' | 'incomplete' | 'failed' | null;
  /** The code of the reason for a stop. */
  reason: string | null;
  /** The number of runs that started in this night. */
  runs: number;
  /** The enhancement credits that these runs spent. */
  spent: number;
}

export const NIGHTS = 14;

const DAY_MS = 86_400_000;
const NOON_MS = DAY_MS / 2;

export interface Nights {
  days: readonly string[];
  /** The starts of all nights. The last bound is the end of the last night. */
  bounds: readonly number[];
}

/**
 * Returns a function that computes the nights. The function caches local times for a day, because they are slow to
 * compute and many clients share them.
 */
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

/** Describes the nights. The runs must be sorted, oldest first. */
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
