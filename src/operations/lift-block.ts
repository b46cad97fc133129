import { z } from 'zod';
import { ConfigurationError } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import { describeCount } from '../core/quantities.ts';
import { liftBlock, listBlocking } from '../privacy/forget/forget.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting } from './kit/operation.ts';

const inputSchema = z.object({
  integration: z.string().describe('The ID of the client'),
  contact: z.string().min(1).max(255).describe('The ID of the contact in the CRM'),
});

/**
 * Lifts the block of an erased contact. The block is a promise to the person. Therefore, only owners may lift it, and
 * not with an access token.
 */
export const liftContactBlock = acting({
  name: 'forget lift-block',
  summary: 'Allow a contact that was erased or blocked by mistake to be enhanced again',
  details:
    'It lifts the block in all clients of the same CRM account. Erased data is not restored. If the next sync reads the contact, it can enhance the contact, which costs a credit.',
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: inputSchema,
  subjects: ['integration', 'contact'],
  result: z.object({
    forget: z.object({
      integration: z.string(),
      crmId: z.string(),
      lifted: z.array(z.string()).describe('The IDs of the clients that had blocked the contact'),
    }),
  }),
  async question(world, input) {
    const { integration, crmId } = await findContact(world, input);
    const blocking = await listBlocking(world.store, integration, crmId);
    if (blocking.length === 0) throw notBlocked(integration, crmId);
    const clients = blocking.map((id) => `"${id}"`).join(', ');
    return {
      text: `Allow the contact ${crmId} of ${clients} to be enhanced again? Erased data is not restored, and enhancing the contact costs a credit.`,
      counts: { clients: blocking.length },
    };
  },
  async run(world, input) {
    const { integration, crmId } = await findContact(world, input);
    const lifted = await liftBlock(world.store, integration, crmId);
    if (lifted.length === 0) throw notBlocked(integration, crmId);
    return { forget: { integration: integration.id, crmId, lifted } };
  },
  say: ({ forget: { integration, crmId, lifted } }) => [
    `${crmId} can be enhanced again in ${describeCount(lifted.length, 'client')}: ${lifted.join(', ')}.`,
    `To enhance it now, run: donor-sync sync ${integration} --contact ${crmId}. Otherwise a sync can do so when the contact next changes.`,
  ],
});

/** Finds the client, and the canonical form of the contact's ID. */
async function findContact(
  world: ActingWorld,
  { integration: id, contact }: z.output<typeof inputSchema>,
): Promise<{ integration: Integration; crmId: string }> {
  const integration = findClient(world, id);
  return { integration, crmId: await world.application.contactId(integration, contact) };
}

function notBlocked({ id }: Integration, crmId: string): ConfigurationError {
  return new ConfigurationError(
    `The contact ${crmId} of "${id}" is not blocked. Nothing was changed. Check the ID: donor-sync about ${crmId} --integration ${id}`,
    {
      code: 'block_unknown',
      refusal: 'unknown',
      details: { integration: id, contact: crmId },
    },
  );
}
