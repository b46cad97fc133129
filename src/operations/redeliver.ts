/** Delivers stored profiles again. This costs no credits. */
import { z } from 'zod';
import type { Integration } from '../core/integration-settings.ts';
import { describeCount } from '../core/quantities.ts';
import { countRedeliverable } from '../fields/statements/later-deliveries.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting, type TableView } from './kit/operation.ts';
import { runSchema } from './runs.ts';

const inputSchema = z.object({
  integration: z.string().describe('The ID of the client'),
  contact: z
    .string()
    .trim()
    .min(1, 'Enter the ID of a contact in the CRM.')
    .max(255, 'The ID of a contact has at most 255 characters.')
    .optional()
    .describe('The ID of one contact in the CRM; all contacts if left out'),
  fields: z
    .array(z.string())
    .min(1, 'Enter at least one field, or omit the fields.')
    .optional()
    .describe('The names of fields in the CRM; all mapped fields if left out'),
});

type Wanted = z.output<typeof inputSchema>;

const count = z.int().min(0);

const redeliveryPreviewSchema = z
  .object({
    integration: z.string(),
    fields: z.array(z.string()).nullable().describe('Null for all mapped fields'),
    contacts: count.describe('Number of contacts that get at least one value'),
    unchanged: count.describe('Number of contacts that already have all values'),
    values: z.array(z.object({ field: z.string(), contacts: count })),
    kept: z
      .array(z.object({ field: z.string(), state: z.string(), contacts: count, text: z.string() }))
      .describe('Values that are not written to contacts that get other values'),
    excluded: z
      .array(z.object({ reason: z.string(), contacts: count, text: z.string() }))
      .describe('Contacts that get no value'),
  })
  .meta({ id: 'Redelivery' });

export const previewRedelivery = acting({
  name: 'runs redelivery',
  summary: 'Show what delivering the kept profiles again would write, at no cost',
  details:
    'It reads the contacts from the CRM, which takes minutes for a large client, and writes nothing.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: inputSchema,
  subjects: ['integration'],
  takesMinutes: true,
  result: z.object({ redelivery: redeliveryPreviewSchema }),
  async run(world, wanted) {
    const client = findClient(world, wanted.integration);
    const open = await world.application.open(client, world.signal);
    try {
      const { describePreview, previewRequest } = await loadRedelivery();
      const preview = await previewRequest(open, { ...toNames(wanted), integration: client });
      return { redelivery: describePreview(preview) };
    } finally {
      await open.close();
    }
  },
  say: ({ redelivery }) => describeValues(redelivery),
  table({ redelivery }) {
    const { kept, excluded } = redelivery;
    const hasMore = kept.length + excluded.length > 0;
    return [tableOfValues(redelivery), ...(hasMore ? [tableOfWhatStaysOut(redelivery)] : [])];
  },
});

export const redeliver = acting({
  name: 'runs redeliver',
  summary: 'Deliver the kept profiles again, at no cost',
  details:
    "It writes values that were undone and fields that were emptied, as far as opt-outs, decisions and each field's rule (`when`) allow. It reads nothing else and spends no credits. To count beforehand what it would write, use `POST …/redelivery/counts`.",
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: inputSchema,
  subjects: ['integration'],
  takesMinutes: true,
  result: z.object({ run: runSchema }),
  async question(world, wanted) {
    const client = findClient(world, wanted.integration);
    await requireKnown(world, client, wanted);
    const { contact, integration, fields } = wanted;
    const only = contact === undefined ? null : await world.application.contactId(client, contact);
    const contacts = await countRedeliverable(world.reader, integration, only);
    const what = fields === undefined ? 'the kept profiles' : `the values of ${fields.join(', ')}`;
    return {
      text: `Deliver ${what} again? This concerns at most ${describeCount(contacts, 'contact')} of "${integration}" and costs nothing.`,
      counts: { contacts },
    };
  },
  async run(world, wanted) {
    const { application, signal, store } = world;
    const client = findClient(world, wanted.integration);
    const open = await application.open(client, signal);
    try {
      const { chooseFields, runSync } = await loadRedelivery();
      const { only, names } = toNames(wanted);
      const { mappings, partnerKey, stages, deps } = open;
      const fields = chooseFields(mappings, names);
      const request = { integration: client, mappings, partnerKey, stages, signal, only };
      const run = await runSync(
        { ...deps, store },
        { ...request, trigger: 'manual', full: false, redelivery: { fields } },
        { calls: open.calls },
      );
      return { run };
    } finally {
      await open.close();
    }
  },
  say: ({ run: { id, integration, contacts } }) => [
    `Run ${id} wrote to ${describeCount(contacts.written, 'contact')} of "${integration}".`,
    `To see the result, run donor-sync runs ${id}. To restore the replaced values, run donor-sync undo ${id}`,
  ],
  ending: ({ run: { status } }) => (status === 'succeeded' ? 'done' : 'stopped'),
});

function toNames({ contact, fields }: Wanted) {
  return { only: contact ?? null, names: fields ?? [] };
}

/** Throws a ConfigurationError for a field that receives no profile values. Called before the user confirms. */
async function requireKnown(
  { application, signal }: Pick<ActingWorld, 'application' | 'signal'>,
  client: Integration,
  { fields = [] }: Wanted,
): Promise<void> {
  if (fields.length === 0) return;
  const open = await application.open(client, signal);
  try {
    const { chooseFields } = await loadRedelivery();
    chooseFields(open.mappings, fields);
  } finally {
    await open.close();
  }
}

/** Loads the modules of a run when they are needed, because there are many of them. */
async function loadRedelivery() {
  const [{ runSync }, { chooseFields }, preview] = await Promise.all([
    import('../sync/run.ts'),
    import('../sync/redelivery/choose-fields.ts'),
    import('../sync/redelivery/preview-request.ts'),
  ]);
  return { ...preview, runSync, chooseFields };
}

type Preview = z.output<typeof redeliveryPreviewSchema>;

function describeValues({ integration, contacts }: Preview): string {
  return contacts === 0
    ? `${integration}: there is nothing to deliver again.`
    : `${integration}: ${describeCount(contacts, 'contact')} would get values from paid profiles, at no cost.`;
}

function tableOfValues(preview: Preview): TableView {
  const { values, unchanged } = preview;
  return {
    title: describeValues(preview),
    empty: 'No field would get a value.',
    headers: ['Field', 'Contacts'],
    rows: values.map(({ field, contacts }) => [field, contacts]),
    notes:
      unchanged === 0 ? [] : [`${describeCount(unchanged, 'contact')} already have all values.`],
  };
}

function tableOfWhatStaysOut({ kept, excluded }: Preview): TableView {
  return {
    title: 'Not written',
    empty: 'All values would be written.',
    headers: ['Field', 'Contacts', 'Why'],
    rows: [
      ...excluded.map(({ contacts, text }) => ['all fields', contacts, text]),
      ...kept.map(({ field, contacts, text }) => [field, contacts, text]),
    ],
  };
}
