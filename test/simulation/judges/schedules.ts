/**
 * Checks when schedules run. The check reads the local times on a simulated clock, and does not use the product's code
 * for schedules.
 */
import type { World } from '../night/world.ts';
import { HOUR_MS } from '../timeline.ts';
import { toLocalText } from './local-text.ts';

/** The maximum delay (ms) of a scheduled run: the delay in the settings, plus the rounding to whole minutes. */
const LATE_MS = 60_000;

/** Checks when each schedule with one fixed time per day runs next. */
export function judgeSchedules(world: World): void {
  const { store, swarm, timeline, integrations, violate, look, reached } = world;
  const { cron, timezone } = swarm.settings;
  const [minutes = '', hours = ''] = cron.split(' ');
  if (swarm.beside.schedule === 0 || !/^\d+$/.test(minutes) || !/^\d+$/.test(hours)) return;
  const wanted = `${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}`;
  for (const { id } of integrations) {
    for (const row of store.rows(
      'select next_run_at from schedules where integration_id = ?',
      id,
    )) {
      const at = Number(row['next_run_at']);
      const change = changeBefore(timeline.now(), timezone);
      if (change !== null) {
        reached.add(change);
        look('schedule', change);
        look('schedule', 'setting: a time zone other than UTC');
      }
      const isSoon = at - timeline.now() <= 25 * HOUR_MS + LATE_MS;
      if (!isSoon || !showsSoonAfter(at, wanted, timezone)) {
        const time = toLocalText(at, timezone);
        violate('schedule', `the next run of ${id} is at ${time}, and its time is ${wanted}`);
      }
    }
  }
}

/** Returns the change of the clocks in the last six hours, or null. */
function changeBefore(now: number, timezone: string): string | null {
  const hours = 6;
  const shown = [now - hours * HOUR_MS, now].map((at) =>
    Date.parse(`${toLocalText(at, timezone).replace(' ', 'T')}Z`),
  );
  const passed = Math.round(((shown[1] ?? 0) - (shown[0] ?? 0)) / HOUR_MS);
  if (passed === hours) return null;
  return passed > hours ? 'event: the clocks go forward' : 'event: the clocks go back';
}

/** Returns true if the clock shows the time, or has jumped over it, at most a minute before this moment. */
function showsSoonAfter(at: number, wanted: string, timezone: string): boolean {
  const before = toLocalText(at - LATE_MS, timezone);
  const now = toLocalText(at, timezone);
  // A time that the clock shows twice counts once.
  if (toLocalText(at - HOUR_MS, timezone) === now) return false;
  const time = `${now.slice(0, 10)} ${wanted}`;
  return before === time || now === time || (before < time && time < now);
}
