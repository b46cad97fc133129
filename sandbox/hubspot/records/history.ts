/** The past and current values of a property. */

import { isoTime } from '../properties/property.ts';
import type { StoredRecord } from './record.ts';
import type { RecordVersion } from './record-store.ts';

/** A value of a property, with the time at which it was set, as the API returns it. */
export interface HistoricValue {
  value: string;
  /** The time in ISO format. */
  timestamp: string;
  sourceType: string;
  sourceId?: string;
}

/**
 * Returns the former and current values of some properties, latest first. Properties that never had a value are left
 * out.
 */
export function historyOf(
  record: StoredRecord,
  versions: readonly RecordVersion[],
  names: readonly string[],
): Record<string, HistoricValue[]> {
  const histories = names.map((name): [string, HistoricValue[]] => [
    name,
    valuesOf(record, versions, name).reverse(),
  ]);
  return Object.fromEntries(histories.filter(([, values]) => values.length > 0));
}

function valuesOf(
  record: StoredRecord,
  versions: readonly RecordVersion[],
  name: string,
): HistoricValue[] {
  const history: HistoricValue[] = [];
  let last: string | undefined;
  for (const [index, state] of [...versions.map((version) => version.record), record].entries()) {
    const value = state?.values[name];
    if (value === undefined || value === last) continue;
    last = value;
    history.push({ value, ...beginningOf(record, versions[index - 1]) });
  }
  return history;
}

/** Returns the start time of the oldest value. The record was imported with that value. */
function beginningOf(record: StoredRecord, change: RecordVersion | undefined) {
  if (change === undefined) return { timestamp: isoTime(record.createdAtMs), sourceType: 'IMPORT' };
  const { source, sourceId } = change.replacedBy;
  return { timestamp: isoTime(change.replacedAtMs), sourceType: source, sourceId };
}
