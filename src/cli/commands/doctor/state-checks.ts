import type { Finding } from '../../../../connectors/contract.ts';
import type { OpenIntegration } from '../../../application.ts';
import { ownerWords } from '../../../core/owner.ts';
import { findRunning } from '../../../views/run.ts';
import type { ProductDeps } from '../../action/product.ts';
import { countOf, formatMoment } from '../../terminal/quantities.ts';
import { checked, met } from './finding.ts';

/** What the store says of an integration: who is at work, what is unsettled, what waits. */
export function checkState(
  deps: Pick<ProductDeps, 'clock' | 'owner'>,
  open: OpenIntegration,
): Promise<Finding[]> {
  return checked('state', 'Look at the message; the database may be damaged.', async () => [
    await checkLease(deps, open),
    ...(await checkSubmission(open)),
    await checkHolds(open),
  ]);
}

async function checkLease(
  deps: Pick<ProductDeps, 'clock' | 'owner'>,
  { deps: { store }, integration }: OpenIntegration,
): Promise<Finding> {
  const running = await findRunning(deps, store, integration.id);
  if (running === null) return met('runs', 'Nothing is running.');
  const since = running.since === null ? '' : ` since ${formatMoment(running.since)}`;
  return met('runs', `${ownerWords(running.owner)} is at work${since}.`);
}

async function checkSubmission({
  deps: { store },
  partnerKey,
}: OpenIntegration): Promise<Finding[]> {
  const open = await store.submissions.findOpen(partnerKey);
  if (!open) return [];
  const message = `A submission of ${countOf(open.persons, 'person', 'persons')} from ${formatMoment(open.intendedAt)} has no answer yet.`;
  return [met('submissions', message, 'The next sync settles it by the balance.')];
}

async function checkHolds({ deps: { store }, integration }: OpenIntegration): Promise<Finding> {
  const { length } = await store.holds.listOpen(integration.id);
  if (length === 0) return met('holds', 'Nothing waits for a person.');
  return met('holds', `${countOf(length, 'contact')} held for a person.`, 'donor-sync holds');
}
