/** Shows all stored data about a contact, the places where it is stored, and how long it is kept. */
import { z } from 'zod';
import { findConnectorDefinition } from '../../connectors/index.ts';
import { listIntegrationsOfSameAccount } from '../clients/statements/integrations.ts';
import { profileDays } from '../core/retention.ts';
import { describeAbout, listHoldings } from '../privacy/about-view.ts';
import { noteEntries } from '../privacy/audit/record.ts';
import { type AboutContact, readAboutContact } from '../privacy/statements/about.ts';
import { hasAccess } from './find-decision.ts';
import { findClient } from './kit/clients.ts';
import { acting } from './kit/operation.ts';

const time = z.iso.datetime().nullable();

const heldSchema = z.object({
  integration: z.string(),
  contacts: z.array(
    z.object({
      crmId: z.string(),
      state: z.string(),
      donorId: z.string().nullable(),
      paidAt: time,
      enhancedAt: time,
      reason: z.string().nullable(),
      at: time,
      mergedInto: z.string().nullable(),
      ourFields: z.array(z.string()).describe('The CRM fields that contain values from donor-sync'),
    }),
  ),
  jobs: z.array(
    z.object({
      reason: z.string().nullable(),
      state: z.string(),
      jobId: z.string().nullable(),
      submittedAt: time,
    }),
  ),
  writes: z.array(
    z.object({
      run: z.string().nullable(),
      at: time,
      state: z.string(),
      fields: z.array(z.string()),
      hasValuesBefore: z.boolean(),
    }),
  ),
  holds: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      openedAt: time,
      decision: z.string().nullable(),
      decidedAt: time,
    }),
  ),
  warmPaths: z.array(
    z.object({ people: z.int(), computedAt: time, introducerId: z.string().nullable() }),
  ),
  keptProfiles: z.array(
    z.object({ keptAt: time, optedOutAt: time, isDelivered: z.boolean(), isThere: z.boolean() }),
  ),
  notInCrm: z.array(z.object({ field: z.string(), state: z.string(), since: time })),
  introduces: z.int(),
  networks: z.array(z.string()),
  groups: z.array(z.string()),
  blocks: z.array(z.object({ state: z.string(), since: time, erasedAt: time })),
  statuses: z.int(),
  texts: z.int(),
  runRows: z.int(),
  runsAsked: z.int(),
  approvals: z.int(),
  lists: z.int().describe('Number of users who have it on their list'),
  auditEntries: z.int(),
});

const aboutSchema = z
  .object({
    crmId: z.string().describe('The ID of the contact in its canonical form'),
    integrations: z
      .array(heldSchema)
      .describe('For each client of the same CRM account that you have access to'),
    holdings: z
      .array(
        z.object({
          integration: z.string(),
          where: z.enum(['database', 'CRM', 'service', 'audit']),
          what: z.string(),
          kept: z.string().describe('For how long'),
        }),
      )
      .describe('The same information in sentences; empty if no data is held'),
  })
  .meta({ id: 'AboutContact' });

export const aboutContact = acting({
  name: 'about',
  summary: 'Show all data held about one contact, where, and for how long',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: z.string().describe('The ID of the client'),
    contact: z.string().min(1).max(255).describe('The ID of the contact in the CRM'),
  }),
  subjects: ['integration', 'contact'],
  result: z.object({ about: aboutSchema }),
  async run(world, input) {
    const { application, reader, fingerprint, store, clients } = world;
    const integration = findClient(world, input.integration);
    const crmId = await application.contactId(integration, input.contact);
    const definition = await findConnectorDefinition(integration.crm.kind);
    const forms = [crmId, ...(definition.otherForms?.(crmId) ?? [])];
    const ids = await listIntegrationsOfSameAccount(reader, integration.id);
    const found: AboutContact[] = [];
    for (const id of ids.filter((one) => hasAccess(world, one))) {
      found.push(await readAboutContact(reader, fingerprint, id, forms));
    }
    // donor-sync records the request only if the contact exists.
    const known = found.find(({ contacts }) => contacts.length > 0);
    if (known) {
      const shown = { integrationId: known.integrationId, crmId } as const;
      await noteEntries(store.act, [{ action: 'contact.shown', ...shown }]);
    }
    const { retention } = application.settings;
    const holdings = found.flatMap((each) => {
      const client = clients.get(each.integrationId);
      const days = client === undefined ? null : profileDays(client, retention);
      return listHoldings(each, retention, days);
    });
    return { about: { crmId, integrations: found.map(describeAbout), holdings } };
  },
  say: ({ about: { crmId, holdings } }) =>
    holdings.length === 0
      ? `No data is held about ${crmId}. donor-sync does not list values that only the CRM contains.`
      : `Kinds of data about ${crmId}: ${holdings.length}.`,
  table: ({ about: { crmId, holdings } }) => ({
    empty: `No data is held about ${crmId}. donor-sync does not list values that only the CRM contains.`,
    headers: ['Client', 'Where', 'What', 'How long'],
    rows: holdings.map(({ integration, where, what, kept }) => [integration, where, what, kept]),
    notes:
      holdings.length === 0
        ? []
        : [
            'Backups of the database contain the same data until they are deleted. To erase it: donor-sync forget',
          ],
  }),
});
