/**
 * The last writes of a connector. They make it possible to recognise other users' changes when the values are read
 * back.
 */
import type { FieldValues } from '../../../src/core/crm-field.ts';
import type { ContactChange } from '../../contract.ts';
import { contactIdOrText } from '../ids.ts';

/** When a write was made, by Salesforce's clock to the second, or null if unknown. */
export interface WriteTime {
  sentAtMs: number | null;
  answeredAtMs: number | null;
}

export interface RecentWrite extends WriteTime {
  values: FieldValues;
}

export interface RecentWrites {
  note(changes: readonly ContactChange[], time: WriteTime): void;
  find(id: string): RecentWrite | undefined;
}

/** The maximum number of writes that are remembered. It is unknown whether earlier writes came from this connector. */
const MAX_WRITES = 20_000;

export function createRecentWrites(): RecentWrites {
  const writes = new Map<string, RecentWrite>();
  return {
    note(changes, time) {
      for (const { id, values } of changes) {
        const key = contactIdOrText(id);
        writes.delete(key);
        writes.set(key, { ...time, values });
      }
      for (const key of writes.keys()) {
        if (writes.size <= MAX_WRITES) break;
        writes.delete(key);
      }
    },
    find: (id) => writes.get(contactIdOrText(id)),
  };
}
