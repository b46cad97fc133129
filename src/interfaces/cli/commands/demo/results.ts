import type { Application, OpenIntegration } from '../../../../application.ts';
import type { FieldValue } from '../../../../core/crm-field.ts';
import { outcomeNamed, outcomeText } from '../../../../core/outcome.ts';
import type { RunReport } from '../../../../core/run.ts';
import { createMissingFields } from '../../../../fields/describe.ts';
import { listWrites } from '../../../../fields/statements/deliveries.ts';
import { listRunRows } from '../../../../sync/statements/run-rows.ts';
import { findRunById } from '../../../../sync/statements/runs.ts';
import { type ReasonCount, readReasons } from '../../../../sync/views/run-contacts.ts';
import { withIntegration } from '../../action/product.ts';
import type { DemoContact } from './contacts.ts';
import { type DemoFolder, ENHANCED_FIELDS, readRows } from './folder.ts';

/** The first sync's result for one contact of the demo. */
export interface DemoResult {
  id: string;
  name: string;
  story: string | null;
  outcome: string;
  reason: string;
  /** The reason in plain words. */
  explanation: string;
  fields: FieldResult[];
}

export interface FieldResult {
  field: string;
  from: string;
  to: string;
  /** True if the sync kept a value that a user had entered. */
  kept: boolean;
}

/** Reads the results from the files and the database. */
export async function readResults(
  { store }: Pick<Application, 'store'>,
  runId: string,
  contacts: readonly DemoContact[],
  folder: DemoFolder,
): Promise<DemoResult[]> {
  const before = await readRows(folder.contacts);
  const after = await readRows(folder.enhanced);
  const run = await findRunById(store.reader, runId);
  const rows = run ? await listRunRows(store.reader, run, { limit: contacts.length }) : [];
  const reasons = new Map(rows.map(({ crmId, reason }) => [crmId, reason]));
  return contacts.map(({ id, firstName, lastName, story }) => {
    const reason = reasons.get(id) ?? 'submission_pending';
    return {
      id,
      name: `${firstName} ${lastName || '(no last name)'}`.trim(),
      story,
      outcome: outcomeNamed(reason) ?? 'waiting',
      reason,
      explanation: outcomeText(reason),
      fields: compareFields(before.get(id) ?? {}, after.get(id) ?? {}),
    };
  });
}

type Row = Readonly<Record<string, string>>;

function compareFields(before: Row, after: Row): FieldResult[] {
  return ENHANCED_FIELDS.map((field) => {
    const from = before[field] ?? '';
    const to = after[field] ?? '';
    return { field, from, to, kept: from !== '' && from === to };
  }).filter(({ from, to }) => from !== '' || to !== '');
}

export interface DemoCrm {
  kind: string;
  /** The CRM's name for users, without an article. */
  name: string;
  integration: string;
  /** The address of the CRM's sandbox. */
  baseUrl: string;
  shownFields: readonly string[];
  pathField: string;
}

/** The CRM's results. */
export interface CrmResult extends Omit<DemoCrm, 'shownFields' | 'pathField'> {
  createdFields: string[];
  runs: RunReport[];
  /** The reasons why the first run did not write to some contacts. */
  unwritten: { count: number; explanation: string }[];
  contacts: ShownContact[];
  introduced: { count: number; contacts: ShownContact[] };
}

export interface ShownContact {
  id: string;
  name: string;
  values: { field: string; value: FieldValue }[];
}

const SHOWN_CONTACTS = 3;

/** Syncs the CRM twice, and then reads its records. */
export async function syncCrm(
  application: Application,
  { shownFields, pathField, ...crm }: DemoCrm,
  signal: AbortSignal,
  syncOnce: (open: OpenIntegration) => Promise<RunReport>,
): Promise<CrmResult> {
  const [integration] = application.select([crm.integration]);
  if (integration === undefined) throw new Error(`The settings of the demo lack the ${crm.name}`);
  const withCrm = <Result>(work: (open: OpenIntegration) => Promise<Result>) =>
    withIntegration(application, integration, work, signal);
  const created = await withCrm(async ({ deps, mappings }) =>
    createMissingFields(await deps.openConnector(null), mappings),
  );
  const first = await withCrm(syncOnce);
  // The second run replaces every outcome, so the reasons are read before the second run.
  const reasons = await readReasons(application.store.reader, first.id);
  const second = await withCrm(syncOnce);
  const rows = await listWrites(application.store.reader, first.id);
  // The IDs are sorted, so that the demo shows the same contacts every time.
  const ids = [...new Set(rows.map((row) => row.crmId))].sort();
  const contacts = await withCrm((open) => readBack(open, ids, [...shownFields, pathField]));
  const introduced = contacts.filter(({ values }) => shownValue(values, pathField) !== null);
  const show = (contact: ShownContact, fields: readonly string[]) => ({
    ...contact,
    values: contact.values.filter(({ field }) => fields.includes(field)),
  });
  return {
    ...crm,
    createdFields: created.flatMap(({ name, result }) => (result === 'created' ? [name] : [])),
    runs: [first, second],
    unwritten: explainUnwritten(reasons),
    contacts: contacts.slice(0, SHOWN_CONTACTS).map((contact) => show(contact, shownFields)),
    introduced: {
      count: introduced.length,
      contacts: introduced.slice(0, SHOWN_CONTACTS).map((contact) => show(contact, [pathField])),
    },
  };
}

function explainUnwritten(reasons: readonly ReasonCount[]): CrmResult['unwritten'] {
  return reasons
    .filter(({ outcome }) => outcome !== 'written')
    .map(({ count, text }) => ({ count, explanation: text }));
}

function shownValue(values: ShownContact['values'], wanted: string): FieldValue {
  return values.find(({ field }) => field === wanted)?.value ?? null;
}

async function readBack(
  { deps }: OpenIntegration,
  ids: readonly string[],
  fields: readonly string[],
): Promise<ShownContact[]> {
  const connector = await deps.openConnector(null);
  // The demo's contacts fit into one page of the CRM.
  const records = await connector.readByIds(ids, fields);
  return records.flatMap((record) => {
    if (record.state !== 'found') return [];
    const { firstName, lastName } = record.contact;
    const values = fields.map((field) => ({ field, value: record.values[field] ?? null }));
    return [{ id: record.id, name: `${firstName ?? ''} ${lastName ?? ''}`.trim(), values }];
  });
}
