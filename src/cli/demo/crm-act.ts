/** The later acts of the demo: the same service, and a CRM instead of a file. */
import type { Application, OpenIntegration } from '../../application.ts';
import type { FieldValue } from '../../core/crm-field.ts';
import type { RunReport } from '../../core/run.ts';
import { createMissingFields } from '../../sync/fields.ts';
import { withIntegration } from '../product.ts';
import type { CrmKind } from './folder.ts';

/** A CRM that plays a part. */
export interface CrmPart {
  kind: CrmKind;
  /** What people call it. */
  name: string;
  integration: string;
  /** Where its stand-in serves. */
  baseUrl: string;
  /** The fields that are shown of a contact. */
  shownFields: readonly string[];
}

/** What became of the CRM. */
export interface CrmAct extends Omit<CrmPart, 'shownFields'> {
  /** The custom fields that were created for it, with the access they need. */
  createdFields: string[];
  runs: RunReport[];
  /** A few of the contacts that were written, as the CRM has them now. */
  contacts: { id: string; name: string; values: { field: string; value: FieldValue }[] }[];
}

/** Contacts that are shown with their new values. */
const SHOWN_CONTACTS = 3;

/** Creates the custom fields, syncs twice, and reads back what is in the CRM. */
export async function playCrm(
  application: Application,
  { shownFields, ...part }: CrmPart,
  signal: AbortSignal,
  syncOnce: (open: OpenIntegration) => Promise<RunReport>,
): Promise<CrmAct> {
  const [integration] = application.select([part.integration]);
  if (integration === undefined) throw new Error(`The settings of the demo lack ${part.name}`);
  const withCrm = <Result>(work: (open: OpenIntegration) => Promise<Result>) =>
    withIntegration(application, integration, signal, work);
  const created = await withCrm(async ({ connector, mappings }) => {
    await connector.prepare();
    return createMissingFields(connector, mappings);
  });
  const first = await withCrm(syncOnce);
  const second = await withCrm(syncOnce);
  const rows = await application.store.deliveries.listWrites(first.id);
  const ids = rows.slice(-SHOWN_CONTACTS).map((row) => row.crm_id);
  return {
    ...part,
    createdFields: created.flatMap(({ name, result }) => (result === 'created' ? [name] : [])),
    runs: [first, second],
    contacts: await withCrm((open) => readBack(open, ids, shownFields)),
  };
}

async function readBack(
  { connector }: OpenIntegration,
  ids: readonly string[],
  fields: readonly string[],
): Promise<CrmAct['contacts']> {
  await connector.prepare();
  const records = await connector.readByIds(ids, fields);
  return records.flatMap((record) => {
    if (record.state !== 'found') return [];
    const { firstName, lastName } = record.contact;
    const values = fields.map((field) => ({ field, value: record.values[field] ?? null }));
    return [{ id: record.id, name: `${firstName ?? ''} ${lastName ?? ''}`.trim(), values }];
  });
}
