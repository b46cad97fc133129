import type { Command } from 'commander';
import { z } from 'zod';
import { addCrmOptions, crmFlags, toCrmOptions } from './crm-flags.ts';
import { addCommonOptions, readCount, readLatency } from './flags.ts';
import { readFaultFile } from './read-fault-file.ts';
import type { Serving, StandIn } from './stand-in.ts';

const EXAMPLES = `
Examples:
  donor-sync sandbox hubspot --port 4300
  donor-sync sandbox hubspot --port 4300 --contacts 20000 --rate 0 --db account.db

The line on stdout has the base URL, a token of a private app, the client id and secret of an app that
signs in by OAuth, and the account's number. At the root of the same address: GET /_sandbox/people,
/_sandbox/requests, /_sandbox/record/TYPE/ID, PUT /_sandbox/faults, POST /_sandbox/edit,
/_sandbox/rules, /_sandbox/tokens.`;

const TOKENS = { token: 'an access token of OAuth', lifetimeMs: 1_800_000 };

/** The options of `sandbox hubspot`, as `startHubspotSandbox` takes them but for `faults`. */
const flagsSchema = z
  .object({
    ...crmFlags,
    rate: z.number().exactOptional(),
    dailyLimit: z.number().exactOptional(),
    searchRate: z.number().exactOptional(),
    searchLag: z.number().exactOptional(),
  })
  .transform(({ rate, searchRate, searchLag, ...flags }) => ({
    ...toCrmOptions(flags),
    ...(rate === undefined ? {} : { ratePer10s: rate }),
    ...(searchRate === undefined ? {} : { searchPerSecond: searchRate }),
    ...(searchLag === undefined ? {} : { searchLagMs: searchLag }),
  }));

type Flags = z.output<typeof flagsSchema>;

/** The command `sandbox hubspot`: a HubSpot account. */
export const HUBSPOT: StandIn<Flags> = {
  kind: 'hubspot',
  description: 'serve a HubSpot account with the same people until stopped',
  examples: EXAMPLES,
  addOptions,
  flagsSchema,
  start,
};

function addOptions(command: Command): Command {
  addCommonOptions(command, '500')
    .option(
      '--rate <n>',
      'requests of an app within ten seconds, 0 for no limit (default: 190)',
      readCount,
    )
    .option('--daily-limit <n>', 'requests of a day, 0 for no limit (default: 650000)', readCount)
    .option('--search-rate <n>', 'searches within a second, 0 for no limit (default: 5)', readCount)
    .option(
      '--search-lag <ms>',
      'searches see the account as it was so long ago, in milliseconds (default: 1000)',
      readLatency,
    );
  return addCrmOptions(command, TOKENS);
}

async function start({ faults, ...flags }: Flags, cwd: string): Promise<Serving> {
  // The product does not know the sandboxes: they are loaded when one is asked for.
  const { startHubspotSandbox } = await import('../../../../sandbox/hubspot/index.ts');
  const sandbox = await startHubspotSandbox({ ...flags, faults: await readFaultFile(faults, cwd) });
  const { rootUrl: _, close, ...line } = sandbox;
  return { line, close };
}
