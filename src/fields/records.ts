import type { RecordLookup } from '../../connectors/contract.ts';
import type { OwnedValues } from '../contacts/owned-values.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import { lookUp } from '../sync/control/look-up.ts';
import { findLateAutomation } from './late-automation.ts';
import { findIntendedValues, type IntendedValues } from './statements/deliveries.ts';

/** Reads records with the mapped fields and the fields in `more`. */
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

/** The data that is needed to plan a contact's fields. */
export interface KnownRecord {
  lookup: RecordLookup | undefined;
  /** Earlier intended values that the CRM may contain. */
  intended: readonly IntendedValues[];
  /** Fields whose values the CRM's automation has changed. */
  automated: OwnedValues;
}

/**
 * Returns the fields to read in addition to the mapped fields. The additional fields depend on earlier writes to the
 * contact.
 */
type MoreFields = (getIntended: (crmId: string) => readonly IntendedValues[]) => readonly string[];

/** Reads the records of contacts. `getOwned` returns the values that are known to be from donor-sync. */
export async function readRecords(
  deps: Pick<SyncDeps, 'connector' | 'store'>,
  run: Pick<Run, 'fields' | 'integration'>,
  crmIds: readonly string[],
  getOwned: (crmId: string) => OwnedValues,
  more: MoreFields = () => [],
): Promise<(crmId: string) => KnownRecord> {
  const intended = await findIntendedValues(deps.store.reader, run.integration.id, crmIds);
  const getIntended = (crmId: string) => intended.get(crmId) ?? [];
  const lookups = await lookUpRecords(deps, run, crmIds, more(getIntended));
  const present = [...lookups].flatMap(([crmId, lookup]) => {
    if (lookup.state !== 'found') return [];
    const owned = [getOwned(crmId), ...getIntended(crmId).map((intent) => intent.owned)];
    return [{ crmId, values: lookup.values, owned }];
  });
  const automated = await findLateAutomation(deps, present);
  return (crmId) => ({
    lookup: lookups.get(crmId),
    intended: getIntended(crmId),
    automated: automated.get(crmId) ?? {},
  });
}
