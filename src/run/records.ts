/** Records of the CRM, many at a time. */
import type { ContactChange, RecordLookup, WriteResult } from '../../connectors/contract.ts';
import type { Run, SyncDeps } from './context.ts';

/** The present identity and mapped values of these contacts, by CRM id. */
export async function lookUpRecords(
  { connector }: Pick<SyncDeps, 'connector'>,
  run: Pick<Run, 'fields'>,
  crmIds: string[],
): Promise<Map<string, RecordLookup>> {
  const lookups = new Map<string, RecordLookup>();
  const fields = run.fields.map(({ name }) => name);
  const { readBatch } = connector.capabilities;
  for (let start = 0; start < crmIds.length; start += readBatch) {
    for (const lookup of await connector.readByIds(
      crmIds.slice(start, start + readBatch),
      fields,
    )) {
      lookups.set(lookup.id, lookup);
    }
  }
  return lookups;
}

/** Writes the changes; the result of each by CRM id. */
export async function writeChanges(
  { connector }: Pick<SyncDeps, 'connector'>,
  changes: ContactChange[],
): Promise<Map<string, WriteResult>> {
  const results = new Map<string, WriteResult>();
  if (changes.length === 0) return results;
  for await (const result of connector.write(changes)) results.set(result.id, result);
  return results;
}
