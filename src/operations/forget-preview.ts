import { z } from 'zod';
import { findConnectorDefinition } from '../../connectors/index.ts';
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import { describeCount } from '../core/quantities.ts';
import { type ClearablePreview, previewClearing } from '../fields/erasing/erase.ts';
import { findOwnFormerRows } from '../fields/erasing/former-rows.ts';
import { type AboutContact, readAboutContact } from '../privacy/statements/about.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import { findTargets, toAsked } from './forget.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting } from './kit/operation.ts';
import { warnOfSecond } from './second-person.ts';

const PLACES = ['database', 'CRM', 'service', 'audit'] as const;

const erasableSchema = z
  .object({
    integration: z.string(),
    crmId: z.string().describe('The ID of the contact in its canonical form'),
    clients: z.array(z.string()).describe('The clients that the erasure covers'),
    rows: z
      .array(
        z.object({
          where: z.enum(PLACES),
          what: z.string(),
          count: z.int().nonnegative(),
          effect: z.enum(['removed', 'cleared', 'stays']),
          note: z.string().nullable().describe('What happens in detail'),
        }),
      )
      .describe('Kinds of data about the contact; kinds without any are left out'),
    problem: z.string().nullable().describe('Why the CRM could not be read'),
    needsSecondUser: z.boolean().describe('Whether another user has to confirm the erasure'),
  })
  .meta({ id: 'Erasable' });

export type Erasable = z.output<typeof erasableSchema>;
type Row = Erasable['rows'][number];

export const previewErasure = acting({
  name: 'contacts erasable',
  summary: 'Show what the erasure of a contact would remove, and what would stay',
  details:
    'It counts the stored records, and checks which values in the CRM come from donor-sync. It changes nothing and costs no credit.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: z.string().describe('The ID of the client'),
    contact: z.string().min(1).max(255).describe('The ID of the contact in the CRM'),
    alsoInCrm: z
      .boolean()
      .default(false)
      .describe('Whether the erasure also clears the values that donor-sync wrote to the CRM'),
  }),
  subjects: ['integration', 'contact'],
  result: z.object({ erasable: erasableSchema }),
  async run(world, { integration, contact, alsoInCrm }) {
    const { reader, fingerprint } = world;
    const input = { integration, contact, alsoInCrm, everywhere: false, blockUnknown: false };
    const { crmId, ids } = await findTargets(world, input);
    const ownForms = await findForms(world, integration, crmId);
    const compared = await compare(world, { integration, ids, crmId, forms: ownForms });
    const { clearable, problem, forms } = compared;
    const found: AboutContact[] = [];
    for (const id of ids) found.push(await readAboutContact(reader, fingerprint, id, forms));
    const second = await warnOfSecond(world, toAsked(input, crmId));
    return {
      erasable: {
        integration,
        crmId,
        clients: ids,
        rows: [
          ...countStored(found),
          ...(clearable === null ? [] : countInCrm(clearable, alsoInCrm)),
        ].filter(({ count }) => count > 0),
        problem,
        needsSecondUser: second !== '',
      },
    };
  },
  say: ({ erasable }) => describeErasable(erasable),
  table: ({ erasable }) => ({
    empty: describeErasable(erasable).join(' '),
    headers: ['Where', 'What', 'Number', 'What happens'],
    rows: erasable.rows.map(({ where, what, count, effect, note }) => [
      ...[where, what, count],
      note === null ? effect : `${effect}: ${note}`,
    ]),
    notes: describeErasable(erasable),
  }),
});

/** Describes the numbers of an erasure in sentences. */
export function describeErasable({ crmId, rows, problem, clients }: Erasable): string[] {
  const gone = rows.filter(({ effect }) => effect !== 'stays');
  const covered = `The erasure covers ${describeCount(clients.length, 'client')}: ${clients.join(', ')}.`;
  const all =
    gone.length === 0
      ? `donor-sync keeps nothing about ${crmId} that an erasure would remove.`
      : `An erasure would remove ${describeCount(gone.length, 'kind')} of data about ${crmId}.`;
  return [
    `${all} ${covered}`,
    ...(problem === null ? [] : [`The values in the CRM could not be counted: ${problem}`]),
  ];
}

async function findForms(world: ActingWorld, id: string, crmId: string): Promise<string[]> {
  const definition = await findConnectorDefinition(findClient(world, id).crm.kind);
  return [crmId, ...(definition.otherForms?.(crmId) ?? [])];
}

interface Compared {
  integration: string;
  ids: readonly string[];
  crmId: string;
  forms: readonly string[];
}

/** Compares with the CRM. If the CRM is unavailable, shows only the numbers from the database. */
async function compare(
  world: ActingWorld,
  { integration, ids, crmId, forms }: Compared,
): Promise<{
  clearable: ClearablePreview | null;
  problem: string | null;
  /** The IDs to erase, including the IDs of former CSV rows. */
  forms: readonly string[];
}> {
  const { application, signal } = world;
  try {
    const open = await application.open(findClient(world, integration), signal);
    try {
      const deps = await openCrm(open.deps, null);
      const former = await findOwnFormerRows(deps, ids, forms);
      const all = [...forms, ...former];
      return {
        clearable: await previewClearing(deps, integration, ids, { crmId, forms: all }),
        problem: null,
        forms: all,
      };
    } finally {
      await open.close();
    }
  } catch (error) {
    if (!isDonorSyncError(error) && !signal.aborted) throw error;
    return { clearable: null, problem: messageOf(error), forms };
  }
}

/** Counts the data in the database, at the service and in the audit. A pure function. */
function countStored(found: readonly AboutContact[]): Row[] {
  const count = (of: (about: AboutContact) => number) =>
    found.reduce((sum, about) => sum + of(about), 0);
  const removed = (what: string, of: (about: AboutContact) => number): Row => ({
    where: 'database',
    what,
    count: count(of),
    effect: 'removed',
    note: null,
  });
  const networks = [...new Set(found.flatMap((about) => about.networks))];
  return [
    removed('Statuses of the contact', ({ contacts, statuses, notInCrm }) => {
      return contacts.length + statuses + notInCrm.length;
    }),
    removed('Profiles that were paid for', ({ keptProfiles }) => keptProfiles.length),
    removed('Decisions', ({ holds, approvals }) => holds.length + approvals),
    removed('Records of writes, with the values before them', ({ writes }) => writes.length),
    removed('Results of runs', ({ runRows, runsAsked }) => runRows + runsAsked),
    removed('Messages from the CRM', ({ texts }) => texts),
    removed('Introductions to this contact', ({ warmPaths }) => warmPaths.length),
    removed('Introductions that this contact could make', ({ introduces }) => introduces),
    removed("Places on users' lists", ({ lists }) => lists),
    {
      where: 'service',
      what: 'Networks that the contact is in',
      effect: 'removed',
      count: count((about) => about.networks.length),
      note: networks.join(', '),
    },
    {
      where: 'service',
      what: 'Results of enhancements',
      effect: 'stays',
      count: count(({ jobs }) => jobs.filter(({ jobId }) => jobId !== null).length),
      note: 'the service deletes each result after 7 days',
    },
    {
      where: 'audit',
      what: 'Entries about the contact',
      effect: 'stays',
      count: count(({ auditEntries }) => auditEntries),
      note: 'the entries stay, but they no longer show which contact they are about',
    },
  ];
}

/** Counts the CRM fields that contain values from donor-sync. A pure function. */
function countInCrm({ ours, changed, unreadable }: ClearablePreview, alsoInCrm: boolean): Row[] {
  const row = (what: string, fields: readonly string[], effect: Row['effect']): Row => ({
    where: 'CRM',
    what,
    count: fields.length,
    effect,
    note: fields.join(', '),
  });
  return [
    row('Values that donor-sync wrote', ours, alsoInCrm ? 'cleared' : 'stays'),
    row('Values that were changed after donor-sync wrote them', changed, 'stays'),
    row('Fields that donor-sync wrote and can no longer read', unreadable, 'stays'),
  ];
}
