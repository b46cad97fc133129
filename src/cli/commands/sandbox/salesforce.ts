import { type Command, Option } from 'commander';
import { z } from 'zod';
import { addCrmOptions, crmFlags, toCrmOptions } from './crm-flags.ts';
import { addCommonOptions, readCount, readJobTime } from './flags.ts';
import { readFaultFile } from './read-fault-file.ts';
import type { Serving, StandIn } from './stand-in.ts';

const EXAMPLES = `
Examples:
  donor-sync sandbox salesforce --port 4200
  donor-sync sandbox salesforce --port 4200 --shape plain --contacts 20000 --db org.db

The line on stdout has the base URL and everything that signs in: a token, a client id and secret,
a user name and the private key for the JWT flow. At the root of the same address:
GET /_sandbox/people, /_sandbox/requests, /_sandbox/record/TYPE/ID, PUT /_sandbox/faults,
POST /_sandbox/edit, /_sandbox/locks, /_sandbox/rules, /_sandbox/tokens.`;

const SHAPES = ['npsp', 'plain', 'personAccounts'] as const;

const TOKENS = { token: 'an access token', lifetimeMs: 7_200_000 };

/** The options of `sandbox salesforce`, as `startSalesforceSandbox` takes them but for `faults`. */
const flagsSchema = z
  .object({
    ...crmFlags,
    shape: z.enum(SHAPES),
    apiLimit: z.number().exactOptional(),
    jobTime: z.number().exactOptional(),
    individuals: z.boolean().exactOptional(),
    deceasedDate: z.boolean().exactOptional(),
  })
  .transform(({ jobTime, ...flags }) => ({
    ...toCrmOptions(flags),
    ...(jobTime === undefined ? {} : { bulkJobTimeMs: jobTime }),
  }));

type Flags = z.output<typeof flagsSchema>;

/** The command `sandbox salesforce`: a Salesforce org. */
export const SALESFORCE: StandIn<Flags> = {
  kind: 'salesforce',
  description: 'serve a Salesforce org with the same people until stopped',
  examples: EXAMPLES,
  addOptions,
  flagsSchema,
  start,
};

function addOptions(command: Command): Command {
  addCommonOptions(command, '500')
    .addOption(
      new Option('--shape <shape>', 'how the org models people').choices(SHAPES).default('npsp'),
    )
    .option('--api-limit <n>', 'API requests within 24 hours (default: 100000)', readCount)
    .option(
      '--job-time <ms>',
      'how long a job of the Bulk API takes at least, in milliseconds (default: 50)',
      readJobTime,
    )
    .option('--individuals', 'switch on Data Protection and Privacy: Individual records')
    .option('--deceased-date', 'give contacts a DeceasedDate, as in orgs of some industries');
  return addCrmOptions(command, TOKENS);
}

async function start({ faults, ...flags }: Flags, cwd: string): Promise<Serving> {
  // The product does not know the sandboxes: they are loaded when one is asked for.
  const { startSalesforceSandbox } = await import('../../../../sandbox/salesforce/index.ts');
  const sandbox = await startSalesforceSandbox({
    ...flags,
    faults: await readFaultFile(faults, cwd),
  });
  const { rootUrl: _, close, ...line } = sandbox;
  return { line, close };
}
