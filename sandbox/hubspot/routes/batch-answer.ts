/** Creates the response to a request about several records or properties. */

import type { Failure } from '../account/record-writes.ts';
import { isoTime } from '../properties/property.ts';

/** The results and failures of a batch. */
export interface Batch {
  results: readonly unknown[];
  failures: readonly Failure[];
  startedAtMs: number;
  completedAtMs: number;
}

/** Returns `status` if every input succeeded, or 207 if any input failed. */
export function batchAnswer(
  { results, failures, startedAtMs, completedAtMs }: Batch,
  status = 200,
): Response {
  const errors = failures.map(toStandardError);
  const body = {
    status: 'COMPLETE',
    results,
    ...(errors.length === 0 ? {} : { numErrors: errors.length, errors }),
    startedAt: isoTime(startedAtMs),
    completedAt: isoTime(completedAtMs),
  };
  return Response.json(body, { status: errors.length === 0 ? status : 207 });
}

function toStandardError({ ids, error, objectWriteTraceIds }: Failure) {
  const { errors = [], links = {}, context = {} } = error.extras;
  return {
    status: 'error',
    category: error.category,
    message: error.message,
    context: {
      ...context,
      ...(ids.length === 0 ? {} : { ids }),
      ...(objectWriteTraceIds === undefined ? {} : { objectWriteTraceId: objectWriteTraceIds }),
    },
    errors,
    links,
  };
}
