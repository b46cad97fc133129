/** Marks a contact for enhancement with a door token, up to a daily limit. */
import { z } from 'zod';
import { listDoorTokens } from '../../clients/statements/door-tokens.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { describeCount, formatCount } from '../../core/quantities.ts';
import { rightsChanged } from '../kit/authorise.ts';
import { findClient } from '../kit/clients.ts';
import { acting } from '../kit/operation.ts';
import { contactInput } from './contact.ts';
import { markWithinDay, startOfDay } from './mark-within-day.ts';

/** Marks a contact. The door token's daily limit applies. */
export const enhanceAtDoor = acting({
  name: 'doors enhance',
  summary: 'Mark a contact as wanted with a door token, within the limit of the day',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    ...contactInput,
    token: z.string().describe('The ID of the door token'),
    click: z.string().min(8).max(200).describe('Identifies the click'),
  }),
  subjects: ['integration', 'contact'],
  result: z.object({
    left: z.int().describe('How many more contacts the token may mark today'),
    run: z
      .string()
      .nullable()
      .describe(
        'The run that decides; null for an erased contact, and for a click of an earlier day',
      ),
  }),
  async run(world, { integration, contact, token: id, click }) {
    const client = findClient(world, integration);
    const token = (await listDoorTokens(world.reader)).find((one) => one.id === id);
    if (token?.integrationId !== client.id) throw rightsChanged();
    const { perDay: limit } = token;
    const wish = { typed: contact, counter: id, key: click };
    const day = { since: startOfDay(world.clock.now()), limit };
    const { state, run, left } = await markWithinDay(world, client, wish, day);
    if (state === 'limit') throw limitReached(client.id, limit);
    return { left, run };
  },
  say: ({ left }) =>
    `The contact will be enhanced. ${formatCount(left)} more contacts can be requested today.`,
});

function limitReached(integration: string, perDay: number): ConfigurationError {
  return new ConfigurationError(
    `The limit of ${describeCount(perDay, 'contact')} a day has been reached for "${integration}". The contact was not marked, and no credit was spent. Try again tomorrow (UTC), or ask an owner for a token with a higher limit.`,
    { code: 'door_limit_reached', refusal: 'conflict', details: { integration, perDay } },
  );
}
