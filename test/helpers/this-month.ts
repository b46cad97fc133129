/** The month in which the tests run (UTC), such as `2026-11`. A run that a test has started belongs to this month. */
export const THIS_MONTH = new Date().toISOString().slice(0, 7);
