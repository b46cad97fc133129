/** Times within which the product can complete the steps that the credit checks expect. */

export const DAY_MS = 86_400_000;

/** The tolerance for clocks when the product counts a day, an hour or a month. */
export const SLACK_MS = 10 * 60_000;

/** The time for which a profile is shared. */
export const SHARED_FOR_MS = 6 * DAY_MS;

/** An upper limit for the difference between any two clocks. */
export const CLOCKS_APART_MS = 60 * 60_000;
