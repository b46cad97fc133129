import { isoTime } from '../../core/clock.ts';

/** 0 or less means never and gives null. */
export function toTime(epochMs: number | null): string | null {
  return epochMs === null || epochMs <= 0 ? null : isoTime(epochMs);
}
