/**
 * Decides who counts as the same person, and for how long. Under one service key, the same person is paid for
 * only once.
 */
import { type Contact, personText } from '../core/contact.ts';
import type { SharingRules } from '../credits/statements/paid-jobs.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { askedBefore } from './plan.ts';

/**
 * The service keeps the results of a job for seven days, and they can be read again for free. This leaves a
 * day as a margin.
 */
const SHARED_FOR_MS = 6 * 86_400_000;

/** The part of a run that sharing depends on. */
type SharingRun = Pick<Run, 'integration' | 'partnerKey' | 'identities'>;

/**
 * Returns the fingerprint of the person under the run's key, or null if the integration does not share, or if a part of
 * the identity cannot be read. Without that part, different people may look the same.
 */
export function personFingerprint(
  { store }: Pick<SyncDeps, 'store'>,
  { integration, partnerKey, identities }: SharingRun,
  contact: Contact,
): string | null {
  if (!integration.partner.shareProfiles || identities.isPartial(contact)) return null;
  return store.fingerprint('person', `${partnerKey}\n${personText(contact)}`);
}

/**
 * Returns the jobs that may currently be shared: their results can still be read, and their profile is not too old for
 * this integration.
 */
export function sharingRules(
  { clock }: Pick<SyncDeps, 'clock'>,
  { integration: { refresh, onLostAnswer } }: Pick<Run, 'integration'>,
): SharingRules {
  const now = clock.now();
  return {
    since: Math.max(now - SHARED_FOR_MS, askedBefore({ refresh, now })),
    heedsLost: onLostAnswer === 'hold',
  };
}
