/** The second act of the demo: the same service, and a Salesforce org instead of a file. */
import type { Application, OpenIntegration } from '../../application.ts';
import type { FieldValue } from '../../core/crm-field.ts';
import type { RunReport } from '../../core/run.ts';
import { createMissingFields } from '../../sync/fields.ts';
import { withIntegration } from '../product.ts';
import { SALESFORCE_INTEGRATION } from './folder.ts';

/** What became of the org. */
export interface SalesforceAct {
  /** The custom fields that were created for it, with the access they need. */
  createdFields: string[];
  runs: RunReport[];
  /** A few of the contacts that were written, as the org has them now. */
  contacts: { id: string; name: string; values: { field: string; value: FieldValue }[] }[];
}

/** Contacts that are shown with their new values. */
const SHOWN_CONTACTS = 3;

/** The fields that are shown of each. */
const SHOWN_FIELDS = [
  'Donor_Net_Worth__c',
  'Donor_Giving_Capacity__c',
  'Donor_Employer__c',
  'Donor_School__c',
];

/** Creates the custom fields, syncs twice, and reads back what is in the org. */
export async function playSalesforce(
  application: Application,
  signal: AbortSignal,
  syncOnce: (open: OpenIntegration) => Promise<RunReport>,
): Promise<SalesforceAct> {
  const [integration] = application.select([SALESFORCE_INTEGRATION]);
  if (integration === undefined) throw new Error('the settings of the demo lack the org');
  const withOrg = <Result>(work: (open: OpenIntegration) => Promise<Result>) =>
    withIntegration(application, integration, signal, work);
  const created = await withOrg(async ({ connector, mappings }) => {
    await connector.prepare();
    return createMissingFields(connector, mappings);
  });
  const first = await withOrg(syncOnce);
  const second = await withOrg(syncOnce);
  const rows = await application.store.deliveries.listWrites(first.id);
  const ids = rows.slice(-SHOWN_CONTACTS).map((row) => row.crm_id);
  return {
    createdFields: created.flatMap(({ name, result }) => (result === 'created' ? [name] : [])),
    runs: [first, second],
    contacts: await withOrg((open) => readBack(open, ids)),
  };
}

async function readBack(
  { connector }: OpenIntegration,
  ids: readonly string[],
): Promise<SalesforceAct['contacts']> {
  await connector.prepare();
  const records = await connector.readByIds(ids, SHOWN_FIELDS);
  return records.flatMap((record) => {
    if (record.state !== 'found') return [];
    const { firstName, lastName } = record.contact;
    const values = SHOWN_FIELDS.map((field) => ({ field, value: record.values[field] ?? null }));
    return [{ id: record.id, name: `${firstName ?? ''} ${lastName ?? ''}`.trim(), values }];
  });
}
