/** The response for a job, member or place that was created while two people were treated as one. */

/** The detail of the 404 response. */
export const TWO_PEOPLE = 'Two people were taken for one';
