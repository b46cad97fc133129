import { describe, expect, it } from 'vitest';
import { listZones, monthStartText } from '../../src/interfaces/pages/frame/month-start.ts';

describe('monthStartText', () => {
  it('names the start of the month in the time zone of the client', () => {
    expect(monthStartText('2026-12', ['America/Chicago'])).toBe(
      'Months start at midnight UTC. In the time zone America/Chicago, December 2026 starts on 30 November at 18:00.',
    );
    expect(monthStartText('2026-07', ['America/Chicago'])).toContain('starts on 30 June at 19:00.');
    expect(monthStartText('2027-01', ['Asia/Tokyo'])).toContain('starts on 1 January at 09:00.');
  });

  it('names no time zone in which the month starts at the same time', () => {
    expect(monthStartText('2026-12', ['UTC', 'Europe/London'])).toBe(
      'Months start at midnight UTC.',
    );
    expect(monthStartText('2026-07', ['UTC', 'Europe/London'])).toContain(
      'In the time zone Europe/London, July 2026 starts on 1 July at 01:00.',
    );
  });

  it('names no time zones if there are many', () => {
    const zones = ['America/Chicago', 'America/Denver', 'Asia/Tokyo', 'Europe/Zurich'];
    expect(monthStartText('2026-12', zones)).toBe('Months start at midnight UTC.');
  });
});

describe('listZones', () => {
  it('lists each time zone once, and UTC for clients without a schedule', () => {
    const chicago = { schedule: { cron: '0 2 * * *', timezone: 'America/Chicago' } };
    expect(listZones([chicago, { schedule: null }, chicago])).toEqual(['America/Chicago', 'UTC']);
  });
});
