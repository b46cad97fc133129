import type { Integration } from './integration-settings.ts';

/** For how many days what happened is kept; null, or left out: for good. */
export interface Retention {
  /** What each run did to each contact. */
  runRows: number;
  /** Decisions about holds, and which contact a run was for. */
  outcomes?: number | null;
  /** What stood in fields before they were written: after that nothing can be undone. */
  previousValues?: number | null;
  /** Profiles that were paid for; null, or left out: until they are too old to be delivered. 0 keeps none. */
  profiles?: number | null;
  /** What is known of contacts that left the CRM, but for what was paid and what is ours. */
  removedContacts?: number | null;
  /** Who did what. */
  audit?: number | null;
}

/** A profile is kept for so long beyond the age at which it is bought again: runs may fail for a while. */
const KEPT_BEYOND_REFRESH_DAYS = 60;
const KEPT_WITHOUT_REFRESH_DAYS = 730;

/** For how many days after its purchase a profile is kept at most, by when the client buys it again. Pure. */
export function longestProfileDays({ refresh }: Pick<Integration, 'refresh'>): number {
  if (refresh.afterDays === null) return KEPT_WITHOUT_REFRESH_DAYS;
  return refresh.afterDays + KEPT_BEYOND_REFRESH_DAYS;
}

/**
 * For how many days after its purchase a profile is kept; 0 if none is. The settings of the client and those of all can
 * only shorten it. Pure.
 */
export function profileDays(
  integration: Pick<Integration, 'refresh' | 'retention'>,
  { profiles }: Pick<Retention, 'profiles'>,
): number {
  const longest = longestProfileDays(integration);
  return Math.min(longest, integration.retention.profiles ?? longest, profiles ?? longest);
}
