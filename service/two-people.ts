/** The response about a job, a member or a list entry that was created while two people were one donor. */

/** The detail of the 404 response. */
export const TWO_PEOPLE = 'Two people were taken for one';
