/** Handles operations for several clients of which some failed. */
import { z } from 'zod';
import { type DonorSyncError, isDonorSyncError, isRetriableError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';

const failureSchema = z
  .object({
    integration: z.string().describe('The ID of the client'),
    code: z.string(),
    message: z.string(),
    retriable: z.boolean().describe('True if a retry can succeed without any change'),
  })
  .meta({ id: 'ClientFailure' });

export type ClientFailure = z.output<typeof failureSchema>;

/** The part of a result that lists failed clients. This part is omitted if the operation succeeded for all clients. */
export const failuresShape = {
  failed: z.array(failureSchema).optional().describe('The clients for which it failed, if any'),
};

/** The results of an operation for several clients. */
export interface Attempts<Value> {
  values: Value[];
  failed: ClientFailure[];
}

/**
 * Works on one client after the other. An error for one client does not stop the work on other clients. If all clients
 * fail, throws the first error. Throws unexpected errors immediately.
 */
export async function attemptEach<Value>(
  clients: readonly Integration[],
  work: (client: Integration) => Promise<Value>,
): Promise<Attempts<Value>> {
  const values: Value[] = [];
  const errors: { integration: string; error: DonorSyncError }[] = [];
  for (const client of clients) {
    try {
      values.push(await work(client));
    } catch (error) {
      if (!isDonorSyncError(error)) throw error;
      errors.push({ integration: client.id, error });
    }
  }
  const [first] = errors;
  if (first !== undefined && values.length === 0) throw first.error;
  return {
    values,
    failed: errors.map(({ integration, error }) => ({
      integration,
      code: error.code,
      message: error.message,
      retriable: isRetriableError(error),
    })),
  };
}
