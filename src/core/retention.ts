import type { Integration } from './integration-settings.ts';

/** How many days records are kept. Null or omitted means forever. */
export interface Retention {
  /** The results of each run for each contact. */
  runRows: number;
  /** Decisions about held contacts, and the contacts that runs were for. */
  outcomes?: number | null;
  /** Field values from before a write. Once they are deleted, the write cannot be undone. */
  previousValues?: number | null;
  /** Paid profiles. If null or omitted, they are kept until they are too old to be delivered. If 0, none are kept. */
  profiles?: number | null;
  /** Data about contacts that left the CRM, except payments and fingerprints of our values. */
  removedContacts?: number | null;
  /** The audit of all changes. */
  audit?: number | null;
}

/** A profile is kept this much longer than until it is bought again, because runs may fail for a while. */
const KEPT_BEYOND_REFRESH_DAYS = 60;
const KEPT_WITHOUT_REFRESH_DAYS = 730;

/**
 * Returns how many days a profile can be kept after its purchase, which depends on when the client buys it again. A
 * pure function.
 */
export function longestProfileDays({ refresh }: Pick<Integration, 'refresh'>): number {
  if (refresh.afterDays === null) return KEPT_WITHOUT_REFRESH_DAYS;
  return refresh.afterDays + KEPT_BEYOND_REFRESH_DAYS;
}

/**
 * Returns how many days a profile is kept after its purchase, or 0 if none is kept. The settings of the client and of
 * all clients can only shorten it. A pure function.
 */
export function profileDays(
  integration: Pick<Integration, 'refresh' | 'retention'>,
  { profiles }: Pick<Retention, 'profiles'>,
): number {
  const longest = longestProfileDays(integration);
  return Math.min(longest, integration.retention.profiles ?? longest, profiles ?? longest);
}

/**
 * Returns for how many days no profile is bought again or deleted because of its age. The profiles of a month that
 * started earlier may be incomplete. A pure function.
 */
export function completeDays(
  integration: Pick<Integration, 'refresh' | 'retention'>,
  retention: Pick<Retention, 'profiles'>,
): number {
  const kept = profileDays(integration, retention);
  return Math.min(kept, integration.refresh.afterDays ?? kept);
}
