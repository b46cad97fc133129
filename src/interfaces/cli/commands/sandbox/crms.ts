/** The sandboxes of CRMs (a Salesforce org, a HubSpot account) and their shared parts. */
import { type Command, Option } from 'commander';
import { z } from 'zod';
import {
  addCommonOptions,
  addNetworkOptions,
  commonFlags,
  readCount,
  readFaultFile,
  readJobTime,
  readLatency,
  type StandIn,
  toSandboxOptions,
} from './stand-in.ts';

/** The parsed options that the sandboxes of all CRMs share. */
const crmFlags = {
  ...commonFlags,
  tokenLifetime: z.number().exactOptional(),
  rotateRefreshTokens: z.boolean().exactOptional(),
};

interface CrmTimes {
  tokenLifetime?: number;
}

/** Renames the durations in the options to the sandboxes' names. */
function toCrmOptions<Flags extends CrmTimes>({ tokenLifetime, ...flags }: Flags) {
  return {
    ...flags,
    ...(tokenLifetime === undefined ? {} : { tokenLifetimeMs: tokenLifetime }),
  };
}

/** Adds the options that the sandboxes of all CRMs have in addition to `addCommonOptions`. */
function addCrmOptions(command: Command, token: string, lifetimeMs: number): Command {
  command
    .option(
      '--token-lifetime <ms>',
      `how long ${token} is valid, 0 for ever (default: ${lifetimeMs})`,
      readCount,
    )
    .option('--rotate-refresh-tokens', 'each use of a refresh token returns a new one');
  return addNetworkOptions(command);
}

const SALESFORCE_EXAMPLES = `
Examples:
  donor-sync sandbox salesforce --port 4200
  donor-sync sandbox salesforce --port 4200 --shape plain --contacts 20000 --db org.db

The line on stdout contains the base URL and all credentials: a token, a client ID and secret,
a user name and the private key for the JWT flow. At the root of the same address:
GET /_sandbox/people, /_sandbox/requests, /_sandbox/record/TYPE/ID, PUT /_sandbox/faults,
POST /_sandbox/edit, /_sandbox/locks, /_sandbox/rules, /_sandbox/tokens.`;

const SHAPES = ['npsp', 'plain', 'personAccounts'] as const;

/** The options of `sandbox salesforce` in the form of `startSalesforceSandbox`, except `faults`. */
const salesforceSchema = z
  .object({
    ...crmFlags,
    shape: z.enum(SHAPES),
    apiLimit: z.number().exactOptional(),
    jobTime: z.number().exactOptional(),
    individuals: z.boolean().exactOptional(),
    deceasedDate: z.boolean().exactOptional(),
  })
  .transform(({ jobTime, ...flags }) => ({
    ...toCrmOptions(toSandboxOptions(flags)),
    ...(jobTime === undefined ? {} : { bulkJobTimeMs: jobTime }),
  }));

/** The command `sandbox salesforce`: a Salesforce org. */
export const SALESFORCE: StandIn<z.output<typeof salesforceSchema>> = {
  kind: 'salesforce',
  description: 'serve a Salesforce org with the same people until stopped',
  examples: SALESFORCE_EXAMPLES,
  addOptions(command) {
    addCommonOptions(command, '500')
      .addOption(
        new Option('--shape <shape>', 'how the org models people').choices(SHAPES).default('npsp'),
      )
      .option('--api-limit <n>', 'API requests within 24 hours (default: 100000)', readCount)
      .option(
        '--job-time <ms>',
        'the shortest time that a Bulk API job takes, in milliseconds (default: 50)',
        readJobTime,
      )
      .option('--individuals', 'switch on Data Protection and Privacy: Individual records')
      .option('--deceased-date', 'give contacts a DeceasedDate, as in orgs of some industries');
    return addCrmOptions(command, 'an access token', 7_200_000);
  },
  flagsSchema: salesforceSchema,
  async start({ faults: file, ...flags }, cwd) {
    const { startSalesforceSandbox } = await import('../../../../../sandbox/salesforce/index.ts');
    const faults = await readFaultFile(file, cwd);
    const { rootUrl: _, close, ...line } = await startSalesforceSandbox({ ...flags, faults });
    return { line, close };
  },
};

const HUBSPOT_EXAMPLES = `
Examples:
  donor-sync sandbox hubspot --port 4300
  donor-sync sandbox hubspot --port 4300 --contacts 20000 --rate 0 --db account.db

The line on stdout contains the base URL, a token of a private app, the client ID and secret of an OAuth
app, and the account's number. At the root of the same address: GET /_sandbox/people,
/_sandbox/requests, /_sandbox/record/TYPE/ID, PUT /_sandbox/faults, POST /_sandbox/edit,
/_sandbox/rules, /_sandbox/tokens.`;

/** The options of `sandbox hubspot` in the form of `startHubspotSandbox`, except `faults`. */
const hubspotSchema = z
  .object({
    ...crmFlags,
    rate: z.number().exactOptional(),
    dailyLimit: z.number().exactOptional(),
    searchRate: z.number().exactOptional(),
    searchLag: z.number().exactOptional(),
  })
  .transform(({ rate, searchRate, searchLag, ...flags }) => ({
    ...toCrmOptions(toSandboxOptions(flags)),
    ...(rate === undefined ? {} : { ratePer10s: rate }),
    ...(searchRate === undefined ? {} : { searchPerSecond: searchRate }),
    ...(searchLag === undefined ? {} : { searchLagMs: searchLag }),
  }));

/** The command `sandbox hubspot`: a HubSpot account. */
export const HUBSPOT: StandIn<z.output<typeof hubspotSchema>> = {
  kind: 'hubspot',
  description: 'serve a HubSpot account with the same people until stopped',
  examples: HUBSPOT_EXAMPLES,
  addOptions(command) {
    addCommonOptions(command, '500')
      .option(
        '--rate <n>',
        'requests per app within ten seconds, 0 for no limit (default: 190)',
        readCount,
      )
      .option('--daily-limit <n>', 'requests per day, 0 for no limit (default: 650000)', readCount)
      .option('--search-rate <n>', 'searches per second, 0 for no limit (default: 5)', readCount)
      .option(
        '--search-lag <ms>',
        'the delay until searches find changes, in milliseconds (default: 1000)',
        readLatency,
      );
    return addCrmOptions(command, 'an OAuth access token', 1_800_000);
  },
  flagsSchema: hubspotSchema,
  async start({ faults: file, ...flags }, cwd) {
    const { startHubspotSandbox } = await import('../../../../../sandbox/hubspot/index.ts');
    const faults = await readFaultFile(file, cwd);
    const { rootUrl: _, close, ...line } = await startHubspotSandbox({ ...flags, faults });
    return { line, close };
  },
};
