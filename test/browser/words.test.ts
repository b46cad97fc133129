import { describe, expect, it } from 'vitest';
import {
  formatRelative,
  formatSpan,
  formatTimestamp,
} from '../../src/interfaces/pages/frame/parts.tsx';

const NOW = Date.parse('2026-11-20T02:00:00Z');

describe('formatRelative', () => {
  it.each([
    ['2026-11-20T01:59:40Z', 'just now'],
    ['2026-11-20T02:00:20Z', 'in a moment'],
    ['2026-11-20T01:58:59Z', '1 minute ago'],
    ['2026-11-19T23:30:00Z', '2 hours ago'],
    ['2026-11-20T07:15:00Z', 'in 5 hours'],
    ['2026-11-10T02:00:00Z', '10 days ago'],
  ])('says %s as "%s"', (instant, text) => {
    expect(formatRelative(instant, NOW)).toBe(text);
  });
});

describe('formatSpan', () => {
  it.each([
    [38, '38 ms'],
    [4_180, '4.2 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [3_725_000, '1 h 2 min'],
  ])('says %i ms as "%s"', (ms, text) => {
    expect(formatSpan(new Date(NOW).toISOString(), new Date(NOW + ms).toISOString())).toBe(text);
  });
});

describe('formatMoment', () => {
  it('names the zone, for readers without scripts', () => {
    expect(formatTimestamp('2026-11-20T02:00:00Z')).toBe('20 Nov 2026, 02:00 UTC');
  });
});
