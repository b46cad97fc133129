/** Records whose changes reach the search index much later than other changes. */

import { z } from 'zod';
import type { ObjectType } from '../core/object-type.ts';

/** The late records, and the time after which searches find their changes. */
export const lateRecordsSchema = z.strictObject({
  type: z.string().default('contacts'),
  ids: z.array(z.string()),
  /** 0 means that searches find them as early as other records. */
  lagMs: z.number().int().min(0),
});

/** The lag of single records. */
export interface LateRecords {
  set(type: ObjectType, id: string, lagMs: number): void;
  of(type: ObjectType): ReadonlyMap<string, number>;
}

/** No record is late until a lag is set. */
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
