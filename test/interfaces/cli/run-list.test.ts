import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../../src/core/run.ts';
import { printRuns } from '../../../src/interfaces/cli/commands/runs/run-text.ts';
import { displayWidth } from '../../../src/interfaces/cli/terminal/display-width.ts';
import { createOutput } from '../../../src/interfaces/cli/terminal/output.ts';
import { aStream } from './a-terminal.ts';

const RUN: RunReport = {
  id: '0198f3a2-7b1c-7d3e-9f00-1234567890ab',
  integration: 'riverside-food-bank',
  trigger: 'schedule',
  status: 'incomplete',
  reason: { code: 'credits_exhausted', message: 'There are no credits left.' },
  startedAt: '2026-11-22T02:00:00.000Z',
  finishedAt: '2026-11-22T02:17:31.000Z',
  contacts: {
    read: 41_250,
    chosen: 12_345,
    submitted: 10_000,
    enhanced: 9_876,
    written: 9_870,
    unchanged: 28_905,
    skipped: 120,
    failed: 6,
    held: 4,
    waiting: 2_345,
  },
  credits: {
    enhancements: { spent: 10_000, remaining: 0 },
    networks: { spent: 34, remaining: 966 },
  },
  networks: [],
  calls: { partner: 410, crm: 980, throttled: 0 },
};

function listed(
  columns: number,
  runs: readonly RunReport[] = [RUN, { ...RUN, status: 'succeeded', reason: null }],
): string {
  const stdout = aStream({ columns });
  const output = createOutput({ stdout, stderr: aStream(), env: { NO_COLOR: '1' }, isJson: false });
  printRuns(output, runs);
  return stdout.written();
}

describe('the list of runs', () => {
  it.each([80, 50, 30])(
    'fits a terminal of %i columns and loses no word of the reason',
    (columns) => {
      const text = listed(columns);
      for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      const words = 'stopped early: the credits are used up'.split(' ');
      for (const word of words) expect(text).toContain(word);
      for (const count of ['9,870', '10,000']) expect(text).toContain(count);
    },
  );

  it('has everything on one line where there is room, and both buckets apart', () => {
    const [header, line] = listed(200).split('\n');
    expect(header).toMatch(/Run +Integration +Started +Took +By +Status .* Credits +For networks$/);
    expect(line).toMatch(/schedule +stopped early: the credits are used up .* 10,000 +34$/);
  });

  it('does not say that a run stopped early if it ended at its credit limit', () => {
    const reason = { code: 'budget_reached', message: '' };
    const text = listed(200, [{ ...RUN, reason }]);
    expect(text).toMatch(/schedule +at its limit: the budget in the settings is used up /);
  });
});
