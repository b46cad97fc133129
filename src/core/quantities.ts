/** Formats numbers, durations and times for users. */

const MS_PER_SECOND = 1000;
const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_HOUR = 3600;
const SECONDS_PER_DAY = 86_400;
const GROUP_DIGITS = 3;

/**
 * Formats a number, such as `12,345`. This function is faster than `Intl`. Creating the first `Intl` format takes
 * longer than loading most commands.
 */
export function formatCount(count: number): string {
  let rest = String(Math.round(Math.abs(count)));
  const groups: string[] = [];
  for (; rest.length > GROUP_DIGITS; rest = rest.slice(0, -GROUP_DIGITS)) {
    groups.unshift(rest.slice(-GROUP_DIGITS));
  }
  return `${count < 0 ? '-' : ''}${[rest, ...groups].join(',')}`;
}

/** Returns a number with its noun. `plural` is needed if the plural does not end in "s". */
export function describeCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** Returns a duration in its two largest units, such as `2 min 5 s` or `3 h 12 min`. */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, Math.round(durationMs));
  if (ms < MS_PER_SECOND) return `${ms} ms`;
  const tenths = Math.round(ms / 100);
  if (tenths < 100) return `${tenths / 10} s`;
  const seconds = Math.round(ms / MS_PER_SECOND);
  if (seconds < SECONDS_PER_MINUTE) return `${seconds} s`;
  if (seconds < SECONDS_PER_HOUR) return twoUnits(seconds, SECONDS_PER_MINUTE, 'min', 1, 's');
  if (seconds < SECONDS_PER_DAY) {
    return twoUnits(seconds, SECONDS_PER_HOUR, 'h', SECONDS_PER_MINUTE, 'min');
  }
  return twoUnits(seconds, SECONDS_PER_DAY, 'd', SECONDS_PER_HOUR, 'h');
}

function twoUnits(
  seconds: number,
  large: number,
  largeName: string,
  small: number,
  smallName: string,
): string {
  const wholes = Math.floor(seconds / large);
  const rest = Math.floor((seconds % large) / small);
  return rest === 0 ? `${wholes} ${largeName}` : `${wholes} ${largeName} ${rest} ${smallName}`;
}

/** Formats a time in ISO 8601 or epoch ms as `2026-11-20 02:00 UTC`. */
export function formatTimestamp(instant: string | number): string {
  return `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
