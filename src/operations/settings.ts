/** Exports a client's settings without secrets, or all stored data about a client. */
import { z } from 'zod';
import { hideSecrets, listVariables, toYaml } from '../clients/shown-settings.ts';
import { describeCount } from '../core/quantities.ts';
import { exportEverything } from '../privacy/export-everything.ts';
import { findClient } from './kit/clients.ts';
import { acting, reading } from './kit/operation.ts';

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

/**
 * Exports all data of a nonprofit that stops using donor-sync. The data is sent without a copy on the server, so nobody
 * can get the file later.
 */
export const exportAll = acting({
  name: 'export everything',
  summary: 'Export all data held about a client, as files for spreadsheets',
  details:
    'The response is a ZIP file. The server sends it while it reads the data, and does not keep a copy. No run of the client starts until you have received it. If the response ends early, it is incomplete: repeat the request. The audit records the start and the outcome.',
  role: 'owner',
  reach: 'all',
  by: 'person',
  input: z.object({ integration: z.string().describe('The ID of the client') }),
  subjects: ['integration'],
  result: z.object({
    exported: z.string(),
    files: z.array(z.object({ name: z.string(), rows: z.int() })),
    variables: z
      .array(z.string())
      .describe('The variables that replace secrets in the exported settings'),
  }),
  archive: ({ integration }) => `${integration}.zip`,
  async run({ application, store, clock, writeFile, ...world }, { integration: id }) {
    const integration = findClient(world, id);
    const { settings, variables } = hideSecrets(integration);
    const deps = { application: { ...application, store }, clock, writeFile };
    const files = await exportEverything(deps, {
      integrationId: integration.id,
      settings: toYaml({ integrations: [settings] }),
    });
    return { exported: integration.id, files, variables };
  },
  say: ({ exported, files }) => [
    ...files.map(({ name, rows }) => `${name}: ${describeCount(rows, 'row')}`),
    `All data of "${exported}" was exported.`,
  ],
  remarks: ({ variables }) =>
    variables.length === 0
      ? []
      : [`Set these variables before you apply it: ${variables.join(', ')}`],
});
