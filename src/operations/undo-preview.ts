/** Previews an undo. The preview also shows the values that the undo would not change, with the reasons. */
import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import { describeCount } from '../core/quantities.ts';
import { listWrites } from '../fields/statements/deliveries.ts';
import {
  countWrites,
  type KeptContact,
  type KeptReason,
  previewUndo,
  type UndoPreview,
} from '../fields/undo-preview.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import type { RunRecord } from '../sync/statements/runs.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting } from './kit/operation.ts';
import { warnOfSecond } from './second-person.ts';
import { findUndoableRun } from './undo.ts';

/** The maximum number of contacts that the preview compares with the CRM, because a user waits for the preview. */
const MOST_CHECKED = 500;

/** The maximum number of contacts that are listed separately. */
const MOST_LISTED = 50;

const count = z.int().nonnegative();

const restorableSchema = z
  .object({
    run: z.string(),
    startedAt: z.string().describe('The time at which the run started'),
    integration: z.string(),
    contacts: count.describe('Number of contacts with values of the run'),
    values: count.describe('Number of values that the run wrote and that have not been restored'),
    checked: count.describe(
      `Number of contacts that were compared with the CRM. They are the most recently written contacts, at most ${MOST_CHECKED}. The other numbers are about these contacts`,
    ),
    problem: z.string().nullable().describe('Why the CRM could not be read'),
    restored: z.object({ contacts: count, values: count }).describe('What would be restored'),
    kept: z
      .array(z.object({ reason: z.string(), text: z.string(), contacts: count, values: count }))
      .describe('What would stay as it is, by reason'),
    keptContacts: z
      .array(
        z.object({ crmId: z.string(), fields: z.array(z.string()).readonly(), text: z.string() }),
      )
      .describe(`The same by contact, at most ${MOST_LISTED}`),
    needsSecondUser: z.boolean().describe('Whether another user has to confirm the undo'),
  })
  .meta({ id: 'Restorable' });

export type Restorable = z.output<typeof restorableSchema>;

export const previewUndoOfRun = acting({
  name: 'runs restorable',
  summary: 'Show what undoing a run would restore, and what it would leave alone and why',
  details: `It compares the run's most recently written contacts (at most ${MOST_CHECKED}) with the CRM. It changes nothing and costs no credit.`,
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ run: z.string().describe('The ID of the run') }),
  subjects: ['run'],
  result: z.object({ restorable: restorableSchema }),
  async run(world, input) {
    const run = await findUndoableRun(world, input.run);
    const { id, integrationId } = run;
    const request = { what: 'undo', run: id } as const;
    const second = await warnOfSecond(world, { request, integrationId });
    const { preview, problem } = await compare(world, run);
    const { contacts, values, checked, restored, kept } = preview;
    return {
      restorable: {
        run: id,
        startedAt: isoTime(run.startedAt),
        integration: integrationId,
        contacts,
        values,
        checked,
        problem,
        restored,
        kept: countByReason(kept),
        keptContacts: kept.slice(0, MOST_LISTED).map(({ crmId, fields, reason }) => ({
          crmId,
          fields,
          text: KEPT_TEXTS[reason],
        })),
        needsSecondUser: second !== '',
      },
    };
  },
  say: ({ restorable }) => describeRestorable(restorable),
  table: ({ restorable }) => ({
    empty: describeRestorable(restorable).join(' '),
    headers: ['Stays as it is, because', 'Contacts', 'Values'],
    rows: restorable.kept.map(({ text, contacts, values }) => [text, contacts, values]),
    notes: describeRestorable(restorable),
  }),
});

/** Describes the numbers of an undo in sentences. */
export function describeRestorable(restorable: Restorable): string[] {
  const { contacts, values, checked, restored, problem } = restorable;
  const all = `${describeCount(values, 'value')} in ${describeCount(contacts, 'contact')}`;
  if (problem !== null) return [`The run wrote ${all}. The CRM could not be read: ${problem}`];
  return [
    ...(checked < contacts
      ? [
          `The run wrote ${all}. donor-sync compared the ${checked} most recently written contacts with the CRM.`,
        ]
      : []),
    `The undo would restore ${describeCount(restored.values, 'value')} in ${describeCount(restored.contacts, 'contact')}.`,
  ];
}

/** Compares the run's values with the CRM. If the CRM is unavailable, shows only the numbers from the database. */
async function compare(
  world: ActingWorld,
  { id, integrationId }: RunRecord,
): Promise<{ preview: UndoPreview; problem: string | null }> {
  const { application, reader, signal } = world;
  try {
    const open = await application.open(findClient(world, integrationId), signal);
    try {
      const deps = await openCrm(open.deps, null);
      const about = { integrationId, runId: id, most: MOST_CHECKED };
      return { preview: await previewUndo(deps, about), problem: null };
    } finally {
      await open.close();
    }
  } catch (error) {
    if (!isDonorSyncError(error) && !signal.aborted) throw error;
    const counted = countWrites(await listWrites(reader, id));
    const nothing = { checked: 0, restored: { contacts: 0, values: 0 }, kept: [] };
    return { preview: { ...counted, ...nothing }, problem: messageOf(error) };
  }
}

/** Counts unchanged contacts by reason, most frequent reason first. A pure function. */
function countByReason(kept: readonly KeptContact[]): Restorable['kept'] {
  const reasons = new Map<KeptReason, { contacts: number; values: number }>();
  for (const { reason, fields } of kept) {
    const { contacts, values } = reasons.get(reason) ?? { contacts: 0, values: 0 };
    reasons.set(reason, { contacts: contacts + 1, values: values + fields.length });
  }
  return [...reasons]
    .map(([reason, counts]) => ({ reason, text: KEPT_TEXTS[reason], ...counts }))
    .sort((one, other) => other.values - one.values);
}

const KEPT_TEXTS: Readonly<Record<KeptReason, string>> = {
  edited: 'someone has changed the value since the run',
  gone: 'the CRM no longer has the contact',
  erased: 'the contact was erased',
  purged: 'the previous value is no longer kept (retention.previousValues)',
  damaged: 'the previous values were changed in the database, or belong to another contact',
  unseen: "the integration's user cannot see the field in the CRM",
  newer:
    "the run replaced another person's values, and a newer run has written values since; undo the newer run first",
};
