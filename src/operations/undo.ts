/** Restores the values that a run replaced, if nobody has changed the run's values in the CRM since. */
import { z } from 'zod';
import { describeCount } from '../core/quantities.ts';
import { unknownRun } from '../core/shared-errors.ts';
import type { Reader } from '../database/reader.ts';
import { askSecondPerson } from '../decisions/second-person/ask.ts';
import { approvalSchema } from '../decisions/views/approval.ts';
import { listWrites } from '../fields/statements/deliveries.ts';
import { recordUndo, undoRun as restoreValues } from '../fields/undo.ts';
import { noteEntries } from '../privacy/audit/record.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import { withLease } from '../sync/control/with-lease.ts';
import { findRunById, type RunRecord } from '../sync/statements/runs.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting, type World } from './kit/operation.ts';
import { RequestWaits } from './kit/requests.ts';
import { describeWaiting, leaveToService, warnOfSecond } from './second-person.ts';

const inputSchema = z.object({ run: z.string().describe('The ID of the run') });

const declared = {
  name: 'undo',
  summary: 'Restore the values that a run replaced, unless they have changed since then',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: inputSchema,
  subjects: ['run'],
  async question(world: ActingWorld, { run }: z.output<typeof inputSchema>) {
    const { id, integrationId } = await findUndoableRun(world, run);
    const { contacts, writes } = await countWrites(world.reader, id);
    const who = describeCount(contacts, 'contact');
    const request = { what: 'undo', run: id } as const;
    const second = await warnOfSecond(world, { request, integrationId });
    return {
      text: `Restore the values that run ${id} replaced in ${who} of "${integrationId}"?${second}`,
      counts: { contacts, writes },
    };
  },
} as const;

export const undoRun = acting({
  ...declared,
  result: z.object({ approval: approvalSchema }),
  async run(world, { run }) {
    const { id, integrationId } = await findUndoableRun(world, run);
    const request = { what: 'undo', run: id } as const;
    return { approval: await leaveToService(world, { request, integrationId }) };
  },
  say: ({ approval }) => describeWaiting(approval),
});

const count = z.int().nonnegative();

const undoneSchema = z
  .object({
    run: z.string(),
    contacts: z.object({ restored: count, gone: count, refused: count }),
    fields: z.object({ restored: count, editedSince: count }),
    refusals: z.array(z.object({ crmId: z.string(), message: z.string() })),
  })
  .meta({ id: 'UndoneRun' });

type Undone = z.output<typeof undoneSchema>;

/** Undoes a run in the terminal, without a running service. */
export const undoRunNow = acting({
  ...declared,
  result: z.object({ undo: undoneSchema }),
  // If the run wrote no values, the user does not have to confirm.
  asksWithin: true,
  async run(world, input) {
    const { application, store, clock, caller, signal } = world;
    const { id, integrationId } = await findUndoableRun(world, input.run);
    const { writes } = await countWrites(world.reader, id);
    if (writes > 0) await world.agree(await declared.question(world, input));
    const about = { request: { what: 'undo', run: id } as const, integrationId };
    const acting = { ...application, store };
    const waiting = await askSecondPerson({ application: acting }, caller, about);
    if (waiting !== null) throw new RequestWaits(waiting);
    const details = { run: id, writes };
    await noteEntries(store.act, [{ action: 'undo.asked', integrationId, details }]);
    const open = await application.open(findClient(world, integrationId), signal);
    try {
      const undo = await withLease({ ...open.deps, clock }, integrationId, async (lease) => {
        const undone = await restoreValues(await openCrm(open.deps, lease), lease, id);
        await recordUndo({ act: store.act, sealer: world.sealer }, integrationId, undone);
        return undone;
      });
      return { undo };
    } finally {
      await open.close();
    }
  },
  say: ({ undo }) => describeUndone(undo),
  ending: ({ undo }) => (undo.contacts.refused === 0 ? 'done' : 'stopped'),
});

export function describeUndone({ contacts, fields, refusals }: Undone): string[] {
  const restored = describeCount(fields.restored, 'field');
  return [
    `Restored ${restored} in ${describeCount(contacts.restored, 'contact')}.`,
    ...(fields.editedSince > 0
      ? [
          `Left alone, because they have changed since then: ${describeCount(fields.editedSince, 'field')}.`,
        ]
      : []),
    ...(contacts.gone > 0
      ? [`No longer in the CRM: ${describeCount(contacts.gone, 'contact')}.`]
      : []),
    ...refusals.map(({ crmId, message }) => `Not restored: ${crmId}, ${message}`),
  ];
}

/** Finds a run that can be undone. Throws a ConfigurationError (unknown) if the caller has no access to it. */
export async function findUndoableRun(
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
