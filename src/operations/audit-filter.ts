/** The filter for audit entries. All interfaces show the same message for an invalid filter value. */
import { z } from 'zod';
import { AUDIT_ACTIONS } from '../privacy/audit/record.ts';

const MAX_CLIENT_LENGTH = 63;
const MAX_PERSON_LENGTH = 100;

/** Refuses invalid values, because ignoring a filter would list too many entries. */
export const auditFilterShape = {
  since: timeText('The start of the period').describe(
    'Only entries at or after this day (UTC) or time, such as 2026-11-01',
  ),
  until: timeText('The end of the period').describe(
    'Only entries before this day (UTC) or time, such as 2026-12-01',
  ),
  person: lengthLimited(MAX_PERSON_LENGTH, 'The name of the user or token').describe(
    'Part of the name of the user or access token that acted',
  ),
  integration: lengthLimited(MAX_CLIENT_LENGTH, 'The ID of the client').describe(
    'Only entries about this client, which may be a former client',
  ),
  action: z
    .enum(AUDIT_ACTIONS, {
      error: `There is no such action in the audit. The actions are ${AUDIT_ACTIONS.join(', ')}.`,
    })
    .optional()
    .describe('Only entries of this action'),
};

function timeText(what: string) {
  return z
    .union([z.iso.date(), z.iso.datetime()], {
      error: `${what} must be a day, such as 2026-11-01, or a time in UTC, such as 2026-11-01T09:00:00Z.`,
    })
    .optional();
}

function lengthLimited(max: number, what: string) {
  const error = `${what} must have 1 to ${max} characters.`;
  return z.string({ error }).min(1, { error }).max(max, { error }).optional();
}
