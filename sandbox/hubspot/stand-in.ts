import { z } from 'zod';
import type { CrmStandIn } from '../crm/stand-in.ts';

const ownSchema = z.strictObject({
  ratePer10s: z.number().exactOptional(),
  dailyLimit: z.number().exactOptional(),
  searchPerSecond: z.number().exactOptional(),
  searchLagMs: z.number().exactOptional(),
});

export const hubspotStandIn: CrmStandIn = {
  kind: 'hubspot',
  serves: 'a HubSpot account',
  examples: `
Examples:
  donor-sync sandbox hubspot --port 4300
  donor-sync sandbox hubspot --port 4300 --contacts 20000 --rate 0 --db account.db

The line on stdout contains the base URL, a token of a private app, the client ID and secret of an OAuth
app, and the account's number. At the root of the same address: GET /_sandbox/people,
/_sandbox/requests, /_sandbox/record/TYPE/ID, PUT /_sandbox/faults, POST /_sandbox/edit,
/_sandbox/rules, /_sandbox/tokens.`,
  options: [
    {
      name: 'ratePer10s',
      flags: '--rate <n>',
      description: 'requests per app within ten seconds, 0 for no limit (default: 190)',
      value: 'count',
    },
    {
      name: 'dailyLimit',
      flags: '--daily-limit <n>',
      description: 'requests per day, 0 for no limit (default: 650000)',
      value: 'count',
    },
    {
      name: 'searchPerSecond',
      flags: '--search-rate <n>',
      description: 'searches per second, 0 for no limit (default: 5)',
      value: 'count',
    },
    {
      name: 'searchLagMs',
      flags: '--search-lag <ms>',
      description: 'the delay until searches find changes, in milliseconds (default: 1000)',
      value: 'latency',
    },
  ],
  token: { noun: 'an OAuth access token', lifetimeMs: 1_800_000 },
  async start(options, own) {
    const { startHubspotSandbox } = await import('./index.ts');
    const started = await startHubspotSandbox({ ...options, ...ownSchema.parse(own) });
    const { rootUrl: _, close, ...line } = started;
    return { line, close };
  },
};
