/** Erases a contact. On request, also clears the CRM fields that donor-sync filled. */
import { z } from 'zod';
import { reachInsufficient } from '../core/shared-errors.ts';
import type { Asked } from '../decisions/second-person/ask.ts';
import { approvalSchema } from '../decisions/views/approval.ts';
import { integrationsToForget } from '../privacy/forget/targets.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting, type World } from './kit/operation.ts';
import { describeWaiting, leaveToService, warnOfSecond } from './second-person.ts';

const inputSchema = z.object({
  integration: z.string().describe('The ID of the client'),
  contact: z.string().min(1).max(255).describe('The ID of the contact in the CRM'),
  alsoInCrm: z
    .boolean()
    .default(false)
    .describe('Also clear the values that donor-sync wrote to the CRM'),
  everywhere: z
    .boolean()
    .default(false)
    .describe(
      'Also erase the contact in clients of other CRM accounts that know this ID; needs access to all clients',
    ),
  blockUnknown: z
    .boolean()
    .default(false)
    .describe('Block the ID even if neither the database nor the CRM has such a contact'),
});

export const forgetDeclared = {
  name: 'forget',
  summary:
    'Erase a contact from the database and, if requested, the values that donor-sync wrote to the CRM',
  role: 'admin',
  reach: 'some',
  by: 'person',
  input: inputSchema,
  subjects: ['integration', 'contact'],
  async question(world: ActingWorld, input: z.output<typeof inputSchema>) {
    const { crmId, ids } = await findTargets(world, input);
    const clients = ids.map((id) => `"${id}"`).join(', ');
    const crm = input.alsoInCrm
      ? ', and clear the values that donor-sync wrote about it in the CRM'
      : '';
    const second = await warnOfSecond(world, toAsked(input, crmId));
    return {
      text: `Permanently erase the contact ${crmId} of ${clients} from the database${crm}?${second}`,
      counts: { clients: ids.length },
    };
  },
} as const;

export const forgetContact = acting({
  ...forgetDeclared,
  result: z.object({ approval: approvalSchema }),
  async run(world, input) {
    const { crmId } = await findTargets(world, input);
    return { approval: await leaveToService(world, toAsked(input, crmId)) };
  },
  say: ({ approval }) => describeWaiting(approval),
});

/** Returns the erasure as a request that a second user can confirm. */
export function toAsked(input: z.output<typeof inputSchema>, crmId: string): Asked {
  const { alsoInCrm, everywhere, blockUnknown, integration: integrationId } = input;
  return { request: { what: 'forget', alsoInCrm, everywhere, blockUnknown }, integrationId, crmId };
}

/**
 * Finds the canonical ID and the clients. Throws a ConfigurationError if the caller has no access to one of the
 * clients.
 */
export async function findTargets(world: World, input: z.output<typeof inputSchema>) {
  const integration = findClient(world, input.integration);
  const { application, reader, clients, caller } = world;
  const crmId = await application.contactId(integration, input.contact);
  const source = { store: { reader }, integrations: application.integrations };
  const { everywhere } = input;
  // Refuses the request before it reads any data, because the response must not reveal other clients' contacts.
  if (everywhere && caller.clients !== null) {
    throw reachInsufficient(
      '`everywhere` affects all clients, and you have access to only some of them.',
    );
  }
  const ids = await integrationsToForget(
    { application: source },
    { integration, crmId, everywhere },
  );
  // Includes clients that are no longer in the settings. An erasure in these clients requires access to all clients.
  if (caller.clients === null || ids.every((id) => clients.has(id))) return { crmId, ids };
  throw reachInsufficient(
    'An erasure affects all clients of a CRM account, but you do not have access to all of them.',
  );
}
