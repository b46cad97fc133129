import { isoTime } from '../../core/clock.ts';

/** An instant as programs read it; null for never, which numbers up to 0 stand for. */
export function toTime(epochMs: number | null): string | null {
  return epochMs === null || epochMs <= 0 ? null : isoTime(epochMs);
}
