/** Records of the CRM with the mapped fields, and what we may have written into them. */
import type { RecordLookup } from '../../connectors/contract.ts';
import type { Run, SyncDeps } from '../run/context.ts';
import { lookUp } from '../run/look-up.ts';
import type { OwnedValues } from '../store/contacts/owned-values.ts';

/** The present identity and values of these contacts, by CRM id: of the mapped fields, and of `more`. */
export async function lookUpRecords(
  { connector }: Pick<SyncDeps, 'connector'>,
  run: Pick<Run, 'fields'>,
  crmIds: readonly string[],
  more: readonly string[] = [],
): Promise<Map<string, RecordLookup>> {
  const fields = new Set([...run.fields.map(({ name }) => name), ...more]);
  const lookups = await lookUp(connector, crmIds, [...fields]);
  return new Map(lookups.map((lookup) => [lookup.id, lookup]));
}

/** What has to be known of a contact before its fields are planned. */
export interface KnownRecord {
  lookup: RecordLookup | undefined;
  /** Values whose write was intended before and may have happened. */
  intended: readonly OwnedValues[];
}

/** The records of these contacts as they are, with `more` fields, and what may have been written into them. */
export async function readRecords(
  deps: Pick<SyncDeps, 'connector' | 'store'>,
  run: Pick<Run, 'fields' | 'integration'>,
  crmIds: readonly string[],
  more: readonly string[] = [],
): Promise<(crmId: string) => KnownRecord> {
  const lookups = await lookUpRecords(deps, run, crmIds, more);
  const intended = await deps.store.deliveries.findIntended(run.integration.id, crmIds);
  return (crmId) => ({ lookup: lookups.get(crmId), intended: intended.get(crmId) ?? [] });
}
