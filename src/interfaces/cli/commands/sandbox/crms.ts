/** The sandbox commands of the CRMs. Each sandbox command has the shared options and its own options. */
import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { CrmStandIn, StandInOption } from '../../../../../sandbox/crm/stand-in.ts';
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

/** The options of the commands. Each sandbox adds its own options to the shared options. */
const flagsSchema = z.looseObject({
  ...commonFlags,
  tokenLifetime: z.number().exactOptional(),
  rotateRefreshTokens: z.boolean().exactOptional(),
});

type Flags = z.output<typeof flagsSchema>;

export function crmStandIn(standIn: CrmStandIn): StandIn<Flags> {
  const { kind, serves, examples } = standIn;
  return {
    kind,
    description: `serve ${serves} with the same people until stopped`,
    examples,
    addOptions: (command) => addOptions(command, standIn),
    flagsSchema,
    async start({ faults: file, ...flags }, cwd) {
      const faults = await readFaultFile(file, cwd);
      const own = standIn.options.flatMap((option) => {
        const value = flags[toOption(option).attributeName()];
        return value === undefined ? [] : [[option.name, value] as const];
      });
      const { line, close } = await standIn.start(
        { ...toShared(flags), faults },
        Object.fromEntries(own),
      );
      return { line, close };
    },
  };
}

function addOptions(command: Command, { options, token }: CrmStandIn): Command {
  addCommonOptions(command, '500');
  for (const option of options) command.addOption(toOption(option));
  if (token !== undefined) {
    command
      .option(
        '--token-lifetime <ms>',
        `how long ${token.noun} is valid, 0 for ever (default: ${token.lifetimeMs})`,
        readCount,
      )
      .option('--rotate-refresh-tokens', 'each use of a refresh token returns a new one');
  }
  return addNetworkOptions(command);
}

const READERS = { count: readCount, latency: readLatency, jobTime: readJobTime };

function toOption({ flags, description, value }: StandInOption): Option {
  const option = new Option(flags, description);
  if (value === 'given') return option;
  if (typeof value === 'string') return option.argParser(READERS[value]);
  return option.choices(value).default(value[0]);
}

/** Returns the shared options, under the names that the sandboxes use. */
function toShared(flags: Omit<Flags, 'faults'>) {
  const shared = z.object(flagsSchema.shape).omit({ faults: true }).parse(flags);
  const { tokenLifetime, ...others } = shared;
  return {
    ...toSandboxOptions(others),
    ...(tokenLifetime === undefined ? {} : { tokenLifetimeMs: tokenLifetime }),
  };
}
