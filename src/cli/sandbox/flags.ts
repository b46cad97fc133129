import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';

/** The most donors or contacts a world can have. */
const MAX_PEOPLE = 1_000_000_000;

const MAX_PORT = 65_535;

/** Longer than anybody lets one request wait: ten minutes. */
const MAX_LATENCY_MS = 600_000;

/** Longer than anybody waits for a job in a sandbox: one day. */
const MAX_JOB_TIME_MS = 86_400_000;

const SALESFORCE_SHAPES = ['npsp', 'plain', 'personAccounts'] as const;

/** The options of `sandbox partner`, as `startPartnerSandbox` takes them but for the last two. */
export const partnerSandboxFlagsSchema = z
  .object({
    port: z.number(),
    seed: z.number().exactOptional(),
    donors: z.number().exactOptional(),
    contacts: z.number().exactOptional(),
    data: z.string().exactOptional(),
    db: z.string().exactOptional(),
    rate: z.number().exactOptional(),
    burst: z.number().exactOptional(),
    retryAfter: z.boolean(),
    jobTime: z.number().exactOptional(),
    chargeQueries: z.boolean().exactOptional(),
    chargeSingleAdd: z.boolean().exactOptional(),
    credits: z.number().exactOptional(),
    faults: z.string().exactOptional(),
    forms: z.enum(['a', 'b', 'both']),
  })
  .transform(({ jobTime, burst, ...flags }) => ({
    ...flags,
    ...(jobTime === undefined ? {} : { jobTimeMs: jobTime, networkJobTimeMs: jobTime }),
    // A bucket that never holds a request would refuse them all: 0 means no limit here as well.
    ...(burst === 0 ? { rate: 0 } : burst === undefined ? {} : { burst }),
  }));

export type PartnerSandboxFlags = z.infer<typeof partnerSandboxFlagsSchema>;

/** Adds the options of `sandbox partner` to a command (design, section 4.4). */
export function addPartnerSandboxOptions(command: Command): Command {
  const { MAX_SAFE_INTEGER } = Number;
  return addCommonOptions(command, 'as many as donors')
    .option(
      '--rate <n>',
      'requests a second for each key, 0 for no limit (default: 10)',
      wholeNumber(0, MAX_SAFE_INTEGER),
    )
    .option(
      '--burst <n>',
      'requests at once, 0 for no limit (default: 10)',
      wholeNumber(0, MAX_SAFE_INTEGER),
    )
    .option('--data <dir>', 'a folder with a public record: real people as further donors')
    .option('--no-retry-after', 'leave the Retry-After header out of 429 replies')
    .option(
      '--job-time <ms>',
      'the longest time a job takes, in milliseconds (default: 4000)',
      wholeNumber(0, MAX_JOB_TIME_MS),
    )
    .option('--charge-queries', 'discover, compare, connections and lookup cost a search credit')
    .option('--charge-single-add', 'adding one member costs a network credit')
    .option(
      '--credits <n>',
      'credits in each bucket of a new team (default: 100000)',
      wholeNumber(0, MAX_SAFE_INTEGER),
    )
    .option('--faults <file>', 'a JSON file with rules for what shall go wrong')
    .addOption(
      new Option('--forms <forms>', 'which forms of the enhancement paths exist')
        .choices(['a', 'b', 'both'])
        .default('both'),
    );
}

/** The options of `sandbox salesforce`, as `startSalesforceSandbox` takes them but for the last. */
export const salesforceSandboxFlagsSchema = z
  .object({
    port: z.number(),
    seed: z.number().exactOptional(),
    donors: z.number().exactOptional(),
    contacts: z.number().exactOptional(),
    db: z.string().exactOptional(),
    shape: z.enum(SALESFORCE_SHAPES),
    apiLimit: z.number().exactOptional(),
    latency: z.number().exactOptional(),
    jobTime: z.number().exactOptional(),
    tokenLifetime: z.number().exactOptional(),
    rotateRefreshTokens: z.boolean().exactOptional(),
    faults: z.string().exactOptional(),
  })
  .transform(({ latency, jobTime, tokenLifetime, ...flags }) => ({
    ...flags,
    ...(latency === undefined ? {} : { latencyMs: latency }),
    ...(jobTime === undefined ? {} : { bulkJobTimeMs: jobTime }),
    ...(tokenLifetime === undefined ? {} : { tokenLifetimeMs: tokenLifetime }),
  }));

export type SalesforceSandboxFlags = z.infer<typeof salesforceSandboxFlagsSchema>;

/** Adds the options of `sandbox salesforce` to a command. */
export function addSalesforceSandboxOptions(command: Command): Command {
  const { MAX_SAFE_INTEGER } = Number;
  return addCommonOptions(command, '500')
    .addOption(
      new Option('--shape <shape>', 'how the org models people')
        .choices(SALESFORCE_SHAPES)
        .default('npsp'),
    )
    .option(
      '--api-limit <n>',
      'API requests within 24 hours (default: 100000)',
      wholeNumber(0, MAX_SAFE_INTEGER),
    )
    .option(
      '--latency <ms>',
      'every request waits so long, in milliseconds (default: 0)',
      wholeNumber(0, MAX_LATENCY_MS),
    )
    .option(
      '--job-time <ms>',
      'how long a job of the Bulk API takes at least, in milliseconds (default: 50)',
      wholeNumber(0, MAX_JOB_TIME_MS),
    )
    .option(
      '--token-lifetime <ms>',
      'how long an access token is good, 0 for ever (default: 7200000)',
      wholeNumber(0, MAX_SAFE_INTEGER),
    )
    .option('--rotate-refresh-tokens', 'each use of a refresh token gives a new one')
    .option('--faults <file>', 'a JSON file with rules for what shall go wrong');
}

/** The options of `sandbox hubspot`, as `startHubspotSandbox` takes them but for the last. */
export const hubspotSandboxFlagsSchema = z
  .object({
    port: z.number(),
    seed: z.number().exactOptional(),
    donors: z.number().exactOptional(),
    contacts: z.number().exactOptional(),
    db: z.string().exactOptional(),
    rate: z.number().exactOptional(),
    dailyLimit: z.number().exactOptional(),
    searchRate: z.number().exactOptional(),
    searchLag: z.number().exactOptional(),
    latency: z.number().exactOptional(),
    tokenLifetime: z.number().exactOptional(),
    rotateRefreshTokens: z.boolean().exactOptional(),
    faults: z.string().exactOptional(),
  })
  .transform(({ rate, searchRate, searchLag, latency, tokenLifetime, ...flags }) => ({
    ...flags,
    ...(rate === undefined ? {} : { ratePer10s: rate }),
    ...(searchRate === undefined ? {} : { searchPerSecond: searchRate }),
    ...(searchLag === undefined ? {} : { searchLagMs: searchLag }),
    ...(latency === undefined ? {} : { latencyMs: latency }),
    ...(tokenLifetime === undefined ? {} : { tokenLifetimeMs: tokenLifetime }),
  }));

export type HubspotSandboxFlags = z.infer<typeof hubspotSandboxFlagsSchema>;

/** Adds the options of `sandbox hubspot` to a command. */
export function addHubspotSandboxOptions(command: Command): Command {
  const { MAX_SAFE_INTEGER } = Number;
  return addCommonOptions(command, '500')
    .option(
      '--rate <n>',
      'requests of an app within ten seconds, 0 for no limit (default: 190)',
      wholeNumber(0, MAX_SAFE_INTEGER),
    )
    .option(
      '--daily-limit <n>',
      'requests of a day, 0 for no limit (default: 650000)',
      wholeNumber(0, MAX_SAFE_INTEGER),
    )
    .option(
      '--search-rate <n>',
      'searches within a second, 0 for no limit (default: 5)',
      wholeNumber(0, MAX_SAFE_INTEGER),
    )
    .option(
      '--search-lag <ms>',
      'searches see the account as it was so long ago, in milliseconds (default: 1000)',
      wholeNumber(0, MAX_LATENCY_MS),
    )
    .option(
      '--latency <ms>',
      'every request waits so long, in milliseconds (default: 0)',
      wholeNumber(0, MAX_LATENCY_MS),
    )
    .option(
      '--token-lifetime <ms>',
      'how long an access token of OAuth is good, 0 for ever (default: 1800000)',
      wholeNumber(0, MAX_SAFE_INTEGER),
    )
    .option('--rotate-refresh-tokens', 'each use of a refresh token gives a new one')
    .option('--faults <file>', 'a JSON file with rules for what shall go wrong');
}

/** The options that every sandbox has. */
function addCommonOptions(command: Command, contactsDefault: string): Command {
  const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
  return command
    .option('--port <n>', 'the port on 127.0.0.1; 0 takes a free one', wholeNumber(0, MAX_PORT), 0)
    .option(
      '--seed <n>',
      'another seed, other people (default: 1)',
      wholeNumber(MIN_SAFE_INTEGER, MAX_SAFE_INTEGER),
    )
    .option(
      '--donors <n>',
      'how many people the service knows (default: 10000)',
      wholeNumber(0, MAX_PEOPLE),
    )
    .option(
      '--contacts <n>',
      `how many people the contact list has (default: ${contactsDefault})`,
      wholeNumber(0, MAX_PEOPLE),
    )
    .option('--db <file>', 'keep the state in this file (default: nothing is kept)');
}

/** Reads a whole number between the two, both included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    const isWhole = /^-?\d+$/.test(text) && number >= least && number <= most;
    if (isWhole) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}
