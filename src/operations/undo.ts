/** Undoing a run: what it wrote is restored, where the CRM still holds it. */
import { z } from 'zod';
import { describeCount } from '../core/quantities.ts';
import { unknownRun } from '../core/shared-errors.ts';
import type { Reader } from '../database/reader.ts';
import { approvalSchema } from '../decisions/views/approval.ts';
import { listWrites } from '../fields/statements/deliveries.ts';
import { findRunById, type RunRecord } from '../sync/statements/runs.ts';
import { acting, type World } from './kit/operation.ts';
import { describeWaiting, leaveToService, warnOfSecond } from './second-person.ts';

export const undoRun = acting({
  name: 'undo',
  summary: 'Restore the values that a run replaced, unless they were changed since',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ run: z.string().describe('The ID of the run') }),
  subjects: ['run'],
  result: z.object({ approval: approvalSchema }),
  async question(world, { run }) {
    const { id, integrationId } = await findRun(world, run);
    const { contacts, writes } = await countWrites(world.reader, id);
    const who = describeCount(contacts, 'contact');
    const request = { what: 'undo', run: id } as const;
    const second = await warnOfSecond(world, { request, integrationId });
    return {
      text: `Restore what the run ${id} replaced in ${who} of "${integrationId}"?${second}`,
      counts: { contacts, writes },
    };
  },
  async run(world, { run }) {
    const { id, integrationId } = await findRun(world, run);
    const request = { what: 'undo', run: id } as const;
    return { approval: await leaveToService(world, { request, integrationId }) };
  },
  say: ({ approval }) => describeWaiting(approval),
});

/** Throws a ConfigurationError (unknown) if no client within reach has this run. */
async function findRun(
  { reader, clients }: Pick<World, 'reader' | 'clients'>,
  id: string,
): Promise<RunRecord> {
  const run = await findRunById(reader, id);
  if (run && clients.has(run.integrationId)) return run;
  throw unknownRun(id);
}

async function countWrites(reader: Reader, run: string) {
  const writes = await listWrites(reader, run);
  return { writes: writes.length, contacts: new Set(writes.map(({ crmId }) => crmId)).size };
}
