import { expect, it } from 'vitest';
import type { RunReport } from '../../../src/core/run.ts';
import { printRun } from '../../../src/interfaces/cli/commands/sync/run-summary.ts';
import { createOutput } from '../../../src/interfaces/cli/terminal/output.ts';
import { reasonCounts } from '../../../src/sync/views/run-contacts.ts';
import { aStream } from './a-terminal.ts';

const RUN: RunReport = {
  ...{ id: '019a8f00-0000-7000-8000-000012345678', integration: 'riverside' },
  ...{ trigger: 'manual', status: 'succeeded', reason: null },
  ...{ startedAt: '2026-11-26T02:00:00.000Z', finishedAt: '2026-11-26T02:05:00.000Z' },
  contacts: {
    ...{ read: 300, chosen: 300, submitted: 300, enhanced: 300, written: 300 },
    ...{ unchanged: 0, skipped: 0, failed: 0, held: 0, waiting: 0 },
  },
  credits: {
    enhancements: { spent: 300, remaining: 700 },
    networks: { spent: 0, remaining: null },
  },
  networks: [],
  calls: { partner: 10, crm: 10, throttled: 0 },
};

it('says last, where it is read first, that typed values were lost, and which command names them', () => {
  const stdout = aStream({ isTTY: false });
  const streams = { stdout, stderr: aStream({ isTTY: false }) };
  const output = createOutput({ ...streams, env: { NO_COLOR: '1' }, isJson: false });
  const counts = { fields_written: 297, typed_value_restored: 2, typed_value_lost: 1 };
  printRun(output, RUN, { reasons: reasonCounts(Object.entries(counts)), steps: [] });
  const said = stdout.written();
  expect(said.indexOf('could not be restored')).toBeGreaterThan(0);
  expect(said.indexOf('could not be restored')).toBeGreaterThan(
    said.indexOf('it was restored at once'),
  );
  expect(said).toContain('donor-sync runs 12345678 --reason typed_value_lost');
});
