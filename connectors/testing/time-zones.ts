/** The time zones in which the kit runs a connector. Mistakes with local time appear only in some time zones. */

/** One zone is far ahead of UTC. The other time zone is behind UTC and has summer time. */
export const ZONES = ['Pacific/Kiritimati', 'America/Los_Angeles'] as const;

/** Returns true if this process can change its time zone. A worker thread cannot change its time zone. */
export function canChangeZone(): boolean {
  const offsets = ZONES.map((zone) => inZone(zone, () => new Date(0).getTimezoneOffset()));
  return new Set(offsets).size === ZONES.length;
}

/** Runs asynchronous work in a time zone. */
export async function duringZone<Result>(
  zone: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const former = process.env['TZ'];
  process.env['TZ'] = zone;
  try {
    return await work();
  } finally {
    restore(former);
  }
}

function inZone<Result>(zone: string, work: () => Result): Result {
  const former = process.env['TZ'];
  process.env['TZ'] = zone;
  try {
    return work();
  } finally {
    restore(former);
  }
}

function restore(former: string | undefined): void {
  if (former === undefined) delete process.env['TZ'];
  else process.env['TZ'] = former;
}
