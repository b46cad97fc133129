import { z } from 'zod';
import type { Integration } from '../../core/integration-settings.ts';
import { requireRole } from '../kit/authorise.ts';
import { findClient } from '../kit/clients.ts';
import { type ActingWorld, acting } from '../kit/operation.ts';
import { startOnce, startRun } from '../start-run.ts';
import { contactInput } from './contact.ts';
import { findOwnContact, type OwnContact, requireInside } from './own-contact.ts';

export const markedSchema = z.object({
  accepted: z.literal(true),
  run: z.string().nullable().describe('The run that decides; null for an erased contact'),
});

/**
 * Requests an ordinary run for one contact. The run follows all rules in the settings. If a run is already queued or in
 * progress, it carries out the request. The mark ends when the run ends. Within 24 hours, a call with the same key
 * returns the same run.
 */
export const markWanted = acting({
  name: 'doors mark',
  summary: 'Mark a contact as wanted, so that a run enhances it',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    ...contactInput,
    key: z.string().min(8).max(200).describe('The key of the click'),
  }),
  subjects: ['integration', 'contact'],
  result: markedSchema,
  async run(world, { integration, contact, key }) {
    // A CRM that calls without a user needs no role, because its door token decides. Users need the usual role.
    if (world.caller.kind === 'person') requireRole(world.caller, startRun.role);
    const client = findClient(world, integration);
    const own = await findOwnContact(world, client, contact);
    requireInside(client, own);
    return markOwn(world, client, own, key);
  },
  say: () => 'The contact was marked as wanted.',
});

/** Marks a client's own contact. Marks use a different kind of key than other programs. */
export async function markOwn(
  world: ActingWorld,
  client: Integration,
  { crmId, isErased }: OwnContact,
  key: string,
): Promise<z.output<typeof markedSchema>> {
  // CRMs still send the IDs of erased contacts, so donor-sync does not store these IDs.
  if (isErased) return { accepted: true, run: null };
  const wish = { contact: crmId, full: false, acceptMatchRate: false, acceptMarks: false };
  const { run } = await startOnce(world, client, wish, `door\n${key}`);
  return { accepted: true, run: run.id };
}
