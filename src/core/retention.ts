import type { Integration } from './integration-settings.ts';

/** Retention in days. Null or omitted means forever. */
export interface Retention {
  runRows: number;
  /** Decisions about held contacts, and the contacts of run requests. */
  outcomes?: number | null;
  /** Field values before a write. After their deletion, the write cannot be undone. */
  previousValues?: number | null;
  /** Paid profiles. Null or omitted means until they are too old to be delivered. 0 means that no profiles are kept. */
  profiles?: number | null;
  /** Data about contacts that left the CRM, except payments and our values' fingerprints. */
  removedContacts?: number | null;
  audit?: number | null;
}

/** Profiles are kept this many days longer than their refresh date, because runs may fail for a while. */
const KEPT_BEYOND_REFRESH_DAYS = 60;
const KEPT_WITHOUT_REFRESH_DAYS = 730;

/**
 * The record of a contact that left is kept at least this many days longer, because HubSpot restores a deleted contact
 * within this time, with our values in its fields.
 */
export const LEFT_FOR_DAYS = 90;

/** Returns the longest possible retention of a profile, in days. */
export function longestProfileDays({ refresh }: Pick<Integration, 'refresh'>): number {
  if (refresh.afterDays === null) return KEPT_WITHOUT_REFRESH_DAYS;
  return refresh.afterDays + KEPT_BEYOND_REFRESH_DAYS;
}

/** Returns a profile's retention in days, or 0 if profiles are not kept. The settings can only shorten it. */
export function profileDays(
  integration: Pick<Integration, 'refresh' | 'retention'>,
  { profiles }: Pick<Retention, 'profiles'>,
): number {
  const longest = longestProfileDays(integration);
  return Math.min(longest, integration.retention.profiles ?? longest, profiles ?? longest);
}

/**
 * Within this number of days, no profile is deleted or bought again because of its age. Months that started earlier may
 * lack profiles. Their sums may be incomplete. A pure function.
 */
export function completeDays(
  integration: Pick<Integration, 'refresh' | 'retention'>,
  retention: Pick<Retention, 'profiles'>,
): number {
  const kept = profileDays(integration, retention);
  return Math.min(kept, integration.refresh.afterDays ?? kept);
}
