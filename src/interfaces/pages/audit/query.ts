/** Reads from the page's address which audit entries to list. */
import { z } from 'zod';
import { AUDIT_ACTIONS } from '../../../privacy/audit/record.ts';
import type { AuditPageFilter } from '../../../privacy/audit-view.ts';

const DAY_MS = 86_400_000;

/** The allowed parameters. An invalid value counts as left out. */
export const auditQuerySchema = z.object({
  client: z.string().trim().max(63).catch(''),
  action: z.enum(['', ...AUDIT_ACTIONS]).catch(''),
  person: z.string().trim().max(100).catch(''),
  /** The first and the last day, in UTC. */
  from: z.union([z.literal(''), z.iso.date()]).catch(''),
  to: z.union([z.literal(''), z.iso.date()]).catch(''),
  before: z.coerce.number().int().positive().nullable().catch(null),
});

export type AuditQuery = z.infer<typeof auditQuerySchema>;

export function toFilter({ client, action, person, from, to }: AuditQuery): AuditPageFilter {
  return {
    integrationId: client || undefined,
    action: action || undefined,
    person: person || undefined,
    since: from === '' ? undefined : Date.parse(from),
    until: to === '' ? undefined : Date.parse(to) + DAY_MS,
  };
}
