/** The month in which the tests run (UTC), such as `2026-11`. Runs that a test has just made belong to this month. */
export const THIS_MONTH = new Date().toISOString().slice(0, 7);
