/** What answers say of a job, member or place that was made while two people were taken for one. */

/** The detail of a 404. */
export const TWO_PEOPLE = 'Two people were taken for one';
