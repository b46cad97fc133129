import { isoTime } from '../../core/clock.ts';

/** Returns a time in ISO 8601. Returns null for 0 or less, because these values mean "never". */
export function toTime(epochMs: number | null): string | null {
  return epochMs === null || epochMs <= 0 ? null : isoTime(epochMs);
}
