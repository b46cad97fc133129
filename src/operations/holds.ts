/** As a list, with names, or as the pages' queue. */

import { z } from 'zod';
import { CHANGED_PARTS } from '../core/changed-parts.ts';
import { readCursor, writeCursor } from '../core/cursor.ts';
import { messageOf } from '../core/errors.ts';
import { describeCount } from '../core/quantities.ts';
import { BATCH_DECISIONS, CLOSINGS, HOLD_DECISIONS } from '../core/questions/decisions.ts';
import { BATCH_KINDS, getBatchWords, requireReason } from '../core/questions/question-kinds.ts';
import { type BatchExample, readBatchExamples } from '../decisions/batch-examples.ts';
import {
  readShownNames,
  type ShownNames,
  shownNamesSchema,
  toTableTexts,
} from '../decisions/shown-names.ts';
import {
  listBatches,
  listQuestionsOfBatch,
  type QuestionBatch,
} from '../decisions/statements/batches.ts';
import { readQueue } from '../decisions/views/decision-queue.ts';
import {
  type CountedQuestion,
  describeBatch,
  describeQuestion,
  listCountedQuestions,
  withBatchCounts,
} from '../decisions/views/question.ts';
import { noteEntries } from '../privacy/audit/record.ts';
import { findOpenBatch, hasAccess } from './find-decision.ts';
import { findClient } from './kit/clients.ts';
import {
  type ActingWorld,
  acting,
  type Note,
  reading,
  type TableView,
  type World,
} from './kit/operation.ts';

export const holdSchema = z
  .object({
    id: z.string(),
    integration: z.string(),
    contact: z
      .string()
      .nullable()
      .describe("The contact's ID in the CRM; null for a decision about a network"),
    network: z.string().nullable().describe('The name of the network, or null'),
    batch: z
      .string()
      .nullable()
      .describe(
        'The ID of the batch. Decisions with one cause share a batch and can be made together; null for a single decision',
      ),
    kind: z.string().meta({ example: 'name_mismatch' }),
    detail: z.string().nullable().describe('Details that depend on the kind'),
    reason: z.string().describe('The reason in words'),
    decisions: z.array(z.enum(HOLD_DECISIONS)).describe('The possible answers'),
    since: z.iso.datetime(),
    decision: z.enum(CLOSINGS).nullable(),
  })
  .meta({ id: 'Hold' });

export type HoldView = z.output<typeof holdSchema>;

const batchSchema = z
  .object({
    id: z.string(),
    integration: z.string(),
    kind: z
      .enum(BATCH_KINDS)
      .describe(
        `The contacts' common feature. ${BATCH_KINDS.map((kind) => `\`${kind}\`: ${getBatchWords(kind).means}`).join('. ')}`,
      ),
    reason: z.string().describe('The reason in whole sentences'),
    count: z.int().describe('Number of contacts that are waiting for the decision'),
    parts: z
      .partialRecord(z.enum(CHANGED_PARTS), z.int())
      .describe(
        'Number of changed contacts by part. A contact with two changed parts is counted in both. `unknown` if the changed part is not recorded',
      )
      .meta({ example: { addresses: 400, employers: 12 } }),
    decisions: z
      .array(z.enum(BATCH_DECISIONS))
      .describe(
        'The possible answers. `approve` is missing if a privacy hold in the CRM forbids an erasure',
      ),
    credits: z.int().describe('The most credits that approving the batch would cost'),
    since: z.iso.datetime(),
  })
  .meta({ id: 'QuestionBatch' });

type BatchView = z.output<typeof batchSchema>;

const examplesSchema = z.array(
  z.object({
    batch: z.string(),
    contacts: z.array(
      z.object({
        contact: z.string().describe('The ID in the CRM'),
        name: z.string().nullable().describe('Null if the contact is no longer in the CRM'),
        now: z
          .array(z.object({ part: z.string(), text: z.string() }))
          .describe('The current values of the changed parts'),
      }),
    ),
    problem: z.string().nullable().describe('Why the contacts cannot be shown'),
  }),
);

type Examples = z.output<typeof examplesSchema>;

const listInput = z.object({
  integration: z.string().optional().describe('The ID of the client; all if left out'),
  batch: z.string().optional().describe('The ID of a batch, to list only its contacts, one by one'),
});

export const listHolds = reading({
  name: 'holds',
  summary: 'List the contacts and networks that need a decision, the oldest first',
  details: "The database does not store contacts' names.",
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: listInput,
  subjects: [],
  result: z.object({ holds: z.array(holdSchema), batches: z.array(batchSchema) }),
  async run(world, input) {
    const { questions, batches } = await readOpen(world, input);
    return { holds: questions.map(describeQuestion), batches: batches.map(describeBatch) };
  },
  say: ({ holds, batches }) => describeOpen(holds, batches),
  table: (result) => tableHolds(result, { isBatch: false }),
});

export const listHoldsWithNames = acting({
  name: 'holds names',
  summary:
    'List the open decisions with the names in the CRM and in the profile, which are read now',
  role: 'reader',
  reach: 'some',
  by: 'person+token',
  input: listInput.extend({
    examples: z
      .boolean()
      .default(false)
      .describe('Also show three contacts of each batch, with their current values in the CRM'),
  }),
  subjects: [],
  result: z.object({
    holds: z.array(
      holdSchema.extend({
        names: shownNamesSchema.nullish().describe('Null if the decision is not about names'),
      }),
    ),
    batches: z.array(batchSchema),
    examples: examplesSchema.optional(),
  }),
  async run(world, input) {
    const { questions, batches } = await readOpen(world, input);
    const names = await readShownNames(world.application, questions, world.signal);
    const examples = input.examples ? await readExamples(world, batches) : undefined;
    const shown = [...names.values()].flatMap(({ contact, profile }) => [contact, profile]);
    await noteNamesShown(world, input.integration ?? null, [
      ...shown.filter((name) => name !== null),
      ...(examples ?? []).flatMap(({ contacts }) => contacts),
    ]);
    return {
      holds: questions.map((question) => {
        const view = describeQuestion(question);
        if (question.about === 'network') return view;
        return { ...view, names: names.get(question.id) ?? null };
      }),
      batches: batches.map(describeBatch),
      ...(examples !== undefined && { examples }),
    };
  },
  say: ({ holds, batches }) => describeOpen(holds, batches),
  table: (result) => tableHolds(result, { isBatch: false }),
});

/** Reads the open decisions and batches of all clients, of one client, or of one batch. */
async function readOpen(
  world: Pick<World, 'reader' | 'caller' | 'clients' | 'fingerprint'>,
  { integration, batch: id }: z.output<typeof listInput>,
): Promise<{ questions: CountedQuestion[]; batches: QuestionBatch[] }> {
  const { reader } = world;
  if (integration !== undefined) findClient(world, integration);
  if (id !== undefined) {
    const batch = await findOpenBatch(world, id);
    const questions = withBatchCounts(await listQuestionsOfBatch(reader, batch));
    return { questions, batches: [batch] };
  }
  const isWithin = (one: { integrationId: string }) => hasAccess(world, one.integrationId);
  return {
    questions: (await listCountedQuestions(reader, integration)).filter(isWithin),
    batches: (await listBatches(reader, integration)).filter(isWithin),
  };
}

async function readExamples(
  { application, store, signal }: ActingWorld,
  batches: readonly QuestionBatch[],
): Promise<Examples> {
  const shown: Examples = [];
  for (const batch of batches) {
    const found = await readBatchExamples({ ...application, store }, batch, signal).then(
      (contacts: BatchExample[]) => ({ contacts, problem: null }),
      (error: unknown) => ({ contacts: [], problem: messageOf(error) }),
    );
    shown.push({ batch: batch.id, ...found });
  }
  return shown;
}

/** Records that a user saw names. If no names were shown, records nothing. */
async function noteNamesShown(
  { store }: Pick<ActingWorld, 'store'>,
  integrationId: string | null,
  names: readonly unknown[],
): Promise<void> {
  if (names.length === 0) return;
  const details = { command: 'holds', names: names.length };
  await noteEntries(store.act, [{ action: 'names.shown', integrationId, details }]);
}

interface ShownHolds {
  holds: readonly (HoldView & { names?: ShownNames | null | undefined })[];
  batches: readonly BatchView[];
  examples?: Examples | undefined;
}

/**
 * Returns the decisions as a table. A batch is one row, because it may contain thousands of contacts. If the user
 * requested one batch, the table lists its contacts.
 */
export function tableHolds(
  { holds, batches, examples = [] }: ShownHolds,
  { isBatch }: { isBatch: boolean },
): TableView[] {
  const listed = isBatch ? holds : holds.filter(({ batch }) => batch === null);
  const named = listed.flatMap(({ id, names }) => (names ? [{ id, ...names }] : []));
  const tables = [
    ...(listed.length > 0 ? [tableOfHolds(listed)] : []),
    ...(named.length > 0 ? [tableOfNames(named)] : []),
    ...(batches.length > 0 ? [tableOfBatches(batches)] : []),
    ...(examples.length > 0 ? [tableOfExamples(examples)] : []),
  ];
  const last = tables.at(-1);
  if (last === undefined) return [{ empty: 'No decision is open.', headers: [], rows: [] }];
  last.notes = describeOpen(holds, batches);
  return tables;
}

function tableOfHolds(holds: readonly HoldView[]): TableView {
  return {
    empty: '',
    headers: ['Decision', 'Client', 'Contact or network', 'Since', 'Why', 'Decide'],
    rows: holds.map(({ id, integration, contact, network, since, reason, decisions }) => [
      { id },
      ...[integration, contact ?? network ?? ''],
      { at: since },
      ...[reason, decisions.join(', ')],
    ]),
  };
}

function tableOfNames(named: readonly ({ id: string } & ShownNames)[]): TableView {
  const hasProblem = named.some(({ problem }) => problem !== null);
  return {
    empty: '',
    headers: ['Decision', 'In the CRM', 'In the profile', ...(hasProblem ? ['Remark'] : [])],
    rows: named.map(({ id, ...names }) => {
      const { crm, profile } = toTableTexts(names);
      return [{ id }, crm, profile, ...(hasProblem ? [names.problem ?? ''] : [])];
    }),
  };
}

function tableOfBatches(batches: readonly BatchView[]): TableView {
  return {
    empty: '',
    headers: ['Batch', 'Client', 'Contacts', 'Since', 'Why', 'Credits', 'Decide'],
    rows: batches.map(({ id, integration, count, since, kind, parts, credits, decisions }) => [
      { id },
      ...[integration, count],
      { at: since },
      ...[getBatchWords(kind).inShort(parts), credits, `${decisions.join('|')} --batch`],
    ]),
  };
}

function tableOfExamples(examples: Examples): TableView {
  const rows = examples.flatMap(({ batch, contacts, problem }) =>
    problem === null
      ? contacts.map(({ contact, name, now }) => ({
          batch,
          contact,
          name: name ?? '',
          now: now.map(({ part, text }) => `${part}: ${text}`).join(', '),
          remark: name === null ? 'the contact is no longer in the CRM' : '',
        }))
      : [{ batch, contact: '', name: '', now: '', remark: problem }],
  );
  const hasRemark = rows.some(({ remark }) => remark !== '');
  const last = hasRemark ? ['Remark'] : [];
  return {
    empty: 'No batch has a contact to show.',
    headers: ['Batch', 'For example', 'Name', 'Now in the CRM', ...last],
    rows: rows.map(({ batch, contact, name, now, remark }) => [
      { id: batch },
      ...[contact, name, now, ...(hasRemark ? [remark] : [])],
    ]),
  };
}

/** Describes the number of open decisions, and the commands to decide. */
function describeOpen(holds: readonly HoldView[], batches: readonly BatchView[]): string[] {
  const single = holds.filter(({ batch }) => batch === null).length;
  const total = single + batches.length;
  if (total === 0) return ['No decision is open.'];
  const ofBatch = 'donor-sync holds approve --batch ID (or reject).';
  const one = 'donor-sync holds approve ID (or reject, or resubmit).';
  return [
    `${describeCount(total, 'decision')} to make: ${single > 0 ? one : ofBatch}`,
    ...(single > 0 && batches.length > 0 ? [`For a batch: ${ofBatch}`] : []),
    ...(batches.some(({ kind }) => kind === 'identity_mass_change') ? [CHANGED] : []),
    ...batches
      .filter(({ kind }) => kind !== 'identity_mass_change')
      .map(({ id, kind, reason }) => `Batch ${id}: ${reason} ${getBatchWords(kind).hint}`),
  ];
}

const CHANGED =
  'Approving a batch of changed details submits its contacts again, for a credit each. Rejecting it means that they are still the same people, and costs no credit. To see three of its contacts, add --show.';

const decisionSchema = z
  .object({
    id: z.string().describe('The ID of the decision, or of the batch'),
    about: z.enum(['contact', 'network', 'batch']),
    subject: z
      .string()
      .describe('The ID in the CRM, the name of the network, or the number of contacts'),
    integration: z.object({ id: z.string(), name: z.string() }),
    reason: z.string().meta({ example: 'name_mismatch' }),
    why: z.string().describe('A whole sentence'),
    since: z.iso.datetime(),
  })
  .meta({ id: 'Decision' });

const queueSchema = z
  .object({
    total: z.int().describe('Contacts that are decided together count as one decision'),
    clients: z.array(z.object({ id: z.string(), name: z.string(), count: z.int() })),
    reasons: z.array(z.object({ reason: z.string(), name: z.string(), count: z.int() })),
    decisions: z.array(decisionSchema),
    next: z.string().nullable().describe('For `after`; null on the last page'),
  })
  .meta({ id: 'DecisionQueue' });

export const showQueue = reading({
  name: 'holds queue',
  summary: 'Show the open decisions in pages, counted by client and reason',
  details: 'It excludes decisions whose answers can still be withdrawn, and the names of contacts.',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    client: z.string().optional().describe('The ID of the client; all if left out'),
    reason: z
      .string()
      .optional()
      .describe('Only decisions with this reason, for example name_mismatch'),
    order: z
      .enum(['oldest', 'newest'], { error: 'Choose oldest or newest.' })
      .default('oldest')
      .describe('Which decisions come first'),
    after: z.string().optional().describe('The value of `next` on the previous page'),
  }),
  subjects: [],
  result: queueSchema,
  async run(world, { client = null, reason = null, order, after }) {
    if (client !== null) findClient(world, client);
    if (reason !== null) requireReason(reason);
    const position = after === undefined ? null : readCursor(after);
    const query = { client, reason, order, after: position };
    const { items, next, ...counts } = await readQueue(world.reader, world.clients, query);
    return {
      ...counts,
      decisions: items.map(({ name: _, place: __, ...item }) => item),
      next: next === null ? null : writeCursor([...next]),
    };
  },
  say: ({ total }) => `${describeCount(total, 'decision')} to make.`,
  table({ total, decisions, reasons, next }) {
    const notes: Note[] = [
      `${describeCount(total, 'decision')} to make in total.`,
      ...(next === null ? [] : [`For more decisions: donor-sync holds queue --after ${next}`]),
    ];
    return [
      {
        empty: 'No decision is open.',
        headers: ['Decision', 'Client', 'Subject', 'Since', 'Why'],
        rows: decisions.map(({ id, integration, subject, since, why }) => [
          { id },
          ...[integration.id, subject],
          { at: since },
          why,
        ]),
        notes,
      },
      ...(reasons.length === 0
        ? []
        : [
            {
              empty: '',
              headers: ['Reason', 'Name', 'Decisions'],
              rows: reasons.map(({ reason, name, count }) => [reason, name, count]),
            },
          ]),
    ];
  },
});
