/** The options with which tests open connectors. */
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import type { ConnectorDefinition, ConnectorDeps, ConnectorOptions } from '../contract.ts';
import type { HarnessOptions } from './harness.ts';

/** Returns a connector's dependencies in a test: the machine's clock, no log, and no secrets. */
export function testDeps(deps: Partial<ConnectorDeps> = {}): ConnectorDeps {
  return {
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    secrets: { read: async () => null, write: async () => {} },
    onCall() {},
    ...deps,
  };
}

/**
 * Converts settings from the file to options for a definition's `open` and `check`. A `url` in the options of the kit
 * replaces the `url` of the settings.
 */
export function testOptions<Settings>(
  { settingsSchema }: Pick<ConnectorDefinition<Settings>, 'settingsSchema'>,
  settings: unknown,
  { contacts, url, uses, ...deps }: HarnessOptions = {},
): ConnectorOptions<Settings> {
  return {
    settings: settingsSchema.parse(url === undefined ? settings : { ...Object(settings), url }),
    contacts: { filter: null, optOutField: null, ...contacts },
    deps: testDeps(deps),
    ...(uses === undefined ? {} : { uses }),
  };
}
