/** Records whose changes appear in the search index much later than the changes of other records. */

import { z } from 'zod';
import type { ObjectType } from '../core/object-type.ts';

/** The late records, and the time after which searches find their changes. */
export const lateRecordsSchema = z.strictObject({
  type: z.string().default('contacts'),
  ids: z.array(z.string()),
  /** The delay (ms). 0 means that the changes appear as early as the changes of other records. */
  lagMs: z.number().int().min(0),
});

/** The delays of single records. */
export interface LateRecords {
  set(type: ObjectType, id: string, lagMs: number): void;
  of(type: ObjectType): ReadonlyMap<string, number>;
}

/** Creates the collection. At first, no record is late. */
export function createLateRecords(): LateRecords {
  const byType = new Map<string, Map<string, number>>();
  return {
    set(type, id, lagMs) {
      const lags = byType.get(type.name) ?? new Map<string, number>();
      byType.set(type.name, lags);
      if (lagMs > 0) lags.set(id, lagMs);
      else lags.delete(id);
    },
    of: (type) => byType.get(type.name) ?? new Map(),
  };
}
