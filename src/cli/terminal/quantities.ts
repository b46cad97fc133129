/** Numbers as the command line writes them. */
export { countOf, formatCount, formatDuration } from '../../core/quantities.ts';

const RATE_FORMAT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });

/** `9.4` or `120`, for things by the second. */
export function formatRate(perSecond: number): string {
  return RATE_FORMAT.format(perSecond);
}
