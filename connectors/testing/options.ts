/** The options with which tests open connectors. */
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import type { ConnectorDefinition, ConnectorDeps, ConnectorOptions } from '../contract.ts';
import type { HarnessOptions } from './harness.ts';

/**
 * Returns a connector's dependencies for a test. The dependencies are the system clock, a log that drops all entries,
 * and no secrets.
 */
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
 * Converts settings from the file to options for a definition's `open` and `check`. If the kit's options contain a
 * `url`, it replaces the `url` in the settings.
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
