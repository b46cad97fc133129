/** Says when a month of *Results* and *Credits* starts, so that users can compare it with the dates of runs. */

/** The maximum number of time zones that the text names. A list of many zones would help nobody. */
const MOST_ZONES = 3;

interface ScheduledClient {
  schedule: { timezone: string } | null;
}

/** Returns the time zones of these clients' schedules, each once. A pure function. */
export function listZones(clients: Iterable<ScheduledClient>): string[] {
  return [...new Set(Array.from(clients, ({ schedule }) => schedule?.timezone ?? 'UTC'))].sort();
}

/**
 * Returns sentences about the start of a month such as `2026-12`. Names the start in each time zone that differs from
 * UTC, unless there are too many of them. A pure function.
 */
export function monthStartText(month: string, zones: readonly string[]): string {
  const start = new Date(`${month}-01T00:00:00Z`);
  const inUtc = formatStart(start, 'UTC');
  const others = zones.filter((zone) => formatStart(start, zone) !== inUtc);
  const name = MONTH.format(start);
  const texts = others.map(
    (zone) => `In the time zone ${zone}, ${name} starts on ${formatStart(start, zone)}.`,
  );
  return ['Months start at midnight UTC.', ...(others.length > MOST_ZONES ? [] : texts)].join(' ');
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

function formatStart(start: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(start);
}
