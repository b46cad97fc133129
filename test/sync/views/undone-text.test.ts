import { describe, expect, it } from 'vitest';
import type { RunReport, UndoneMark } from '../../../src/core/run.ts';
import { undoneText } from '../../../src/sync/views/run.ts';

const WRITTEN: RunReport['contacts'] = {
  ...{ read: 65, chosen: 65, submitted: 65, enhanced: 65, written: 65 },
  ...{ unchanged: 0, skipped: 0, failed: 0, held: 0, waiting: 0 },
};

function say(undone: Partial<UndoneMark>): string {
  const mark = { at: '2026-12-01T02:00:00.000Z', by: 'Dana', values: 0, kept: 0, contacts: 0 };
  return undoneText({ contacts: WRITTEN, undone: { ...mark, ...undone } });
}

describe('the summary of an undone run', () => {
  it('says how many contacts were restored, and how many values were kept', () => {
    expect(say({ contacts: 65, values: 130 })).toBe('65 written, 65 restored by Dana');
    expect(say({ contacts: 63, values: 126, kept: 4 })).toBe(
      '65 written, 63 restored by Dana, 4 values kept',
    );
    expect(say({ kept: 130 })).toBe('65 written, 0 restored by Dana, 130 values kept');
  });

  it('says that an undo is not finished, instead of "0 restored"', () => {
    expect(say({ values: 12 })).toBe(
      '65 written. The undo is not finished: 12 values restored so far',
    );
  });
});
