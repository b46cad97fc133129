/**
 * The latest writes of a connector. By remembering its writes, donor-sync recognises other users' changes when it reads
 * the values back.
 */
import type { FieldValues } from '../../../src/core/crm-field.ts';
import type { ContactChange } from '../../contract.ts';
import { contactIdOrText } from '../ids.ts';

/**
 * The time of a write in whole seconds, according to Salesforce's clock. The time of the write is null if it is
 * unknown.
 */
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

/**
 * The maximum number of writes to remember. For earlier writes, donor-sync cannot know whether they came from this
 * connector.
 */
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
