/** The clients for which an operation on several clients failed, although it succeeded for others. */
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

/** A part of results. It is missing if everything succeeded. */
export const failuresShape = {
  failed: z.array(failureSchema).optional().describe('The clients for which it failed, if any'),
};

/** The results for several clients. */
export interface Attempts<Value> {
  values: Value[];
  failed: ClientFailure[];
}

/**
 * Does the same work for one client after another. An error for one client does not stop the others. If the work fails
 * for all clients, throws the first error. An error that is not a DonorSyncError is thrown immediately.
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
