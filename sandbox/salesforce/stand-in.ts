import { z } from 'zod';
import type { CrmStandIn } from '../crm/stand-in.ts';

const SHAPES = ['npsp', 'plain', 'personAccounts'] as const;

const ownSchema = z.strictObject({
  shape: z.enum(SHAPES).exactOptional(),
  apiLimit: z.number().exactOptional(),
  bulkJobTimeMs: z.number().exactOptional(),
  individuals: z.boolean().exactOptional(),
  deceasedDate: z.boolean().exactOptional(),
});

export const salesforceStandIn: CrmStandIn = {
  kind: 'salesforce',
  serves: 'a Salesforce org',
  examples: `
Examples:
  donor-sync sandbox salesforce --port 4200
  donor-sync sandbox salesforce --port 4200 --shape plain --contacts 20000 --db org.db

The line on stdout contains the base URL and all credentials: a token, a client ID and secret,
a user name and the private key for the JWT flow. At the root of the same address:
GET /_sandbox/people, /_sandbox/requests, /_sandbox/record/TYPE/ID, PUT /_sandbox/faults,
POST /_sandbox/edit, /_sandbox/locks, /_sandbox/rules, /_sandbox/tokens.`,
  options: [
    {
      name: 'shape',
      flags: '--shape <shape>',
      description: 'how the org models people',
      value: SHAPES,
    },
    {
      name: 'apiLimit',
      flags: '--api-limit <n>',
      description: 'API requests within 24 hours (default: 100000)',
      value: 'count',
    },
    {
      name: 'bulkJobTimeMs',
      flags: '--job-time <ms>',
      description: 'the shortest time that a Bulk API job takes, in milliseconds (default: 50)',
      value: 'jobTime',
    },
    {
      name: 'individuals',
      flags: '--individuals',
      description: 'switch on Data Protection and Privacy: Individual records',
      value: 'given',
    },
    {
      name: 'deceasedDate',
      flags: '--deceased-date',
      description: 'give contacts a DeceasedDate, as in orgs of some industries',
      value: 'given',
    },
  ],
  token: { noun: 'an access token', lifetimeMs: 7_200_000 },
  async start(options, own) {
    const { startSalesforceSandbox } = await import('./index.ts');
    const started = await startSalesforceSandbox({ ...options, ...ownSchema.parse(own) });
    const { rootUrl: _, close, ...line } = started;
    return { line, close };
  },
};
