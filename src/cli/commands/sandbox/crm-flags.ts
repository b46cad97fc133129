import type { Command } from 'commander';
import { z } from 'zod';
import { addFaultsOption, commonFlags, readCount, readLatency } from './flags.ts';

/** What the options that the sandboxes of all CRMs have are read as. */
export const crmFlags = {
  ...commonFlags,
  latency: z.number().exactOptional(),
  tokenLifetime: z.number().exactOptional(),
  rotateRefreshTokens: z.boolean().exactOptional(),
};

interface CrmTimes {
  latency?: number;
  tokenLifetime?: number;
}

/** The flags with their times named as the sandboxes name them. */
export function toCrmOptions<Flags extends CrmTimes>({ latency, tokenLifetime, ...flags }: Flags) {
  return {
    ...flags,
    ...(latency === undefined ? {} : { latencyMs: latency }),
    ...(tokenLifetime === undefined ? {} : { tokenLifetimeMs: tokenLifetime }),
  };
}

/** Adds the options that the sandboxes of all CRMs have beside `addCommonOptions`. */
export function addCrmOptions(
  command: Command,
  { token, lifetimeMs }: { token: string; lifetimeMs: number },
): Command {
  command
    .option(
      '--latency <ms>',
      'every request waits so long, in milliseconds (default: 0)',
      readLatency,
    )
    .option(
      '--token-lifetime <ms>',
      `how long ${token} is good, 0 for ever (default: ${lifetimeMs})`,
      readCount,
    )
    .option('--rotate-refresh-tokens', 'each use of a refresh token gives a new one');
  return addFaultsOption(command);
}
