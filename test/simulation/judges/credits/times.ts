/** Times within which the product may do what the judge of credits counts. */

export const DAY_MS = 86_400_000;

/** Clocks within which the product may call something a day, an hour or a month. */
export const SLACK_MS = 10 * 60_000;

/** A profile is shared for so long. */
export const SHARED_FOR_MS = 6 * DAY_MS;

/** More than any two clocks are apart. */
export const CLOCKS_APART_MS = 60 * 60_000;
