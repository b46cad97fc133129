/** Records whose changes reach the search index much later than those of others. */

import { z } from 'zod';
import type { ObjectType } from '../core/object-type.ts';

/** The records, and how long searches do not find their changes. */
export const lateRecordsSchema = z.strictObject({
  type: z.string().default('contacts'),
  ids: z.array(z.string()),
  /** 0 means as fast as the other records. */
  lagMs: z.number().int().min(0),
});

/** The lag of single records. */
export interface LateRecords {
  set(type: ObjectType, id: string, lagMs: number): void;
  of(type: ObjectType): ReadonlyMap<string, number>;
}

/** No record is late until one is set. */
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
