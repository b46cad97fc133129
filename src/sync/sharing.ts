/**
 * Decides which contacts are the same person, and for how long. The same person is paid for only once under one service
 * key.
 */
import { type Contact, personText } from '../core/contact.ts';
import type { SharingRules } from '../credits/statements/paid-jobs.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { askedBefore } from './plan.ts';

/**
 * The time for which a job can be shared. The service keeps a job's results for seven days, and they can be read again
 * for free. One day is left as a margin.
 */
const SHARED_FOR_MS = 6 * 86_400_000;

/** The parts of a run that sharing needs. */
type SharingRun = Pick<Run, 'integration' | 'partnerKey' | 'identities'>;

/**
 * Returns the fingerprint of the person under the run's key. Returns null if the integration does not share profiles.
 * Also returns null if a part of the identity cannot be read, because different people may then look the same.
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
 * Returns the rules that define which jobs can be shared now. Their results must still be available, and their profile
 * must not be too old for this integration.
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
