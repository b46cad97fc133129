/** The settings of a client, without what is secret in them. */
import { z } from 'zod';
import { hideSecrets, listVariables } from '../clients/shown-settings.ts';
import { describeCount } from '../core/quantities.ts';
import { findClient } from './kit/clients.ts';
import { reading } from './kit/operation.ts';

export const exportSettings = reading({
  name: 'export',
  summary: 'Print the settings of a client as YAML that `apply` accepts, without secrets',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: z.string().describe('The ID of the client') }),
  subjects: ['integration'],
  result: z.object({
    integrations: z
      .array(z.unknown())
      .describe('The client, in the form of the settings file, with a variable for each secret'),
  }),
  run: async (world, { integration: id }) => ({
    integrations: [hideSecrets(findClient(world, id)).settings],
  }),
  say: ({ integrations }) => `The settings of ${describeCount(integrations.length, 'client')}.`,
  remarks({ integrations }) {
    const variables = listVariables(integrations);
    if (variables.length === 0) return [];
    return [`Set these variables before you apply it: ${variables.join(', ')}`];
  },
});
