import { describe, expect, it } from 'vitest';
import { cronProblem, timezoneProblem } from '../../../src/clients/schedules/cron.ts';

describe('cronProblem', () => {
  it.each(['0 2 * * *', '*/15 * * * *', '0 0-6/2 1,15 * MON-FRI', '59 23 31 dec 7'])(
    'accepts %s',
    (cron) => {
      expect(cronProblem(cron)).toBeNull();
    },
  );

  it.each([
    ['60 2 * * *', 'the minute (field 1)'],
    ['0 24 * * *', 'the hour (field 2)'],
    ['0 2 0 * *', 'the day of the month (field 3)'],
    ['0 2 * foo *', 'the month (field 4)'],
    ['0 2 * * 8', 'the day of the week (field 5)'],
    ['5-1 2 * * *', 'the minute (field 1)'],
    ['*/0 2 * * *', 'the minute (field 1)'],
    ['7/2 2 * * *', 'the minute (field 1)'],
    ['1,,2 2 * * *', 'the minute (field 1)'],
  ])('says which field of %s is wrong', (cron, words) => {
    expect(cronProblem(cron)).toContain(words);
  });

  it('counts the fields', () => {
    expect(cronProblem('0 2 * *')).toContain('this one has 4');
    expect(cronProblem('@daily')).toContain('this one has 1');
    expect(cronProblem('0 0 2 * * *')).toContain('this one has 6');
  });
});

describe('timezoneProblem', () => {
  it('knows the zones of the world', () => {
    expect(timezoneProblem('America/Chicago')).toBeNull();
    expect(timezoneProblem('UTC')).toBeNull();
  });

  it('offers the zone that was meant', () => {
    expect(timezoneProblem('America/Chigaco')).toContain('did you mean "America/Chicago"?');
  });
});
