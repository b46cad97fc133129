/** Marks contacts for a CRM workflow, up to a daily limit. */
import { z } from 'zod';
import { WORKFLOWS } from '../../clients/statements/door-marks.ts';
import { newId } from '../../core/new-id.ts';
import { askAboutLimit, isLimitLifted } from '../../decisions/statements/workflow-limit.ts';
import { listBlockedContacts } from '../../privacy/statements/blocks.ts';
import { findClient } from '../kit/clients.ts';
import { acting } from '../kit/operation.ts';
import { contactInput } from './contact.ts';
import { markWithinDay, startOfDay } from './mark-within-day.ts';

/**
 * Marks a contact. An execution of the workflow counts once, even if the CRM repeats its call. Above the limit, a user
 * must allow further marks.
 */
export const enrolContact = acting({
  name: 'doors enrol',
  summary: 'Mark a contact as wanted for a workflow',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    ...contactInput,
    execution: z.string().describe('Identifies the execution, as a fingerprint'),
    limit: z.int().min(0).describe('The limit of the day'),
  }),
  subjects: ['integration', 'contact'],
  result: z.object({ state: z.enum(['wanted', 'limit']) }),
  async run(world, { integration, contact, execution, limit }) {
    const client = findClient(world, integration);
    const since = startOfDay(world.clock.now());
    const isLifted = await isLimitLifted(world.reader, client.id, since);
    const day = { since, limit: isLifted ? Number.MAX_SAFE_INTEGER : limit };
    const wish = { typed: contact, counter: WORKFLOWS, key: execution };
    const { state } = await markWithinDay(world, client, wish, day);
    return { state };
  },
  say: ({ state }) => (state === 'wanted' ? 'The contact was marked.' : 'The limit is reached.'),
});

/** Asks users about marks above the limit. Each client gets at most one decision about marks per day. */
export const askAboutMore = acting({
  name: 'doors ask',
  summary: 'Ask whether workflows may mark more contacts today',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({ ...contactInput, count: z.int().positive() }),
  subjects: ['integration', 'contact'],
  result: z.object({ asked: z.boolean().describe('False for an erased contact') }),
  async run(world, { integration, contact, count }) {
    const client = findClient(world, integration);
    const crmId = await world.application.contactId(client, contact);
    const erased = await listBlockedContacts(world.reader, client.id);
    if (erased.has(world.fingerprint('forgotten', crmId))) return { asked: false };
    const now = world.clock.now();
    const question = { id: newId(now), integrationId: client.id, crmId };
    const since = startOfDay(now);
    await world.store.act((trx) => askAboutLimit(trx, question, { since, count }));
    return { asked: true };
  },
  say: () => 'Asked.',
});
