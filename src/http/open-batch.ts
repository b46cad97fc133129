import { type DecidedBatch, decideBatch } from '../application/decide-holds.ts';
import type { HoldBatch } from '../store/holds/hold-batches.ts';
import type { Store } from '../store/store.ts';
import type { BatchDecisionWord } from '../views/hold.ts';
import { HttpError } from './request/http-error.ts';

type BatchStore = {
  holds: Pick<Store['holds'], 'listBatches' | 'findBatchIntegration' | 'decideBatch'>;
};

/** The open batch with this id. Throws an HttpError: 404 if there is none, 409 if it is decided. */
export async function findOpenBatch({ holds }: BatchStore, id: string): Promise<HoldBatch> {
  const batch = (await holds.listBatches()).find((one) => one.id === id);
  if (batch) return batch;
  throw (await holds.findBatchIntegration(id)) === null
    ? new HttpError(404, 'batch_unknown', `There is no batch "${id}".`)
    : new HttpError(409, 'batch_decided', 'All contacts of this batch are decided already.');
}

/** Decides what is still open of the batch with this id. Throws as `findOpenBatch`. */
export async function decideOpenBatch(
  store: BatchStore,
  id: string,
  word: BatchDecisionWord,
): Promise<DecidedBatch> {
  return decideBatch(store, await findOpenBatch(store, id), word);
}
