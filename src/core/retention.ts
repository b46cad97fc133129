import type { Integration } from './integration-settings.ts';

/** The retention of data, in days. Null or omitted means forever. */
export interface Retention {
  runRows: number;
  /** Answered decisions, and the contacts of requests for runs. */
  outcomes?: number | null;
  /** The values that fields had before a write. Without them, the write cannot be undone. */
  previousValues?: number | null;
  /**
   * Paid profiles. Null or omitted means that they are kept until they are too old to be delivered. 0 means that no
   * profiles are kept.
   */
  profiles?: number | null;
  /** Data about contacts that have left the CRM. Excludes payments and the fingerprints of donor-sync's values. */
  removedContacts?: number | null;
  audit?: number | null;
}

/** The number of days for which profiles are kept after their refresh date, because runs may fail for a while. */
const KEPT_BEYOND_REFRESH_DAYS = 60;
const KEPT_WITHOUT_REFRESH_DAYS = 730;

/**
 * The additional days for which the record of a contact that left is kept. HubSpot can restore a deleted contact within
 * this time, with donor-sync's values in its fields.
 */
export const LEFT_FOR_DAYS = 90;

/** Returns the longest possible retention of a profile, in days. */
export function longestProfileDays({ refresh }: Pick<Integration, 'refresh'>): number {
  if (refresh.afterDays === null) return KEPT_WITHOUT_REFRESH_DAYS;
  return refresh.afterDays + KEPT_BEYOND_REFRESH_DAYS;
}

/**
 * Returns the retention of a profile in days, or 0 if profiles are not kept. The settings of a client can only make
 * this time shorter.
 */
export function profileDays(
  integration: Pick<Integration, 'refresh' | 'retention'>,
  { profiles }: Pick<Retention, 'profiles'>,
): number {
  const longest = longestProfileDays(integration);
  return Math.min(longest, integration.retention.profiles ?? longest, profiles ?? longest);
}

/**
 * Returns the number of past days for which all profiles still exist. Within this time, no profile is deleted or bought
 * again because of its age. Months that started earlier may lack profiles, so their results may be incomplete. A pure
 * function.
 */
export function completeDays(
  integration: Pick<Integration, 'refresh' | 'retention'>,
  retention: Pick<Retention, 'profiles'>,
): number {
  const kept = profileDays(integration, retention);
  return Math.min(kept, integration.refresh.afterDays ?? kept);
}
