import { resolve } from 'node:path';
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
  type Serving,
  type StandIn,
  toSandboxOptions,
} from './stand-in.ts';

const EXAMPLES = `
Examples:
  donor-sync sandbox partner --port 4100
  donor-sync sandbox partner --port 4100 --job-time 1000 --credits 50 --faults faults.json
  donor-sync sandbox partner --port 4100 --donors 0 --data people/data/public-record
  donor-sync sandbox partner --port 4100 --donors 1000000 --db world.db
  donor-sync sandbox partner --port 4100 --latency 300 --jitter 50 --latency-tail 0.01:3000 --submit-latency 2000

The line on stdout contains the base URL and the API key for the settings. In addition to the service, at
the root of the same address: GET /_sandbox/people, /_sandbox/ledger, /_sandbox/requests,
PUT /_sandbox/faults, POST /_sandbox/keys.`;

/** The options, with the names that `startPartnerSandbox` uses, without `faults` and `forms`. */
const flagsSchema = z
  .object({
    ...commonFlags,
    data: z.string().exactOptional(),
    rate: z.number().exactOptional(),
    burst: z.number().exactOptional(),
    retryAfter: z.boolean(),
    jobTime: z.number().exactOptional(),
    submitLatency: z.number().exactOptional(),
    chargeQueries: z.boolean().exactOptional(),
    chargeSingleAdd: z.boolean().exactOptional(),
    credits: z.number().exactOptional(),
    forms: z.enum(['a', 'b', 'both']),
  })
  .transform(({ jobTime, submitLatency, burst, ...flags }) => ({
    ...toSandboxOptions(flags),
    ...(submitLatency === undefined ? {} : { submitLatencyMs: submitLatency }),
    ...(jobTime === undefined ? {} : { jobTimeMs: jobTime, networkJobTimeMs: jobTime }),
    ...(burst === 0 ? { rate: 0 } : burst === undefined ? {} : { burst }),
  }));

type Flags = z.output<typeof flagsSchema>;

/** The command `sandbox partner`, which starts a sandbox of the Partner Data Service. */
export const PARTNER: StandIn<Flags> = {
  kind: 'partner',
  description: 'serve the Partner Data Service with fictional people until stopped',
  examples: EXAMPLES,
  addOptions,
  flagsSchema,
  start,
};

function addOptions(command: Command): Command {
  addCommonOptions(command, 'the number of donors')
    .option(
      '--rate <n>',
      'requests per second for each key, 0 for no limit (default: 10)',
      readCount,
    )
    .option('--burst <n>', 'requests at once, 0 for no limit (default: 10)', readCount)
    .option(
      '--data <dir>',
      'a folder with a public record, whose real people become further donors',
    )
    .option('--no-retry-after', 'leave the Retry-After header out of 429 responses')
    .option(
      '--job-time <ms>',
      'the longest time a job takes, in milliseconds (default: 4000)',
      readJobTime,
    )
    .option('--charge-queries', 'discover, compare, connections and lookup cost a search credit')
    .option('--charge-single-add', 'adding one member costs a network credit')
    .option('--credits <n>', 'credits in each bucket of a new team (default: 100000)', readCount);
  return addNetworkOptions(command)
    .option(
      '--submit-latency <ms>',
      'the additional time for a paid submit, in milliseconds (default: 0)',
      readLatency,
    )
    .addOption(
      new Option('--forms <forms>', 'which forms of the enhancement paths exist')
        .choices(['a', 'b', 'both'])
        .default('both'),
    );
}

async function start({ faults, forms, data, ...flags }: Flags, cwd: string): Promise<Serving> {
  // donor-sync itself does not import the sandboxes. The command loads its sandbox when it needs it.
  const { startPartnerSandbox } = await import('../../../../../sandbox/partner/index.ts');
  const { baseUrl, apiKey, close } = await startPartnerSandbox({
    ...flags,
    ...(data === undefined ? {} : { data: resolve(cwd, data) }),
    faults: await readFaultFile(faults, cwd),
    forms: { a: forms !== 'b', b: forms !== 'a' },
  });
  return { line: { baseUrl, apiKey }, close };
}
