/** Erases a client. The receipt lists the remaining data, with the reasons. */
import { z } from 'zod';
import { knowsIntegration } from '../clients/statements/integrations.ts';
import { countContacts } from '../contacts/contacts.ts';
import { ConfigurationError } from '../core/errors.ts';
import { newId } from '../core/new-id.ts';
import { describeCount, formatTimestamp } from '../core/quantities.ts';
import { eraseIntegration, unknownIntegration } from '../privacy/erase-integration.ts';
import { acting, type World } from './kit/operation.ts';

const receiptSchema = z
  .object({
    id: z.string(),
    integration: z.string(),
    at: z.iso.datetime(),
    erasedEarlier: z.iso
      .datetime()
      .nullable()
      .describe('When the client was erased before; null the first time'),
    erased: z
      .record(z.string(), z.int())
      .describe(
        'Number of erased rows by kind, excluding rows from an earlier attempt that was interrupted',
      ),
    kept: z.array(z.object({ what: z.string(), rows: z.int(), why: z.string() })),
    files: z
      .array(z.string())
      .describe("Files that were uploaded during the client's set-up, which are deleted"),
    outside: z.array(z.string()).describe('Data about the client that others hold'),
    overwritten: z
      .boolean()
      .describe(
        'False if the database file may still contain bytes of the data until you repeat the erasure',
      ),
  })
  .meta({ id: 'ErasedClient' });

export const eraseClient = acting({
  name: 'erase',
  summary: 'Erase all data of a client that leaves, and get a receipt',
  details:
    'Remove the client from the settings file first. donor-sync keeps the charges without the contacts. It also keeps the audit, and erased people stay blocked. The receipt gives the reasons.',
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: z.object({ integration: z.string().min(1).describe('The ID of the client') }),
  subjects: ['integration'],
  takesMinutes: true,
  result: z.object({ receipt: receiptSchema }),
  async question(world, { integration }) {
    await requireLeaving(world, integration);
    const contacts = await countContacts(world.reader, integration);
    return {
      text: `Permanently erase all data of "${integration}" from the database, including ${describeCount(contacts, 'contact')}?`,
      counts: { contacts },
    };
  },
  async run(world, { integration }) {
    const { application, store, clock } = world;
    await requireLeaving(world, integration);
    const deps = { clock, newId: () => newId(clock.now()) };
    const erasing = { ...deps, application: { ...application, store } };
    const receipt = await eraseIntegration(erasing, integration);
    // The client's stored settings were erased too.
    await application.refresh();
    return { receipt };
  },
  say: ({ receipt }) => describeReceipt(receipt),
});

/** Throws a ConfigurationError if the client is unknown or is still in the settings file. */
async function requireLeaving(
  { reader, application }: Pick<World, 'reader' | 'application'>,
  id: string,
): Promise<void> {
  if (application.settings.integrations.some((each) => each.id === id)) {
    throw new ConfigurationError(
      `The settings file still has "${id}": the next sync would start from the beginning and pay for all contacts again. Nothing was erased. Remove it there (after \`donor-sync disconnect ${id}\`), restart \`donor-sync serve\`, and repeat the command.`,
      { code: 'integration_in_settings', refusal: 'conflict', details: { integration: id } },
    );
  }
  if (!(await knowsIntegration(reader, id))) throw unknownIntegration(id);
}

function describeReceipt(receipt: z.output<typeof receiptSchema>): string[] {
  const { integration, id, at, erasedEarlier, erased, kept, files, outside, overwritten } = receipt;
  const earlier =
    erasedEarlier === null
      ? ''
      : ` It was already erased on ${formatTimestamp(Date.parse(erasedEarlier))}.`;
  const stays = kept.map(
    ({ what, rows, why }) => `  ${describeCount(rows, 'row')} of ${what}: ${why}`,
  );
  return [
    `All data of "${integration}" was erased.${earlier}`,
    `Receipt ${id}, ${formatTimestamp(Date.parse(at))}:`,
    ...Object.entries(erased).map(
      ([what, rows]) => `  ${describeCount(rows, 'row')} of ${what.replaceAll('_', ' ')}`,
    ),
    ...files.map((name) => `  the file ${name}`),
    ...(stays.length > 0 ? ['Data that stays, and why:', ...stays] : []),
    'Elsewhere:',
    ...outside.map((text) => `  ${text}`),
    ...(overwritten
      ? []
      : [
          'Another process uses the database file. Repeat the command after that process has ended.',
        ]),
  ];
}
