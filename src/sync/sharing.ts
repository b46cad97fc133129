/**
 * Decides which contacts are the same person. The contacts of one person share one paid profile for a certain time, so
 * donor-sync pays only once per service key.
 */
import { type Contact, personText } from '../core/contact.ts';
import type { SharingRules } from '../credits/statements/paid-jobs.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { askedBefore } from './plan.ts';

/**
 * The time for which contacts can share a job. The service keeps a job's results for seven days, and donor-sync can
 * read them again for free. One day is left as a margin.
 */
const SHARED_FOR_MS = 6 * 86_400_000;

/** The parts of a run that are needed to share profiles. */
type SharingRun = Pick<Run, 'integration' | 'partnerKey' | 'identities'>;

/**
 * Returns the fingerprint of the person under the run's service key. Returns null if the integration does not share
 * profiles. Also returns null if a part of the identity cannot be read, because different people may then look the
 * same.
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
 * Returns the rules that decide which jobs contacts can share now. A job's results must still be available, and its
 * profile must not be too old for this integration.
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
